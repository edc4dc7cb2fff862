#include "workloads/documents/routes.hpp"

namespace rowrunner::documents {

namespace {

using api::access;
using api::query_parameter;
using api::request;
using api::route;

constexpr query_parameter limit_parameter{"limit", "integer", "1 to 200, 50 if it is missing"};
constexpr query_parameter after_parameter{"after", "string", "`next` of the page before"};

/// The largest body of an upload: the file, and what multipart/form-data puts around it.
std::size_t upload_bytes(const files& of) { return of.largest() + std::size_t{1024} * 1024; }

std::vector<route> file_routes(const shared_files& files) {
  using enum api::http::verb;
  const auto upload = [files](api::services& with, const request& asked) {
    return upload_document(files, with, asked);
  };
  const auto image = [files](api::services& with, const request& asked) {
    return show_page_image(files, with, asked);
  };
  const auto searchable = [files](api::services& with, const request& asked) {
    return download_searchable(files, with, asked);
  };
  return {
      {.method = post,
       .path = "/documents/upload",
       .who = access::change_own,
       .run = upload,
       .summary = "Upload a PDF, in the part `file`, and read its pages",
       .body_bytes = upload_bytes(*files),
       .streams_body = true,
       .body_type = "multipart/form-data",
       .detail_errors = true},
      {.method = get,
       .path = "/documents/{document_id}/pages/{page}/image",
       .who = access::signed_in,
       .run = image,
       .summary = "The page as a PNG",
       .detail_errors = true,
       .query = {{"dpi", "integer", "50 to 300, 100 if it is missing"}}},
      {.method = get,
       .path = "/documents/{document_id}/searchable.pdf",
       .who = access::signed_in,
       .run = searchable,
       .summary = "The document with the text that was read as an invisible layer",
       .detail_errors = true},
  };
}

std::vector<route> reading_routes() {
  using enum api::http::verb;
  return {
      {.method = get,
       .path = "/documents",
       .who = access::signed_in,
       .run = list_documents,
       .summary = "The newest documents: one's own, and for admins all",
       .detail_errors = true,
       .query = {limit_parameter, after_parameter}},
      {.method = get,
       .path = "/documents/search",
       .who = access::signed_in,
       .run = search_documents,
       .summary = "The pages that have a text of two characters or more",
       .detail_errors = true,
       .query = {{"q", "string", "The text"}, limit_parameter, after_parameter}},
      {.method = get,
       .path = "/documents/queue",
       .who = access::read_all,
       .run = show_document_queue,
       .summary = "How many document jobs wait, and the first of them",
       .detail_errors = true,
       .query = {limit_parameter}},
      {.method = get,
       .path = "/documents/{document_id}",
       .who = access::signed_in,
       .run = show_document,
       .summary = "A document and its newest job",
       .detail_errors = true},
      {.method = get,
       .path = "/documents/{document_id}/pages",
       .who = access::signed_in,
       .run = show_pages,
       .summary = "The pages that were read, with their text",
       .detail_errors = true,
       .query = {limit_parameter, {"after", "integer", "The number of the last page seen"}}},
      {.method = get,
       .path = "/documents/{document_id}/pages/{page}/words",
       .who = access::signed_in,
       .run = show_words,
       .summary = "The words of a page with confidence and place",
       .detail_errors = true},
  };
}

std::vector<route> changing_routes() {
  using enum api::http::verb;
  return {
      {.method = post,
       .path = "/documents/jobs/{job_id}/cancel",
       .who = access::change_own,
       .run = cancel_document_job,
       .summary = "Cancel a job; pages that were read stay",
       .detail_errors = true},
      {.method = post,
       .path = "/documents/jobs/{job_id}/retry",
       .who = access::change_own,
       .run = retry_document_job,
       .summary = "Read the missing pages of a job that failed, at most three times",
       .detail_errors = true},
      {.method = post,
       .path = "/admin/documents/{document_id}/reprocess",
       .who = access::administer,
       .run = reprocess_document,
       .summary = "Read all pages of a document again",
       .hourly_limit = 20,
       .detail_errors = true},
  };
}

}  // namespace

std::vector<route> make_routes(const asio::any_io_executor&, const environment& env) {
  const auto shared = std::make_shared<files>(env);
  auto all = reading_routes();
  for (auto& each : file_routes(shared)) all.push_back(std::move(each));
  for (auto& each : changing_routes()) all.push_back(std::move(each));
  return all;
}

}  // namespace rowrunner::documents
