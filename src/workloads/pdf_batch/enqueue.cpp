#include "workloads/pdf_batch/enqueue.hpp"

#include "common/text.hpp"
#include "queries/pdf_batch.hpp"

namespace rowrunner::pdf_batch {
namespace {

using admin::transaction;

constexpr std::size_t kept_bytes = 64 * 1024;

enqueue_result compare(const pg::result& stored, const message& given,
                       const std::optional<std::string>& user, bool by_user) {
  std::optional<std::string> owner;
  if (!stored.is_null(0, 2)) owner = stored.get(0, 2);
  if (by_user && owner != user) return enqueue_result::other_user;
  return stored.get(0, 1) == given.pdf_path ? enqueue_result::exists : enqueue_result::other_file;
}

asio::awaitable<enqueue_result> add(pg::session& session, message given,
                                    std::optional<std::string> user, bool by_user) {
  const auto write = [&](transaction& tx) -> asio::awaitable<enqueue_result> {
    const auto made = co_await tx.run(queries::pdf_batch_enqueue, given.job_id, given.pdf_path,
                                      given.bucket_name, given.timestamp, user);
    if (made.rows() > 0) co_return enqueue_result::created;
    const auto stored = co_await tx.run(queries::pdf_batch_job, given.job_id);
    // It went by retention just now, so it has been done once.
    if (stored.rows() == 0) co_return enqueue_result::exists;
    co_return compare(stored, given, user, by_user);
  };
  co_return co_await admin::in_transaction(session, write, queries::begin_read_committed);
}

}  // namespace

asio::awaitable<enqueue_result> enqueue(pg::session& session, message given,
                                        std::optional<std::string> user) {
  return add(session, std::move(given), std::move(user), true);
}

asio::awaitable<enqueue_result> enqueue_for_anyone(pg::session& session, message given) {
  return add(session, std::move(given), std::nullopt, false);
}

asio::awaitable<void> reject(pg::session& session, std::string source, std::string message_id,
                             std::string reason, std::string data) {
  const auto write = [&](transaction& tx) {
    return tx.run(queries::pdf_batch_reject, source, printable(message_id, 1000),
                  printable(reason, 2000), printable(data, kept_bytes));
  };
  co_await admin::in_transaction(session, write);
}

}  // namespace rowrunner::pdf_batch
