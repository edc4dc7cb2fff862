#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "program/setting.hpp"

namespace rowrunner {

/// The name by which variables know a kind: SPOT_IMAGE for spot_image.
std::string kind_in_variable(const std::string& kind);

/// A value of a setting that each kind may have for itself, and where it was found.
struct found_setting {
  std::string where;
  std::string text;
};

/// Flags over variables; in each, what names the kind (`KIND=N`, `NAME_KIND`) over what is for all
/// (`N`, `NAME`). Nothing if none is set.
std::optional<found_setting> find_setting(const std::string& kind, const char* flag,
                                          const std::vector<std::string>& flag_values,
                                          const char* variable, const environment& env);

/// Throws usage_error that lists the kinds if a flag names another one.
void check_flag_kinds(const std::vector<std::string>& kinds, const char* flag,
                      const std::vector<std::string>& flag_values);

/// The variables that are set for none of these kinds (`NAME_OTHER`).
std::set<std::string> variables_of_other_kinds(const std::vector<std::string>& kinds,
                                               const char* variable, const environment& env);
/// The variables of these kinds, as a list for people.
std::string variables_of(const std::vector<std::string>& kinds, const char* variable);

template <typename Number>
std::optional<Number> given_for(const std::string& kind, const number_setting<Number>& setting,
                                const std::vector<std::string>& flag_values,
                                const environment& env) {
  const auto found = find_setting(kind, setting.flag, flag_values, setting.variable, env);
  if (!found) return std::nullopt;
  return check_number(found->where, parse_number<Number>(found->where, found->text), setting.least,
                      setting.most);
}

}  // namespace rowrunner
