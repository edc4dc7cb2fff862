#include "common/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/errors.hpp"

namespace rowrunner {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(blanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

bool is_key(std::string_view text) {
  const auto ordinary = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), ordinary);
}

char unescape(char c) { return c == 'n' ? '\n' : c; }

// The value in quotes that `text` begins with, or nothing if the quote is not closed or something
// but a comment follows it.
std::optional<std::string> quoted_value(std::string_view text) {
  const char quote = text.front();
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      const auto rest = trim(text.substr(i + 1));
      if (!rest.empty() && rest.front() != '#') return std::nullopt;
      return out;
    }
    if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) {
      out += unescape(text[++i]);
    } else {
      out += text[i];
    }
  }
  return std::nullopt;
}

std::optional<std::string> value_of(std::string_view text) {
  text = trim(text);
  if (text.empty()) return "";
  if (text.front() == '"' || text.front() == '\'') return quoted_value(text);
  // Only a '#' behind a blank begins a comment: passwords have '#' inside.
  const auto comment = text.find(" #");
  return std::string(trim(text.substr(0, comment)));
}

constexpr std::string_view hidden = "***";

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Where a value of a key=value string ends: behind its closing quote, or at a blank.
std::size_t end_of_value(std::string_view text, std::size_t value) {
  const bool quoted = value < text.size() && text[value] == '\'';
  for (std::size_t i = value + (quoted ? 1 : 0); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (quoted && text[i] == '\'') {
      return i + 1;
    } else if (!quoted && is_blank(text[i])) {
      return i;
    }
  }
  return text.size();
}

// Hides what follows "password=", also as the end of "sslpassword=", where a key may stand: at the
// beginning and behind a separator.
template <typename Separates, typename End>
std::string hide_values(std::string_view text, Separates separates, End end) {
  constexpr std::string_view key = "password";
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string out;
  std::size_t copied = 0;
  for (auto at = lower.find(key); at != std::string::npos; at = lower.find(key, at + 1)) {
    const auto start = at >= 3 && lower.compare(at - 3, 3, "ssl") == 0 ? at - 3 : at;
    auto value = lower.find_first_not_of(" \t", at + key.size());
    const bool is_key = start == 0 || separates(lower[start - 1]);
    if (at < copied || !is_key || value == std::string::npos || lower[value] != '=') continue;
    value = std::min(lower.find_first_not_of(" \t", value + 1), lower.size());
    out.append(text.substr(copied, value - copied)).append(hidden);
    copied = end(text, value);
  }
  return out.append(text.substr(copied));
}

}  // namespace

std::map<std::string, std::string> parse_env_file(std::string_view text, std::string_view name) {
  std::map<std::string, std::string> out;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const auto equals = std::min(line.find('='), line.size());
    const std::string_view key = trim(line.substr(0, equals));
    const auto value = equals < line.size() ? value_of(line.substr(equals + 1)) : std::nullopt;
    // The line is not quoted in the message, as it may hold a password.
    if (!is_key(key) || !value) {
      throw usage_error(std::string(name) + ":" + std::to_string(number) +
                        ": expected KEY=VALUE, with any quotes closed");
    }
    out.insert_or_assign(std::string(key), *value);
  }
  return out;
}

environment environment::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return environment({});
    throw usage_error(path + ": cannot be read: " + std::strerror(errno));
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return environment(parse_env_file(text, path));
}

std::optional<std::string> environment::get(const std::string& name) const {
  const char* set = std::getenv(name.c_str());
  if (set != nullptr && *set != '\0') return set;
  const auto found = file_.find(name);
  if (found == file_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::set<std::string> environment::names_that_begin_with(std::string_view prefix) const {
  std::set<std::string> out;
  const auto consider = [&](std::string name) {
    if (name.starts_with(prefix) && get(name)) out.insert(std::move(name));
  };
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view text = *each;
    consider(std::string(text.substr(0, text.find('='))));
  }
  for (const auto& [name, value] : file_) consider(name);
  return out;
}

std::string redact_url(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return hide_values(url, is_blank, end_of_value);
  std::string out(url);
  // The last '@', since an unescaped one in a password must not show the rest of it.
  const auto from = scheme + 3;
  const auto at = out.rfind('@');
  const auto colon = out.find(':', from);
  if (at != std::string::npos && at >= from && colon < at) {
    out.replace(colon + 1, at - colon - 1, hidden);
  }
  return hide_values(
      out, [](char c) { return c == '?' || c == '&'; },
      [](std::string_view text, std::size_t value) {
        return std::min(text.find('&', value), text.size());
      });
}

}  // namespace rowrunner
