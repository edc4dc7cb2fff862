#include <boost/beast/websocket/rfc6455.hpp>

#include "api/ask.hpp"
#include "api/event_stream.hpp"
#include "api/find_job.hpp"
#include "api/job_socket.hpp"
#include "api/parameters.hpp"
#include "api/routes.hpp"

namespace rowrunner::api {
namespace {

/// On the routes of document 003 a job is for its owner, its co-owner and for admins.
bool may_see(const identity& who, const job_state& job) {
  return who.as == role::admin || job.owner == who.user || job.co_owner == who.user;
}

/// Two kinds may have given their jobs the same id: the caller means the one that is theirs.
asio::awaitable<std::optional<job_state>> find_for(services& with, const identity& who,
                                                   std::string id) {
  const job_test mine = [&](const job_state& job) { return may_see(who, job); };
  const auto read = [&](pg::session& session) { return find_by_public_id(session, id, mine); };
  co_return co_await with_session(with, read);
}

}  // namespace

asio::awaitable<answer> show_document_job(services& with, const request& asked) {
  const std::string& id = asked.params.find("job_id")->second;
  const auto found = co_await find_for(with, asked.who, id);
  if (!found) throw request_error(problem(404, "not_found", "Job not found"));
  if (!may_see(asked.who, *found)) {
    throw request_error(problem(403, "forbidden", "Not authorized"));
  }
  co_return answer(200, document_json(*found));
}

asio::awaitable<answer> open_job_socket(services& with, const request& asked) {
  http::request<http::string_body> head;
  head.base() = asked.head;
  if (!boost::beast::websocket::is_upgrade(head)) {
    problem why(426, "upgrade_required", "this is a WebSocket");
    why.headers.emplace_back("Upgrade", "websocket");
    throw request_error(why);
  }
  std::optional<job_state> found;
  if (!asked.refused) {
    const std::string& id = asked.params.find("job_id")->second;
    found = co_await find_for(with, asked.who, id);
  }
  const bool refused = asked.refused.has_value() || (found && !may_see(asked.who, *found));
  std::optional<job_key> job;
  if (found) job = found->key;
  answer out;
  out.status = 101;
  out.goes_on = std::make_shared<job_socket>(with, asked, job, refused);
  co_return out;
}

asio::awaitable<answer> open_events(services& with, const request& asked) {
  event_wishes wishes;
  if (const auto jobs = parameter(asked, "jobs")) wishes.jobs = parse_jobs(*jobs);
  wishes.overview = number_parameter(asked, "overview", 0, 0, 1) == 1;
  if (wishes.jobs.empty() && !wishes.overview) {
    throw request_error(problem(400, "bad_parameter", "name jobs to watch, or overview=1"));
  }
  const std::string last(asked.head["Last-Event-ID"]);
  if (!last.empty()) wishes.last_id = last;
  answer out;
  out.status = 200;
  out.content_type = "text/event-stream";
  if (asked.head.method() != http::verb::head) {
    out.goes_on = std::make_shared<event_stream>(with, std::move(wishes));
  }
  co_return out;
}

}  // namespace rowrunner::api
