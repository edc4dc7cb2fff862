#include "common/uuid.hpp"

#include <stdexcept>

namespace rowrunner {
namespace {

constexpr std::size_t text_size = 36;
constexpr std::string_view digits = "0123456789abcdef";

constexpr bool dash_before(std::size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

constexpr unsigned char no_digit = 0xFF;
constexpr auto values = [] {
  std::array<unsigned char, 256> made{};
  made.fill(no_digit);
  for (unsigned char i = 0; i < 16; ++i) made[static_cast<unsigned char>(digits[i])] = i;
  return made;
}();

constexpr std::uint64_t counter_end = 1u << 12;

std::mt19937_64 seeded() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

void append_hex(std::string& out, std::uint64_t value, int count) {
  for (int shift = (count - 1) * 4; shift >= 0; shift -= 4) out += digits[value >> shift & 0xFu];
}

}  // namespace

std::string uuid_text(std::string_view bytes) {
  std::string out(text_size, '-');
  auto at = out.begin();
  for (std::size_t i = 0; i < uuid_size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (dash_before(i)) ++at;
    *at++ = digits[byte >> 4];
    *at++ = digits[byte & 0xFu];
  }
  return out;
}

void uuid_bytes(std::string_view text, char* out) {
  bool fine = text.size() == text_size;
  for (std::size_t i = 0, at = 0; fine && i < uuid_size; ++i, at += 2) {
    if (dash_before(i)) fine = text[at++] == '-';
    const auto high = values[static_cast<unsigned char>(text[at])];
    const auto low = values[static_cast<unsigned char>(text[at + 1])];
    fine = fine && high != no_digit && low != no_digit;
    out[i] = static_cast<char>(high << 4 | low);
  }
  if (!fine) throw std::invalid_argument("not a uuid as the server writes it");
}

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
  out.reserve(text_size);
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
