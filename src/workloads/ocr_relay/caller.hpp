#pragma once

#include <optional>
#include <string>

#include "api/message.hpp"

namespace rowrunner::ocr_relay {

/// Why a request without the right bearer is refused; compared in a time that tells nothing.
std::optional<api::problem> check_bearer(const api::request& asked, const std::string& token);

/// {"error": {"code", "message"}}, with the document's INVALID_ARGUMENT for what is wrong with a
/// request.
api::answer error_in_document_words(const api::problem& why);

}  // namespace rowrunner::ocr_relay
