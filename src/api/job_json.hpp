#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rowrunner::api {

/// A row of a job table as lists show it: the engine's columns, and in "own" the first short texts
/// of the table's own, which tell what the job is about.
nlohmann::ordered_json job_json(const std::string& kind, const nlohmann::ordered_json& row);

/// The first short texts among the table's own columns.
nlohmann::ordered_json own_columns(const nlohmann::ordered_json& row);

/// Ids are compared as the database writes them.
std::string lower_case(std::string text);

}  // namespace rowrunner::api
