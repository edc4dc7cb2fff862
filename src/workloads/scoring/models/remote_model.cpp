#include "workloads/scoring/models/remote_model.hpp"

#include <charconv>

#include "common/errors.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/url.hpp"
#include "workloads/scoring/models/answer_table.hpp"
#include "workloads/scoring/sha256.hpp"
#include "workloads/scoring/system_prompt.hpp"

namespace rowrunner::scoring {

namespace {

double number_from(const environment& env, const char* name, double otherwise, double most) {
  const auto text = env.get(name);
  if (!text) return otherwise;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() ||
      !(value >= 0 && value <= most)) {
    throw usage_error(std::string(name) + " must be a number from 0 to " +
                      std::to_string(static_cast<long>(most)));
  }
  return value;
}

remote_settings settings_from(const environment& env, const char* key_name, const char* url_name,
                              const char* usual_url, const std::string& model) {
  const auto key = env.get(key_name);
  if (!key) throw usage_error(std::string("this model needs ") + key_name);
  remote_settings out;
  out.key = *key;
  out.base_url = env.get(url_name).value_or(usual_url);
  while (out.base_url.ends_with('/')) out.base_url.pop_back();
  out.elsewhere = out.base_url != usual_url;
  try {
    http::check_private(http::parse_url(out.base_url).server, url_name);
  } catch (const http::error& why) {
    throw usage_error(std::string(url_name) + ": " + why.what());
  }
  out.model = model;
  const double seconds = number_from(env, "SCORING_TIMEOUT", 60, 3'600);
  out.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1'000));
  if (out.timeout.count() == 0) throw usage_error("SCORING_TIMEOUT must be more than 0");
  out.price_in = number_from(env, "SCORING_PRICE_IN", 0, 1e6);
  out.price_out = number_from(env, "SCORING_PRICE_OUT", 0, 1e6);
  return out;
}

/// A service may repeat the key in its error, which is kept and shown.
void remove_key(std::string& text, const std::string& key) {
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key)) {
    text.replace(at, key.size(), "***");
  }
}

}  // namespace

remote_settings gemini_settings(const environment& env, const std::string& model) {
  return settings_from(env, "GEMINI_API_KEY", "GEMINI_BASE_URL",
                       "https://generativelanguage.googleapis.com/v1beta", model);
}

remote_settings openai_settings(const environment& env, const std::string& model) {
  auto out =
      settings_from(env, "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", model);
  out.completion_tokens =
      static_cast<int>(number_from(env, "OPENAI_MAX_COMPLETION_TOKENS", 0, 1e6));
  return out;
}

std::string remote_model::parameters(const block& asked) const {
  const auto most = std::to_string(most_tokens(asked));
  return settings_.completion_tokens > 0 ? "max_completion_tokens " + most
                                         : "temperature 0, max_tokens " + most;
}

std::string remote_model::limit_key() const {
  auto key = model::limit_key();
  if (settings_.elsewhere) {
    key += "@" + settings_.base_url.substr(settings_.base_url.find("://") + 3);
  }
  constexpr std::size_t longest = 200;
  if (key.size() <= longest) return key;
  sha256 hash;
  hash.add_field(key);
  return key.substr(0, longest - 65) + "#" + hash.hex();
}

/// A token is a byte at least.
double remote_model::cost_at_most(const question& wanted) const {
  const auto body = request_for(wanted).body.size();
  return (static_cast<double>(body) * settings_.price_in +
          most_tokens(*wanted.asked) * settings_.price_out) /
         1e6;
}

double remote_model::cost_of(const reply& answer) const {
  return (answer.tokens_in * settings_.price_in + answer.tokens_out * settings_.price_out) / 1e6;
}

/// Three bytes a token is what mixed Japanese and English text comes to.
std::int64_t remote_model::tokens_of(const question& wanted) const {
  return static_cast<std::int64_t>(request_for(wanted).body.size() / 3);
}

int remote_model::most_tokens(const block& asked) const {
  if (settings_.completion_tokens > 0) return settings_.completion_tokens;
  std::size_t out = 256;
  for (const auto& each : asked.categories) out += each.name.size() + 16;
  return static_cast<int>(out);
}

asio::awaitable<reply> remote_model::ask(question wanted) {
  auto request = request_for(wanted);
  request.method = "POST";
  request.headers.set("Content-Type", "application/json");
  request.timeout = settings_.timeout;
  request.max_body = longest_answer;
  reply out;
  try {
    const auto answer = co_await http_.send(std::move(request));
    out = answer.ok() ? read(answer) : refusal(answer, provider());
    out.status = answer.status;
    out.headers = answer.headers;
  } catch (const http::error& why) {
    out = no_answer(why);
  }
  if (out.kind != reply_kind::answered) remove_key(out.text, settings_.key);
  co_return out;
}

}  // namespace rowrunner::scoring
