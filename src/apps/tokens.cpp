#include "api/tokens.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "api/access.hpp"
#include "apps/commands.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/text.hpp"

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
  const auto work = [&](pg::session& session) {
    return api::add_token(session, flags.user, flags.role, flags.name);
  };
  const auto made = with_database(context, work);
  if (context.json) {
    std::cout << ordered_json{{"id", made.id}, {"token", made.text}} << '\n';
    return;
  }
  std::cout << "token " << made.id << " of " << one_line(flags.user, 200) << " with the role "
            << flags.role << "; it is not shown again:\n"
            << made.text << '\n';
}

ordered_json as_json(const api::token_entry& token) {
  return {{"id", token.id},
          {"user", token.user},
          {"role", token.role},
          {"name", token.name},
          {"created_at", token.created_at},
          {"revoked_at", token.revoked_at ? ordered_json(*token.revoked_at) : ordered_json()}};
}

void list_tokens(const command_context& context) {
  const auto tokens = with_database(context, api::list_tokens);
  if (context.json) {
    ordered_json list = ordered_json::array();
    for (const auto& token : tokens) list.push_back(as_json(token));
    std::cout << ordered_json{{"tokens", list}} << '\n';
    return;
  }
  if (tokens.empty()) {
    std::cout << "no tokens: 'rowrunner tokens add --user NAME --role admin' makes one\n";
    return;
  }
  text_table table({{"ID", text_table::align::right}, {"USER"}, {"ROLE"}, {"NAME"}, {"STATE"}});
  for (const auto& token : tokens) {
    table.add({std::to_string(token.id), one_line(token.user, 40), token.role,
               one_line(token.name, 40), token.revoked_at ? "revoked" : "valid"});
  }
  table.print(std::cout);
}

void revoke_token(const command_context& context, const token_flags& flags) {
  const auto work = [&](pg::session& session) { return api::revoke_token(session, flags.id); };
  if (!with_database(context, work)) {
    throw std::runtime_error("there is no token " + std::to_string(flags.id));
  }
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
  add->callback([&context, flags] {
    context.needs = permission::owner;
    context.action = [&context, flags] { add_token(context, *flags); };
  });
  tokens->add_subcommand("list", "List the tokens, without their secrets")->callback([&context] {
    context.needs = permission::owner;
    context.action = [&context] { list_tokens(context); };
  });
  auto* revoke = tokens->add_subcommand("revoke", "End a token and its sign-ins, at once");
  revoke->add_option("ID", flags->id, "The number that list shows")->required();
  revoke->callback([&context, flags] {
    context.needs = permission::owner;
    context.action = [&context, flags] { revoke_token(context, *flags); };
  });
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
