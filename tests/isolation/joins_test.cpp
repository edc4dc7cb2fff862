// What the ends of parents, run_after, firing and whatever else changes parents and children come
// to, in every order; see interleavings.hpp. After each order the invariants of joins hold: what
// waits is held, and is either waited for by an edge or noted to be fired.

#include "isolation/interleavings.hpp"

namespace rowrunner::testing {
namespace {

class interleavings_of_joins : public interleavings {
 protected:
  interleavings_of_joins() {
    on_stage.db.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
    on_stage.db.exec(
        "CREATE FUNCTION add_parent(child uuid, parent uuid) RETURNS text LANGUAGE plpgsql AS $$"
        " BEGIN RETURN rowrunner.run_after('test', child, 'test', ARRAY[parent]);"
        " EXCEPTION WHEN object_not_in_prerequisite_state THEN RETURN 'refused';"
        " WHEN no_data_found THEN RETURN 'no such parent'; END $$");
  }

  /// The child c waits for a, which runs in its last attempt under an expired lease; b runs too.
  void set_up(const std::string& policy, int attempts_of_b = 3) {
    does.enqueue('a', 1);
    does.enqueue('b', attempts_of_b);
    does.done(does.claim(1, lease_time::expired));
    does.done(does.claim(2));
    let_c_wait(policy);
  }

  void let_c_wait(const std::string& policy) {
    on_stage.run({"INSERT INTO test_jobs (id, name) VALUES ('" + id_of_job('c') +
                      "', 'c'); SELECT rowrunner.run_after('test', '" + id_of_job('c') +
                      "', 'test', ARRAY['" + id_of_job('a') + "'::uuid], '" + policy + "')",
                  {}});
  }
};

TEST_F(interleavings_of_joins, of_two_around_a_child_that_waits) {
  play_pairs([&] { set_up("run"); },
             {does.succeed(1, 'a'), does.fail(1, 'a'), does.rescue(), does.cancel('a'),
              does.cancel('c'), does.fire(), does.run_after('c', 'b'), does.cascade('a')});
  expect_outcomes("joins_two.txt");
}

TEST_F(interleavings_of_joins, of_two_around_a_child_whose_parent_has_ended) {
  for (const std::string policy : {"run", "cancel", "hold"}) {
    const auto ended = [&] {
      set_up(policy);
      does.done(does.fail(1, 'a'));
    };
    play_pairs(ended, {does.fire(), does.run_after('c', 'b'), does.run_after('c', 'a'),
                       does.requeue('a'), does.cancel('c')});
  }
  expect_outcomes("joins_two_ended.txt");
}

// The new parent's row is locked while its edge is made: an end that commits first is seen, and one
// that comes later finds the edge.
TEST_F(interleavings_of_joins, of_a_new_parent_and_the_end_of_that_parent) {
  for (const std::string policy : {"run", "cancel", "hold"}) {
    const auto last_attempt_of_b = [&] { set_up(policy, 1); };
    for (const auto& end : {does.succeed(2, 'b', false), does.fail(2, 'b', false), does.remove('b'),
                            does.cascade('b')}) {
      play(last_attempt_of_b, {does.run_after('c', 'b'), end});
    }
    for (const auto& end : {does.succeed(2, 'b', false), does.fail(2, 'b', false)}) {
      play(last_attempt_of_b, {does.run_after('c', 'b'), end, does.fire()});
    }
  }
  expect_outcomes("joins_new_parent.txt");
}

// The same with ends that are not written by the worker that runs the new parent.
TEST_F(interleavings_of_joins, of_a_new_parent_and_a_rescue_or_cancel_of_it_or_a_function) {
  for (const std::string policy : {"run", "cancel"}) {
    const auto queued_b = [&] {
      does.enqueue('a', 1);
      does.done(does.claim(1));
      does.enqueue('b', 1);
      let_c_wait(policy);
    };
    play(queued_b, {does.run_after('c', 'b'), does.cancel('b')});
    play(queued_b, {does.run_after('c', 'b'), does.cancel('b'), does.fire()});
    const auto lost_b = [&] {
      does.enqueue('a', 1);
      does.done(does.claim(1));
      does.enqueue('b', 1);
      does.done(does.claim(2, lease_time::expired));
      let_c_wait(policy);
    };
    play(lost_b, {does.run_after('c', 'b'), does.rescue()});
    play(lost_b, {does.run_after('c', 'b'), does.rescue(), does.fire()});
    for (const auto& end : {does.call_succeed(2, 'b'), does.call_fail(2, 'b')}) {
      play(lost_b, {does.run_after('c', 'b'), end});
      const auto waits_for_both = [&] {
        lost_b();
        does.done(does.run_after('c', 'b'));
      };
      play(waits_for_both, {does.call_succeed(1, 'a'), end, does.fire()});
    }
  }
  expect_outcomes("joins_other_ends.txt");
}

// A note of the first end of a parent must not remove the edge to its next run.
TEST_F(interleavings_of_joins, of_a_parent_that_is_named_again_after_it_was_requeued) {
  const auto requeued = [&] {
    set_up("run");
    does.done(does.fail(1, 'a'));
    does.done(does.requeue('a'));
  };
  play(requeued, {does.run_after('c', 'a'), does.fire()});
  play(requeued, {does.run_after('c', 'a'), does.fire(), does.cancel('a')});
  expect_outcomes("joins_named_again.txt");
}

// An end with an old snapshot has left its edge. The parent's row is not locked while that is
// looked for, so nothing of it may remove the edge to the parent's next run.
TEST_F(interleavings_of_joins, of_an_edge_that_was_missed_and_the_next_run_of_its_parent) {
  for (const std::string policy : {"run", "cancel", "hold"}) {
    const auto missed = [&] {
      set_up(policy);
      does.done(does.fail(1, 'a'));
      on_stage.db.exec(
          "DELETE FROM rowrunner.join_candidates; DELETE FROM rowrunner.edges;"
          "INSERT INTO rowrunner.edges SELECT w.child_kind, '" +
          id_of_job('a') +
          "', w.child_kind, w.child_id FROM rowrunner.waits w;"
          "INSERT INTO rowrunner.join_candidates (parent_kind, parent_id)"
          " SELECT e.parent_kind, e.parent_id FROM rowrunner.edges e");
    };
    play(missed, {does.fire(), does.requeue('a'), does.run_after('c', 'a')});
  }
  expect_outcomes("joins_missed.txt");
}

TEST_F(interleavings_of_joins, of_two_parents_that_end_while_it_is_fired) {
  const auto both = [&] {
    set_up("run");
    does.done(does.run_after('c', 'b'));
  };
  play(both, {does.succeed(1, 'a', false), does.succeed(2, 'b', false), does.fire()});
  play(both, {does.succeed(1, 'a', false), does.fire(), does.cancel('c')});
  play([&] { set_up("run"); },
       {does.succeed(1, 'a', false), does.run_after('c', 'b'), does.fire()});
  expect_outcomes("joins_three.txt");
}

}  // namespace
}  // namespace rowrunner::testing
