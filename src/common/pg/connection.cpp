#include "common/pg/connection.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cctype>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "common/pg/error.hpp"
#include "queries/session.hpp"

// How a run() works.
//
// libpq's pipeline mode lets us write all statements and one Sync without waiting, and the server
// treats everything up to the Sync as one transaction. Two things make that harder than it sounds.
//
// First, deadlock: a server whose answers are not read stops reading, and a client that only
// writes then waits for ever. So every time the outgoing buffer is full we wait for either
// direction, read what came (step) and take finished answers out of libpq (harvest); this also
// keeps libpq's buffers small.
//
// Second, matching: libpq delivers the answers as one flat sequence, in which a null pointer ends
// the answers of one command and a special result stands for the Sync. exchange::expected lists
// the commands in the order sent (a first use of a named statement sends two, Parse and Execute),
// and exchange::answered counts the nulls. After an error the server skips everything up to the
// Sync, and libpq makes up "aborted" answers for what was skipped; we read on to the Sync, as only
// then the connection can be used again, and throw afterwards. An error may also come after the
// last command has succeeded, when the commit at the Sync fails, for example on a deferred
// constraint; it has no command of its own and is blamed on the last one.
//
// A statement counts as prepared only when its own Parse was answered, since an earlier error in
// the same pipeline makes the server skip it. A later error does not undo it: prepared statements
// are not transactional.
//
// Cancellation: Asio's reset_cancellation_state() would work on the whole chain of awaiting
// coroutines, not only on run(), and would forget a cancellation that came meanwhile. So the waits
// of a run() simply do not listen to the cancellation slot, and throw_if_cancelled is off until its
// end; the caller is then cancelled at its next co_await, with the result in its hands.

namespace rowrunner::pg {
namespace {

// Small enough to bound the memory of libpq's buffers, large enough for few system calls.
constexpr std::size_t flush_size = 64 * 1024;
constexpr std::size_t most_params = 65535;
// Of a time limit of the server.
constexpr std::chrono::milliseconds longest_limit{std::numeric_limits<std::int32_t>::max()};

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

std::string first_word(std::string_view text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto start = std::find_if_not(text.begin(), text.end(), is_space);
  std::string word;
  for (auto at = start; at != text.end() && std::isalpha(static_cast<unsigned char>(*at)); ++at) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  }
  return word;
}

bool is_commit(std::string_view text) {
  const auto word = first_word(text);
  return word == "commit" || word == "end";
}

bool is_begin(const call& one) {
  return one.stmt != nullptr && first_word(one.stmt->text) == "begin";
}

// Code inside of a statement can raise what a server says when it goes away, as a trigger does that
// writes to yet another server. This server is there, as only a FATAL error ends the connection:
// a caller that waited for it to come back would hold up everything behind that statement.
constexpr const char* raised_by_code = "38000";

bool tells_of_a_lost_connection(std::string_view sqlstate) {
  return sqlstate.starts_with("08") || sqlstate.starts_with("57P0") || sqlstate == "53300";
}

// What cannot be sent is found before anything is sent, so that the connection stays in order.
void require_sendable(const std::vector<call>& calls,
                      const std::unordered_map<std::string, std::string>& prepared) {
  for (const auto& [stmt, params] : calls) {
    if (stmt == nullptr) throw std::invalid_argument("a call without a statement");
    const auto known = prepared.find(stmt->name);
    if (known != prepared.end() && known->second != stmt->text) {
      throw std::logic_error("two statements have the name " + stmt->name);
    }
    if (params.size() > most_params) {
      throw query_error("54000", "more than 65535 parameters", stmt->name);
    }
    for (const auto& value : params) {
      // A text parameter ends at its first zero byte, so the rest would be lost silently.
      if (value && !value.binary && value->find('\0') != std::string::npos) {
        throw query_error(
            "22021", "a parameter contains a zero byte, which PostgreSQL cannot store", stmt->name);
      }
    }
  }
}

}  // namespace

struct connection::exchange {
  struct command {
    std::size_t call;
    bool prepares;
  };

  std::vector<call> calls;
  clock::time_point deadline;
  bool in_block = false;  ///< BEGIN was sent by an earlier run.
  bool commits = false;   ///< One of the calls is COMMIT.

  std::vector<result> results{};
  std::vector<command> expected{};
  std::size_t answered = 0;
  std::unordered_set<std::string> preparing{};
  bool sync_sent = false;
  bool unsent = false;
  bool synced = false;
  std::optional<query_error> refusal{};

  bool may_have_committed() const {
    if (commits) return !expected.empty();
    return !in_block && sync_sent && !unsent;
  }
};

connection::connection(const asio::any_io_executor& executor, settings options)
    : options_(std::move(options)), ready_(std::make_shared<readiness>(executor)) {}

connection::~connection() { close(); }

