#pragma once

// What two or three sessions come to, in every order in which the steps of their transactions can
// follow each other, with the statements of db/queries. What must come out is in outcomes/: how
// often, what each was answered (the letters of the jobs that counted, "-" for none), and what has
// become of the jobs, with their attempts. After each order the invariants are looked at.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "isolation/statements.hpp"
#include "support/paths.hpp"

namespace rowrunner::testing {

class interleavings : public ::testing::Test {
 protected:
  using cast = std::vector<transaction>;

  void play(const std::function<void()>& set_up, const cast& who) {
    if (HasFailure()) return;  // once is enough
    std::string title;
    for (const auto& each : who) title += (title.empty() ? "" : " + ") + each.name;
    found_ += title + "\n";
    for (const auto& [outcome, count] : on_stage.play(set_up, who)) {
      char number[16];
      std::snprintf(number, sizeof number, "%5d  ", count);
      found_ += number + outcome + "\n";
    }
    found_ += "\n";
  }

  /// Each with each, and with itself.
  void play_pairs(const std::function<void()>& set_up, const cast& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = i; k < all.size(); ++k) play(set_up, {all[i], all[k]});
    }
  }

  /// Compares all that was played with the file of that name.
  void expect_outcomes(const std::string& name) {
    std::ifstream file(source_dir() + "/tests/isolation/outcomes/" + name);
    std::stringstream expected;
    expected << file.rdbuf();
    if (found_ == expected.str()) return;
    const std::string actual = ::testing::TempDir() + name;
    std::ofstream(actual) << found_;
    ADD_FAILURE() << "outcomes/" << name << " differs from what was found, see " << actual;
  }

  /// Everything that a worker may write under a lease that names the job a alone.
  cast writes_under(int lease) const {
    return {does.heartbeat(lease),          does.step(lease, 'a'), does.progress(lease, 'a'),
            does.succeed(lease, 'a'),       does.fail(lease, 'a'), does.release(lease, 'a'),
            does.end_cancelled(lease, 'a'), does.abandon(lease),   does.last_progress(lease, 'a')};
  }

  stage on_stage;
  repertoire does{on_stage};

 private:
  std::string found_;
};

}  // namespace rowrunner::testing
