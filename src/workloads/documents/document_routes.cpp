#include "api/ask.hpp"
#include "api/parameters.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/access.hpp"
#include "workloads/documents/cursor.hpp"
#include "workloads/documents/routes.hpp"

namespace rowrunner::documents {

using api::answer;
using nlohmann::ordered_json;

namespace {

constexpr int most = 200;
constexpr int usual = 50;

ordered_json text_or_null(const pg::result& rows, int row, int column) {
  return rows.is_null(row, column) ? ordered_json() : ordered_json(rows.get(row, column));
}

/// As queries document_by_id and documents_newest give it.
ordered_json document_json(const pg::result& rows, int row) {
  ordered_json out{{"document_id", rows.get(row, 0)},   {"title", rows.get(row, 1)},
                   {"user_id", rows.get(row, 2)},       {"total_pages", rows.get_int(row, 3)},
                   {"bytes", rows.get_int(row, 4)},     {"created_at", rows.get(row, 5)},
                   {"read_pages", rows.get_int(row, 6)}};
  out["job_id"] = text_or_null(rows, row, 7);
  out["job_status"] = text_or_null(rows, row, 8);
  return out;
}

ordered_json page_json(const pg::result& rows, int row) {
  ordered_json out{{"page", rows.get_int(row, 0)},
                   {"text", rows.get(row, 1)},
                   {"blank", rows.get(row, 2) == "t"},
                   {"confidence", nullptr},
                   {"error", text_or_null(rows, row, 4)},
                   {"updated_at", rows.get(row, 5)},
                   {"meta", ordered_json::parse(rows.get(row, 6))}};
  if (!rows.is_null(row, 3)) out["confidence"] = std::stod(std::string(rows.get(row, 3)));
  return out;
}

}  // namespace

asio::awaitable<answer> list_documents(api::services& with, const api::request& asked) {
  const int limit = api::number_parameter(asked, "limit", usual, 1, most);
  const auto after = cursor_of(asked);
  std::optional<std::string> user, time, id;
  if (asked.who.as != api::role::admin) user = asked.who.user;
  if (after) {
    time = after->time;
    id = after->id;
  }
  const auto statement = queries::documents_newest.statement();
  const auto rows = co_await api::ask_database(
      with, pg::with(statement, user, time, id, std::to_string(limit + 1)));
  ordered_json items = ordered_json::array();
  const int shown = std::min(rows.rows(), limit);
  for (int row = 0; row < shown; ++row) items.push_back(document_json(rows, row));
  ordered_json out{{"items", items}, {"next", nullptr}};
  if (rows.rows() > limit) {
    const list_cursor next{std::string(rows.get(shown - 1, 5)), std::string(rows.get(shown - 1, 0)),
                           0};
    out["next"] = next.text();
  }
  co_return answer(200, out);
}

asio::awaitable<answer> show_document(api::services& with, const api::request& asked) {
  const auto document = co_await require_document(with, asked);
  const auto statement = queries::document_by_id.statement();
  const auto row = co_await api::ask_database(with, pg::with(statement, document.id));
  if (row.rows() == 0) throw not_found("Document");
  co_return answer(200, document_json(row, 0));
}

asio::awaitable<answer> show_pages(api::services& with, const api::request& asked) {
  const auto document = co_await require_document(with, asked);
  const int limit = api::number_parameter(asked, "limit", usual, 1, most);
  const int after = api::number_parameter(asked, "after", 0, 0, 1'000'000);
  const auto statement = queries::document_pages.statement();
  const auto rows = co_await api::ask_database(
      with, pg::with(statement, document.id, std::to_string(after), std::to_string(limit + 1)));
  ordered_json items = ordered_json::array();
  const int shown = std::min(rows.rows(), limit);
  for (int row = 0; row < shown; ++row) items.push_back(page_json(rows, row));
  ordered_json out{{"document_id", document.id},
                   {"total_pages", document.pages},
                   {"items", items},
                   {"next", nullptr}};
  if (rows.rows() > limit) out["next"] = rows.get_int(shown - 1, 0);
  co_return answer(200, out);
}

asio::awaitable<answer> show_words(api::services& with, const api::request& asked) {
  const auto document = co_await require_document(with, asked);
  const int page = page_of(asked, document);
  const auto statement = queries::document_words.statement();
  const auto row =
      co_await api::ask_database(with, pg::with(statement, document.id, std::to_string(page)));
  if (row.rows() == 0) throw not_found("Page");
  ordered_json out{{"document_id", document.id}, {"page", page}, {"words", nullptr}};
  if (!row.is_null(0, 0)) out["words"] = ordered_json::parse(row.get(0, 0));
  co_return answer(200, out);
}

}  // namespace rowrunner::documents
