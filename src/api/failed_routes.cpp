#include <charconv>

#include "admin/kinds.hpp"
#include "admin/utc.hpp"
#include "api/ask.hpp"
#include "api/job_json.hpp"
#include "api/overview.hpp"
#include "api/parameters.hpp"
#include "api/routes.hpp"
#include "common/pg/error.hpp"
#include "common/text.hpp"
#include "queries/admin.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using admin::transaction;
using nlohmann::ordered_json;

constexpr int most_groups = 100;
constexpr int most_counted = 10'000;
/// Where counting ten thousand of each takes too long.
constexpr int few_counted = 100;
constexpr std::int64_t most_matching = 100'000;

/// A 64-bit number as text, as JavaScript has none.
std::string checked_number(const std::string& text, const char* what) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end) return text;
  throw request_error(
      problem(400, "bad_parameter", std::string(what) + " must be a number of 64 bits"));
}

asio::awaitable<ordered_json> read_groups(transaction& tx, std::optional<std::string> kind,
                                          int counted) {
  const auto time = co_await tx.run(queries::server_time);
  const auto kinds = co_await admin::choose_kinds(tx, kind);
  co_await tx.run(queries::read_settings);
  std::vector<ordered_json> items;
  bool complete = true;
  for (const auto& each : kinds) {
    const auto rows =
        co_await tx.run(queries::failed_groups, each.id, most_groups + 1, counted + 1);
    complete = complete && rows.rows() <= most_groups;
    for (int row = 0; row < std::min(rows.rows(), most_groups); ++row) {
      const ordered_json sample{{"job_id", rows.get(row, 4)}, {"error", rows.get(row, 5)}};
      items.push_back({{"kind", each.kind},
                       {"fingerprint", rows.get(row, 0)},
                       {"count", count_json(rows.get_int(row, 1), counted)},
                       {"first_failed_at", rows.get(row, 2)},
                       {"last_failed_at", rows.get(row, 3)},
                       {"sample", sample}});
    }
  }
  std::sort(items.begin(), items.end(), [](const ordered_json& a, const ordered_json& b) {
    const auto rank = [](const ordered_json& of) {
      return std::pair(of.at("count").at("n").get<std::int64_t>(),
                       of.at("last_failed_at").get<std::string>());
    };
    return rank(a) > rank(b);
  });
  co_return ordered_json{{"as_of", time.get(0, 0)}, {"items", items}, {"complete", complete}};
}

/// "2026-11-18T08:00:00.123456Z/ID": where a page of failures begins.
struct failure_cursor {
  std::optional<std::string> time;
  std::optional<std::string> id;
};

failure_cursor read_cursor(const std::optional<std::string>& text) {
  failure_cursor out;
  if (!text) return out;
  const auto slash = std::min(text->find('/'), text->size());
  out.time = text->substr(0, slash);
  out.id = slash < text->size() ? text->substr(slash + 1) : "";
  const bool looks_right = out.time->size() == 27 && out.time->ends_with('Z') &&
                           out.time->find_first_not_of("0123456789-:.TZ") == std::string::npos;
  if (looks_right && is_uuid(*out.id)) return out;
  throw request_error(problem(400, "bad_parameter", "after must be 'next' of the page before"));
}

ordered_json operation_json(const pg::result& rows, int row) {
  const auto text = [&](int column) {
    return rows.is_null(row, column) ? ordered_json() : ordered_json(rows.get(row, column));
  };
  return {{"id", rows.get(row, 0)},
          {"kind", rows.get(row, 1)},
          {"fingerprint", text(2)},
          {"by", rows.get(row, 3)},
          {"state", rows.get(row, 4)},
          {"error", text(5)},
          {"created_at", text(6)},
          {"ended_at", text(7)},
          {"matching", count_json(rows.get_int(row, 8), most_matching)},
          {"requeued", rows.get_int(row, 9)},
          {"skipped", rows.get_int(row, 10)}};
}

asio::awaitable<ordered_json> read_operation(transaction& tx, std::string id) {
  const auto rows = co_await tx.run(queries::operations, id);
  if (rows.rows() == 0)
    throw request_error(problem(404, "not_found", "there is no operation " + id));
  co_return operation_json(rows, 0);
}

struct retry_wish {
  std::string kind;
  std::optional<std::string> fingerprint;
};

retry_wish read_wish(const request& asked) {
  nlohmann::json body;
  retry_wish out;
  if (auto why = read_object(asked, {"kind", "fingerprint"}, body)) throw request_error(*why);
  if (auto why = read_text(body, "kind", out.kind)) throw request_error(*why);
  if (body.contains("fingerprint") && !body["fingerprint"].is_null()) {
    std::string text;
    if (auto why = read_text(body, "fingerprint", text)) throw request_error(*why);
    out.fingerprint = checked_number(text, "fingerprint");
  }
  return out;
}

