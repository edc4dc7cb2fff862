#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::pdf_batch {

/// The document's message: which file is to be analysed, under which id.
struct message {
  std::string job_id;
  std::string pdf_path;
  std::optional<std::string> bucket_name{};
  /// As it stands in the message; nothing depends on it.
  std::optional<std::string> timestamp{};
};

inline constexpr std::size_t max_message = 64 * 1024;

/// Reads a message; members that it does not know are left alone. Throws bad_input with what is
/// wrong.
message parse_message(std::string_view json);

/// Throws bad_input unless it is 1 to 200 letters, digits, dots, underscores and dashes that can be
/// a folder of the storage.
void check_job_id(std::string_view job_id);

/// Throws bad_input unless it names a file of the storage, also after %XX in it is decoded.
void check_pdf_path(std::string_view pdf_path);

/// "uploads/{job_id}/document.pdf"
std::string upload_path(std::string_view job_id);
/// "results/{job_id}/result.json"
std::string result_path(std::string_view job_id);

}  // namespace rowrunner::pdf_batch
