#include "common/pg/binary_array.hpp"

#include "common/uuid.hpp"

namespace rowrunner::pg {
namespace {

// From PostgreSQL's pg_type.dat; they never change.
constexpr std::uint32_t uuid_type = 2950;
constexpr std::uint32_t int8_type = 20;

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

}  // namespace

param uuid_array(const std::vector<std::string_view>& items) {
  std::string out = header(uuid_type, items.size(), uuid_size);
  for (const auto& item : items) {
    append(out, std::uint32_t{uuid_size});
    out.resize(out.size() + uuid_size);
    uuid_bytes(item, out.data() + out.size() - uuid_size);
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
