#include "workloads/scoring/routes.hpp"

#include <boost/asio/this_coro.hpp>
#include <rowrunner/column_value.hpp>

#include "api/ask.hpp"
#include "api/metrics.hpp"
#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/text.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/export.hpp"
#include "workloads/scoring/models/make_model.hpp"
#include "workloads/scoring/resume.hpp"
#include "workloads/scoring/run_status.hpp"
#include "workloads/scoring/run_store.hpp"
#include "workloads/scoring/sheets/import.hpp"
#include "workloads/scoring/sheets/sheets_client.hpp"

namespace rowrunner::scoring {
namespace {

using api::answer;
using api::problem;
using api::request;
using api::request_error;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t most_sheet_bytes = 16 * 1024 * 1024;
constexpr std::size_t most_export_bytes = 64 * 1024 * 1024;
constexpr int most_runs = 100;

std::string name_of(const request& asked) { return asked.params.find("name")->second; }

[[noreturn]] void refuse_unknown(const std::string& name) {
  throw request_error(problem(404, "not_found", "there is no run '" + printable(name, 120) + "'"));
}

std::string text_or(const json& body, const char* name, std::string otherwise) {
  if (!body.contains(name)) return otherwise;
  if (!body[name].is_string()) throw bad_input(std::string(name) + " must be a text");
  auto out = body[name].get<std::string>();
  check_text(name, out);
  return out;
}

template <typename Number>
std::optional<Number> limit_of(const json& body, const char* name) {
  if (!body.contains(name) || body[name].is_null()) return std::nullopt;
  const auto& value = body[name];
  const bool whole = std::is_integral_v<Number>;
  if (!(whole ? value.is_number_integer() : value.is_number()) || value.get<double>() < 0 ||
      value.get<double>() > 1e15) {
    throw bad_input(std::string(name) + " must be a number from 0 on");
  }
  return value.get<Number>();
}

json body_of(const request& asked, std::initializer_list<std::string_view> known) {
  json body;
  try {
    body = asked.body.empty() ? json::object()
                              : parse_foreign_json(asked.body, {most_sheet_bytes, 16, 200'000});
  } catch (const foreign_json_error& why) {
    throw bad_input(std::string("the body ") + why.what());
  }
  if (!body.is_object()) throw bad_input("the body must be an object");
  for (const auto& [name, value] : body.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw bad_input("the body has an unknown member '" + printable(name, 100) + "'");
    }
  }
  return body;
}

new_run run_from(const json& body) {
  new_run out;
  out.name = text_or(body, "name", generated_run_name());
  out.provider = text_or(body, "provider", default_provider);
  out.model = text_or(body, "model", default_model(out.provider));
  out.column = text_or(body, "column", out.column);
  if (!body.contains("categories")) throw bad_input("the body has no categories");
  out.blocks = body["categories"];
  if (body.contains("config")) out.config = read_config(body["config"]);
  out.max_calls = limit_of<std::int64_t>(body, "max_calls");
  out.max_cost = limit_of<double>(body, "max_cost");
  out.spreadsheet = text_or(body, "spreadsheet", "");
  out.tab = text_or(body, "tab", "Sheet1");
  check_run_name(out.name);
  check_model(out.provider, out.model);
  if (body.contains("spreadsheet")) check_spreadsheet_id(out.spreadsheet);
  return out;
}

/// Before a connection to the database is borrowed.
asio::awaitable<std::string> sheet_of(const environment& env, const json& body,
                                      const new_run& run) {
  if (body.contains("sheet") != run.spreadsheet.empty()) {
    throw bad_input("the body must have either sheet or spreadsheet");
  }
  if (run.spreadsheet.empty()) co_return text_or(body, "sheet", "");
  http::client http(co_await asio::this_coro::executor);
  try {
    sheets_client client(http, env);
    co_return co_await fetch_spreadsheet(client, run.spreadsheet, run.tab);
  } catch (const usage_error& why) {
    throw request_error(problem(503, "unavailable", why.what()));
  } catch (const sheets_error& why) {
    throw request_error(problem(503, "unavailable", why.what()));
  }
}

asio::awaitable<answer> add_run(const environment& env, api::services& with, const request& asked) {
  const auto body = body_of(asked, {"name", "sheet", "spreadsheet", "tab", "categories", "column",
                                    "provider", "model", "config", "max_calls", "max_cost"});
  const auto run = run_from(body);
  std::string sheet = co_await sheet_of(env, body, run);
  const sheet_source from = [&sheet] { return std::exchange(sheet, {}); };
  const auto turn = co_await api::take_long_turn(with);
  const auto mine = co_await api::borrow_session(with);
  const auto made = co_await make_run(*mine, run, from);
  co_return answer(made.created ? 201 : 200,
                   ordered_json{{"run", run.name},
                                {"result", made.created ? "created" : "unchanged"},
                                {"rows", made.rows}});
}

asio::awaitable<answer> list_runs(api::services& with, const request&) {
  const auto statement = queries::runs_newest.statement();
  const auto rows =
      co_await api::ask_database(with, pg::with(statement, std::to_string(most_runs + 1)));
  ordered_json items = ordered_json::array();
  for (int row = 0; row < std::min(rows.rows(), most_runs); ++row) {
    items.push_back({{"run", rows.get(row, 0)},
                     {"status", rows.get(row, 1)},
                     {"provider", rows.get(row, 2)},
                     {"model", rows.get(row, 3)},
                     {"rows", rows.get_int(row, 4)},
                     {"blocks", rows.get_int(row, 5)},
                     {"created_at", rows.get(row, 6)}});
  }
  co_return answer(200, ordered_json{{"items", items}, {"complete", rows.rows() <= most_runs}});
}

asio::awaitable<answer> show_run(api::services& with, const request& asked) {
  const auto name = name_of(asked);
  const auto mine = co_await api::borrow_session(with);
  const auto found = co_await read_status(*mine, name);
  if (!found) refuse_unknown(name);
  co_return answer(200, to_json(*found));
}

asio::awaitable<stored_run> stored(pg::session& session, std::string name) {
  auto found = co_await find_run(session, name);
  if (!found) refuse_unknown(name);
  co_return std::move(*found);
}

asio::awaitable<answer> show_chunks(api::services& with, const request& asked) {
  const auto mine = co_await api::borrow_session(with);
  const auto run = co_await stored(*mine, name_of(asked));
  co_return answer(200, co_await read_chunks(*mine, run.id));
}

asio::awaitable<answer> show_failures(api::services& with, const request& asked) {
  const auto mine = co_await api::borrow_session(with);
  const auto run = co_await stored(*mine, name_of(asked));
  co_return answer(200, co_await read_failures(*mine, run.id));
}

/// Gathers a body, up to its limit.
text_sink bounded_sink(std::string& out) {
  return [&out](std::string_view piece) {
    if (out.size() + piece.size() > most_export_bytes) {
      throw request_error(problem(
          413, "too_large", "the answer is larger than 64 MiB: use rowrunner scoring export"));
    }
    out += piece;
  };
}

asio::awaitable<stored_run> lookup(api::services& with, const std::string& name) {
  const auto mine = co_await api::borrow_session(with);
  co_return co_await stored(*mine, name);
}

/// A session is borrowed for each page, so that others get theirs in between.
page_source pages_of(api::services& with) {
  return [&with](const page_reading& read) { return api::with_session(with, read); };
}

asio::awaitable<answer> show_checkpoint(api::services& with, const request& asked) {
  const auto turn = co_await api::take_long_turn(with);
  const auto run = co_await lookup(with, name_of(asked));
  answer out;
  out.status = 200;
  out.content_type = "application/json";
  co_await export_checkpoint(pages_of(with), run.id, bounded_sink(out.body));
  co_return out;
}

asio::awaitable<answer> export_run(api::services& with, const request& asked) {
  const auto name = name_of(asked);
  const auto turn = co_await api::take_long_turn(with);
  const auto run = co_await lookup(with, name);
  answer out;
  out.status = 200;
  out.content_type = "text/csv; charset=utf-8";
  // Its name has no characters that would need quoting.
  out.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + name + ".csv\"");
  co_await export_csv(pages_of(with), run, bounded_sink(out.body));
  co_return out;
}

asio::awaitable<answer> resume_with(api::services& with, const request& asked, bool retry_failed) {
  const auto name = name_of(asked);
  const auto body = body_of(asked, {"max_calls", "max_cost"});
  resume_options how;
  how.max_calls = limit_of<std::int64_t>(body, "max_calls");
  how.max_cost = limit_of<double>(body, "max_cost");
  how.retry_failed = retry_failed;
  const auto mine = co_await api::borrow_session(with);
  const auto done = co_await resume_run(*mine, name, how);
  if (!done.known) refuse_unknown(name);
  if (!done.refused.empty()) {
    throw request_error(problem(409, "conflict", "run '" + name + "' " + done.refused));
  }
  co_return answer(202, ordered_json{{"run", name}, {"chunks", done.chunks}});
}

asio::awaitable<answer> resume_route(api::services& with, const request& asked) {
  return resume_with(with, asked, false);
}

asio::awaitable<answer> retry_route(api::services& with, const request& asked) {
  return resume_with(with, asked, true);
}

/// Below /metrics, which shows it, too.
asio::awaitable<answer> show_sums(api::services& with, const request&) {
  const auto statement = queries::scoring_sums.statement();
  const auto rows = co_await api::ask_database(with, pg::with(statement));
  struct measure {
    const char* name;
    const char* help;
  };
  constexpr measure measures[]{
      {"rowrunner_scoring_blocks_total", "Blocks that were scored, those from the cache included."},
      {"rowrunner_scoring_failed_blocks_total", "Blocks that could not be scored."},
      {"rowrunner_scoring_cache_hits_total", "Blocks whose answer was known."},
      {"rowrunner_scoring_calls_total", "Calls that count: neither rejected nor refused."},
      {"rowrunner_scoring_cost_total", "What they have cost, by SCORING_PRICE_IN and _OUT."},
      {"rowrunner_scoring_call_seconds_total", "Seconds from sending calls to their answers."},
      {"rowrunner_scoring_flushes_total", "Writes of scores."},
      {"rowrunner_scoring_write_seconds_total", "Seconds that writes of scores took."}};
  exposition out;
  for (int i = 0; i < static_cast<int>(std::size(measures)); ++i) {
    out.counter(measures[i].name, measures[i].help);
    for (int row = 0; row < rows.rows(); ++row) {
      out.sample(
          {{"provider", std::string(rows.get(row, 0))}, {"model", std::string(rows.get(row, 1))}},
          detail::read_number(rows.get(row, i + 2)).value_or(0));
    }
  }
  co_return api::metrics_answer(out);
}

constexpr std::string_view example =
    R"({"name": "may", "sheet": "utterance\r\nI love it\r\n", "categories": [{"name": "mood",
        "categories": ["love", "anger"]}], "config": {"concurrency": 10}})";
