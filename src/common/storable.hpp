#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rowrunner {

/// What PostgreSQL cannot store in a text (NUL, broken UTF-8) becomes U+FFFD, so that a result is
/// never lost after the work was paid for.
std::string storable(std::string_view text);
/// The same for all texts and names in a JSON value. A value that parsing has discarded becomes
/// the text "<discarded>". Throws std::invalid_argument for one that is nested too deeply.
nlohmann::json storable_json(nlohmann::json value);

}  // namespace rowrunner
