#include "api/routes.hpp"

namespace rowrunner::api {
namespace {

constexpr std::size_t kilobyte = 1024;

constexpr query_parameter kind_filter{"kind", "string", "Only jobs of this kind"};
constexpr query_parameter limit_filter{"limit", "integer", "1 to 200, 50 if it is missing"};
constexpr query_parameter after_filter{"after", "string", "`next` of the page before"};

std::vector<route> health_routes() {
  using enum http::verb;
  using enum access;
  return {
      {.method = get,
       .path = "/livez",
       .who = anyone,
       .run = live,
       .summary = "The server runs; the database is not asked",
       .always = true},
      {.method = get,
       .path = "/readyz",
       .who = anyone,
       .run = ready,
       .summary = "The database has answered within 10 seconds, and its schema fits",
       .always = true},
      {.method = get,
       .path = "/healthz",
       .who = anyone,
       .run = health,
       .summary = "As /readyz, with the version of the server",
       .always = true},
      {.method = get,
       .path = "/metrics",
       .who = read_all,
       .run = show_metrics,
       .summary = "Metrics for Prometheus: the database's state, and this server's",
       .without_database = true,
       .media = "text/plain"},
      {.method = get,
       .path = "/openapi.json",
       .who = anyone,
       .run = show_openapi,
       .summary = "This description"},
  };
}

std::vector<route> session_routes() {
  using enum http::verb;
  using enum access;
  return {
      {.method = post,
       .path = "/api/session",
       .who = anyone,
       .run = sign_in,
       .summary = "Sign in with a token: sets a cookie",
       .body_bytes = 4 * kilobyte,
       .body_example = R"({"token": "rr_1_..."})"},
      {.method = get,
       .path = "/api/session",
       .who = signed_in,
       .run = who_am_i,
       .summary = "The user and the role of the caller"},
      {.method = delete_,
       .path = "/api/session",
       .who = signed_in,
       .run = sign_out,
       .summary = "Sign out: ends the session of the cookie"},
      {.method = post,
       .path = "/api/tickets",
       .who = signed_in,
       .run = make_ticket,
       .summary = "A ticket that opens one WebSocket within 30 seconds",
       .hourly_limit = 600},
      {.method = delete_,
       .path = "/admin/users/{user_id}",
       .who = administer,
       .run = remove_user,
       .summary = "Withdraw all tokens of a user",
       .hourly_limit = 10,
       .detail_errors = true},
  };
}

std::vector<route> reading_routes() {
  using enum http::verb;
  using enum access;
  return {
      {.method = get,
       .path = "/api/overview",
       .who = read_all,
       .run = show_overview,
       .summary = "All kinds with what waits, runs and failed, and what is wrong",
       .without_database = true},
      {.method = get,
       .path = "/api/kinds",
       .who = read_all,
       .run = list_kinds,
       .summary = "The attached kinds"},
      {.method = get,
       .path = "/api/workers",
       .who = read_all,
       .run = list_workers,
       .summary = "Workers that reported in the last hour"},
      {.method = get,
       .path = "/api/queue",
       .who = read_all,
       .run = show_queue,
       .summary = "Length, contents and age of the queue",
       .query = {kind_filter, limit_filter}},
      {.method = get,
       .path = "/api/jobs",
       .who = read_all,
       .run = list_jobs,
       .summary = "A page of jobs",
       .query =
           {kind_filter, {"status", "string", "A status, or delayed"}, limit_filter, after_filter}},
      {.method = get,
       .path = "/api/jobs/{kind}/{id}",
       .who = signed_in,
       .run = show_job,
       .summary = "A job with steps, progress, attempts and why it does not run",
       .query = {{"wait", "integer", "Answer when it has ended, after 30 seconds at most"}}},
      {.method = get,
       .path = "/api/failed",
       .who = read_all,
       .run = list_failed,
       .summary = "Failed jobs, grouped by what their errors share",
       .query = {kind_filter}},
      {.method = get,
       .path = "/api/failed/jobs",
       .who = read_all,
       .run = list_failed_jobs,
       .summary = "The jobs of one such group",
       .query =
           {kind_filter, {"fingerprint", "string", "Of the group"}, limit_filter, after_filter}},
      {.method = get,
       .path = "/api/operations",
       .who = read_all,
       .run = list_operations,
       .summary = "The newest changes of many jobs"},
      {.method = get,
       .path = "/api/operations/{id}",
       .who = read_all,
       .run = show_operation,
       .summary = "How far a change of many jobs is"},
  };
}

std::vector<route> changing_routes() {
  using enum http::verb;
  using enum access;
  return {
      {.method = post,
       .path = "/api/jobs/{kind}/{id}/retry",
       .who = change_own,
       .run = retry_job,
       .summary = "Queue a failed or cancelled job again"},
      {.method = post,
       .path = "/api/jobs/{kind}/{id}/cancel",
       .who = change_own,
       .run = cancel_job,
       .summary = "Cancel a job",
       .body_bytes = 4 * kilobyte,
       .body_example = R"({"reason": "not needed", "cascade": false})"},
      {.method = post,
       .path = "/api/jobs/{kind}/{id}/run-now",
       .who = change_own,
       .run = run_job_now,
       .summary = "Let a delayed job run now"},
      {.method = post,
       .path = "/api/kinds/{kind}/pause",
       .who = change_all,
       .run = pause_kind,
       .summary = "Start no more jobs of a kind"},
      {.method = post,
       .path = "/api/kinds/{kind}/resume",
       .who = change_all,
       .run = resume_kind,
       .summary = "Start jobs of a kind again"},
      {.method = post,
       .path = "/api/failed/retry",
       .who = change_all,
       .run = retry_failed,
       .summary = "Queue all failed jobs of a group again, bit by bit",
       .body_bytes = 4 * kilobyte,
       .body_example = R"({"kind": "spot_image", "fingerprint": "-8234"})"},
      {.method = post,
       .path = "/api/operations/{id}/cancel",
       .who = change_all,
       .run = cancel_operation,
       .summary = "End a change of many jobs before it is done"},
  };
}

std::vector<route> live_routes() {
  using enum http::verb;
  using enum access;
  return {
      {.method = get,
       .path = "/api/events",
       .who = read_all,
       .run = open_events,
       .summary = "Server-sent events about jobs and the overview",
       .takes_ticket = true,
       .query = {{"jobs", "string", "KIND:ID,ID;KIND:ID, 200 at most"},
                 {"overview", "integer", "1: also the overview, when it changes"}},
       .media = "text/event-stream"},
      {.method = get,
       .path = "/documents/jobs/{job_id}",
       .who = signed_in,
       .run = show_document_job,
       .summary = "The state of a job, for its owners and admins",
       .detail_errors = true},
      {.method = get,
       .path = "/ws/jobs/{job_id}",
       .who = signed_in,
       .run = open_job_socket,
       .summary = "The same as a WebSocket, whenever it changes",
       .takes_ticket = true,
       .detail_errors = true,
       .websocket = true},
  };
}

}  // namespace

std::vector<route> all_routes() {
  std::vector<route> all;
  for (auto part : {health_routes, session_routes, reading_routes, changing_routes, live_routes}) {
    for (auto& each : part()) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace rowrunner::api
