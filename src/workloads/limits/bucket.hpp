#pragma once

namespace rowrunner::limits {

/// The tokens that the fleet may spend. A plan spends what its calls are expected to cost; what
/// they did cost is known two plans later and settles it.
struct token_bucket {
  double level = 0;
  /// Of the newest plan, and of the one before it.
  double expected = 0;
  double expected_before = 0;

  /// Time has passed. It holds what comes in within so many seconds, and one call at least, however
  /// much that costs.
  static constexpr double longest_saving = 10;
  void fill(double per_second, double seconds, double tokens_each);
  /// The cost of the plan before the newest one, which is complete now.
  void settle(double spent);
  /// How many calls of this cost it has tokens for.
  double calls(double tokens_each) const;
  void spend(double tokens);
};

}  // namespace rowrunner::limits
