#include "common/foreign_json.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"
#include "workloads/scoring/models/remote_model.hpp"
#include "workloads/scoring/system_prompt.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

/// The subset of OpenAPI that responseSchema takes.
json response_schema(const block& asked) {
  json properties = json::object();
  json required = json::array();
  for (const auto& each : asked.categories) {
    properties[each.name] = {{"type", "NUMBER"}, {"minimum", 0}, {"maximum", 1}};
    required.push_back(each.name);
  }
  const json scores{{"type", "OBJECT"},
                    {"properties", properties},
                    {"required", required},
                    {"propertyOrdering", required}};
  return {{"type", "OBJECT"},
          {"properties", {{"scores", scores}}},
          {"required", json::array({"scores"})}};
}

json text_part(const std::string& text) { return {{"parts", json::array({{{"text", text}}})}}; }

reply failed_reply(reply_kind kind, std::string text) {
  reply out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

std::optional<int> tokens(const json& usage, const char* name) {
  const auto found = usage.find(name);
  if (found == usage.end() || !found->is_number_integer() || found->get<double>() < 0 ||
      found->get<double>() >= 1e9) {
    return std::nullopt;
  }
  return found->get<int>();
}

std::string text_of(const json& candidate) {
  std::string out;
  if (!candidate.contains("content") || !candidate["content"].is_object()) return out;
  const auto& content = candidate["content"];
  if (!content.contains("parts") || !content["parts"].is_array()) return out;
  for (const auto& part : content["parts"]) {
    // Thoughts are not the answer.
    if (part.is_object() && part.contains("thought") && part["thought"] == true) continue;
    out += text_member(part, "text");
  }
  return out;
}

reply read_candidate(const json& candidate) {
  const auto reason = text_member(candidate, "finishReason");
  if (reason == R"(MAX_TOKENS)") {
    return failed_reply(reply_kind::retry, "the answer was cut off (MAX_TOKENS)");
  }
  if (!reason.empty() && reason != "STOP" && reason != "OTHER" &&
      reason != R"(FINISH_REASON_UNSPECIFIED)" && reason != R"(MALFORMED_FUNCTION_CALL)") {
    return failed_reply(reply_kind::row_fails,
                        "gemini refused to answer (" + printable(reason, 60) + ")");
  }
  auto text = text_of(candidate);
  if (text.empty()) return failed_reply(reply_kind::retry, "gemini answered without a text");
  reply out;
  out.text = std::move(text);
  return out;
}

}  // namespace

http::request gemini_model::request_for(const question& wanted) const {
  http::request out(settings_.base_url + "/models/" + http::percent_encode(settings_.model) +
                    ":generateContent");
  out.headers.add("x-goog-api-key", settings_.key);
  auto user = text_part(question_text(wanted.utterance, *wanted.asked, wanted.mistake));
  user["role"] = "user";
  out.body = json{{"systemInstruction", text_part(wanted.system_prompt)},
                  {"contents", json::array({user})},
                  {"generationConfig",
                   {{"temperature", 0},
                    {"maxOutputTokens", most_tokens(*wanted.asked)},
                    {"responseMimeType", "application/json"},
                    {"responseSchema", response_schema(*wanted.asked)}}}}
                 .dump();
  return out;
}

reply gemini_model::read(const http::response& answer) const {
  const auto body = foreign_json_or_null(answer.body, {longest_answer, 32, 100'000});
  if (!body.is_object()) {
    return failed_reply(reply_kind::retry, "gemini answered 200 without JSON");
  }
  reply out;
  if (body.contains("candidates") && body["candidates"].is_array() && !body["candidates"].empty() &&
      body["candidates"][0].is_object()) {
    out = read_candidate(body["candidates"][0]);
  } else if (body.contains("promptFeedback") && body["promptFeedback"].is_object()) {
    out = failed_reply(reply_kind::row_fails,
                       "gemini refused the question (" +
                           printable(text_member(body["promptFeedback"], "blockReason"), 60) + ")");
  } else {
    out = failed_reply(reply_kind::retry, "gemini answered without a candidate");
  }
  if (body.contains("usageMetadata") && body["usageMetadata"].is_object()) {
    const auto& usage = body["usageMetadata"];
    const auto in = tokens(usage, "promptTokenCount");
    const auto back = tokens(usage, "candidatesTokenCount");
    // What was refused has a question and no answer.
    out.has_usage = in && (back || out.kind == reply_kind::row_fails);
    out.tokens_in = in.value_or(0);
    out.tokens_out = back.value_or(0) + tokens(usage, "thoughtsTokenCount").value_or(0);
  }
  return out;
}

}  // namespace rowrunner::scoring
