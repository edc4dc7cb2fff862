#include "common/foreign_json.hpp"
#include "common/text.hpp"
#include "workloads/scoring/models/remote_model.hpp"
#include "workloads/scoring/pipeline/answer_check.hpp"
#include "workloads/scoring/system_prompt.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

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

reply read_choice(const json& choice) {
  const auto reason = text_member(choice, "finish_reason");
  if (reason == "length") {
    return failed_reply(reply_kind::retry, "the answer was cut off (length)");
  }
  const auto message = choice.contains("message") ? choice["message"] : json();
  const auto refusal = text_member(message, "refusal");
  if (reason == "content_filter" || !refusal.empty()) {
    return failed_reply(reply_kind::row_fails,
                        "openai refused to answer: " +
                            printable(refusal.empty() ? "content_filter" : refusal, 300));
  }
  reply out;
  out.text = text_member(message, "content");
  if (out.text.empty()) return failed_reply(reply_kind::retry, "openai answered without a text");
  return out;
}

}  // namespace

http::request openai_model::request_for(const question& wanted) const {
  http::request out(settings_.base_url + "/chat/completions");
  out.headers.add("Authorization", "Bearer " + settings_.key);
  const json schema{{"name", "scores"}, {"strict", true}, {"schema", answer_schema(*wanted.asked)}};
  const auto asked = question_text(wanted.utterance, *wanted.asked, wanted.mistake);
  json body{{"model", settings_.model},
            {"messages", json::array({{{"role", "system"}, {"content", wanted.system_prompt}},
                                      {{"role", "user"}, {"content", asked}}})},
            {"response_format", {{"type", "json_schema"}, {"json_schema", schema}}}};
  if (settings_.completion_tokens > 0) {
    body["max_completion_tokens"] = settings_.completion_tokens;
  } else {
    body["temperature"] = 0;
    body["max_tokens"] = most_tokens(*wanted.asked);
  }
  out.body = body.dump();
  return out;
}

reply openai_model::read(const http::response& answer) const {
  const auto body = foreign_json_or_null(answer.body, {longest_answer, 32, 100'000});
  if (!body.is_object()) {
    return failed_reply(reply_kind::retry, "openai answered 200 without JSON");
  }
  const bool has_choice = body.contains("choices") && body["choices"].is_array() &&
                          !body["choices"].empty() && body["choices"][0].is_object();
  auto out = has_choice ? read_choice(body["choices"][0])
                        : failed_reply(reply_kind::retry, "openai answered without a choice");
  if (body.contains("usage") && body["usage"].is_object()) {
    const auto in = tokens(body["usage"], "prompt_tokens");
    const auto back = tokens(body["usage"], "completion_tokens");
    out.has_usage = in && back;
    out.tokens_in = in.value_or(0);
    out.tokens_out = back.value_or(0);
  }
  return out;
}

}  // namespace rowrunner::scoring
