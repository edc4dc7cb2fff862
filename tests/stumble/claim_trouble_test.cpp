// A kind whose claims fail is named, and so are jobs that claims pass over.

#include "support/command.hpp"
#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* missing_table =
    "CREATE FUNCTION public.follow() RETURNS trigger LANGUAGE plpgsql AS"
    "  $$ BEGIN PERFORM FROM public.missing; RETURN NEW; END $$;"
    "CREATE TRIGGER follow BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
    "  EXECUTE FUNCTION public.follow()";

TEST(claim_trouble, of_a_whole_kind_is_named_until_it_is_over) {
  two_kinds db;
  db.exec(missing_table);
  const auto id = db.add("a");
  worker_thread one(worker_thread::options_for(db), two_kinds::serve);
  const std::string reported = "SELECT count(*) FROM rowrunner.workers WHERE problems ? 'test'";
  ASSERT_TRUE(db.becomes(reported, "1"));
  const command rowrunner(db);
  const std::string why = "relation \"public.missing\" does not exist";
  EXPECT_THAT(rowrunner.out({"stats"}),
              AllOf(ContainsRegex("test +claims fail +1 +1 "), ContainsRegex("other +running "),
                    HasSubstr("\nClaims of test fail: " + why)));
  const auto kinds = rowrunner.parsed({"stats"})["kinds"];
  EXPECT_EQ(kinds[2]["kind"], "test");
  EXPECT_EQ(kinds[2]["state"], "claims fail");
  EXPECT_EQ(kinds[2]["failing_workers"], 1);
  EXPECT_EQ(kinds[2]["claims_fail_because"], why);
  EXPECT_TRUE(kinds[1]["claims_fail_because"].is_null());
  EXPECT_THAT(rowrunner.out({"stats", "--prometheus"}),
              HasSubstr("\nrowrunner_failing_workers{kind=\"test\"} 1\n"));
  EXPECT_THAT(rowrunner.out({"kinds", "list"}), ContainsRegex("test_jobs +claims fail"));
  EXPECT_THAT(rowrunner.out({"jobs", "show", id}), HasSubstr("claims of kind test fail: " + why));
  EXPECT_THAT(rowrunner.run({"doctor"}).out,
              ContainsRegex("claims +test +1 of 1 live workers can claim no job: relation"));
  db.exec("DROP TRIGGER follow ON public.test_jobs");
  EXPECT_TRUE(db.becomes(reported, "0"));
  EXPECT_THAT(rowrunner.out({"stats"}), Not(HasSubstr("Claims of")));
}

TEST(claim_trouble, of_a_job_is_counted_until_it_is_over) {
  jobs_database db;
  db.add("bad");
  db.exec("ALTER TABLE test_jobs ADD CONSTRAINT named CHECK (name <> 'bad') NOT VALID");
  worker_thread one(db);
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.claim_errors", "1"));
  const command rowrunner(db);
  const std::string why = "violates check constraint \"named\"";
  EXPECT_THAT(rowrunner.out({"stats"}),
              AllOf(ContainsRegex("test +running +1 +0 "),
                    ContainsRegex("\n1 job of test cannot be claimed: .*" + why)));
  EXPECT_THAT(rowrunner.out({"stats", "--prometheus"}),
              HasSubstr("\nrowrunner_unclaimable_jobs{kind=\"test\"} 1\n"));
  EXPECT_THAT(rowrunner.run({"doctor"}).out,
              ContainsRegex("claims +test +1 job cannot be claimed: .*" + why));
  const auto delayed = rowrunner.parsed({"jobs", "list", "--status", "delayed"})["jobs"];
  ASSERT_EQ(delayed.size(), 1u);
  EXPECT_EQ(delayed[0]["job"]["name"], "bad");
  db.exec("ALTER TABLE test_jobs DROP CONSTRAINT named");
  ASSERT_TRUE(db.reaches("bad", "succeeded"));
  EXPECT_THAT(rowrunner.out({"stats"}), Not(HasSubstr("cannot be claimed")));
  EXPECT_THAT(rowrunner.run({"doctor"}).out, Not(HasSubstr("claims")));
}

}  // namespace
}  // namespace rowrunner::testing
