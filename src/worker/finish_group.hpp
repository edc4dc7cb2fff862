#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/pg/result.hpp"
#include "worker/finish.hpp"

namespace rowrunner {

struct finisher::group {
  rowrunner::lane* lane;
  std::size_t kind_of_outcome;
  std::vector<const verdict*> members;

  /// What the answer to call_for() says of each member: the status that it has now, or nothing if
  /// it did not count. The views live as long as the answer.
  std::vector<std::optional<std::string_view>> read(const pg::result& answer) const;
};

/// What an answer is about. The id alone would not do: after a crash of the server that lost a
/// claim, one worker may run the same job under the lost lease and a new one.
using claim_key = std::pair<std::string, std::int64_t>;

inline claim_key claim_of(const verdict& v) { return {v.job->id, v.job->lease}; }

/// The answer of a statement that ends or reads jobs: id, lease and, where it varies, the status.
inline std::map<claim_key, std::string_view> statuses(const pg::result& answer) {
  std::map<claim_key, std::string_view> found;
  for (int row = 0; row < answer.rows(); ++row) {
    found.emplace(claim_key{answer.get(row, 0), answer.get_int(row, 1)},
                  answer.columns() > 2 ? answer.get(row, 2) : "");
  }
  return found;
}

}  // namespace rowrunner
