#include "support/permissions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

class webhook_permissions : public ::testing::Test {
 protected:
  // Of what webhooks have made alone.
  std::string listed() {
    std::istringstream all(permissions_in(db_.connection()));
    std::string line, out;
    while (std::getline(all, line)) {
      // What PUBLIC may call of other workloads is not theirs.
      const auto what = line.substr(line.find(':'));
      const bool ours = what.find("webhook") != std::string::npos;
      const bool of_role =
          line.starts_with("rowrunner_webhooks:") && what.find(" public.") == std::string::npos;
      if (ours || of_role) out += line + '\n';
    }
    return out;
  }

  static std::string kept() {
    std::ifstream file(source_dir() + "/tests/workloads/webhooks/attack/permissions.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  /// What the role gets for a statement: "" or the error.
  std::string refusal(const std::string& role, const std::string& sql) {
    try {
      db_.exec("SET ROLE " + role + "; " + sql);
    } catch (const pqxx::sql_error& error) {
      db_.exec("RESET ROLE");
      return error.what();
    }
    db_.exec("RESET ROLE");
    return "";
  }

  test_database db_{test_database::contents::workloads};
};

TEST_F(webhook_permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  if (now != kept()) std::ofstream("webhook_permissions.txt.new") << now;
  EXPECT_EQ(now, kept()) << "permissions changed: if that is meant, update "
                            "permissions.txt (webhook_permissions.txt.new has what is true)";
}

TEST_F(webhook_permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec(
      "GRANT ALL ON webhook_tokens TO rowrunner_app, PUBLIC;"
      "GRANT ALL ON FUNCTION send_webhook_again(uuid) TO PUBLIC;"
      "ALTER FUNCTION send_webhook_again(uuid) OWNER TO CURRENT_USER");
  ASSERT_NE(listed(), kept());
  EXPECT_TRUE(migrate(db_.url()).applied.empty());
  EXPECT_EQ(listed(), kept());
}

TEST_F(webhook_permissions, an_application_gives_tokens_and_cannot_read_them) {
  const std::string give =
      "SELECT public.enqueue_webhook('https://a.example/', '{}', token => 's3cret')";
  EXPECT_EQ(refusal("rowrunner_app", give), "");
  EXPECT_EQ(refusal("rowrunner_worker", give), "");
  EXPECT_THAT(refusal("rowrunner_app", "SELECT * FROM webhook_tokens"),
              ::testing::HasSubstr("permission denied"));
  EXPECT_THAT(refusal("rowrunner_app", "UPDATE webhook_deliveries SET url = 'https://b.example/'"),
              ::testing::HasSubstr("permission denied"));
}

TEST_F(webhook_permissions, addresses_and_payloads_that_are_none_are_refused_by_the_table) {
  for (const char* call : {"'ftp://a.example/', '{}'", "'', '{}'", "'https://a.example/', '[]'",
                           "'https://a.example/', '{}', success_by => 'luck'",
                           "'https://a.example/', '{}', token => ''", "NULL, '{}'"}) {
    EXPECT_NE(refusal("rowrunner_app", "SELECT public.enqueue_webhook(" + std::string(call) + ")"),
              "")
        << call;
  }
}

}  // namespace
}  // namespace rowrunner::testing
