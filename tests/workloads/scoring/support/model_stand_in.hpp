#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/http_stand_in.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {

/// A server that speaks OpenAI's chat completions and Gemini's generateContent, checks that
/// requests are as their public documentation says, and scores by a formula, so that a test knows
/// what must come out. It counts how often each (utterance, block) was asked.
class model_stand_in {
 public:
  /// What was asked, taken from the request.
  struct question {
    std::string utterance;
    std::string block;
    std::vector<std::string> categories;
    /// The user's text as a whole.
    std::string text;
    int times_before = 0;
  };
  /// Answers instead of the formula; says whether it did.
  using special = std::function<bool(http_exchange&, const question&)>;

  explicit model_stand_in(std::chrono::milliseconds each = {});

  void answer_with(special what);
  int asked(const std::string& utterance, const std::string& block) const;
  int all_asked() const;
  /// Of each call in the order in which they came: what was asked, and when.
  struct logged {
    std::string utterance;
    std::string block;
    std::chrono::steady_clock::time_point when;
  };
  std::vector<logged> log() const;
  /// The most calls that were under way at the same time.
  int most_at_once() const;
  /// What was wrong with requests.
  std::vector<std::string> problems() const;

  process_environment settings() const;
  /// The variable that has the limit of its chat completions.
  std::string openai_limit() const;

  static double score(const std::string& utterance, const std::string& category);
  static std::string scores_text(const question& of);
  /// A whole answer of chat completions with this text.
  static void answer_text(http_exchange& to, const std::string& text);

 private:
  void serve(http_exchange& exchange, bool gemini);
  std::string check_openai(const http_call& call, const nlohmann::json& body, question& out) const;
  std::string check_gemini(const http_call& call, const nlohmann::json& body, question& out) const;

  const std::chrono::milliseconds each_;
  mutable std::mutex mutex_;
  special special_;
  std::map<std::pair<std::string, std::string>, int> asked_;
  int all_asked_ = 0;
  std::vector<logged> log_;
  int under_way_ = 0;
  int most_at_once_ = 0;
  std::vector<std::string> problems_;
  /// The last member: it is the first to go, and with it the threads that use the others.
  http_stand_in server_;
};

}  // namespace rowrunner::testing
