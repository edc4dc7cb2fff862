#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "workloads/limits/moment.hpp"

namespace rowrunner::limits {

/// The database's clock, told by a local one that only goes forward. Each answer of the database
/// tells its time at some moment between question and answer; the quickest of the last answers
/// tells it best. The wall clock of the host plays no part.
class epoch_clock {
 public:
  /// The local time of question and answer, and what the database said.
  void learn(instant asked, instant answered, instant database);

  bool known() const { return filled_ > 0; }
  /// The database's time at a local one; known() must be true.
  instant at(instant local) const { return local + best().offset; }
  instant local(instant database) const { return database - best().offset; }
  /// It is wrong by no more than this.
  instant error() const { return best().error; }

 private:
  struct sample {
    instant offset{0};
    instant error{0};
  };
  const sample& best() const { return samples_[best_]; }

  std::array<sample, 16> samples_;
  std::size_t filled_ = 0;
  std::size_t next_ = 0;
  std::size_t best_ = 0;
};

}  // namespace rowrunner::limits