void connection::close() {
  ++*wait_number_;
  ready_->unwatch();
  ready_->wake();
  PQfinish(std::exchange(raw_, nullptr));
}

std::string connection::reason() const {
  return last_words_.empty() ? trimmed(PQerrorMessage(raw_)) : last_words_;
}

void connection::lose(const std::string& reason, bool maybe_committed) {
  close();
  throw connection_lost(reason, maybe_committed,
                        last_sqlstate_.empty() ? std::string("08006") : last_sqlstate_);
}

void connection::lose(const exchange& x, const std::string& reason) {
  lose(reason, x.may_have_committed());
}

bool connection::in_transaction() const noexcept {
  return raw_ != nullptr && PQtransactionStatus(raw_) != PQTRANS_IDLE;
}

// A pooler may hand every transaction to another server connection, so there each one sets them;
// else open() did. In a transaction of several runs the first one did.
bool connection::needs_settings() const noexcept { return !has_settings_ && !in_transaction(); }

call connection::settings_call() const {
  // Without a name: an unknown pooler may have given the name to another connection.
  static const statement settings{"", std::string(queries::session_settings.text)};
  using milliseconds = std::chrono::milliseconds;
  auto statement_time = options_.statement_timeout;
  if (statement_time <= milliseconds::zero()) statement_time = options_.answer_timeout * 9 / 10;
  statement_time = std::clamp(statement_time, milliseconds(1), longest_limit);
  return with(settings, options_.system_names_only ? "true" : "false",
              std::to_string(statement_time.count()), std::to_string(options_.lock_timeout.count()),
              options_.pooled ? "true" : "false");
}

asio::awaitable<std::vector<result>> connection::run(std::vector<call> calls) {
  const bool sets = needs_settings();
  // BEGIN may name an isolation level, so it must come before any other statement.
  const std::ptrdiff_t settings_at = !calls.empty() && is_begin(calls.front()) ? 1 : 0;
  if (sets) calls.insert(calls.begin() + settings_at, settings_call());
  require_sendable(calls, prepared_);
  interrupt_wait();
  if (broken()) throw connection_lost("the connection was closed earlier", false);
  if (PQtransactionStatus(raw_) == PQTRANS_ACTIVE) {
    throw std::logic_error("a second run() on a connection whose first is still in flight");
  }
  exchange x{.calls = std::move(calls),
             .deadline = clock::now() + options_.answer_timeout,
             .in_block = in_transaction()};
  x.commits = std::any_of(x.calls.begin(), x.calls.end(),
                          [](const call& each) { return is_commit(each.stmt->text); });
  x.results.resize(x.calls.size());

  const bool throws_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  std::exception_ptr failure;
  try {
    co_await converse(x);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await asio::this_coro::throw_if_cancelled(throws_if_cancelled);
  if (failure) std::rethrow_exception(failure);
  if (x.refusal) throw query_error(*x.refusal);
  if (sets) x.results.erase(x.results.begin() + settings_at);
  co_return std::move(x.results);
}

asio::awaitable<void> connection::converse(exchange& x) {
  // A connection that died while idle is found while it is still certain that nothing was sent.
  if (!read_idle()) lose(x, reason());
  std::size_t queued = 0;
  for (std::size_t i = 0; i < x.calls.size(); ++i) {
    queued += enqueue(x, i);
    if (queued < flush_size) continue;
    queued = 0;
    while (flush(x)) co_await step(x);
  }
  x.unsent = true;
  if (PQpipelineSync(raw_) != 1) lose(x, reason());
  x.sync_sent = true;
  flush(x);
  for (harvest(x); !x.synced; harvest(x)) co_await step(x);
  collect_notifications();
  if (reports_read_only()) outdated_ = true;
}

asio::awaitable<void> connection::step(exchange& x) {
  co_await ready_->wait({.read = true, .write = x.unsent}, x.deadline,
                        readiness::cancellation::ignored);
  if (PQconsumeInput(raw_) != 1) lose(x, reason());
  flush(x);
  harvest(x);
  if (!x.synced && clock::now() >= x.deadline) {
    lose(x, "no answer within " + std::to_string(options_.answer_timeout.count()) + " ms");
  }
}

bool connection::flush(exchange& x) {
  const int left = PQflush(raw_);
  if (left < 0) lose(x, reason());
  x.unsent = left == 1;
  return x.unsent;
}

// Sends the Parse of a named statement if this connection does not have it yet. Says whether the
// statement can be executed by its name.
bool connection::prepare(exchange& x, std::size_t index) {
  const statement& wanted = *x.calls[index].stmt;
  if (options_.pooled || wanted.name.empty()) return false;
  if (prepared_.contains(wanted.name) || x.preparing.contains(wanted.name)) return true;
  if (PQsendPrepare(raw_, wanted.name.c_str(), wanted.text.c_str(), 0, nullptr) != 1) {
    lose(x, reason());
  }
  x.preparing.insert(wanted.name);
  x.expected.push_back({.call = index, .prepares = true});
  return true;
}

std::size_t connection::enqueue(exchange& x, std::size_t index) {
  const auto& [stmt, params] = x.calls[index];
  const bool by_name = prepare(x, index);
  std::size_t size = by_name ? stmt->name.size() : stmt->text.size();
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const auto& value : params) {
    values.push_back(value ? value->c_str() : nullptr);
    lengths.push_back(value ? static_cast<int>(value->size()) : 0);
    formats.push_back(value.binary ? 1 : 0);
    if (value) size += value->size();
  }
  const int count = static_cast<int>(values.size());
  const int answer = stmt->binary_answer ? 1 : 0;
  const int sent = by_name
                       ? PQsendQueryPrepared(raw_, stmt->name.c_str(), count, values.data(),
                                             lengths.data(), formats.data(), answer)
                       : PQsendQueryParams(raw_, stmt->text.c_str(), count, nullptr, values.data(),
                                           lengths.data(), formats.data(), answer);
  if (sent != 1) lose(x, reason());
  x.expected.push_back({.call = index, .prepares = false});
  return size;
}

