#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <rowrunner/enqueue.hpp>
#include <string>
#include <vector>

#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// A job that is there, by the kind and the name that the record has, and its id.
struct known_job {
  std::string kind, name, id;
};

/// How long and how patiently a child waits.
struct terms {
  when_failed policy = when_failed::run;
  std::optional<std::chrono::milliseconds> at_latest;
};

/// Drawn from these. A child that waits for success always has a time from which on it runs
/// regardless: its parent may fail for good.
terms terms_of(std::uint64_t seed, const std::string& child);

/// The jobs that run after the jobs of one transaction, in the order in which they are enqueued:
/// one after all of them, a chain, a diamond, or one after nothing.
struct relative {
  std::string name;
  /// Names of earlier ones; nothing but the jobs of the transaction themselves if it is empty.
  std::vector<std::string> after;
  bool after_nothing = false;
};
std::vector<relative> family_of(std::uint64_t seed, std::uint64_t number);

/// Asks for it, in the transaction, and notes that before:
///   runner join CHILD POLICY AT-LATEST-MS PARENT...
/// Says for how many of the parents the child waits.
int join_to(pqxx::dbtransaction& tx, const history& record, const known_job& child,
            const std::vector<known_job>& parents, const terms& how);

/// What joins of a transaction came to, child by child; noted when it has committed:
///   runner joined CHILD OPEN
class joined {
 public:
  void add(const std::string& child, int open) { open_[child] += open; }
  void note(const history& record) const;

 private:
  std::map<std::string, int> open_;
};

}  // namespace rowrunner::chaos
