#include "workloads/pages/page_retry.hpp"

#include <algorithm>

#include "workloads/providers/error.hpp"

namespace rowrunner::pages {

namespace {

/// 1, 3, 9 and 27 seconds: with five tries an outage of half a minute costs no page.
constexpr std::chrono::milliseconds first_pause{1'000};
constexpr std::chrono::milliseconds longest_pause{60'000};
/// The job keeps its place meanwhile, so the other side may not hold it for as long as it likes.
constexpr std::chrono::milliseconds longest_wish{600'000};

}  // namespace

failed_try as_failed_try(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const providers::provider_error& e) {
    return {e.what(), e.final, e.after};
  } catch (const std::exception& e) {
    return {e.what(), false, std::nullopt};
  } catch (...) {
    return {"unknown error", false, std::nullopt};
  }
}

std::optional<std::chrono::milliseconds> pause_before_next_try(const failed_try& failure, int tried,
                                                               int tries) {
  if (failure.final || tried >= tries) return std::nullopt;
  auto step = first_pause;
  for (int i = 1; i < tried && step < longest_pause; ++i) step *= 3;
  const auto wish = std::min(failure.after.value_or(std::chrono::milliseconds{0}), longest_wish);
  return std::max(wish, std::min(step, longest_pause));
}

}  // namespace rowrunner::pages
