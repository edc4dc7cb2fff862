#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace rowrunner {

constexpr std::size_t uuid_size = 16;

/// The 16 bytes of a uuid as PostgreSQL writes them: 36 characters, lower case.
std::string uuid_text(std::string_view bytes);
/// The other way, into the 16 bytes at `out`. Throws std::invalid_argument if it is no such text.
void uuid_bytes(std::string_view text, char* out);

/// Makes version 7 uuids: time first, so that neighbours in time are neighbours in the index. Ids
/// of one maker grow strictly, also within a millisecond and when the clock steps back.
class uuid_maker {
 public:
  using clock = std::chrono::system_clock;

  uuid_maker();
  explicit uuid_maker(std::mt19937_64 random) : random_(random) {}

  std::string next() { return next(clock::now()); }
  std::string next(clock::time_point now);

 private:
  std::uint64_t advance(std::uint64_t milliseconds);

  std::mt19937_64 random_;
  std::uint64_t last_milliseconds_ = 0;
  /// 12 bits that count within a millisecond (the uuid's rand_a).
  std::uint64_t counter_ = 0;
};

}  // namespace rowrunner
