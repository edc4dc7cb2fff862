#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::ocr_relay {

/// What POST /jobs asks for.
struct submission {
  std::string order_id;
  std::string file_id;
  std::string prompt;
  std::optional<std::string> pattern{};
  /// {"shipCsv", "itemCsv"}
  nlohmann::ordered_json masters{};
  std::string webhook_url;
  std::string webhook_token;
  /// "status", or "body": not of the document; see docs/relay.md.
  std::string success_by = "status";
  /// As they came, or null.
  nlohmann::ordered_json gemini{};
  nlohmann::ordered_json options{};
  std::string idempotency_key;
};

/// The longest body that is read: the longest texts together are shorter.
inline constexpr std::size_t most_body_bytes = std::size_t{32} << 20;

/// Reads the body of POST /jobs. Throws bad_input with a message that names the first field that is
/// wrong, as in "fileId is required".
submission parse_submission(std::string_view body);

struct page_settings {
  bool as_image = false;
  int dpi = 300;
  int concurrency = 1;
};

/// Of options that parse_submission has let pass; null gives the defaults.
page_settings page_settings_of(const nlohmann::json& options);

}  // namespace rowrunner::ocr_relay
