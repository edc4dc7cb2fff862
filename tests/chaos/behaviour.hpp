#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace rowrunner::chaos {

/// A number that depends on nothing but these, evenly spread.
std::uint64_t draw(std::uint64_t seed, std::string_view what, std::uint64_t number = 0);

/// What a job does in one attempt.
enum class action {
  succeed,         ///< ends well, without an effect
  effect,          ///< ends well, with one row in chaos_effects
  steps,           ///< two durable steps, one of them a call outside, and an effect
  pages,           ///< many steps, each with an effect and some with a child; see pages_of
  fork,            ///< ends well, with an effect, two children and a third that runs after them
  fail,            ///< throws
  fail_for_good,   ///< fails and wants no retry
  retry_later,     ///< fails and names a time
  snooze,          ///< gives itself back, once
  refused_effect,  ///< asks for an effect that the database refuses
  out_of_memory,   ///< asks for more memory than there is
  crash,           ///< takes its process with it
  hang,            ///< never returns, and does not listen
};

struct behaviour {
  action what = action::succeed;
  std::chrono::milliseconds time{0};
  /// Does not listen when it is told to stop; what it returns late must be refused.
  bool stubborn = false;
  /// Of a crash: after the call outside and its step, not before.
  bool late = false;
  /// Of a crash: the signal.
  int signal = 0;
};

/// A pure function. The name of a job says what class it is of, up to its first '-':
///   job     anything but what is below, by chance, with weights that are drawn per seed
///   late    takes seconds in its first attempt and then ends well, fails, gives itself back or
///           stores a step, deaf to what it is told; mostly takes seconds in its next attempt too,
///           so that what is written late meets the next holder at work
///   slow    takes longer than a lease and what is left of another one
///   sloth   takes five leases
///   doomed  fails every time
///   crash   kills its process in its first attempt
///   poison  kills its process in every attempt
///   hang    never returns in its first attempt (blocking handlers only)
///   pages   stores page after page (pages_of)
///   gone    as a job; somebody deletes it, whatever it does just then
/// and those that others make: kid (of a page), leaf (of a fork), sum and total (run after them),
/// which do as jobs do but never fork.
behaviour behaviour_of(std::uint64_t seed, std::string_view job, int attempt);

std::string_view class_of(std::string_view job);

/// What a job of the class "pages" does, the same in every attempt.
struct pages_plan {
  /// Steps page-1 and so on.
  int pages = 0;
  /// Two at a time.
  bool in_pairs = false;
  /// Its first step, "open", makes a job that runs after this one and after every child of a page.
  bool summed = false;
  /// Kills its process right after it has stored this page; 0: never.
  int crash_after = 0;
  /// Its first attempt fails behind this page; 0: it does not.
  int fail_after = 0;
};
pages_plan pages_of(std::uint64_t seed, std::string_view job);
/// Whether the step of this page makes a child.
bool has_kid(std::uint64_t seed, std::string_view job, int page);

// The names of the jobs that a job makes.
std::string kid_of(std::string_view job, int page);
std::string sum_of(std::string_view job);
constexpr int leaves_of_a_fork = 2;
std::string leaf_of(std::string_view job, int number);
std::string total_of(std::string_view job);
/// Whether the job was made by another one.
bool made_by_a_job(std::string_view job);

}  // namespace rowrunner::chaos
