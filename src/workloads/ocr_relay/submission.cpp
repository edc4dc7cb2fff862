#include "workloads/ocr_relay/submission.hpp"

#include <cmath>
#include <cstdint>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "workloads/ocr_relay/broken_member.hpp"
#include "workloads/providers/gemini_messages.hpp"
#include "workloads/webhooks/enqueue.hpp"

namespace rowrunner::ocr_relay {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t longest_id = 500;
constexpr std::size_t longest_file_id = 4096;
constexpr std::size_t longest_prompt = std::size_t{1} << 20;
constexpr std::size_t longest_csv = std::size_t{8} << 20;
constexpr std::size_t longest_token = 4096;
constexpr std::size_t longest_model = 200;

/// One object of the body. Its fields are named with the path that leads to it.
class fields {
 public:
  fields(const json& object, std::string path) : object_(object), path_(std::move(path)) {}

  std::string name(const char* member) const { return path_ + member; }

  /// nullptr for one that is missing or null.
  const json* find(const char* member) const {
    const auto found = object_.find(member);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  std::optional<std::string> text(const char* member, std::size_t longest) const {
    const auto* found = find(member);
    if (!found) return std::nullopt;
    if (!found->is_string()) throw bad_input(name(member) + " must be a string");
    const auto& out = found->get_ref<const std::string&>();
    if (out.size() > longest) {
      throw bad_input(name(member) + " is longer than " + std::to_string(longest) + " bytes");
    }
    // What was parsed is UTF-8.
    if (out.find('\0') != std::string::npos) {
      throw bad_input(name(member) + " must not contain a NUL character");
    }
    return out;
  }

  std::string required_text(const char* member, std::size_t longest) const {
    auto out = text(member, longest);
    if (!out || out->empty()) throw bad_input(name(member) + " is required");
    return *out;
  }

  fields required_object(const char* member) const {
    const auto* found = find(member);
    if (!found) throw bad_input(name(member) + " is required");
    return object(member, *found);
  }

  fields object(const char* member, const json& found) const {
    if (!found.is_object()) throw bad_input(name(member) + " must be an object");
    return {found, name(member) + "."};
  }

  void check_number(const char* member, double least, double most, bool whole) const {
    const auto* found = find(member);
    if (!found) return;
    const double value = found->is_number() ? found->get<double>() : std::nan("");
    // Written so that NaN is refused too.
    if (value >= least && value <= most && (!whole || value == std::floor(value))) return;
    throw bad_input(name(member) + " must be a " + (whole ? "whole " : "") + "number from " +
                    json(least).dump() + " to " + json(most).dump());
  }

 private:
  const json& object_;
  const std::string path_;
};

void check_gemini(const fields& of) {
  const auto model = of.text("model", longest_model);
  if (model && model->empty()) throw bad_input(of.name("model") + " must not be empty");
  // Each name is a limit of its own, which all workers keep.
  if (model && !providers::is_model_name(*model)) {
    throw bad_input(of.name("model") + " must be up to 100 letters, digits, dots, - and _");
  }
  of.check_number("temperature", 0, 2, false);
  of.check_number("topP", 0, 1, false);
  of.check_number("topK", 1, 1'000'000, true);
  of.check_number("maxOutputTokens", 1, 10'000'000, true);
}

void check_options(const fields& of) {
  const auto mode = of.text("splitMode", 100);
  if (mode && *mode != "pdf" && *mode != "image") {
    throw bad_input(of.name("splitMode") + " must be pdf or image");
  }
  // A4 at 600 dpi has 35 million points; a child process renders up to 50 million.
  of.check_number("dpi", 36, 600, true);
  of.check_number("concurrency", 1, 64, true);
}

json parse_body(std::string_view body) {
  try {
    return parse_foreign_json(body, json_limits{most_body_bytes, 16, 2'000});
  } catch (const foreign_json_error& error) {
    const auto member = broken_member(body);
    throw bad_input((member.empty() ? "the body" : member) + " " + error.what());
  }
}

std::size_t characters(const std::string& text) {
  std::size_t out = 0;
  for (const char each : text) out += (static_cast<unsigned char>(each) & 0xc0) != 0x80 ? 1 : 0;
  return out;
}

std::string checked_id(const std::string& text, const std::string& name) {
  if (characters(text) > longest_id) {
    throw bad_input(name + " is longer than " + std::to_string(longest_id) + " characters");
  }
  return text;
}

void read_webhook(const fields& of, submission& out) {
  out.webhook_url = of.required_text("url", longest_file_id);
  webhooks::check_address(out.webhook_url, of.name("url"));
  out.webhook_token = of.required_text("token", longest_token);
  const auto by = of.text("successBy", 100);
  if (by && *by != "status" && *by != "body") {
    throw bad_input(of.name("successBy") + " must be status or body");
  }
  out.success_by = by.value_or("status");
}

}  // namespace

submission parse_submission(std::string_view text) {
  const json body = parse_body(text);
  if (!body.is_object()) throw bad_input("the body must be a JSON object");
  const fields all(body, "");
  submission out;
  out.order_id = checked_id(all.required_text("orderId", longest_id * 4), "orderId");
  out.file_id = all.required_text("fileId", longest_file_id);
  out.prompt = all.required_text("prompt", longest_prompt);
  out.pattern = all.text("pattern", longest_prompt);
  const auto masters = all.required_object("masters");
  out.masters = {{"shipCsv", masters.required_text("shipCsv", longest_csv)},
                 {"itemCsv", masters.required_text("itemCsv", longest_csv)}};
  read_webhook(all.required_object("webhook"), out);
  if (const auto* gemini = all.find("gemini")) {
    check_gemini(all.object("gemini", *gemini));
    out.gemini = ordered_json::parse(gemini->dump());
  }
  if (const auto* options = all.find("options")) {
    check_options(all.object("options", *options));
    out.options = ordered_json::parse(options->dump());
  }
  const auto key = all.text("idempotencyKey", longest_id * 4);
  out.idempotency_key = key && !key->empty() ? checked_id(*key, "idempotencyKey") : out.order_id;
  return out;
}

page_settings page_settings_of(const json& options) {
  page_settings out;
  if (!options.is_object()) return out;
  const auto number = [&](const char* name, int otherwise) {
    const auto found = options.find(name);
    return found == options.end() || !found->is_number() ? otherwise
                                                         : static_cast<int>(found->get<double>());
  };
  const auto mode = options.find("splitMode");
  out.as_image = mode != options.end() && *mode == "image";
  out.dpi = number("dpi", out.dpi);
  out.concurrency = number("concurrency", out.concurrency);
  return out;
}

}  // namespace rowrunner::ocr_relay
