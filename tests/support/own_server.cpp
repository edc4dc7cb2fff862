#include "support/own_server.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <pqxx/pqxx>

#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

const std::string containers = source_dir() + "/tests/containers/postgres";

std::string url_of_new(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), containers);
  arguments.insert(arguments.end(), {"--lifetime-of", std::to_string(getpid())});
  const auto made = run_process(arguments, {{"ROWRUNNER_TEST_ENGINE", "local"}});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return made.out.substr(0, made.out.find('\n'));
}

void control(const std::string& verb, const std::string& url) {
  const auto done = run_process({containers, verb, url});
  EXPECT_EQ(done.exit_code, 0) << verb << ": " << done.err;
}

}  // namespace

own_server::own_server() : url_(url_of_new({"up", "--durable"})) {}

own_server::own_server(standby_of followed)
    : url_(url_of_new({"standby", followed.primary.url()})) {}

own_server::~own_server() { run_process({containers, "down", url_}); }

std::string own_server::port() const {
  const auto colon = url_.rfind(':');
  return url_.substr(colon + 1, url_.find('/', colon) - colon - 1);
}

void own_server::crash() { control("stop-immediate", url_); }
void own_server::start() { control("start", url_); }
void own_server::promote() { control("promote", url_); }

void own_server::set(const std::string& name, const std::string& value) {
  pqxx::connection admin(url_);
  pqxx::nontransaction tx(admin);
  tx.exec("ALTER SYSTEM SET " + name + " = " + tx.quote(value));
  tx.exec("SELECT pg_reload_conf()");
}

}  // namespace rowrunner::testing
