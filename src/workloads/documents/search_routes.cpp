#include "admin/transaction.hpp"
#include "api/ask.hpp"
#include "api/parameters.hpp"
#include "common/text.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/cursor.hpp"
#include "workloads/documents/routes.hpp"

namespace rowrunner::documents {

using admin::transaction;
using api::answer;
using nlohmann::ordered_json;

namespace {

constexpr int most = 200;
constexpr int usual = 50;
constexpr std::size_t longest_text = 400;

struct search {
  std::string text;
  std::optional<std::string> user, time, id, page;
  int limit = usual;
};

search search_of(const api::request& asked) {
  search out;
  out.text = api::parameter(asked, "q").value_or("");
  if (out.text.empty() || out.text.size() > longest_text || !valid_utf8(out.text) ||
      out.text.find('\0') != std::string::npos) {
    throw api::request_error(
        api::problem(422, "bad_parameter", "q must be a text of 2 characters to 400 bytes"));
  }
  if (asked.who.as != api::role::admin) out.user = asked.who.user;
  if (const auto after = cursor_of(asked)) {
    out.time = after->time;
    out.id = after->id;
    out.page = std::to_string(after->page);
  }
  out.limit = api::number_parameter(asked, "limit", usual, 1, most);
  return out;
}

asio::awaitable<pg::result> find_pages(pg::session& session, const search& wanted) {
  const auto read = [&](transaction& tx) -> asio::awaitable<pg::result> {
    const auto length = co_await tx.run(queries::search_length, wanted.text);
    if (length.get_int(0, 0) < 2) {
      throw api::request_error(
          api::problem(422, "bad_parameter", "q must be a text of 2 characters to 400 bytes"));
    }
    co_await tx.run(queries::search_settings);
    co_return co_await tx.run(queries::search_pages, wanted.text, wanted.user, wanted.time,
                              wanted.id, wanted.page, wanted.limit + 1);
  };
  co_return co_await admin::read_jobs(session, read);
}

ordered_json hit_json(const pg::result& rows, int row) {
  ordered_json out{{"document_id", rows.get(row, 0)}, {"title", rows.get(row, 1)},
                   {"user_id", rows.get(row, 2)},     {"page", rows.get_int(row, 3)},
                   {"snippet", rows.get(row, 4)},     {"confidence", nullptr}};
  if (!rows.is_null(row, 5)) out["confidence"] = std::stod(std::string(rows.get(row, 5)));
  return out;
}

}  // namespace

asio::awaitable<answer> search_documents(api::services& with, const api::request& asked) {
  const auto wanted = search_of(asked);
  const auto turn = co_await api::take_long_turn(with);
  const auto mine = co_await api::borrow_session(with);
  const auto rows = co_await find_pages(*mine, wanted);
  ordered_json items = ordered_json::array();
  const int shown = std::min(rows.rows(), wanted.limit);
  for (int row = 0; row < shown; ++row) items.push_back(hit_json(rows, row));
  ordered_json out{{"q", wanted.text}, {"items", items}, {"next", nullptr}};
  if (rows.rows() > wanted.limit) {
    const list_cursor next{std::string(rows.get(shown - 1, 6)), std::string(rows.get(shown - 1, 0)),
                           static_cast<int>(rows.get_int(shown - 1, 3))};
    out["next"] = next.text();
  }
  co_return answer(200, out);
}

}  // namespace rowrunner::documents
