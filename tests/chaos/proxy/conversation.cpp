#include "chaos/proxy/conversation.hpp"

#include <cctype>
#include <utility>

namespace rowrunner::chaos {
namespace {

/// More is of no use to a reader, and a batch may name thousands of jobs.
constexpr std::size_t longest_account = 16'000;

/// Which jobs a write is about: ids and leases; of a step its name besides.
std::size_t telling_params(const std::string& statement) {
  return statement.starts_with("store_steps") ? 4 : 2;
}

/// The first word of a statement in lower case, behind blanks and comments.
std::string first_word(std::string_view text) {
  for (;;) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
      text.remove_prefix(1);
    }
    if (!text.starts_with("--")) break;
    const auto end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  std::string word;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

bool begins(const std::string& word) { return word == "begin" || word == "start"; }
bool commits(const std::string& word) { return word == "commit" || word == "end"; }
bool ends(const std::string& word) {
  return commits(word) || word == "rollback" || word == "abort";
}

}  // namespace

bool transaction::mentions(const std::string& text) const {
  return statements.find(text) != std::string::npos;
}

void conversation::note(const std::string& name, const std::string& text,
                        const std::vector<std::string>& params) {
  auto& account = open_.statements;
  if (account.size() > longest_account) return;
  account += (account.empty() ? "" : "; ") + (name.empty() ? text : name);
  for (std::size_t i = 0; i < params.size() && i < telling_params(name); ++i)
    account += " " + params[i];
}

/// A statement is about to be executed.
meaning conversation::run(const std::string& text) {
  anything_ran_ = true;
  const auto word = first_word(text);
  if (begins(word)) in_block_ = true;
  if (!ends(word)) return {};
  in_block_ = false;
  auto about = std::exchange(open_, {});
  if (!commits(word)) {
    anything_ran_ = false;
    return {};
  }
  current_.executes_commit = true;
  current_.about = about;
  return {true, std::move(about)};
}

/// A Sync, or the end of a Query: what ran outside of a block commits now.
meaning conversation::end_of_exchange() {
  const bool commits = !in_block_ && anything_ran_ && !current_.executes_commit;
  anything_ran_ = false;
  if (commits) {
    current_.commits_at_end = true;
    current_.about = std::exchange(open_, {});
  }
  meaning found{commits, current_.about};
  unanswered_.push_back(std::exchange(current_, {}));
  return found;
}

meaning conversation::from_client(const message& sent) {
  body_reader body(sent.body());
  switch (sent.type) {
    case 'P': {
      const std::string name(body.text());
      statements_[name] = body.text();
      return {};
    }
    case 'B': {
      const auto bound = read_bind(sent.body());
      portals_[bound.portal] = statements_[bound.statement];
      note(bound.statement, portals_[bound.portal], bound.params);
      return {};
    }
    case 'E':
      return run(portals_[std::string(body.text())]);
    case 'S':
      return end_of_exchange();
    case 'Q': {
      const std::string text(body.text());
      note("", text, {});
      auto executed = run(text);
      auto ended = end_of_exchange();
      return executed.commits ? executed : ended;
    }
    default:
      return {};
  }
}

meaning conversation::from_server(const message& answered) {
  // An answer may come before the Sync of its exchange was sent.
  auto& first = unanswered_.empty() ? current_ : unanswered_.front();
  if (answered.type == 'E') first.refused = true;
  if (answered.type == 'C' && first.executes_commit &&
      body_reader(answered.body()).text() == "COMMIT") {
    return {true, first.about};
  }
  // When the connection opens, the server says ReadyForQuery once, unasked.
  if (answered.type != 'Z' || unanswered_.empty()) return {};
  const auto ended = std::move(first);
  unanswered_.pop_front();
  // What was refused may have left a block open, or the server may know better than this class.
  if (unanswered_.empty() && !anything_ran_) in_block_ = answered.body() != "I";
  return {ended.commits_at_end && !ended.refused, ended.about};
}

}  // namespace rowrunner::chaos
