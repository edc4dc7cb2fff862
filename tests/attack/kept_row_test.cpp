// Triggers of a job table that keep a job processing when it ends: no job is lost without a lease,
// and none runs again and again without a charge.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct hold {
  const char* name;
  /// What the trigger does with a row that would leave `processing`.
  const char* body;
};
void PrintTo(const hold& which, std::ostream* out) { *out << which.name; }

const hold holds[] = {
    {"suppressed", "RETURN NULL;"},
    {"undone", "RETURN OLD;"},
    {"under_another_lease", "NEW.status := 'processing'; NEW.lease := 1; RETURN NEW;"},
};

class kept_row : public ::testing::TestWithParam<hold> {
 protected:
  /// Fires for the job `bad`, when it would get a status of the list.
  void set_trap(const std::string& statuses) {
    db.exec(
        std::string("CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ") +
        GetParam().body +
        " END $$;"
        "CREATE TRIGGER keep BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
        "  WHEN (NEW.name = 'bad' AND OLD.status = 'processing' AND NEW.status IN (" +
        statuses + ")) EXECUTE FUNCTION public.keep()");
  }
  std::string lease_of_bad() {
    return db.value(
        "SELECT count(*) FROM rowrunner.leases l, test_jobs j"
        " WHERE j.name = 'bad' AND j.lease = l.lease AND j.id = ANY (l.job_ids)");
  }

  two_kinds db;
};

TEST_P(kept_row, that_cannot_succeed_is_charged_and_fails) {
  set_trap("'succeeded'");
  db.add("bad");
  for (int i = 0; i < 5; ++i) db.add("b" + std::to_string(i));
  db.exec("UPDATE test_jobs SET max_attempts = 1 WHERE name = 'bad'");
  worker_thread one(worker_thread::options_for(db), two_kinds::serve);
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "5"));
  EXPECT_TRUE(db.reaches("bad", "failed"));
  EXPECT_THAT(db.value("SELECT last_error FROM test_jobs WHERE name = 'bad'"),
              HasSubstr("left it processing"));
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs WHERE name = 'bad'"), "1");
  one.stop();
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_P(kept_row, that_cannot_end_at_all_keeps_its_lease_and_is_reported) {
  set_trap("'succeeded', 'failed', 'queued'");
  db.add("bad");
  auto options = worker_thread::options_for(db);
  options.lease = 1s;
  log_lines log;
  worker_thread one(options, two_kinds::serve, log.target());
  EXPECT_TRUE(db.becomes("SELECT coalesce(max(failed_rescues), 0) > 1 FROM rowrunner.leases", "t"));
  EXPECT_EQ(db.status("bad"), "processing");
  EXPECT_EQ(lease_of_bad(), "1");
  EXPECT_GE(log.count("left it processing"), 1) << log.text();
  db.exec("DROP TRIGGER keep ON public.test_jobs; UPDATE rowrunner.leases SET expires_at = now()");
  EXPECT_TRUE(db.reaches("bad", "succeeded"));
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "1");
  one.stop();
}

TEST_P(kept_row, is_left_to_its_lease_by_the_functions_for_other_languages) {
  set_trap("'succeeded', 'failed', 'queued'");
  const auto id = db.add("bad");
  const auto lease = db.value("SELECT c->>'lease' FROM rowrunner.claim('test', 'w') c");
  const auto arguments = "('test', '" + id + "', " + lease;
  for (const auto& call :
       {"succeed" + arguments + ")", "release" + arguments + ")", "fail" + arguments + ", 'no')"}) {
    try {
      EXPECT_THAT(db.value("SELECT coalesce(rowrunner." + call + "::text, 'null')"),
                  ::testing::AnyOf("false", "null"));
    } catch (const pqxx::sql_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("left it processing"));
    }
    EXPECT_EQ(lease_of_bad(), "1") << call;
  }
}

INSTANTIATE_TEST_SUITE_P(attack, kept_row, ::testing::ValuesIn(holds),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace rowrunner::testing
