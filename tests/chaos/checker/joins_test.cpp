// I13 and I14: joins and steps with effects, in histories that are sound and in ones that are not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "chaos/behaviour.hpp"
#include "chaos/checker/sound_run.hpp"

namespace rowrunner::chaos {
namespace {

using ::testing::HasSubstr;

/// The sound run, and a child 8 that waits for job 6, which runs under lease 61.
run_builder with_child(const std::string& policy, const std::string& at_latest = {}) {
  auto b = sound_run();
  b.enqueued(6);
  b.enqueued(8);
  b.claimed(10, 6, 61, 0, "w0.1");
  b.ran(10, "w0.1", "begin", 6, 1, 61);
  b.waits(10, "wait", 8, "", policy, at_latest);
  b.waits(10, "held", 8);
  b.waits(10, "edge", 8, id(6));
  return b;
}

void end_parent(run_builder& b, int when, bool well) {
  b.ran(when, "w0.1", "end", 6, 1, 61, well ? "ok" : "final");
  if (well) {
    b.succeeded(when, 6, 61, 0, "w0.1", false);
  } else {
    b.moved(when, 6, "processing", "failed", "61", "61", 0, 1, "w0.1", "seeded end under lease 61");
  }
  b.job(6, well ? "succeeded" : "failed", well ? 0 : 1, 4);
}

void let_go(run_builder& b, int when) {
  b.waits(when, "unwait", 8);
  b.waits(when, "freed", 8);
}

void run_child(run_builder& b, int when) {
  b.claimed(when, 8, 81, 0, "w0.1");
  b.ran(when, "w0.1", "begin", 8, 1, 81);
  b.ran(when, "w0.1", "end", 8, 1, 81, "ok");
  b.succeeded(when, 8, 81, 0, "w0.1", false);
  b.job(8, "succeeded", 0, 4);
}

TEST(joins, a_child_that_is_let_go_after_its_parent_is_sound) {
  for (const std::string policy : {"run", "cancel", "hold"}) {
    auto b = with_child(policy);
    end_parent(b, 11, true);
    let_go(b, 12);
    run_child(b, 13);
    EXPECT_EQ(first_complaint(b.lines), "") << policy;
  }
}

TEST(joins, a_child_that_is_let_go_before_its_parent_is_found) {
  auto b = with_child("run");
  let_go(b, 11);
  end_parent(b, 12, true);
  run_child(b, 13);
  EXPECT_EQ(first_complaint(b.lines), "I13 job-8: it was let go before its parent job-6 had ended");
}

TEST(joins, an_end_that_was_not_committed_yet_is_not_one) {
  auto b = with_child("run");
  end_parent(b, 11, true);
  const auto open = b.last_txid();
  let_go(b, 12);
  run_child(b, 13);
  for (auto& each : b.lines.database) {
    if (each.find("freed\t" + id(8)) == std::string::npos) continue;
    each.replace(each.find("1:99999:"), 8, "1:99999:" + open + ",99998");
  }
  EXPECT_EQ(first_complaint(b.lines), "I13 job-8: it was let go before its parent job-6 had ended");
}

TEST(joins, an_end_from_before_the_edge_is_not_one) {
  auto b = sound_run();
  b.enqueued(8);
  b.waits(19, "wait", 8, "", "run");
  b.waits(19, "held", 8);
  b.waits(19, "edge", 8, id(1));
  let_go(b, 19);
  run_child(b, 19);
  EXPECT_EQ(first_complaint(b.lines), "I13 job-8: it was let go before its parent job-1 had ended");
}

TEST(joins, its_time_lets_a_child_go_without_its_parent) {
  const auto complaint = [](int at_latest) {
    auto b = with_child("run", at(at_latest));
    let_go(b, 12);
    run_child(b, 12);
    end_parent(b, 14, true);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(complaint(12), "");
  EXPECT_THAT(complaint(13), HasSubstr("before its parent job-6 had ended"));
}

TEST(joins, a_failed_parent_means_what_was_asked_for) {
  const auto complaint = [](const std::string& policy) {
    auto b = with_child(policy);
    end_parent(b, 11, false);
    let_go(b, 12);
    run_child(b, 13);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(complaint("run"), "");
  EXPECT_THAT(complaint("hold"), HasSubstr("before its parent job-6 had ended"));
  EXPECT_EQ(complaint("cancel"),
            "I13 job-8: it was let go though its parent job-6 did not succeed");
}

TEST(joins, a_child_is_cancelled_only_for_a_parent_that_failed) {
  const auto complaint = [](const std::string& policy, bool well) {
    auto b = with_child(policy);
    end_parent(b, 11, well);
    b.moved(12, 8, "queued", "cancelled", "", "", 0, 0, "",
            "cancelled: job " + id(6) + " of kind chaos, which it waited for, did not succeed");
    b.waits(12, "unwait", 8);
    // In one transaction, as the last transition.
    auto& last = b.lines.database.back();
    const auto number = last.substr(5, last.find('\t', 5) - 5);
    last.replace(last.find("\t9" + number), number.size() + 2,
                 "\t9" + std::to_string(std::stoi(number) - 1));
    b.job(8, "cancelled", 0, 4);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(complaint("cancel", false), "");
  EXPECT_THAT(complaint("cancel", true), HasSubstr("cancelled though its parents did not fail"));
  EXPECT_THAT(complaint("run", false), HasSubstr("cancelled though its parents did not fail"));
}

TEST(joins, a_deleted_parent_has_ended) {
  auto b = with_child("run");
  b.ran(11, "w0.1", "stopped", 6, 1, 61);
  b.job(6, "processing", 0, 4);
  auto& database = b.lines.database;
  const auto gone = tabs({"deleted", id(6), std::to_string(b.next_number()), "7001"});
  let_go(b, 12);
  run_child(b, 13);
  auto without = b;
  database.push_back(gone);
  EXPECT_EQ(first_complaint(b.lines), "");
  EXPECT_TRUE(complains(without.lines, "it was let go before its parent job-6 had ended"));
}

TEST(joins, a_child_that_is_claimed_while_it_waits_is_found) {
  auto b = with_child("run");
  run_child(b, 11);
  end_parent(b, 12, true);
  let_go(b, 13);
  EXPECT_EQ(first_complaint(b.lines), "I13 job-8: it was claimed while it waited for others");
}

TEST(joins, a_change_of_its_time_must_leave_it_held) {
  const auto complaint = [](bool held_again) {
    auto b = with_child("run");
    b.waits(10, "edge", 8, id(6));  // another transaction
    b.waits(10, "freed", 8);
    if (held_again) b.waits(10, "held", 8);
    end_parent(b, 11, true);
    let_go(b, 12);
    run_child(b, 13);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(complaint(true), "");
  EXPECT_EQ(complaint(false), "I13 job-8: it was let run while it waited for others");
}

TEST(joins, a_child_that_is_let_go_twice_or_never_is_found) {
  auto twice = with_child("run");
  end_parent(twice, 11, true);
  let_go(twice, 12);
  let_go(twice, 13);
  run_child(twice, 14);
  EXPECT_EQ(first_complaint(twice.lines), "I13 job-8: it was let go twice");
  auto never = with_child("run");
  end_parent(never, 11, true);
  never.job(8, "queued", 0, 4);
  EXPECT_EQ(first_complaint(never.lines), "I11 job-8: it is queued at the end");
}

TEST(joins, an_acknowledged_join_without_its_edges_is_found) {
  auto b = with_child("run");
  end_parent(b, 11, true);
  let_go(b, 12);
  run_child(b, 13);
  b.note(9, "runner join job-8 run 0 job-6 job-1");
  b.note(10, "runner joined job-8 2");
  EXPECT_EQ(first_complaint(b.lines), "I13 job-8: it was said to wait for 2 jobs and waits for 1");
}

TEST(joins, a_child_that_waits_when_the_faults_end_has_more_time) {
  const auto ended = [](int when) {
    auto lines = [&] {
      auto b = with_child("run");
      end_parent(b, 25, true);
      let_go(b, 26);
      run_child(b, when);
      return b.lines;
    }();
    for (auto& each : lines.history) {
      const auto drained = each.find(" runner drained");
      if (drained != std::string::npos) each = at(when) + " runner drained 0";
    }
    return first_complaint(lines);
  };
  EXPECT_EQ(ended(55), "");
  EXPECT_EQ(ended(57), "I11 job-8: it ended later than 36000 ms after the faults");
}

/// What the checker says after the one line of the database that begins so is gone, or comes twice.
std::string with_lines(const std::string& beginning, int times) {
  auto lines = sound_run().lines;
  std::vector<std::string> kept;
  int found = 0;
  for (const auto& each : lines.database) {
    const bool fits = each.starts_with(beginning);
    found += fits;
    for (int i = fits ? times : 1; i > 0; --i) kept.push_back(each);
  }
  EXPECT_EQ(found, 1) << beginning;
  lines.database = kept;
  return first_complaint(lines);
}

TEST(births, an_effect_without_its_step_or_twice_is_found) {
  const auto effect = tabs({"page", id(5), "build"});
  EXPECT_EQ(with_lines(effect, 1), "");
  EXPECT_EQ(with_lines(effect, 0), "I14 job-5: its step build has 0 effects instead of 1");
  EXPECT_EQ(with_lines(effect, 2), "I14 job-5: its step build has 2 effects instead of 1");
  auto b = sound_run();
  b.lines.database.push_back(tabs({"page", id(1), "build", "11", "7001"}));
  EXPECT_EQ(first_complaint(b.lines),
            "I14 job-1: an effect of its step build came without the step");
}

TEST(births, a_step_that_is_stored_twice_is_found) {
  auto b = sound_run();
  b.step(5, 5, "call", 52, "52", false);
  EXPECT_EQ(first_complaint(b.lines), "I14 job-5: its step call was stored twice");
}

TEST(births, the_last_report_must_be_there) {
  const auto says = [](const std::string& done, const std::string& lease) {
    auto b = sound_run();
    for (auto& each : b.lines.database) {
      if (each.starts_with("progress\t")) each = tabs({"progress", id(5), done, "lease " + lease});
    }
    return first_complaint(b.lines);
  };
  EXPECT_EQ(says("2", "52"), "");
  EXPECT_THAT(says("1", "52"), HasSubstr("I14 job-5: its progress says"));
  EXPECT_EQ(says("2", "51"), "I14 job-5: its progress says what nobody reported");
  EXPECT_EQ(with_lines("progress\t", 0),
            "I14 job-5: its progress says nothing, reported was lease 52 2");
}

/// The name of a job whose first attempt forks, by the seed of the sound run.
std::string forking_job() {
  for (int i = 0;; ++i) {
    const auto name = "job-" + std::to_string(i);
    if (behaviour_of(7, name, 1).what == action::fork) return name;
  }
}

/// Job 6 under that name succeeds in transaction TXID of it; its children are born in `born`.
std::string complaint_about_fork(const std::string& born_with, bool waits) {
  const auto name = forking_job();
  auto b = sound_run();
  b.note(0, "enqueuer enqueue chaos " + name);
  b.note(0, "enqueuer enqueued chaos " + name + " " + id(6));
  b.claimed(10, 6, 61, 0, "w0.1");
  b.note(10, "w0.1 begin " + name + " 1 61");
  b.note(11, "w0.1 end " + name + " 1 61 effect");
  b.succeeded(11, 6, 61, 0, "w0.1", true);
  const auto txid = born_with.empty() ? b.last_txid() : born_with;
  const auto ended_by_hand = [&](const std::string& job, const std::string& made) {
    const auto number = std::to_string(b.next_number());
    b.lines.database.push_back(tabs({"transition", number, "7" + number, at(12), "chaos", job,
                                     "queued", "cancelled", "", "", "0", "0", "", "cancelled"}));
    b.lines.database.push_back(
        tabs({"job", job, "chaos", made, "cancelled", "0", "4", "cancelled", txid}));
  };
  b.lines.database.push_back(tabs({"job", id(6), "chaos", name, "succeeded", "0", "4", "", "0"}));
  const std::vector<std::string> leaves{"10000000-0000-7000-8000-000000000001",
                                        "10000000-0000-7000-8000-000000000002"};
  const std::string total = "10000000-0000-7000-8000-000000000003";
  for (std::size_t i = 0; waits && i < leaves.size(); ++i) {
    if (i == 0) {
      for (const auto* what : {"wait", "held"}) {
        b.lines.database.push_back(tabs({"join", std::to_string(b.next_number()), txid, at(11),
                                         what, total, "", "run", "", ""}));
      }
    }
    b.lines.database.push_back(tabs({"join", std::to_string(b.next_number()), txid, at(11), "edge",
                                     total, leaves[i], "", "", ""}));
  }
  ended_by_hand(leaves[0], leaf_of(name, 1));
  ended_by_hand(leaves[1], leaf_of(name, 2));
  if (waits) {
    const auto last = b.next_number();
    b.lines.database.push_back(tabs({"join", std::to_string(last), "7" + std::to_string(last + 1),
                                     at(12), "unwait", total, "", "", "", ""}));
  }
  ended_by_hand(total, total_of(name));
  return first_complaint(b.lines);
}

TEST(births, the_children_of_an_end_are_born_with_it) {
  EXPECT_EQ(complaint_about_fork("", true), "");
  EXPECT_THAT(complaint_about_fork("1234", true), HasSubstr("was not born with it"));
  EXPECT_THAT(complaint_about_fork("", false), HasSubstr("does not wait for leaf-"));
}

TEST(births, a_child_without_what_made_it_is_found) {
  auto b = sound_run();
  b.moved(12, 8, "queued", "cancelled", "", "", 0, 0, "", "cancelled");
  b.lines.database.push_back(tabs(
      {"job", id(8), "chaos", kid_of("pages-77", 1), "cancelled", "0", "4", "cancelled", "1234"}));
  EXPECT_EQ(first_complaint(b.lines), "I14 kid-pages-77-1: it exists without what made it");
}

}  // namespace
}  // namespace rowrunner::chaos
