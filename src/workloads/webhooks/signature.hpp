#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::webhooks {

/// The keys that deliveries are signed with. While a receiver changes to a new key there are two.
using signing_keys = std::vector<std::string>;

/// Keys with blanks or commas between them: "whsec_" and base64, or the bytes themselves. A key has
/// 24 to 64 bytes, as Standard Webhooks asks. Throws usage_error that begins with `name` and quotes
/// nothing of the text.
signing_keys parse_keys(std::string_view text, const std::string& name);

/// The header webhook-signature: an HMAC-SHA256 of "id.timestamp.body" for each key.
std::string signature(const signing_keys& keys, std::string_view id, std::string_view timestamp,
                      std::string_view body);

/// The header webhook-timestamp: seconds since 1970.
std::string timestamp_text(std::chrono::system_clock::time_point when);

}  // namespace rowrunner::webhooks
