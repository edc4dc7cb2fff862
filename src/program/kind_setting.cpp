#include "program/kind_setting.hpp"

#include <algorithm>

namespace rowrunner {
namespace {

/// "KIND=N", taken apart; without a kind it is for all.
std::pair<std::optional<std::string>, std::string> split(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return {std::nullopt, text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& each : words) out += (out.empty() ? "" : ", ") + each;
  return out;
}

std::vector<std::string> named_for(const std::vector<std::string>& kinds, const char* variable) {
  std::vector<std::string> out;
  for (const auto& kind : kinds) out.push_back(variable + ("_" + kind_in_variable(kind)));
  return out;
}

}  // namespace

std::string kind_in_variable(const std::string& kind) {
  std::string out = kind;
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') {
      c = static_cast<char>(c - 'a' + 'A');
    } else if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) {
      c = '_';
    }
  }
  return out;
}

std::optional<found_setting> find_setting(const std::string& kind, const char* flag,
                                          const std::vector<std::string>& flag_values,
                                          const char* variable, const environment& env) {
  std::optional<found_setting> for_all;
  std::optional<found_setting> for_kind;
  for (const auto& text : flag_values) {
    const auto [name, value] = split(text);
    if (!name) for_all = found_setting{flag, value};
    if (name == kind) for_kind = found_setting{std::string(flag) + " of " + kind, value};
  }
  if (for_kind) return for_kind;
  if (for_all) return for_all;
  for (const auto& name : {variable + ("_" + kind_in_variable(kind)), std::string(variable)}) {
    if (const auto value = env.get(name)) return found_setting{name, *value};
  }
  return std::nullopt;
}

void check_flag_kinds(const std::vector<std::string>& kinds, const char* flag,
                      const std::vector<std::string>& flag_values) {
  for (const auto& text : flag_values) {
    const auto name = split(text).first;
    if (!name || std::find(kinds.begin(), kinds.end(), *name) != kinds.end()) continue;
    throw usage_error(std::string(flag) + " names the kind '" + printable(*name, 60) +
                      "': there are " + listed(kinds));
  }
}

std::set<std::string> variables_of_other_kinds(const std::vector<std::string>& kinds,
                                               const char* variable, const environment& env) {
  const auto known = named_for(kinds, variable);
  auto names = env.names_that_begin_with(std::string(variable) + "_");
  std::erase_if(names, [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  });
  return names;
}

std::string variables_of(const std::vector<std::string>& kinds, const char* variable) {
  return listed(named_for(kinds, variable));
}

}  // namespace rowrunner
