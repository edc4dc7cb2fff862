#include "workloads/providers/gemini_messages.hpp"

#include <algorithm>
#include <charconv>

#include "common/foreign_json.hpp"
#include "common/http/base64.hpp"
#include "common/text.hpp"

namespace rowrunner::providers {

using nlohmann::json;

namespace {

constexpr std::string_view usual_prompt =
    "Read all text of this page and give it back as it stands, line by line, without comments.";
constexpr json_limits answer_limits{largest_gemini_answer, 32, 100'000};

/// "34s" or "1.5s", as Google writes a duration.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text) {
  if (!text.ends_with('s')) return std::nullopt;
  text.remove_suffix(1);
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || !(seconds >= 0) ||
      !(seconds <= 86'400)) {
    return std::nullopt;
  }
  // Rounded up: to ask too early costs another refusal.
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000) + 1);
}

std::optional<std::chrono::milliseconds> retry_info(const json& error) {
  const auto details = error.find("details");
  if (details == error.end() || !details->is_array()) return std::nullopt;
  for (const auto& each : *details) {
    if (each.is_object() && text_member(each, "@type").ends_with("google.rpc.RetryInfo")) {
      if (const auto found = duration_of(text_member(each, "retryDelay"))) return found;
    }
  }
  return std::nullopt;
}

/// {"error": …}, also as the only element of an array.
json error_of(const std::string& body) {
  json found = foreign_json_or_null(body);
  if (found.is_array() && found.size() == 1) found = json(found.front());
  if (found.is_object() && found.contains("error") && found["error"].is_object()) {
    return found["error"];
  }
  return json::object();
}

[[noreturn]] void refuse(const http::response& answer) {
  const auto error = error_of(answer.body);
  std::string what = "Gemini answered " + std::to_string(answer.status);
  if (const auto words = text_member(error, "message"); !words.empty()) {
    what += ": " + printable(words, 500);
  }
  std::replace(what.begin(), what.end(), '\n', ' ');
  const bool busy = answer.status == 429 || answer.status == 408 || answer.status >= 500;
  auto after = http::retry_after(answer);
  if (const auto told = retry_info(error)) after = std::max(after.value_or(*told), *told);
  throw provider_error(what, !busy, busy ? after : std::nullopt);
}

void copy_number(const json& from, const char* name, json& to) {
  const auto found = from.find(name);
  if (found != from.end() && found->is_number()) to[name] = *found;
}

std::int64_t count_of(const json& usage, const char* name) {
  const auto found = usage.is_object() ? usage.find(name) : usage.end();
  return usage.is_object() && found != usage.end() && found->is_number_integer()
             ? found->get<std::int64_t>()
             : 0;
}

std::string text_of(const json& candidate) {
  std::string out;
  const auto content = candidate.find("content");
  if (content == candidate.end() || !content->is_object()) return out;
  const auto parts = content->find("parts");
  if (parts == content->end() || !parts->is_array()) return out;
  for (const auto& part : *parts) {
    const bool thought = part.is_object() && part.contains("thought") && part["thought"] == true;
    if (part.is_object() && !thought && part.contains("text")) out += text_member(part, "text");
  }
  return out;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_marked(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n`\"");
  return first != std::string_view::npos && text.substr(first).starts_with(non_order_mark);
}

}  // namespace

std::string gemini_request(const page_input& page, std::string_view media_type,
                           std::string_view bytes) {
  json parts = json::array();
  parts.push_back({{"text", page.prompt.empty() ? std::string(usual_prompt) : page.prompt}});
  if (page.masters && page.masters->is_object()) {
    for (const auto& [name, list] : page.masters->items()) {
      const auto text = list.is_string() ? list.get<std::string>() : list.dump();
      parts.push_back({{"text", name + ":\n" + text}});
    }
  }
  parts.push_back({{"inline_data", {{"mime_type", media_type}, {"data", http::base64(bytes)}}}});
  json body{{"contents", json::array({{{"role", "user"}, {"parts", std::move(parts)}}})}};
  json how = json::object();
  if (page.settings.is_object()) {
    for (const char* name : {"temperature", "topP", "topK", "maxOutputTokens"}) {
      copy_number(page.settings, name, how);
    }
  }
  if (!how.empty()) body["generationConfig"] = std::move(how);
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_model_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 100 && !name.starts_with('.') &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string gemini_model(const page_input& page, const std::string& usual) {
  const auto given = page.settings.is_object() ? text_member(page.settings, "model") : "";
  const auto& name = given.empty() ? usual : given;
  if (!is_model_name(name)) {
    throw provider_error("gemini.model is not the name of a model", true);
  }
  return name;
}

page_text gemini_answer(const http::response& answer) {
  if (!answer.ok()) refuse(answer);
  json body;
  try {
    body = parse_foreign_json(answer.body, answer_limits);
  } catch (const foreign_json_error& why) {
    throw provider_error(std::string("Gemini answered 200 without a text: its answer ") +
                         why.what());
  }
  const auto candidates = body.is_object() ? body.find("candidates") : body.end();
  const bool has_one = body.is_object() && candidates != body.end() && candidates->is_array() &&
                       !candidates->empty() && candidates->front().is_object();
  if (!has_one) {
    std::string why;
    if (body.is_object() && body.contains("promptFeedback")) {
      why = text_member(body["promptFeedback"], "blockReason");
    }
    throw provider_error("Gemini gave no text" + (why.empty() ? "" : ": " + printable(why, 100)),
                         !why.empty());
  }
  const auto& first = candidates->front();
  page_text out;
  out.text = text_of(first);
  const auto reason = text_member(first, "finishReason");
  // MAX_TOKENS leaves a part of the page unread, and others are refusals.
  if (!reason.empty() && reason != "STOP") {
    throw provider_error("Gemini stopped early: " + printable(reason, 100), true);
  }
  out.is_order = !is_blank(out.text) && !is_marked(out.text);
  const auto usage = body.value("usageMetadata", json::object());
  out.meta = json{{"provider", "gemini"},
                  {"tokensInput", count_of(usage, "promptTokenCount")},
                  {"tokensOutput", count_of(usage, "candidatesTokenCount") +
                                       count_of(usage, "thoughtsTokenCount")}};
  if (const auto version = text_member(body, "modelVersion"); !version.empty()) {
    out.meta["modelVersion"] = printable(version, 100);
  }
  return out;
}

}  // namespace rowrunner::providers
