#include "common/http/multipart.hpp"

#include <algorithm>
#include <cctype>

#include "common/errors.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"

namespace rowrunner::http {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_head = 16 * 1024;
constexpr int most_parts = 100;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The value that `rest` begins with, a token or a text in quotes; takes it away.
std::string take_value(std::string_view& rest) {
  std::string out;
  if (!rest.starts_with('"')) {
    const auto end = std::min(rest.find(';'), rest.size());
    out = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
    return out;
  }
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    // Backslashes escape quotes only: some browsers send them in the paths of files.
    if (rest.front() == '\\' && rest.size() > 1 && rest[1] == '"') rest.remove_prefix(1);
    out += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) throw bad_input("a header of the body has a quote that does not end");
  rest.remove_prefix(1);
  return out;
}

/// A parameter of a header value, as in `form-data; name="file"`.
std::optional<std::string> parameter_of(std::string_view value, std::string_view wanted) {
  auto rest = value.substr(std::min(value.find(';'), value.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto name = lower(trimmed(rest.substr(0, equals)));
    rest = rest.substr(equals + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    auto found = take_value(rest);
    if (name == wanted) return found;
    rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  }
  return std::nullopt;
}

std::optional<std::string> file_name(std::string_view disposition) {
  auto name = parameter_of(disposition, "filename");
  if (const auto encoded = parameter_of(disposition, "filename*")) {
    const auto quote = encoded->rfind('\'');
    if (lower(*encoded).starts_with("utf-8'") && quote != std::string::npos) {
      name = percent_decode(std::string_view(*encoded).substr(quote + 1));
    }
  }
  if (!name) return std::nullopt;
  const auto folder = name->find_last_of("/\\");
  if (folder != std::string::npos) name->erase(0, folder + 1);
  return name;
}

}  // namespace

std::string multipart_boundary(std::string_view content_type) {
  const auto type = lower(trimmed(content_type.substr(0, content_type.find(';'))));
  if (type != "multipart/form-data") throw bad_input("the body must be multipart/form-data");
  const auto boundary = parameter_of(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) {
    throw bad_input("the Content-Type of the body has no boundary");
  }
  return *boundary;
}

part_head parse_part_head(std::string_view lines) {
  part_head out;
  bool named = false;
  while (!lines.empty()) {
    const auto end = std::min(lines.find("\r\n"), lines.size());
    const auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 2, lines.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) throw bad_input("a part of the body has a broken header");
    const auto field = lower(trimmed(line.substr(0, colon)));
    const auto value = trimmed(line.substr(colon + 1));
    if (field == "content-type") out.content_type = value;
    if (field != "content-disposition") continue;
    const auto name = parameter_of(value, "name");
    if (!lower(value).starts_with("form-data") || !name) continue;
    named = true;
    out.name = *name;
    out.filename = file_name(value);
  }
  if (!named) throw bad_input("a part of the body has no name");
  check_text("the name of a part", out.name);
  if (out.filename) check_text("the name of a file", *out.filename);
  return out;
}

// The first delimiter may stand at the very beginning, without the line end that belongs to it.
multipart_reader::multipart_reader(std::shared_ptr<byte_source> from, std::string_view boundary)
    : from_(std::move(from)), delimiter_("\r\n--" + std::string(boundary)), buffer_("\r\n") {}

asio::awaitable<bool> multipart_reader::fill() {
  const auto piece = co_await from_->read();
  buffer_ += piece;
  co_return !piece.empty();
}

asio::awaitable<void> multipart_reader::need(std::size_t bytes) {
  while (buffer_.size() < bytes) {
    const bool more = co_await fill();
    if (!more) throw bad_input("the body ends in the middle of a part");
  }
}

asio::awaitable<std::string> multipart_reader::read() {
  while (at_ == place::inside) {
    const auto found = buffer_.find(delimiter_);
    if (found != std::string::npos) {
      std::string piece = buffer_.substr(0, found);
      buffer_.erase(0, found + delimiter_.size());
      at_ = place::between;
      co_return piece;
    }
    // What could be the beginning of a delimiter stays.
    if (buffer_.size() >= delimiter_.size()) {
      const auto safe = buffer_.size() - delimiter_.size() + 1;
      std::string piece = buffer_.substr(0, safe);
      buffer_.erase(0, safe);
      co_return piece;
    }
    co_await need(delimiter_.size());
  }
  co_return std::string();
}

asio::awaitable<std::string> multipart_reader::read_head() {
  std::size_t end = std::string::npos;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (buffer_.size() > longest_head) throw bad_input("a header of the body is too long");
    co_await need(buffer_.size() + 1);
  }
  // The buffer begins with the line end of the delimiter.
  std::string lines = end < 2 ? std::string() : buffer_.substr(2, end - 2);
  buffer_.erase(0, end + 4);
  co_return lines;
}

asio::awaitable<std::optional<part_head>> multipart_reader::next_part() {
  while (at_ == place::inside) co_await read();
  if (at_ == place::end) co_return std::nullopt;
  co_await need(2);
  if (buffer_.starts_with("--")) {
    at_ = place::end;
    // The rest is read so that the connection can be used again.
    buffer_.clear();
    while (co_await fill()) buffer_.clear();
    co_return std::nullopt;
  }
  if (!buffer_.starts_with("\r\n")) throw bad_input("the body has a broken boundary");
  if (++parts_ > most_parts) throw bad_input("the body has too many parts");
  const auto lines = co_await read_head();
  at_ = place::inside;
  co_return parse_part_head(lines);
}

}  // namespace rowrunner::http
