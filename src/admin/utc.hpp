#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rowrunner::admin {

/// A timestamp as to_json writes it in UTC, with Z for its offset; other text stays as it is.
std::string utc_text(std::string text);

/// The same for the members of an object that hold the engine's timestamps.
void use_z(nlohmann::ordered_json& object);

}  // namespace rowrunner::admin
