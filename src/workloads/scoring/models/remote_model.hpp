#pragma once

#include <chrono>
#include <string>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "workloads/scoring/models/model.hpp"

namespace rowrunner::scoring {

struct remote_settings {
  std::string base_url;
  std::string key;
  std::string model;
  /// base_url is not the provider's own.
  bool elsewhere = false;
  std::chrono::milliseconds timeout{60'000};
  /// For a million tokens of question and of answer; SCORING_PRICE_IN and SCORING_PRICE_OUT.
  double price_in = 0;
  double price_out = 0;
  /// OPENAI_MAX_COMPLETION_TOKENS, for models that think before they answer: they take neither
  /// max_tokens nor a temperature. 0 for others.
  int completion_tokens = 0;
};

/// Throws usage_error, naming the variable.
remote_settings gemini_settings(const environment& env, const std::string& model);
remote_settings openai_settings(const environment& env, const std::string& model);

/// A model behind HTTP. What differs between services is how a question and an answer look.
class remote_model : public model {
 public:
  static constexpr std::size_t longest_answer = 2 * 1024 * 1024;

  remote_model(remote_settings settings, http::client& http)
      : settings_(std::move(settings)), http_(http) {}

  std::string name() const override { return settings_.model; }
  bool is_paid() const override { return true; }
  std::string endpoint() const override { return settings_.base_url; }
  std::string parameters(const block& asked) const override;
  /// That of the provider's own address is "openai:gpt-4o-mini"; other addresses have their own
  /// limits.
  std::string limit_key() const override;
  /// With one of them alone, a budget would not see a part of what is paid.
  bool has_price() const override { return settings_.price_in > 0 && settings_.price_out > 0; }
  double cost_at_most(const question& wanted) const override;
  double cost_of(const reply& answer) const override;
  std::int64_t tokens_of(const question& wanted) const override;
  asio::awaitable<reply> ask(question wanted) override;
  /// Of an answer with 2xx.
  virtual reply read(const http::response& answer) const = 0;

 protected:
  virtual http::request request_for(const question& wanted) const = 0;
  /// The most tokens that an answer may have: enough for every category, and a margin.
  int most_tokens(const block& asked) const;

  const remote_settings settings_;

 private:
  http::client& http_;
};

/// Google's generateContent, with a schema for the answer.
class gemini_model : public remote_model {
 public:
  using remote_model::remote_model;
  std::string provider() const override { return "gemini"; }
  reply read(const http::response& answer) const override;

 protected:
  http::request request_for(const question& wanted) const override;
};

/// Any service with OpenAI's chat completions, with JSON output.
class openai_model : public remote_model {
 public:
  using remote_model::remote_model;
  std::string provider() const override { return "openai"; }
  reply read(const http::response& answer) const override;

 protected:
  http::request request_for(const question& wanted) const override;
};

}  // namespace rowrunner::scoring
