#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "workloads/limits/plan.hpp"

namespace rowrunner::limits {

// How reports and plans are stored. What cannot be read throws nlohmann::json::exception.

nlohmann::json to_json(const member_report& report);
member_report report_from(const nlohmann::json& stored);
/// Nothing if a process of another version has stored it in a way that is not known here.
std::optional<member_report> readable_report(std::string_view stored);

nlohmann::json to_json(const plan& all);
plan plan_from(const nlohmann::json& stored);

}  // namespace rowrunner::limits