constexpr std::string_view budget_example = R"({"max_calls": 1000})";

}  // namespace

std::vector<api::route> make_routes(const boost::asio::any_io_executor&, const environment& env) {
  using enum api::http::verb;
  using enum api::access;
  const auto reading = [](std::string_view path, api::handler run, std::string_view summary) {
    api::route out{.method = get, .path = path, .who = read_all, .run = run, .summary = summary};
    return out;
  };
  const auto add = [env](api::services& with, const request& asked) {
    return add_run(env, with, asked);
  };
  return {
      {.method = post,
       .path = "/api/scoring/runs",
       .who = change_all,
       .run = add,
       .summary = "Score a sheet (CSV or Google); the same again changes nothing",
       .body_bytes = most_sheet_bytes,
       .body_example = example},
      reading("/api/scoring/runs", list_runs, "The newest scoring runs"),
      reading("/api/scoring/runs/{name}", show_run, "How far a scoring run is"),
      reading("/api/scoring/runs/{name}/chunks", show_chunks, "Its chunks, as chunk_meta.json"),
      reading("/api/scoring/runs/{name}/checkpoint", show_checkpoint,
              "What is scored, as checkpoint.json"),
      reading("/api/scoring/runs/{name}/failures", show_failures,
              "What could not be scored, and why"),
      reading("/api/scoring/runs/{name}/export", export_run, "The sheet with its scores as CSV"),
      {.method = post,
       .path = "/api/scoring/runs/{name}/resume",
       .who = change_all,
       .run = resume_route,
       .summary = "Let a scoring run go on that has failed",
       .body_bytes = 1024,
       .body_example = budget_example},
      {.method = post,
       .path = "/api/scoring/runs/{name}/retry-failed",
       .who = change_all,
       .run = retry_route,
       .summary = "Score what could not be scored once more",
       .body_bytes = 1024,
       .body_example = budget_example},
      {.method = get,
       .path = "/metrics/scoring",
       .who = read_all,
       .run = show_sums,
       .summary = "Metrics of scoring for Prometheus; /metrics has them, too",
       .media = "text/plain"},
  };
}

}  // namespace rowrunner::scoring
