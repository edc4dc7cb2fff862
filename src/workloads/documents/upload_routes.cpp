#include "api/ask.hpp"
#include "common/scratch_folder.hpp"
#include "common/storage/files.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/routes.hpp"
#include "workloads/documents/upload.hpp"

namespace rowrunner::documents {

using api::answer;
using nlohmann::ordered_json;

namespace {

struct new_document {
  std::string id;
  std::string job;
  std::string user;
  std::string title;
  int pages = 0;
  std::uint64_t bytes = 0;
  std::string key;
};

asio::awaitable<std::string> create(api::services& with, const new_document& made) {
  const auto statement = queries::document_create.statement();
  const auto row = co_await api::ask_database(
      with, pg::with(statement, made.id, made.user, made.title, std::to_string(made.pages),
                     std::to_string(made.bytes), made.key, made.job));
  co_return std::string(row.get(0, 0));
}

/// A file that stays behind costs some space; the error that led here counts more.
asio::awaitable<void> discard(storage::store& from, std::string key) {
  try {
    co_await from.remove(std::move(key));
  } catch (const std::exception&) {
  }
}

/// The file is in the storage before the job exists, so that every job finds its file.
asio::awaitable<std::string> store_and_enqueue(shared_files files, api::services& with,
                                               const new_document& made,
                                               std::filesystem::path file) {
  auto* const storage = co_await files->storage();
  co_await storage::put_file(*storage, made.key, file, "application/pdf", files->elsewhere());
  std::exception_ptr failure;
  try {
    co_return co_await create(with, made);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  // An answer that was lost may belong to a document that exists: then its file must stay.
  bool refused = false;
  try {
    std::rethrow_exception(failure);
  } catch (const pg::query_error&) {
    refused = true;
  } catch (...) {
  }
  if (refused) co_await discard(*storage, made.key);
  std::rethrow_exception(failure);
}

}  // namespace

asio::awaitable<answer> upload_document(shared_files files, api::services& with,
                                        const api::request& asked) {
  const auto counted = files->calls().enter(asked.who.user);
  const scratch_folder folder;
  const auto file = folder.path() / "upload";
  const std::string type(asked.head[api::http::field::content_type]);
  const auto received =
      co_await receive_file(type, asked.stream, file, files->largest(), files->elsewhere());
  auto* const children = co_await files->children();
  new_document made;
  made.pages = co_await count_pages(*children, file);
  made.id = with.ids.next();
  made.job = with.ids.next();
  made.user = asked.who.user;
  made.title = received.title;
  made.bytes = received.bytes;
  made.key = "documents/" + made.id + "/original.pdf";
  const auto job = co_await store_and_enqueue(files, with, made, file);
  co_return answer(200, ordered_json{{"message", "Document uploaded successfully"},
                                     {"document_id", made.id},
                                     {"job_id", job},
                                     {"status", "pending"}});
}

}  // namespace rowrunner::documents