/// The operation, and whether it is a new one.
asio::awaitable<std::pair<ordered_json, bool>> begin_operation(transaction& tx,
                                                               const retry_wish& wish,
                                                               std::string user) {
  const auto kinds = co_await admin::choose_kinds(tx, wish.kind);
  co_await tx.run(queries::read_settings);
  const auto& kind = kinds.front();
  const auto count = co_await tx.run(queries::failed_count, kind.id, wish.fingerprint,
                                     most_matching + 1, kind.cancelled_status);
  const auto added = co_await tx.run(queries::operation_add, wish.kind, wish.fingerprint, user,
                                     count.get_int(0, 0));
  std::string id;
  if (added.rows() > 0) {
    id = added.get(0, 0);
  } else {
    const auto running = co_await tx.run(queries::operation_running, wish.kind, wish.fingerprint);
    if (running.rows() == 0) {
      throw request_error(problem(409, "conflict", "the same operation has just ended", true));
    }
    id = running.get(0, 0);
  }
  auto described = co_await read_operation(tx, id);
  std::pair<ordered_json, bool> out(std::move(described), added.rows() > 0);
  co_return out;
}

std::string operation_id(const request& asked) {
  return checked_number(asked.params.find("id")->second, "the id of an operation");
}

}  // namespace

asio::awaitable<answer> list_failed(services& with, const request& asked) {
  const auto kind = parameter(asked, "kind");
  const auto mine = co_await borrow_session(with);
  int counted = most_counted;
  const auto read = [&](transaction& tx) { return read_groups(tx, kind, counted); };
  ordered_json out;
  try {
    out = co_await admin::in_transaction(*mine, read);
  } catch (const pg::query_error& slow) {
    if (slow.sqlstate() != "57014") throw;
    counted = few_counted;
  }
  if (out.is_null()) out = co_await admin::in_transaction(*mine, read);
  co_return answer(200, out);
}

asio::awaitable<answer> list_failed_jobs(services& with, const request& asked) {
  const auto kind = parameter(asked, "kind");
  const auto fingerprint = parameter(asked, "fingerprint");
  if (!kind || !fingerprint) {
    throw request_error(problem(400, "bad_parameter", "kind and fingerprint are needed"));
  }
  const auto number = checked_number(*fingerprint, "fingerprint");
  const int limit = number_parameter(asked, "limit", 50, 1, 200);
  const auto after = read_cursor(parameter(asked, "after"));
  const auto read = [&](transaction& tx) -> asio::awaitable<ordered_json> {
    const auto kinds = co_await admin::choose_kinds(tx, kind);
    co_await tx.run(queries::read_settings);
    const auto rows = co_await tx.run(kinds.front(), queries::failed_alike, kinds.front().id,
                                      number, after.time, after.id, limit);
    ordered_json items = ordered_json::array(), next;
    for (int row = 0; row < rows.rows(); ++row) {
      auto job = ordered_json::parse(rows.get(row, 0));
      admin::use_z(job);
      auto item = job_json(*kind, job);
      item["failed_at"] = rows.get(row, 1);
      item["error"] = rows.get(row, 2);
      next = std::string(rows.get(row, 1)) + "/" + job.at("id").get<std::string>();
      items.push_back(std::move(item));
    }
    if (rows.rows() < limit) next = nullptr;
    const auto count = co_await tx.run(queries::failed_count, kinds.front().id, number,
                                       most_counted + 1, kinds.front().cancelled_status);
    co_return ordered_json{{"items", items},
                           {"next", next},
                           {"complete", true},
                           {"count", count_json(count.get_int(0, 0), most_counted)}};
  };
  const auto mine = co_await borrow_session(with);
  const auto out = co_await admin::read_jobs(*mine, read);
  co_return answer(200, out);
}

asio::awaitable<answer> retry_failed(services& with, const request& asked) {
  const auto wish = read_wish(asked);
  const auto write = [&](transaction& tx) { return begin_operation(tx, wish, asked.who.user); };
  const auto mine = co_await borrow_session(with);
  const auto [operation, is_new] = co_await admin::in_transaction(*mine, write);
  with.operations.wake();
  co_return answer(is_new ? 202 : 200, operation);
}

asio::awaitable<answer> list_operations(services& with, const request&) {
  const auto statement = queries::operations.statement();
  const pg::param all;
  const auto rows = co_await ask_database(with, pg::with(statement, all));
  ordered_json items = ordered_json::array();
  for (int row = 0; row < rows.rows(); ++row) items.push_back(operation_json(rows, row));
  co_return answer(200, ordered_json{{"items", items}});
}

asio::awaitable<answer> show_operation(services& with, const request& asked) {
  const auto id = operation_id(asked);
  const auto read = [&](transaction& tx) { return read_operation(tx, id); };
  const auto mine = co_await borrow_session(with);
  const auto out = co_await admin::in_transaction(*mine, read);
  co_return answer(200, out);
}

asio::awaitable<answer> cancel_operation(services& with, const request& asked) {
  const auto id = operation_id(asked);
  const auto write = [&](transaction& tx) -> asio::awaitable<ordered_json> {
    const auto ended = co_await tx.run(queries::operation_cancel, id);
    auto out = co_await read_operation(tx, id);
    if (ended.rows() == 0) {
      throw request_error(problem(409, "conflict", "operation " + id + " has ended already"));
    }
    co_return out;
  };
  const auto mine = co_await borrow_session(with);
  const auto out = co_await admin::in_transaction(*mine, write);
  co_return answer(200, out);
}

}  // namespace rowrunner::api
