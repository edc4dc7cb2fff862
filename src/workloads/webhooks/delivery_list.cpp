#include "workloads/webhooks/delivery_list.hpp"

#include "admin/error.hpp"
#include "admin/transaction.hpp"
#include "queries/webhooks.hpp"
#include "workloads/webhooks/body.hpp"
#include "workloads/webhooks/enqueue.hpp"

namespace rowrunner::webhooks {
namespace {

namespace asio = boost::asio;
using admin::transaction;
using nlohmann::ordered_json;

std::optional<std::string> text_or_nothing(const pg::result& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return std::string(rows.get(row, column));
}

ordered_json or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json();
}

listed_delivery read_delivery(const pg::result& rows, int row) {
  listed_delivery out;
  out.id = rows.get(row, 0);
  out.url = rows.get(row, 1);
  out.event = rows.get(row, 2);
  out.source = text_or_nothing(rows, row, 3);
  out.status = rows.get(row, 4);
  out.attempts = static_cast<int>(rows.get_int(row, 5));
  out.max_attempts = static_cast<int>(rows.get_int(row, 6));
  out.error = text_or_nothing(rows, row, 7);
  if (!rows.is_null(row, 8)) out.answer_status = static_cast<int>(rows.get_int(row, 8));
  out.created_at = rows.get(row, 9);
  out.at = text_or_nothing(rows, row, 10);
  return out;
}

std::vector<listed_delivery> read_all(const pg::result& rows) {
  std::vector<listed_delivery> out;
  out.reserve(static_cast<std::size_t>(rows.rows()));
  for (int row = 0; row < rows.rows(); ++row) out.push_back(read_delivery(rows, row));
  return out;
}

}  // namespace

asio::awaitable<std::vector<listed_delivery>> failed_deliveries(pg::session& session,
                                                                delivery_filter filter) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::vector<listed_delivery>> {
    co_return read_all(co_await tx.run(queries::webhooks_failed, filter.after_time, filter.after_id,
                                       filter.url, filter.source, filter.limit));
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<std::vector<listed_delivery>> retrying_deliveries(pg::session& session,
                                                                  delivery_filter filter) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::vector<listed_delivery>> {
    co_return read_all(
        co_await tx.run(queries::webhooks_retrying, filter.url, filter.source, filter.limit));
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<std::vector<listed_delivery>> deliveries_of(pg::session& session,
                                                            std::string source,
                                                            std::optional<std::string> after,
                                                            int limit) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::vector<listed_delivery>> {
    co_return read_all(co_await tx.run(queries::webhooks_of_source, source, after, limit));
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<std::optional<shown_delivery>> find_delivery(pg::session& session, std::string id) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::optional<shown_delivery>> {
    const auto rows = co_await tx.run(queries::webhook_show, id);
    if (rows.rows() == 0) co_return std::nullopt;
    shown_delivery out;
    out.head = read_delivery(rows, 0);
    out.payload = rows.get(0, 11);
    out.has_token = rows.get_bool(0, 12);
    out.success_by = rows.get(0, 13);
    out.answer = text_or_nothing(rows, 0, 14);
    out.answered_at = text_or_nothing(rows, 0, 15);
    co_return out;
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<bool> send_again(pg::session& session, std::string id) {
  const auto write = [&](transaction& tx) -> asio::awaitable<bool> {
    const auto rows = co_await tx.run(queries::webhook_send_again, id);
    if (rows.rows() == 0) {
      throw admin::error(admin::reason::no_such_job, "there is no delivery " + id);
    }
    if (!rows.get_bool(0, 1)) {
      throw admin::error(admin::reason::wrong_status,
                         "delivery " + id + " is " + std::string(rows.get(0, 0)) +
                             ": it is still being tried; nothing was done");
    }
    co_return true;
  };
  co_return co_await admin::in_transaction(session, write);
}

asio::awaitable<std::int64_t> send_failed_again(pg::session& session, delivery_filter filter) {
  const auto write = [&](transaction& tx) -> asio::awaitable<std::int64_t> {
    const auto rows =
        co_await tx.run(queries::webhooks_send_again, filter.url, filter.source, filter.limit);
    co_return rows.get_int(0, 0);
  };
  co_return co_await admin::in_transaction(session, write);
}

ordered_json to_json(const listed_delivery& each) {
  return {
      {"id", each.id},
      {"event_id", event_id(each.id)},
      {"event", each.event},
      {"source", or_null(each.source)},
      {"url", each.url},
      {"status", each.status},
      {"attempts", each.attempts},
      {"max_attempts", each.max_attempts},
      {"last_error", or_null(each.error)},
      {"answer_status", each.answer_status ? ordered_json(*each.answer_status) : ordered_json()},
      {"created_at", each.created_at},
      {"at", or_null(each.at)}};
}

ordered_json to_json(const shown_delivery& each) {
  auto out = to_json(each.head);
  out["success_by"] = each.success_by;
  out["token"] = each.has_token ? ordered_json(masked_token) : ordered_json();
  out["payload"] = ordered_json::parse(each.payload, nullptr, false);
  out["answer"] = or_null(each.answer);
  out["answered_at"] = or_null(each.answered_at);
  return out;
}

}  // namespace rowrunner::webhooks
