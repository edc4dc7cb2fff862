#include "workloads/pdf_batch/message.hpp"

#include <algorithm>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/http/url.hpp"
#include "common/storage/key.hpp"
#include "common/text.hpp"

namespace rowrunner::pdf_batch {
namespace {

constexpr json_limits allowed_json{max_message, 8, 200};
constexpr std::size_t max_extra = 1000;
/// Encoded once more each time: "%252e" is "." after two.
constexpr int decodings = 4;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::string required(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw bad_input(std::string("the message has no ") + name);
  if (!found->is_string()) throw bad_input(std::string(name) + " must be a string");
  return found->get<std::string>();
}

std::optional<std::string> optional_text(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  auto text = required(object, name);
  check_text(name, text);
  if (text.size() > max_extra) throw bad_input(std::string(name) + " is too long");
  return text;
}

}  // namespace

message parse_message(std::string_view json) {
  nlohmann::json object;
  try {
    object = parse_foreign_json(json, allowed_json);
  } catch (const foreign_json_error& error) {
    throw bad_input(std::string("the message ") + error.what());
  }
  if (!object.is_object()) throw bad_input("the message must be a JSON object");
  message out;
  out.job_id = required(object, "job_id");
  check_job_id(out.job_id);
  out.pdf_path = required(object, "pdf_path");
  check_pdf_path(out.pdf_path);
  out.bucket_name = optional_text(object, "bucket_name");
  out.timestamp = optional_text(object, "timestamp");
  return out;
}

void check_job_id(std::string_view job_id) {
  const bool fits = !job_id.empty() && job_id.size() <= 200 && job_id != "." && job_id != ".." &&
                    std::all_of(job_id.begin(), job_id.end(), is_id_character);
  if (fits) return;
  throw bad_input("job_id '" + visible(printable(job_id, 220)) +
                  "' is no id: 1 to 200 letters, digits, '.', '_' and '-'");
}

void check_pdf_path(std::string_view pdf_path) {
  std::string path(pdf_path);
  for (int i = 0; i < decodings; ++i) {
    try {
      storage::check_key(path);
    } catch (const bad_input&) {
      throw bad_input("pdf_path '" + visible(printable(pdf_path, 300)) +
                      "' is no path of a file in the storage");
    }
    auto decoded = http::percent_decode(path);
    if (decoded == path) return;
    path = std::move(decoded);
  }
  throw bad_input("pdf_path '" + visible(printable(pdf_path, 300)) + "' is encoded too often");
}

std::string upload_path(std::string_view job_id) {
  return "uploads/" + std::string(job_id) + "/document.pdf";
}

std::string result_path(std::string_view job_id) {
  return "results/" + std::string(job_id) + "/result.json";
}

}  // namespace rowrunner::pdf_batch
