#include "workloads/pdf_batch/routes.hpp"

#include "workloads/pdf_batch/handler.hpp"
#include "workloads/pdf_batch/message.hpp"
#include "workloads/pdf_batch/push.hpp"
#include "workloads/pdf_batch/requests.hpp"

namespace rowrunner::pdf_batch {
namespace {

/// 10 MB in base64, and what Pub/Sub writes around it.
constexpr std::size_t max_push_bytes = 15 * 1024 * 1024;

constexpr std::string_view message_example =
    R"({"job_id": "test-1", "pdf_path": "uploads/test-1/document.pdf", "bucket_name": "local",
        "timestamp": "2026-02-12T06:30:00Z"})";
constexpr std::string_view push_example =
    R"({"message": {"data": "eyJqb2JfaWQiOiAidGVzdC0xIn0=", "messageId": "1"},
        "subscription": "projects/p/subscriptions/s"})";

}  // namespace

std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env) {
  using enum api::http::verb;
  using enum api::access;
  const auto files = std::make_shared<server_files>(executor, env);
  const auto push = std::make_shared<push_subscription>(executor, env);
  return {
      {.method = post,
       .path = "/api/pdf-batch",
       .who = change_own,
       .run = post_message,
       .summary = "Enqueue the analysis of a PDF file; the same message again changes nothing",
       .body_bytes = max_message,
       .body_example = message_example},
      {.method = post,
       .path = "/api/pdf-batch/upload",
       .who = change_own,
       .run = [files](api::services& with,
                      const api::request& asked) { return upload(*files, with, asked); },
       .summary = "Store a PDF file under uploads/{job_id}/document.pdf",
       .body_bytes = max_pdf_bytes,
       .streams_body = true,
       .body_type = "application/pdf",
       .query = {{"job_id", "string", "The id of its job; a new one if it is missing"}}},
      {.method = post,
       .path = "/api/pdf-batch/push",
       .who = anyone,
       .run = push_subscription::take,
       .summary = "A push subscription of Pub/Sub sends messages here, with an ID token of Google",
       .check = [push](api::services& with,
                       const api::request& asked) { return push->check(with, asked); },
       .body_bytes = max_push_bytes,
       .body_example = push_example},
      {.method = get,
       .path = "/api/pdf-batch/{job_id}",
       .who = signed_in,
       .run = show_status,
       .summary = "How far the analysis is"},
      {.method = get,
       .path = "/api/pdf-batch/{job_id}/result",
       .who = signed_in,
       .run = [files](api::services& with,
                      const api::request& asked) { return show_result(*files, with, asked); },
       .summary = "The result file"},
  };
}

}  // namespace rowrunner::pdf_batch
