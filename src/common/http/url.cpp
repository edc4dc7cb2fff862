#include "common/http/url.hpp"

#include <algorithm>
#include <boost/url/host_type.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>
#include <optional>

#include "common/http/error.hpp"

namespace rowrunner::http {
namespace {

namespace urls = boost::urls;

constexpr std::uint16_t usual_port(bool tls) { return tls ? 443 : 80; }

error bad(const std::string& why) { return {error_kind::bad_url, "the URL " + why}; }

bool is_unreserved(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// The characters of names, IPv4 and IPv6 addresses; percent-encoding in a host could hide others.
bool is_host(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return c != '~' && (c == ':' || is_unreserved(static_cast<unsigned char>(c)));
  });
}

// Boost 1.81 takes port 99999 for 34463.
std::uint16_t to_port(const std::string& text) {
  std::uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  if (read.ec != std::errc{} || port == 0) throw bad("has a port that does not exist");
  return port;
}

url from_view(const urls::url_view& view) {
  url out;
  const std::string scheme = lower(std::string(view.scheme()));
  if (scheme != "http" && scheme != "https") throw bad("does not begin with http:// or https://");
  if (!view.has_authority()) throw bad("names no host");
  if (view.has_userinfo()) throw bad("holds credentials; send them in a header");
  out.server.tls = scheme == "https";
  out.server.host = lower(std::string(view.host_address()));
  const bool future = view.host_type() == urls::host_type::ipvfuture;
  if (future || !is_host(out.server.host)) throw bad("names no host that can be asked");
  out.server.port =
      view.port().empty() ? usual_port(out.server.tls) : to_port(std::string(view.port()));
  // Boost 1.81 takes http://host:x for a host and the path "x".
  const std::string path(view.encoded_path());
  if (!path.empty() && path.front() != '/') throw bad("has a port that does not exist");
  out.target = std::string(view.encoded_target());
  if (!out.target.starts_with('/')) out.target.insert(out.target.begin(), '/');
  return out;
}

std::optional<unsigned char> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned char>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned char>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace

std::string origin::authority() const {
  std::string out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != usual_port(tls)) out += ":" + std::to_string(port);
  return out;
}

std::string origin::text() const { return (tls ? "https://" : "http://") + authority(); }

url parse_url(std::string_view text) {
  const auto view = urls::parse_uri(text);
  if (!view) throw bad("cannot be understood; it should look like https://host/path");
  return from_view(*view);
}

url resolve_reference(const url& base, std::string_view reference) {
  const auto view = urls::parse_uri_reference(reference);
  if (!view) throw bad("of a redirect cannot be understood");
  urls::url out(base.text());
  if (!out.resolve(*view)) throw bad("of a redirect cannot be understood");
  return from_view(out);
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(byte)) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15u];
    }
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (text[i] == '%' && high && low) {
      out += static_cast<char>(*high << 4 | *low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace rowrunner::http
