#include "workloads/webhooks/verdict.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "common/text.hpp"

namespace rowrunner::webhooks {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t told_of_answer = 300;

verdict try_again(std::string reason, std::optional<milliseconds> after = std::nullopt) {
  return {next_step::try_again, std::move(reason), after, std::nullopt};
}

verdict give_up(std::string reason) {
  return {next_step::give_up, std::move(reason), std::nullopt, std::nullopt};
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_html(const http::response& answer) {
  const auto type = lower(answer.headers.get("Content-Type").value_or(""));
  const auto begin = std::min(answer.body.find_first_not_of(" \t\r\n"), answer.body.size());
  const auto text = lower(answer.body.substr(begin, 15));
  return type.starts_with("text/html") || text.starts_with("<!doctype html") ||
         text.starts_with("<html");
}

std::string what_it_said(const http::response& answer) {
  const auto text = printable(answer.body, told_of_answer);
  return text.empty() ? "" : ": " + text;
}

verdict follow(const http::response& answer, const http::url& from, int redirects) {
  if (redirects >= most_redirects) {
    return try_again("the receiver redirects more than " + std::to_string(most_redirects) +
                     " times");
  }
  verdict out;
  try {
    out.where = http::resolve_reference(from, answer.headers.get("Location").value_or(""));
  } catch (const http::error&) {
    return try_again("the receiver redirects to something that is no address");
  }
  if (from.server.tls && !out.where->server.tls) {
    return try_again("the receiver redirects from https to http, which is not followed");
  }
  const bool repeats = answer.status == 307 || answer.status == 308;
  out.next = repeats ? next_step::repeat : next_step::ask_there;
  return out;
}

bool is_redirect(const http::response& answer) {
  const int s = answer.status;
  return (s == 301 || s == 302 || s == 303 || s == 307 || s == 308) &&
         answer.headers.contains("Location");
}

/// Reads the members ok and success of an object, and stops at the first that is false; what comes
/// after the end of a text that was cut off is missed.
class success_reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::optional<bool> found() const { return found_; }

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (depth_ == 1 && named_) found_ = found_.value_or(true) && value;
    return found_ != false;
  }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    // A list of answers is none.
    if (depth_ == 0) return false;
    return enter();
  }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (depth_ == 1) named_ = name == "ok" || name == "success";
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  bool enter() {
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  bool named_ = false;
  std::optional<bool> found_;
};

std::optional<bool> success_member(std::string_view text) {
  success_reader reader;
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  return reader.found();
}

}  // namespace

success success_named(std::string_view name) {
  return name == "body" ? success::by_body : success::by_status;
}

std::optional<std::string> refusal_in(const http::response& answer) {
  if (is_html(answer)) return "the receiver answered with a page instead of a result";
  const auto said = success_member(answer.body);
  if (said == false) return "the receiver refused it" + what_it_said(answer);
  const bool is_object = answer.body.find_first_not_of(" \t\r\n") == answer.body.find('{');
  const bool was_cut = answer.body.size() >= kept_of_answer;
  if (!said && was_cut && is_object && answer.body.find('{') != std::string::npos) {
    return "the receiver's answer does not say within " + std::to_string(kept_of_answer) +
           " bytes whether it took the event";
  }
  return std::nullopt;
}

verdict judge(const http::response& answer, const http::url& from, success by, int redirects,
              std::chrono::system_clock::time_point now) {
  if (is_redirect(answer)) return follow(answer, from, redirects);
  if (answer.ok()) {
    const auto refused = by == success::by_body ? refusal_in(answer) : std::nullopt;
    if (refused) return try_again(*refused, http::retry_after(answer, now));
    return {next_step::done, {}, std::nullopt, std::nullopt};
  }
  if (answer.status == 410) return give_up("the receiver is gone for good (410)");
  return try_again("the receiver answered " + std::to_string(answer.status) + what_it_said(answer),
                   http::retry_after(answer, now));
}

verdict judge(const http::error& failure, bool in_time, milliseconds timeout) {
  if (failure.kind() == http::error_kind::refused) {
    return give_up("the receiver's address is refused: see OUTBOUND_ALLOW and OUTBOUND_PORTS");
  }
  if (failure.kind() == http::error_kind::too_large) {
    return try_again("the header of the receiver's answer is too large");
  }
  if (in_time) return try_again("no answer from the receiver: it was not reached, or hung up");
  return try_again("no complete answer from the receiver within " +
                   std::to_string(timeout.count()) + " ms");
}

}  // namespace rowrunner::webhooks
