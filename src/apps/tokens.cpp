#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/transaction.hpp"
#include "api/access.hpp"
#include "api/secret.hpp"
#include "apps/commands.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "queries/api.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

struct token_flags {
  std::string user;
  std::string role;
  std::string name;
  std::int64_t id = 0;
};

void check_length(const char* what, const std::string& text, std::size_t least) {
  check_text(what, text);
  if (text.size() >= least && text.size() <= 200) return;
  throw usage_error(std::string(what) + " must have " + std::to_string(least) + " to 200 bytes");
}

void add_token(const command_context& context, const token_flags& flags) {
  check_length("--user", flags.user, 1);
  check_length("--name", flags.name, 0);
  if (!api::role_named(flags.role)) {
    throw usage_error("--role: '" + printable(flags.role, 40) +
                      "' is none of user, viewer, operator, admin");
  }
  const auto secret = api::new_secret();
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto id = pg::exec(tx, queries::token_add, api::hash_of(secret), flags.user, flags.role,
                           flags.name)[0][0]
                      .as<std::int64_t>();
  tx.commit();
  const auto token = api::key_text(api::token_prefix, id, secret);
  if (context.json) {
    std::cout << ordered_json{{"id", id}, {"token", token}} << '\n';
    return;
  }
  std::cout << "token " << id << " of " << one_line(flags.user, 200) << " with the role "
            << flags.role << "; it is not shown again:\n"
            << token << '\n';
}

void print_tokens(const pqxx::result& rows, bool json) {
  ordered_json list = ordered_json::array();
  text_table table({{"ID", text_table::align::right}, {"USER"}, {"ROLE"}, {"NAME"}, {"STATE"}});
  for (const auto& row : rows) {
    const auto revoked = row[5].as<std::string>("");
    list.push_back(
        {{"id", row[0].as<std::int64_t>()},
         {"user", row[1].as<std::string>()},
         {"role", row[2].as<std::string>()},
         {"name", row[3].as<std::string>()},
         {"created_at", utc_text(row[4].as<std::string>())},
         {"revoked_at", revoked.empty() ? ordered_json() : ordered_json(utc_text(revoked))}});
    table.add({row[0].as<std::string>(), one_line(row[1].as<std::string>(), 40),
               row[2].as<std::string>(), one_line(row[3].as<std::string>(), 40),
               revoked.empty() ? "valid" : "revoked"});
  }
  if (json) {
    std::cout << ordered_json{{"tokens", list}} << '\n';
  } else if (table.empty()) {
    std::cout << "no tokens: 'rowrunner tokens add --user NAME --role admin' makes one\n";
  } else {
    table.print(std::cout);
  }
}

void list_tokens(const command_context& context) {
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  use_utc(tx);
  print_tokens(tx.exec(std::string(queries::token_list.text)), context.json);
}

void revoke_token(const command_context& context, const token_flags& flags) {
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto revoked = pg::exec(tx, queries::token_revoke, flags.id);
  if (revoked.empty()) throw std::runtime_error("there is no token " + std::to_string(flags.id));
  tx.commit();
  if (context.json) {
    std::cout << ordered_json{{"id", flags.id}, {"revoked", true}} << '\n';
  } else {
    std::cout << "token " << flags.id << " is revoked\n";
  }
}

}  // namespace

void add_tokens_command(CLI::App& app, command_context& context) {
  auto* tokens = app.add_subcommand("tokens", "Who may use the HTTP server: add, list, revoke");
  tokens->require_subcommand(0, 1);
  auto flags = std::make_shared<token_flags>();
  auto* add = tokens->add_subcommand("add", "Make a token; it is printed once, on the last line");
  add->add_option("--user", flags->user, "The user id that it stands for")->required();
  add->add_option("--role", flags->role, "user, viewer, operator or admin")->required();
  add->add_option("--name", flags->name, "A note for you: what it is used for");
  add->callback(
      [&context, flags] { context.action = [&context, flags] { add_token(context, *flags); }; });
  tokens->add_subcommand("list", "List the tokens, without their secrets")->callback([&context] {
    context.action = [&context] { list_tokens(context); };
  });
  auto* revoke = tokens->add_subcommand("revoke", "End a token and its sign-ins, at once");
  revoke->add_option("ID", flags->id, "The number that list shows")->required();
  revoke->callback(
      [&context, flags] { context.action = [&context, flags] { revoke_token(context, *flags); }; });
  tokens->footer(
      "A user has its own jobs, a viewer reads all, an operator also changes them, an admin may "
      "do\n"
      "everything. Needs the role that ran 'rowrunner migrate'.\n"
      "\n"
      "Examples:\n"
      "  rowrunner tokens add --user ann --role admin --name laptop\n"
      "  rowrunner tokens list\n"
      "  rowrunner tokens revoke 1");
}

}  // namespace rowrunner
