#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rowrunner::ocr_relay {

/// The text as receivers get it: it begins with "--- PAGE n ---".
std::string page_text(int page, const std::string& text);

/// The members of meta that the document names, and whatever else the provider tells.
nlohmann::ordered_json page_meta(const nlohmann::json& told, const std::string& provider);

struct read_page_event {
  std::string job_id;
  std::string order_id;
  int page = 0;
  bool non_order = false;
  /// With its first line.
  std::string text;
  nlohmann::ordered_json meta;
};

/// PAGE_RESULT without the token, which the delivery adds.
nlohmann::ordered_json page_result(const read_page_event& of);

/// As text that can be stored, whatever a provider has put into it.
std::string dump(const nlohmann::ordered_json& value);

/// What became of a page and its delivery.
struct page_fact {
  int page = 0;
  bool read = false;
  bool non_order = false;
  std::string error{};
  bool delivered = false;
  /// Of the delivery: its status and its last error.
  std::string delivery_status{};
  std::string delivery_error{};
};

struct job_fact {
  std::string job_id;
  std::string order_id;
  /// The engine's word.
  std::string status;
  std::string last_error{};
  int total_pages = 0;
};

struct summary {
  /// DONE or ERROR.
  std::string status;
  /// JOB_SUMMARY without the token.
  nlohmann::ordered_json payload;
};

/// Decides how a job has ended: DONE if every page was read and delivered.
summary summarise(const job_fact& job, const std::vector<page_fact>& pages);

/// The document's word for the state of a job. `outcome` is that of its summary, once it was made;
/// `unsent` if the summary's own job has ended without one.
std::string status_word(const std::string& status, bool not_begun, bool held,
                        const std::optional<std::string>& outcome, bool unsent = false);

}  // namespace rowrunner::ocr_relay
