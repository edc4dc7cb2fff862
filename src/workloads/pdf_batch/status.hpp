#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/job_state.hpp"

namespace rowrunner::pdf_batch {

/// What the database knows of a job.
struct job_state {
  std::string job_id;
  /// One of the engine's.
  std::string status;
  /// Pages; nothing before the first report.
  std::optional<std::int64_t> done{};
  std::int64_t total = 0;
  std::string message{};
  std::string last_error{};
  std::string updated_at{};
};

/// What the document calls them.
inline constexpr const char* started_message = "Processing started...";
inline constexpr const char* completed_message = "Processing completed!";
inline constexpr const char* failed_message = "Error occurred";

/// "Page 5/12 analyzing..."
std::string page_message(std::int64_t page, std::int64_t total);

/// int((page / total) * 100), with the document's rounding.
int percent(std::int64_t page, std::int64_t total);

/// The document's six fields.
nlohmann::ordered_json status_json(const job_state& of);
/// The same of a job as the mirror reads it, for Redis.
nlohmann::ordered_json mirrored_json(const api::job_state& of);

}  // namespace rowrunner::pdf_batch
