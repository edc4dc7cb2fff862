// The stage itself: it must find every order, and not overlook what goes wrong in one of them.

#include "isolation/stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace rowrunner::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

transaction lasting(const std::string& name, const std::vector<std::string>& steps,
                    const std::string& column = "name") {
  transaction made{name, {{{"BEGIN", {}}}}, column};
  for (const auto& sql : steps) made.steps.push_back({{sql, {}}});
  made.steps.push_back({{"COMMIT", {}}});
  return made;
}

/// What the test complains about while `act` runs.
std::vector<std::string> complaints(const std::function<void()>& act) {
  ::testing::TestPartResultArray caught;
  {
    const ::testing::ScopedFakeTestPartResultReporter instead(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &caught);
    act();
  }
  std::vector<std::string> texts;
  for (int i = 0; i < caught.size(); ++i) texts.emplace_back(caught.GetTestPartResult(i).message());
  return texts;
}

class a_stage : public ::testing::Test {
 protected:
  void enqueue_two() { on_stage.run({"INSERT INTO test_jobs (name) VALUES ('a'), ('b')", {}}); }
  static std::string locking(const std::string& name) {
    return "SELECT name FROM test_jobs WHERE name = '" + name + "' FOR UPDATE";
  }

  stage on_stage;
};

TEST_F(a_stage, finds_every_order_of_sessions_that_do_not_meet) {
  // Three steps each: 6! / (3! 3!) orders.
  EXPECT_THAT(on_stage.play([&] { enqueue_two(); },
                            {lasting("one", {locking("a")}), lasting("two", {locking("b")})}),
              ElementsAre(Pair("one a, two b → a queued 0; b queued 0", 20)));
}

TEST_F(a_stage, leaves_out_the_orders_in_which_a_waiting_session_would_have_to_act) {
  // Of the 20, those in which the second to lock commits before the first to lock has.
  EXPECT_THAT(on_stage.play([&] { enqueue_two(); },
                            {lasting("one", {locking("a")}), lasting("two", {locking("a")})}),
              ElementsAre(Pair("one a, two a → a queued 0; b queued 0", 14)));
}

TEST_F(a_stage, reports_a_deadlock) {
  const auto said = complaints([&] {
    on_stage.play([&] { enqueue_two(); }, {lasting("one", {locking("a"), locking("b")}),
                                           lasting("two", {locking("b"), locking("a")})});
  });
  ASSERT_FALSE(said.empty());
  for (const auto& each : said) EXPECT_THAT(each, HasSubstr("deadlock detected"));
}

TEST_F(a_stage, reports_a_violated_invariant_and_the_order_that_led_to_it) {
  const auto said = complaints([&] {
    on_stage.play([&] { enqueue_two(); }, {lasting("thief", {"DELETE FROM rowrunner.queue"}, "")});
  });
  EXPECT_THAT(said, ElementsAre(HasSubstr("I9: queued without an entry: a\nin thief thief thief"),
                                HasSubstr("I9: queued without an entry: b\nin thief")));
}

}  // namespace
}  // namespace rowrunner::testing
