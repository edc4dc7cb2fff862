#include "workloads/documents/access.hpp"

#include <charconv>

#include "api/ask.hpp"
#include "common/text.hpp"
#include "queries/documents.hpp"

namespace rowrunner::documents {

using api::problem;
using api::request_error;

bool may_see(const api::identity& who, const std::string& owner) {
  return who.as == api::role::admin || who.user == owner;
}

request_error not_found(const std::string& what) {
  return request_error(problem(404, "not_found", what + " not found"));
}

request_error not_authorized() {
  return request_error(problem(403, "forbidden", "Not authorized"));
}

asio::awaitable<known_document> require_document(api::services& with, const api::request& asked) {
  known_document out;
  out.id = asked.params.find("document_id")->second;
  if (!is_uuid(out.id)) throw not_found("Document");
  const auto statement = queries::document_owner.statement();
  const auto row = co_await api::ask_database(with, pg::with(statement, out.id));
  if (row.rows() == 0) throw not_found("Document");
  out.owner = row.get(0, 0);
  out.title = row.get(0, 1);
  out.pages = static_cast<int>(row.get_int(0, 2));
  out.key = row.get(0, 3);
  if (!may_see(asked.who, out.owner)) throw not_authorized();
  co_return out;
}

int page_of(const api::request& asked, const known_document& of) {
  const auto& text = asked.params.find("page")->second;
  int page = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), page);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || page < 1 || page > of.pages) throw not_found("Page");
  return page;
}

}  // namespace rowrunner::documents
