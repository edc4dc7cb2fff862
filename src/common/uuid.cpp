#include "common/uuid.hpp"

namespace rowrunner {
namespace {

constexpr std::uint64_t counter_end = 1u << 12;

std::mt19937_64 seeded() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

void append_hex(std::string& out, std::uint64_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[value >> shift & 0xFu];
  }
}

}  // namespace

uuid_maker::uuid_maker() : random_(seeded()) {}

// The millisecond to write. A full counter borrows the next millisecond; the clock catches up.
std::uint64_t uuid_maker::advance(std::uint64_t milliseconds) {
  if (milliseconds > last_milliseconds_) {
    last_milliseconds_ = milliseconds;
    // Start low, so that there is room to count.
    counter_ = random_() % (counter_end / 2);
  } else if (++counter_ == counter_end) {
    ++last_milliseconds_;
    counter_ = random_() % (counter_end / 2);
  }
  return last_milliseconds_;
}

std::string uuid_maker::next(clock::time_point now) {
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::uint64_t time = advance(static_cast<std::uint64_t>(elapsed));
  const std::uint64_t tail = random_();
  std::string out;
  out.reserve(36);
  append_hex(out, time >> 16 & 0xFFFFFFFFu, 8);
  out += '-';
  append_hex(out, time & 0xFFFFu, 4);
  out += '-';
  append_hex(out, 0x7000u | counter_, 4);
  out += '-';
  append_hex(out, 0x8000u | (tail >> 48 & 0x3FFFu), 4);
  out += '-';
  append_hex(out, tail & 0xFFFFFFFFFFFFu, 12);
  return out;
}

}  // namespace rowrunner
