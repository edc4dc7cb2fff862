#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/jobs.hpp"
#include "support/migrate.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// People who log in with the roles that docs/security.md tells to grant, or without them.
class permissions_stumble : public ::testing::Test {
 protected:
  // Roles belong to the whole server, and other tests run beside this one.
  permissions_stumble() : shop_("shop_" + db_.name()), stranger_("stranger_" + db_.name()) {
    const auto url = db_.url();
    const auto from = url.find(':', url.find("://") + 3) + 1;
    const auto password = url.substr(from, url.find('@') - from);
    for (const auto& role : {shop_, stranger_}) {
      db_.exec("CREATE ROLE " + role + " LOGIN PASSWORD '" + password + "'");
    }
    db_.exec("GRANT rowrunner_app TO " + shop_);
  }
  ~permissions_stumble() override { db_.exec("DROP ROLE " + shop_ + ", " + stranger_); }

  process_result run(const std::string& user, std::vector<std::string> words) {
    words.insert(words.begin(), rowrunner_binary());
    return run_process(words, {{"DATABASE_URL", db_.url_of(user)}});
  }

  test_database db_;
  const std::string shop_;
  const std::string stranger_;
};

TEST_F(permissions_stumble, an_application_reads_retries_and_cancels) {
  const auto failed = insert_job(db_, "a", "status", "'failed'");
  const auto queued = insert_job(db_, "b");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"stats"},
                                                {"jobs", "list"},
                                                {"jobs", "show", failed},
                                                {"jobs", "show", queued},
                                                {"jobs", "retry", failed},
                                                {"jobs", "cancel", queued},
                                                {"kinds", "list"}}) {
    const auto done = run(shop_, words);
    EXPECT_EQ(done.exit_code, 0) << words[0] << ": " << done.err;
  }
}

TEST_F(permissions_stumble, a_denied_command_names_the_role_and_the_grant) {
  const auto pause = run(shop_, {"kinds", "pause", "letter"});
  EXPECT_EQ(pause.exit_code, 1);
  EXPECT_THAT(pause.err, HasSubstr("permission denied"));
  EXPECT_THAT(pause.err, HasSubstr("GRANT rowrunner_worker TO \"" + shop_ + "\""));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"stats"}, {"jobs", "list"}, {"worker", "--drain"}}) {
    const auto done = run(stranger_, words);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("GRANT rowrunner_app TO \"" + stranger_ + "\"")) << words[0];
  }
}

TEST_F(permissions_stumble, what_only_the_owner_may_do_is_not_promised_by_a_grant) {
  migrate(db_.url());  // the tokens of the HTTP server
  const auto owner = db_.value("SELECT quote_ident(current_user)");
  for (const auto& user : {shop_, stranger_}) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"kinds", "retention", "letter", "7d"},
          {"kinds", "repair", "letter"},
          {"tokens", "list"},
          {"tokens", "add", "--user", "mika", "--role", "user"},
          {"tokens", "revoke", "1"},
          {"migrate"},
          {"migrate", "--status"}}) {
      const auto done = run(user, words);
      EXPECT_EQ(done.exit_code, 1);
      EXPECT_THAT(done.err, HasSubstr("permission denied")) << words[0];
      EXPECT_THAT(done.err, HasSubstr("You are connected as \"" + user +
                                      "\": this takes the role that ran 'rowrunner migrate',"
                                      " which is \"" +
                                      owner + "\""));
      EXPECT_THAT(done.err, Not(HasSubstr("GRANT")));
    }
  }
}

TEST_F(permissions_stumble, a_role_of_the_schemas_name_is_not_needed_and_makes_no_tables_there) {
  EXPECT_EQ(db_.value("SELECT current_user <> 'rowrunner'"), "t");
  for (const std::string role : {"rowrunner_app", "rowrunner_worker", shop_.c_str()}) {
    EXPECT_EQ(db_.value("SELECT has_schema_privilege('" + role + "', 'rowrunner', 'CREATE')"), "f");
  }
  std::ifstream file(source_dir() + "/scripts/postgres");
  const std::string script(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(script, Not(HasSubstr("postgresql://rowrunner@")));
  EXPECT_THAT(script, HasSubstr("postgresql://dev@"));
}

}  // namespace
}  // namespace rowrunner::testing
