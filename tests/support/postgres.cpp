#include "support/postgres.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>

#include "api/component.hpp"
#include "common/pg/exec.hpp"
#include "support/letters.hpp"
#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

/// Whatever the server was made with: a container may have another encoding than a local cluster.
const std::string in_utf8 = " ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0";
/// Not page by page through the buffers and the log, which takes more of the processor.
const std::string as_files = " STRATEGY file_copy";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string find_server() {
  if (const char* url = std::getenv("ROWRUNNER_TEST_URL"); url != nullptr && *url != '\0') {
    return url;
  }
  if (const char* path = std::getenv("ROWRUNNER_TEST_URL_FILE"); path != nullptr) {
    std::ifstream file(path);
    std::string url;
    if (std::getline(file, url) && !url.empty()) return url;
    throw std::runtime_error(std::string(path) + " holds no URL: is the test server up?");
  }
  const auto up = run_process({source_dir() + "/tests/containers/postgres", "up", "--lifetime-of",
                               std::to_string(getpid())});
  if (up.exit_code != 0) throw std::runtime_error("no test server: " + up.err);
  return first_line(up.out);
}

// The server's URL with another database, and with another user if one is named.
std::string url_for(const std::string& database, const std::string& user = {}) {
  std::string url = server_url();
  const auto authority = url.find("://") + 3;
  const auto path = std::min(url.find('/', authority), url.size());
  const auto query = std::min(url.find('?', authority), url.size());
  url.replace(path, query - path, "/" + database);
  if (!user.empty()) {
    const auto at = url.find('@', authority);
    const auto name_end = std::min(url.find(':', authority), at);
    url.replace(authority, name_end - authority, user);
  }
  return url;
}

void run(pqxx::connection& connection, const std::string& sql) {
  pqxx::nontransaction tx(connection);
  tx.exec(sql);
}

std::string random_name() {
  std::random_device device;
  const auto number = (static_cast<std::uint64_t>(device()) << 32) | device();
  return "test_" + std::to_string(number);
}

// What a template is made of: components, then statements.
struct recipe {
  std::vector<component> components;
  std::string_view more;
};

recipe recipe_of(test_database::contents wanted) {
  if (wanted == test_database::contents::workloads) return {all_components(), ""};
  if (wanted == test_database::contents::server) {
    return {{admin::engine_component(), api::api_component()}, ""};
  }
  return {{admin::engine_component()}, letters_schema};
}

// A change of what it is made of makes a new template.
std::string template_name(pqxx::connection& server, const recipe& from) {
  std::string all{from.more};
  for (const auto& part : from.components) {
    for (const auto& m : part.migrations) (all += m.name) += m.text;
    for (const auto& each : part.after) all += each.text;
  }
  pqxx::nontransaction tx(server);
  return "rowrunner_template_" + pg::exec(tx, "SELECT md5($1)", all)[0][0].as<std::string>();
}

bool exists(pqxx::connection& server, const std::string& database) {
  pqxx::nontransaction tx(server);
  return !pg::exec(tx, "SELECT FROM pg_database WHERE datname = $1", database).empty();
}

// Several test processes start at once; the first makes the template. It gets its name only when it
// is complete, so that one whose maker died is not taken for it.
std::string template_for(pqxx::connection& server, const recipe& from) {
  std::string name = template_name(server, from);
  if (exists(server, name)) return name;
  run(server, "SELECT pg_advisory_lock(55512)");
  if (!exists(server, name)) {
    const std::string draft = random_name();
    run(server, "CREATE DATABASE " + draft + in_utf8);
    migrate(url_for(draft), from.components);
    if (!from.more.empty()) {
      pqxx::connection connection(url_for(draft));
      run(connection, std::string(from.more));
    }
    run(server, "ALTER DATABASE " + draft + " RENAME TO " + name);
  }
  run(server, "SELECT pg_advisory_unlock(55512)");
  return name;
}

}  // namespace

const std::string& server_url() {
  static const std::string url = find_server();
  return url;
}

test_database::test_database(contents wanted) : name_(random_name()), url_(url_for(name_)) {
  pqxx::connection server(server_url());
  const std::string source =
      wanted == contents::empty ? in_utf8 : " TEMPLATE " + template_for(server, recipe_of(wanted));
  run(server, "CREATE DATABASE " + name_ + source + as_files);
  // The user may be called rowrunner, and "$user" would put the engine's schema first.
  run(server, "ALTER DATABASE " + name_ + " SET search_path TO public");
  connection_ = std::make_unique<pqxx::connection>(url_);
}

test_database::~test_database() {
  connection_.reset();
  try {
    pqxx::connection server(server_url());
    run(server, "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
  } catch (const std::exception&) {
    // The server may be gone, and the database with it.
  }
}

std::string test_database::url_of(const std::string& user) const { return url_for(name_, user); }

pqxx::result test_database::rows(const std::string& sql) {
  pqxx::work tx(*connection_);
  auto result = tx.exec(sql);
  tx.commit();
  return result;
}

std::string test_database::value(const std::string& sql) {
  const auto result = rows(sql);
  return result.empty() || result[0][0].is_null() ? "" : result[0][0].as<std::string>();
}

}  // namespace rowrunner::testing