void connection::harvest(exchange& x) {
  while (!x.synced && (x.answered < x.expected.size() || x.sync_sent)) {
    if (PQisBusy(raw_) == 1) return;
    result answer(PQgetResult(raw_));
    if (PQstatus(raw_) == CONNECTION_BAD) lose(x, reason());
    if (answer) {
      accept(x, std::move(answer));
    } else if (x.answered < x.expected.size()) {
      ++x.answered;
    }
  }
}

void connection::accept(exchange& x, result answer) {
  switch (answer.status()) {
    case PGRES_PIPELINE_SYNC:
      x.synced = true;
      return;
    case PGRES_PIPELINE_ABORTED:
      return;
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
      break;
    case PGRES_FATAL_ERROR:
      refuse(x, answer);
      return;
    default:
      lose(x, "the server gave an answer that this program does not expect, such as COPY");
  }
  const auto [index, prepares] = x.expected.at(x.answered);
  const statement& done = *x.calls[index].stmt;
  if (prepares) {
    prepared_.emplace(done.name, done.text);
    return;
  }
  // A COMMIT of a failed transaction succeeds, as a rollback, which is not what its sender meant.
  if (answer.tag() == "ROLLBACK" && is_commit(done.text) && !x.refusal) {
    x.refusal.emplace("25P02", "COMMIT rolled back, as the transaction had failed", done.name);
  }
  x.results[index] = std::move(answer);
}

void connection::refuse(exchange& x, const result& answer) {
  if (x.refusal) {
    hear(answer.raw());
    return;
  }
  std::string name;
  if (!x.expected.empty()) {
    const auto at = std::min(x.answered, x.expected.size() - 1);
    name = x.calls[x.expected[at].call].stmt->name;
  }
  x.refusal.emplace(refusal(answer, std::move(name)));
}

query_error connection::refusal(const result& answer, std::string statement_name) {
  hear(answer.raw());
  std::string sqlstate(answer.error_field(PG_DIAG_SQLSTATE));
  const bool goes_on = answer.error_field(PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR";
  if (goes_on && tells_of_a_lost_connection(sqlstate)) sqlstate = raised_by_code;
  const std::string_view primary = answer.error_field(PG_DIAG_MESSAGE_PRIMARY);
  // A changed schema ("cached plan must not change result type"), a DEALLOCATE, or a
  // pooler in between: only a new connection has nothing prepared for sure.
  if (sqlstate == "0A000" || sqlstate == "26000" || sqlstate == "42P05") outdated_ = true;
  // A standby, or a primary that was demoted: a new connection finds the one that writes.
  if (sqlstate == "25006") outdated_ = true;
  return {sqlstate, primary.empty() ? reason() : std::string(primary), std::move(statement_name),
          std::string(answer.error_field(PG_DIAG_MESSAGE_DETAIL)),
          std::string(answer.error_field(PG_DIAG_MESSAGE_HINT))};
}

// The server tells with its answers when these change, so that also a worker which only looks for
// jobs, and never writes, leaves a server that was demoted under it.
bool connection::reports_read_only() const {
  for (const char* name : {"in_hot_standby", "default_transaction_read_only"}) {
    const char* value = PQparameterStatus(raw_, name);
    if (value != nullptr && std::string_view(value) == "on") return true;
  }
  return false;
}

// Remembers why the server closes the connection; the end of the stream itself says nothing.
void connection::hear(const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  const char* message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  const char* sqlstate = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
  if (severity == nullptr || message == nullptr || sqlstate == nullptr) return;
  if (std::string_view(severity) != "FATAL" && std::string_view(severity) != "PANIC") return;
  last_words_ = message;
  last_sqlstate_ = sqlstate;
}

}  // namespace rowrunner::pg
