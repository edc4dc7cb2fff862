// What the component api makes in a database: its schema and its permissions.
#include "api/component.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "api/server_fixture.hpp"
#include "support/migrate.hpp"
#include "support/own_server.hpp"
#include "support/permissions.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<component> engine_and_api{admin::engine_component(), api::api_component()};

std::string text_of(const std::string& path) {
  std::ifstream file(source_dir() + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The lines of the first text that the second has not; both are sorted.
std::string lines_beside(const std::string& all, const std::string& known) {
  const auto lines = [](const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  };
  const auto from = lines(all), without = lines(known);
  std::string out;
  for (const auto& line : from) {
    if (!std::binary_search(without.begin(), without.end(), line)) out += line + '\n';
  }
  return out;
}

class api_component_test : public ::testing::Test {
 protected:
  /// Without those of the engine, which are in tests/attack/permissions.txt.
  static std::string listed(pqxx::connection& in) {
    return lines_beside(permissions_in(in), text_of("/tests/attack/permissions.txt"));
  }
  static std::string kept() { return text_of("/tests/api/permissions.txt"); }

  std::string doctor() {
    return run_process({rowrunner_binary(), "doctor", "--json"}, {{"DATABASE_URL", db_.url()}}).out;
  }

  api_database db_;
};

TEST_F(api_component_test, has_the_schema_that_is_kept) {
  auto kept = text_of("/tests/api/schema.sql");
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", "--added", "db/schema.sql", db_.url()});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE rowrunner.tokens"));
  EXPECT_TRUE(kept == dump.out) << "tests/api/schema.sql is out of date: run scripts/dump-schema";
}

TEST_F(api_component_test, permissions_of_every_role_are_those_of_the_list) {
  const auto now = listed(db_.connection());
  if (now != kept()) std::ofstream("api_permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "tests/api/permissions.txt (api_permissions.txt.new has what is true)";
}

TEST_F(api_component_test, permissions_that_differ_are_found_by_doctor_and_set_by_migrate) {
  EXPECT_THAT(doctor(), Not(HasSubstr("rowrunner_server")));
  db_.exec(
      "GRANT ALL ON rowrunner.tokens TO rowrunner_server, rowrunner_app;"
      "GRANT ALL ON rowrunner.queue TO rowrunner_server;"
      "REVOKE SELECT ON rowrunner.schema_info FROM rowrunner_server;"
      "REVOKE ALL ON SCHEMA rowrunner FROM rowrunner_server");
  const auto found = doctor();
  EXPECT_THAT(found, HasSubstr("rowrunner_app has too much: DELETE on rowrunner.tokens"));
  EXPECT_THAT(found, HasSubstr("rowrunner_server has too much: DELETE on rowrunner.queue and "));
  EXPECT_THAT(found,
              HasSubstr("rowrunner_server lacks SELECT on rowrunner.schema_info and 1 more"));
  EXPECT_TRUE(migrate(db_.url(), engine_and_api).applied.empty());
  EXPECT_EQ(listed(db_.connection()), kept());
  EXPECT_THAT(doctor(), Not(HasSubstr("rowrunner_server")));
}

TEST(api_component, a_server_without_its_role_is_found_by_doctor_and_migrated) {
  own_server server;
  const process_environment environment{{"DATABASE_URL", server.url()}};
  const auto run = [&](const std::string& what) {
    return run_process({rowrunner_binary(), what}, environment);
  };
  ASSERT_EQ(run("migrate").exit_code, 0);
  pqxx::connection connection(server.url());
  pqxx::nontransaction(connection)
      .exec("DROP OWNED BY rowrunner_server; DROP ROLE rowrunner_server");
  EXPECT_THAT(run("doctor").out, HasSubstr("role rowrunner_server is missing"));
  ASSERT_EQ(run("migrate").exit_code, 0);
  EXPECT_THAT(run("doctor").out, Not(HasSubstr("rowrunner_server")));
}

}  // namespace
}  // namespace rowrunner::testing
