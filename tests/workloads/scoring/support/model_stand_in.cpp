#include "workloads/scoring/support/model_stand_in.hpp"

#include <cmath>
#include <thread>

namespace rowrunner::testing {

using nlohmann::json;

namespace {

constexpr const char* openai_path = "POST /v1/chat/completions";
constexpr const char* gemini_path = "POST /v1beta/models/flash:generateContent";

/// The first line of the user's text is JSON.
void read_question(const std::string& text, model_stand_in::question& out) {
  const auto asked = json::parse(text.substr(0, text.find('\n')));
  out.text = text;
  out.utterance = asked.at("utterance").get<std::string>();
  out.block = asked.at("block").get<std::string>();
  for (const auto& each : asked.at("categories")) {
    out.categories.push_back(each.at("name").get<std::string>());
  }
}

/// Strict structured output: every object closed, every property required, numbers in 0..1.
std::string check_schema(const json& schema, const std::vector<std::string>& categories,
                         const char* object, const char* number, bool closed) {
  const auto& scores = schema.at("properties").at("scores");
  if (schema.at("type") != object || scores.at("type") != object) return "schema: not an object";
  if (schema.at("required") != json::array({"scores"})) return "schema: scores is not required";
  if (closed &&
      (schema.at("additionalProperties") != false || scores.at("additionalProperties") != false)) {
    return "schema: strict needs additionalProperties false";
  }
  if (scores.at("properties").size() != categories.size()) return "schema: number of categories";
  for (const auto& each : categories) {
    const auto& one = scores.at("properties").at(each);
    if (one.at("type") != number || one.at("minimum") != 0 || one.at("maximum") != 1) {
      return "schema: " + each;
    }
  }
  return scores.at("required").size() == categories.size() ? "" : "schema: required";
}

}  // namespace

model_stand_in::model_stand_in(std::chrono::milliseconds each) : each_(each) {
  server_.on(openai_path, [this](http_exchange& e) { serve(e, false); });
  server_.on(gemini_path, [this](http_exchange& e) { serve(e, true); });
}

double model_stand_in::score(const std::string& utterance, const std::string& category) {
  unsigned sum = 7;
  for (const char c : utterance + "/" + category) sum = sum * 31 + static_cast<unsigned char>(c);
  return static_cast<double>(sum % 1001) / 1000;
}

std::string model_stand_in::scores_text(const question& of) {
  json scores = json::object();
  for (const auto& each : of.categories) scores[each] = score(of.utterance, each);
  return json{{"scores", scores}}.dump();
}

void model_stand_in::answer_text(http_exchange& to, const std::string& text) {
  const json body{
      {"id", "chatcmpl-1"},
      {"object", "chat.completion"},
      {"choices", json::array({{{"index", 0},
                                {"finish_reason", "stop"},
                                {"message", {{"role", "assistant"}, {"content", text}}}}})},
      {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 20}, {"total_tokens", 120}}}};
  to.answer(200, body.dump(), {{"Content-Type", "application/json"}});
}

std::string model_stand_in::check_openai(const http_call& call, const json& body,
                                         question& out) const {
  if (call.header("Authorization") != "Bearer secret-key") return "Authorization";
  if (body.at("model") != "gpt-test") return "model";
  const auto& messages = body.at("messages");
  if (messages.size() != 2 || messages[0].at("role") != "system" ||
      messages[1].at("role") != "user") {
    return "messages";
  }
  read_question(messages[1].at("content").get<std::string>(), out);
  const auto& format = body.at("response_format");
  if (format.at("type") != "json_schema" || format.at("json_schema").at("strict") != true ||
      format.at("json_schema").at("name") != "scores") {
    return "response_format";
  }
  if (!body.at("max_tokens").is_number_integer() || body.at("temperature") != 0) return "options";
  return check_schema(format.at("json_schema").at("schema"), out.categories, "object", "number",
                      true);
}

