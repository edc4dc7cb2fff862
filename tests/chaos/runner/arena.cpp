#include "chaos/runner/arena.hpp"

#include <unistd.h>

#include <boost/url/url.hpp>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::chaos {
namespace {

const std::string containers = testing::source_dir() + "/tests/containers/postgres";
/// Small, so that somebody can use them up.
constexpr int most_connections = 80;

std::string run_script(std::vector<std::string> words) {
  words.insert(words.begin(), containers);
  // Only a server of the local packages can be crashed and started again.
  const auto done = testing::run_process(words, {{"ROWRUNNER_TEST_ENGINE", "local"}});
  if (done.exit_code != 0) throw std::runtime_error(words[1] + " failed: " + done.err);
  return done.out.substr(0, done.out.find('\n'));
}

void run(pqxx::connection& on, const std::string& sql) {
  pqxx::nontransaction tx(on);
  tx.exec(sql);
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

arena::arena(const std::string& folder) : proxy_(folder) {
  server_url_ = run_script({"up", "--durable", "--lifetime-of", std::to_string(getpid())});
  {
    pqxx::connection server(server_url_);
    run(server, "CREATE DATABASE chaos");
    run(server, "ALTER DATABASE chaos SET search_path TO public");
    run(server, "ALTER SYSTEM SET max_connections = " + std::to_string(most_connections));
    run(server, "ALTER SYSTEM SET deadlock_timeout = '200ms'");
  }
  crash_server();
  start_server();
  boost::urls::url database(server_url_);
  password_ = database.password();
  database.set_path("/chaos");
  url_ = std::string(database.buffer());
  testing::migrate(url_);
  pqxx::connection fresh(url_);
  run(fresh, contents_of(testing::source_dir() + "/tests/chaos/schema.sql"));
  pooler_ = std::make_unique<testing::pooler>(server_url_);
}

arena::~arena() {
  try {
    run_script({"down", server_url_});
  } catch (const std::exception&) {
    // It ends with this process at the latest.
  }
}

std::string arena::open_link(const std::string& link, bool pooled) {
  return proxy_.open(link, url_, pooled ? "127.0.0.1:" + std::to_string(pooler_->port()) : "");
}

void arena::crash_server() { run_script({"stop-immediate", server_url_}); }
void arena::start_server() { run_script({"start", server_url_}); }

std::unique_ptr<pqxx::connection> arena::connect() const {
  auto fresh = std::make_unique<pqxx::connection>(url_);
  run(*fresh, "SET statement_timeout = 0");
  run(*fresh, "SET default_transaction_isolation = 'read committed'");
  run(*fresh, "SET application_name = 'chaos runner'");
  return fresh;
}

}  // namespace rowrunner::chaos
