#include "workloads/limits/concurrency.hpp"

#include <algorithm>
#include <cstddef>

#include "workloads/limits/slots.hpp"

namespace rowrunner::limits {

std::vector<int> split_concurrency(int total, const std::vector<concurrency_claim>& claims,
                                   std::int64_t turn) {
  std::vector<int> wants;
  int free = total;
  for (const auto& each : claims) {
    wants.push_back(each.wanted);
    free -= std::max(each.in_flight, each.had);
  }
  auto shares = fair_shares(total, wants, turn);
  std::vector<int> rises(claims.size(), 0);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    rises[i] = std::max(0, shares[i] - std::max(claims[i].in_flight, claims[i].had));
  }
  const auto risen = fair_shares(std::max(0, free), rises, turn);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const int may_have = std::max(claims[i].in_flight, claims[i].had) + risen[i];
    shares[i] = std::min(shares[i], may_have);
  }
  return shares;
}

}  // namespace rowrunner::limits
