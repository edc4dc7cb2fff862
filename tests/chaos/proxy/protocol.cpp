#include "chaos/proxy/protocol.hpp"

#include <algorithm>
#include <utility>

#include "common/uuid.hpp"

namespace rowrunner::chaos {
namespace {

constexpr std::uint32_t protocol_3 = 196608;
constexpr std::uint32_t ssl_request = 80877103;
constexpr std::uint32_t gss_request = 80877104;
constexpr std::size_t length_size = 4;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

std::string_view message::body() const {
  const std::size_t head = (type == untyped ? 0 : 1) + length_size;
  return std::string_view(bytes).substr(std::min(head, bytes.size()));
}

std::uint32_t message::request_code() const { return big_endian(body().substr(0, 4)); }

bool message::asks_for_encryption() const {
  return type == untyped && (request_code() == ssl_request || request_code() == gss_request);
}

std::optional<message> framer::next() {
  const std::size_t head = (started_ ? 1 : 0) + length_size;
  if (buffer_.size() < head) return std::nullopt;
  const std::size_t type_size = head - length_size;
  const std::size_t length =
      type_size + big_endian(std::string_view(buffer_).substr(type_size, length_size));
  if (buffer_.size() < length) return std::nullopt;
  message whole;
  whole.type = started_ ? buffer_.front() : untyped;
  // A length that is shorter than itself is no message of this protocol; it is passed on as it is.
  const std::size_t size = std::max(length, head);
  whole.bytes = buffer_.substr(0, size);
  buffer_.erase(0, size);
  if (!started_ && whole.request_code() == protocol_3) started_ = true;
  return whole;
}

std::string_view body_reader::text() {
  const auto end = rest_.find('\0');
  const auto found = rest_.substr(0, end);
  rest_.remove_prefix(std::min(rest_.size(), found.size() + 1));
  return found;
}

std::string_view body_reader::bytes(std::size_t length) {
  const auto found = rest_.substr(0, length);
  rest_.remove_prefix(found.size());
  return found;
}

std::uint16_t body_reader::int16() { return static_cast<std::uint16_t>(big_endian(bytes(2))); }
std::uint32_t body_reader::int32() { return big_endian(bytes(4)); }

namespace {

constexpr std::uint32_t uuid_type = 2950;

std::string number_text(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return std::to_string(static_cast<std::int64_t>(number));
}

/// A one-dimensional array in binary format as a literal.
std::string array_text(std::string_view bytes) {
  body_reader from(bytes);
  from.int32();  // dimensions
  from.int32();  // whether there are NULLs
  const bool uuids = from.int32() == uuid_type;
  const auto items = from.int32();
  from.int32();  // the lower bound
  std::string out = "{";
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto item = from.bytes(from.int32());
    if (i > 0) out += ',';
    out += uuids ? uuid_text(item) : number_text(item);
  }
  return out + "}";
}

}  // namespace

binding read_bind(std::string_view body) {
  body_reader from(body);
  binding found;
  found.portal = from.text();
  found.statement = from.text();
  std::vector<bool> binary(from.int16());
  for (auto&& each : binary) each = from.int16() == 1;
  for (auto params = from.int16(); params > 0; --params) {
    const auto length = static_cast<std::int32_t>(from.int32());
    const auto value = from.bytes(static_cast<std::size_t>(std::max(length, 0)));
    const auto index = found.params.size();
    // One format for all, or one for each.
    const bool is_binary = !binary.empty() && binary[binary.size() == 1 ? 0 : index];
    found.params.push_back(is_binary ? array_text(value) : std::string(value));
  }
  return found;
}

std::optional<char> type_named(std::string_view name, direction way) {
  using entry = std::pair<std::string_view, char>;
  static constexpr entry from_client[] = {{"Query", 'Q'},   {"Parse", 'P'},     {"Bind", 'B'},
                                          {"Execute", 'E'}, {"Describe", 'D'},  {"Sync", 'S'},
                                          {"Flush", 'H'},   {"Terminate", 'X'}, {"Close", 'C'}};
  static constexpr entry from_server[] = {
      {"ParseComplete", '1'},   {"BindComplete", '2'},   {"CommandComplete", 'C'},
      {"ReadyForQuery", 'Z'},   {"DataRow", 'D'},        {"RowDescription", 'T'},
      {"ErrorResponse", 'E'},   {"NoticeResponse", 'N'}, {"NotificationResponse", 'A'},
      {"ParameterStatus", 'S'}, {"Authentication", 'R'}};
  const auto find = [&](const auto& table) -> std::optional<char> {
    const auto* const at = std::find_if(std::begin(table), std::end(table),
                                        [&](const entry& each) { return each.first == name; });
    if (at == std::end(table)) return std::nullopt;
    return at->second;
  };
  return way == direction::to_server ? find(from_client) : find(from_server);
}

}  // namespace rowrunner::chaos
