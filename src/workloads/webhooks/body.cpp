#include "workloads/webhooks/body.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rowrunner::webhooks {

std::string with_token(std::string_view payload, std::string_view member, std::string_view token) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto end = payload.find_last_of('}');
  const auto begin = payload.find('{');
  if (end == std::string_view::npos || begin == std::string_view::npos || begin >= end) {
    throw std::invalid_argument("the payload is no JSON object");
  }
  const bool empty = payload.find_first_not_of(blanks, begin + 1) == end;
  std::string out(payload.substr(0, end));
  out.erase(out.find_last_not_of(blanks) + 1);
  if (!empty) out += ',';
  return out + nlohmann::json(member).dump() + ":" + nlohmann::json(token).dump() + "}";
}

std::string without_token(std::string text, const std::optional<std::string>& token) {
  if (!token || token->empty()) return text;
  for (auto at = text.find(*token); at != std::string::npos;
       at = text.find(*token, at + masked_token.size())) {
    text.replace(at, token->size(), masked_token);
  }
  return text;
}

}  // namespace rowrunner::webhooks
