#include "common/pg/binary_array.hpp"

#include <stdexcept>

namespace rowrunner::pg {
namespace {

// From PostgreSQL's pg_type.dat; they never change.
constexpr std::uint32_t uuid_type = 2950;
constexpr std::uint32_t int8_type = 20;
constexpr std::size_t uuid_bytes = 16;

template <typename Number>
void append(std::string& out, Number value) {
  for (int shift = (static_cast<int>(sizeof value) - 1) * 8; shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift & 0xFFU);
  }
}

/// Dimensions, whether there are NULLs, the type, and the one dimension's length and lower bound.
std::string header(std::uint32_t type, std::size_t items, std::size_t item_size) {
  std::string out;
  out.reserve(20 + items * (item_size + 4));
  append(out, std::uint32_t{1});
  append(out, std::uint32_t{0});
  append(out, type);
  append(out, static_cast<std::uint32_t>(items));
  append(out, std::uint32_t{1});
  return out;
}

param binary(std::string bytes) {
  param made(std::move(bytes));
  made.binary = true;
  return made;
}

unsigned digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  throw std::invalid_argument("not a uuid as the server writes it");
}

void append_uuid(std::string& out, std::string_view text) {
  std::size_t digits = 0;
  unsigned high = 0;
  for (const char c : text) {
    if (c == '-') continue;
    if (digits++ % 2 == 0) {
      high = digit(c);
    } else {
      out += static_cast<char>(high << 4 | digit(c));
    }
  }
  if (digits != 2 * uuid_bytes) throw std::invalid_argument("a uuid has 32 digits");
}

}  // namespace

param uuid_array(const std::vector<std::string_view>& items) {
  std::string out = header(uuid_type, items.size(), uuid_bytes);
  for (const auto& item : items) {
    append(out, std::uint32_t{uuid_bytes});
    append_uuid(out, item);
  }
  return binary(std::move(out));
}

param int_array(const std::vector<std::int64_t>& items) {
  std::string out = header(int8_type, items.size(), sizeof(std::int64_t));
  for (const auto item : items) {
    append(out, std::uint32_t{sizeof item});
    append(out, static_cast<std::uint64_t>(item));
  }
  return binary(std::move(out));
}

}  // namespace rowrunner::pg