std::string model_stand_in::check_gemini(const http_call& call, const json& body,
                                         question& out) const {
  if (call.header("x-goog-api-key") != "secret-key") return "x-goog-api-key";
  if (call.target.find("key=") != std::string::npos) return "the key is in the URL";
  if (!body.at("systemInstruction").at("parts").at(0).at("text").is_string()) return "system";
  const auto& content = body.at("contents").at(0);
  if (content.at("role") != "user") return "role";
  read_question(content.at("parts").at(0).at("text").get<std::string>(), out);
  const auto& config = body.at("generationConfig");
  if (config.at("responseMimeType") != "application/json") return "responseMimeType";
  if (config.at("temperature") != 0 || !config.at("maxOutputTokens").is_number_integer()) {
    return "options";
  }
  return check_schema(config.at("responseSchema"), out.categories, "OBJECT", "NUMBER", false);
}

void model_stand_in::serve(http_exchange& exchange, bool gemini) {
  question asked;
  std::string problem;
  special instead;
  {
    const std::scoped_lock lock(mutex_);
    try {
      const auto body = json::parse(exchange.call().body);
      problem = gemini ? check_gemini(exchange.call(), body, asked)
                       : check_openai(exchange.call(), body, asked);
      if (exchange.call().header("Content-Type") != "application/json") problem = "Content-Type";
    } catch (const json::exception& error) {
      problem = error.what();
    }
    if (!problem.empty()) problems_.push_back(problem);
    asked.times_before = asked_[{asked.utterance, asked.block}]++;
    ++all_asked_;
    log_.push_back({asked.utterance, asked.block, std::chrono::steady_clock::now()});
    most_at_once_ = std::max(most_at_once_, ++under_way_);
    instead = special_;
  }
  if (each_.count() > 0) std::this_thread::sleep_for(each_);
  {
    const std::scoped_lock lock(mutex_);
    --under_way_;
  }
  if (!problem.empty()) return exchange.answer(400, R"({"error": {"message": "bad request"}})");
  if (instead && instead(exchange, asked)) return;
  if (!gemini) return answer_text(exchange, scores_text(asked));
  const json body{
      {"candidates", json::array({{{"finishReason", "STOP"},
                                   {"content",
                                    {{"role", "model"},
                                     {"parts", json::array({{{"text", scores_text(asked)}}})}}}}})},
      {"usageMetadata", {{"promptTokenCount", 100}, {"candidatesTokenCount", 20}}}};
  exchange.answer(200, body.dump(), {{"Content-Type", "application/json"}});
}

void model_stand_in::answer_with(special what) {
  const std::scoped_lock lock(mutex_);
  special_ = std::move(what);
}

int model_stand_in::asked(const std::string& utterance, const std::string& block) const {
  const std::scoped_lock lock(mutex_);
  const auto found = asked_.find({utterance, block});
  return found == asked_.end() ? 0 : found->second;
}

int model_stand_in::all_asked() const {
  const std::scoped_lock lock(mutex_);
  return all_asked_;
}

std::vector<model_stand_in::logged> model_stand_in::log() const {
  const std::scoped_lock lock(mutex_);
  return log_;
}

int model_stand_in::most_at_once() const {
  const std::scoped_lock lock(mutex_);
  return most_at_once_;
}

std::vector<std::string> model_stand_in::problems() const {
  const std::scoped_lock lock(mutex_);
  return problems_;
}

std::string model_stand_in::openai_limit() const {
  return "LIMIT_OPENAI_GPT_TEST_127_0_0_1_" + std::to_string(server_.port()) + "_V1";
}

process_environment model_stand_in::settings() const {
  return {{"OPENAI_API_KEY", "secret-key"},
          {"OPENAI_BASE_URL", server_.url("/v1")},
          {"GEMINI_API_KEY", "secret-key"},
          {"GEMINI_BASE_URL", server_.url("/v1beta")},
          {openai_limit(), "requests=10000/s"},
          {"LIMIT_GEMINI_FLASH_127_0_0_1_" + std::to_string(server_.port()) + "_V1BETA",
           "requests=10000/s"},
          {"SCORING_PRICE_IN", "10"},
          {"SCORING_PRICE_OUT", "100"}};
}

}  // namespace rowrunner::testing
