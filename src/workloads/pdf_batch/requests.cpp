#include "workloads/pdf_batch/requests.hpp"

#include "api/ask.hpp"
#include "common/errors.hpp"
#include "common/schema/job_status.hpp"
#include "queries/pdf_batch.hpp"
#include "workloads/pdf_batch/enqueue.hpp"
#include "workloads/pdf_batch/status.hpp"
#include "workloads/pdf_batch/upload_body.hpp"

namespace rowrunner::pdf_batch {
namespace {

using api::answer;
using api::problem;
using api::request;
using api::request_error;
using nlohmann::ordered_json;

constexpr std::uint64_t max_result_bytes = std::uint64_t{512} << 20;

request_error refused(int status, std::string_view code, std::string why) {
  return request_error(problem(status, code, std::move(why)));
}

std::string job_id_of(const request& asked) {
  const auto& job_id = asked.params.find("job_id")->second;
  check_job_id(job_id);
  return job_id;
}

bool is_user(const request& asked) { return asked.who.as == api::role::user; }

/// Others see all of the storage; a user sees what they have uploaded.
asio::awaitable<void> require_own_file(api::services& with, const request& asked, message given) {
  if (!is_user(asked)) co_return;
  const auto statement = queries::pdf_batch_upload_owner.statement();
  const auto owned =
      co_await api::ask_database(with, pg::with(statement, given.job_id, asked.who.user));
  if (given.pdf_path == upload_path(given.job_id) && owned.get_bool(0, 0)) co_return;
  throw refused(403, "forbidden",
                "pdf_path must be the file that you have uploaded for this job_id");
}

/// The job's row as the document sees it, for those who may.
asio::awaitable<job_state> read_state(api::services& with, const request& asked, bool& expired) {
  const auto job_id = job_id_of(asked);
  const auto statement = queries::pdf_batch_state.statement();
  const auto row = co_await api::ask_database(with, pg::with(statement, job_id));
  if (row.rows() == 0) throw refused(404, "not_found", "there is no job " + job_id);
  if (is_user(asked) && (row.is_null(0, 5) || row.get(0, 5) != asked.who.user)) {
    throw refused(403, "forbidden", "this job is not yours");
  }
  job_state out;
  out.job_id = job_id;
  out.status = row.get(0, 0);
  if (!row.is_null(0, 1)) {
    out.done = row.get_int(0, 1);
    out.total = row.get_int(0, 2);
    out.message = row.get(0, 3);
  }
  if (!row.is_null(0, 4)) out.last_error = row.get(0, 4);
  out.updated_at = row.get(0, 6);
  expired = row.get_bool(0, 7);
  co_return out;
}

/// The number of the upload: the last one that began is the one that counts.
asio::awaitable<std::string> begin_upload(api::services& with, const request& asked,
                                          std::string job_id) {
  const auto statement = queries::pdf_batch_upload_begin.statement();
  const auto may = co_await api::ask_database(with, pg::with(statement, job_id, asked.who.user));
  if (may.get_bool(0, 1)) throw refused(409, "conflict", "job " + job_id + " exists already");
  if (!may.get_bool(0, 0)) throw refused(409, "conflict", "job_id " + job_id + " is in use");
  co_return may.get(0, 2);
}

request_error overtaken(const std::string& job_id) {
  return refused(409, "conflict",
                 "another upload for job_id " + job_id + " began later, or its job exists already");
}

asio::awaitable<void> check_upload(api::services& with, std::string job_id, std::string number) {
  const auto statement = queries::pdf_batch_upload_check.statement();
  const auto counts = co_await api::ask_database(with, pg::with(statement, job_id, number));
  if (!counts.get_bool(0, 0)) throw overtaken(job_id);
}

std::string upload_id(api::services& with, const request& asked) {
  const auto given = asked.query.find("job_id");
  if (given == asked.query.end()) return with.ids.next();
  check_job_id(given->second);
  return given->second;
}

}  // namespace

asio::awaitable<answer> post_message(api::services& with, const request& asked) {
  const auto given = parse_message(asked.body);
  co_await require_own_file(with, asked, given);
  enqueue_result result{};
  {
    const auto mine = co_await api::borrow_session(with);
    result = co_await enqueue(*mine, given, asked.who.user);
  }
  if (result == enqueue_result::other_user) {
    throw refused(409, "conflict", "job_id " + given.job_id + " is another user's");
  }
  if (result == enqueue_result::other_file) {
    throw refused(409, "conflict", "job " + given.job_id + " exists with another pdf_path");
  }
  const bool created = result == enqueue_result::created;
  co_return answer(created ? 201 : 200,
                   ordered_json{{"job_id", given.job_id},
                                {"pdf_path", given.pdf_path},
                                {"result", created ? "created" : "unchanged"}});
}

asio::awaitable<answer> show_status(api::services& with, const request& asked) {
  bool expired = false;
  const auto state = co_await read_state(with, asked, expired);
  if (expired) {
    throw refused(404, "not_found",
                  "job " + state.job_id + " has not changed for 24 hours; its result stays");
  }
  co_return answer(200, status_json(state));
}

asio::awaitable<answer> upload(server_files& files, api::services& with, const request& asked) {
  const auto job_id = upload_id(with, asked);
  const auto bytes = asked.stream->size();
  if (bytes == 0) throw refused(400, "bad_request", "the body must be a PDF file");
  const auto number = co_await begin_upload(with, asked, job_id);
  const std::function<asio::awaitable<void>()> check = [&]() -> asio::awaitable<void> {
    return check_upload(with, job_id, number);
  };
  const auto body = std::make_shared<upload_body>(asked.stream, check);
  std::string failure;
  try {
    co_await files.put(upload_path(job_id), body);
  } catch (const storage::error& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    with.log->error("an upload could not be stored", {{"job_id", job_id}, {"error", failure}});
    throw request_error(problem(503, "unavailable", "the storage does not take the file", true));
  }
  const auto statement = queries::pdf_batch_upload_end.statement();
  const auto size = std::to_string(bytes);
  const auto ended = co_await api::ask_database(with, pg::with(statement, job_id, number, size));
  if (ended.rows() == 0) throw overtaken(job_id);
  co_return answer(
      201, ordered_json{{"job_id", job_id}, {"pdf_path", upload_path(job_id)}, {"bytes", bytes}});
}

asio::awaitable<answer> show_result(server_files& files, api::services& with,
                                    const request& asked) {
  bool expired = false;
  const auto state = co_await read_state(with, asked, expired);
  const auto none = refused(404, "not_found", "job " + state.job_id + " has no result");
  if (state.status != job_status::succeeded) throw none;
  answer out;
  out.status = 200;
  out.content_type = "application/json";
  out.headers.emplace_back("Content-Disposition",
                           "attachment; filename=\"" + state.job_id + ".json\"");
  std::string failure;
  try {
    out.stream = co_await files.get(result_path(state.job_id), max_result_bytes);
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    with.log->error("a result could not be read", {{"job_id", state.job_id}, {"error", failure}});
    throw request_error(problem(503, "unavailable", "the storage does not answer", true));
  }
  if (!out.stream) throw none;
  co_return out;
}

}  // namespace rowrunner::pdf_batch
