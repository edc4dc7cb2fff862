#include <boost/asio/this_coro.hpp>
#include <exception>
#include <stdexcept>
#include <utility>

#include "common/pg/connection.hpp"

// Several statements in one text need the simple query protocol, which libpq speaks outside of
// pipeline mode only.

namespace rowrunner::pg {

asio::awaitable<std::optional<query_error>> connection::converse(std::string script) {
  const bool alone = !in_transaction();
  const auto deadline = clock::now() + options_.answer_timeout;
  if (!read_idle()) lose(reason(), false);
  if (PQexitPipelineMode(raw_) != 1 || PQsendQuery(raw_, script.c_str()) != 1) {
    lose(reason(), false);
  }
  std::optional<query_error> refused;
  for (int unsent = PQflush(raw_);; unsent = PQflush(raw_)) {
    if (unsent < 0) lose(reason(), alone);
    while (PQisBusy(raw_) == 0) {
      const result answer(PQgetResult(raw_));
      if (PQstatus(raw_) == CONNECTION_BAD) lose(reason(), alone);
      if (!answer) co_return refused;
      if (answer.status() == PGRES_FATAL_ERROR && !refused) refused = refusal(answer, "");
      if (answer.status() == PGRES_COPY_IN || answer.status() == PGRES_COPY_OUT) {
        lose("a script must not contain COPY", false);
      }
    }
    if (clock::now() >= deadline) {
      lose("no answer within " + std::to_string(options_.answer_timeout.count()) + " ms", alone);
    }
    co_await ready_->wait({.read = true, .write = unsent == 1}, deadline,
                          readiness::cancellation::ignored);
    if (PQconsumeInput(raw_) != 1) lose(reason(), alone);
  }
}

asio::awaitable<void> connection::run_script(std::string sql) {
  interrupt_wait();
  if (broken()) throw connection_lost("the connection was closed earlier", false);
  const bool throws_if_cancelled = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  std::exception_ptr failure;
  std::optional<query_error> refused;
  try {
    refused = co_await converse(std::move(sql));
    if (PQenterPipelineMode(raw_) != 1) lose(reason(), false);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await asio::this_coro::throw_if_cancelled(throws_if_cancelled);
  if (failure) std::rethrow_exception(failure);
  if (refused) throw query_error(*refused);
}

}  // namespace rowrunner::pg
