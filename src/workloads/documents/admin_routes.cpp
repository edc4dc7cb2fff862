#include "api/ask.hpp"
#include "common/text.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/access.hpp"
#include "workloads/documents/routes.hpp"

namespace rowrunner::documents {

using api::answer;
using nlohmann::ordered_json;

asio::awaitable<answer> reprocess_document(api::services& with, const api::request& asked) {
  const std::string& id = asked.params.find("document_id")->second;
  if (!is_uuid(id)) throw not_found("Document");
  const auto statement = queries::document_reprocess.statement();
  const auto row =
      co_await api::ask_database(with, pg::with(statement, id, with.ids.next(), asked.who.user));
  if (row.rows() == 0) throw not_found("Document");
  co_return answer(
      200, ordered_json{{"message", "Document reprocessing started"}, {"job_id", row.get(0, 0)}});
}

}  // namespace rowrunner::documents
