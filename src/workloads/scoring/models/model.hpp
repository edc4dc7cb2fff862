#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/http/message.hpp"
#include "workloads/scoring/blocks.hpp"

namespace rowrunner::scoring {

namespace asio = boost::asio;

/// What a model is asked.
struct question {
  question(std::string text, std::shared_ptr<const block> about, std::string prompt,
           std::string wrong = {})
      : utterance(std::move(text)),
        asked(std::move(about)),
        system_prompt(std::move(prompt)),
        mistake(std::move(wrong)) {}

  std::string utterance;
  std::shared_ptr<const block> asked;
  std::string system_prompt;
  /// What was wrong with the last answer; empty the first time.
  std::string mistake;
};

/// What an answer means for the question, the row and the key.
enum class reply_kind {
  answered,   ///< A text, which may still be wrong.
  retry,      ///< No answer this time: an attempt is charged.
  busy,       ///< Too many calls: no attempt is charged, all calls slow down.
  key_dead,   ///< No call can succeed with this key: the chunk fails.
  row_fails,  ///< This question cannot be answered, however often it is asked.
};

struct reply {
  reply_kind kind = reply_kind::answered;
  /// The answer, or what went wrong.
  std::string text;
  /// How long the other side asks to wait.
  std::optional<std::chrono::milliseconds> after{};
  int tokens_in = 0;
  int tokens_out = 0;
  /// The answer says how many tokens it has cost.
  bool has_usage = false;
  /// The HTTP status and the header of the answer; 0 if there was none.
  int status = 0;
  http::header_list headers{};
  /// No answer came, so it is not known whether the call was paid for.
  bool maybe_paid = false;
};

/// Why a budget of cost is refused.
inline constexpr const char* no_price =
    "max_cost limits nothing without prices: set SCORING_PRICE_IN and SCORING_PRICE_OUT, the "
    "prices "
    "of a million tokens of question and of answer";

/// Scores utterances. One of an answer's text is {"scores": {"category": number, …}}.
class model {
 public:
  model() = default;
  virtual ~model() = default;
  model(const model&) = delete;
  model& operator=(const model&) = delete;

  virtual std::string provider() const = 0;
  virtual std::string name() const = 0;
  /// Its calls cost something: they are cached, limited and budgeted.
  virtual bool is_paid() const = 0;
  /// Where it is asked, and how besides its question: answers from elsewhere are others.
  virtual std::string endpoint() const { return ""; }
  virtual std::string parameters(const block&) const { return ""; }
  /// The limit that all workers share has this name.
  virtual std::string limit_key() const { return provider() + ":" + name(); }
  /// Prices are known: without them a budget of cost would limit nothing.
  virtual bool has_price() const { return false; }
  /// What a call costs at most, before it is made, and what it has cost by its usage.
  virtual double cost_at_most(const question&) const { return 0; }
  virtual double cost_of(const reply&) const { return 0; }
  /// What a call is expected to use of the limit of tokens.
  virtual std::int64_t tokens_of(const question&) const { return 0; }
  virtual asio::awaitable<reply> ask(question wanted) = 0;
};

}  // namespace rowrunner::scoring
