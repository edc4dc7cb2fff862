#include "workloads/spot_images/routes.hpp"

#include <boost/asio/thread_pool.hpp>

#include "api/ask.hpp"
#include "common/errors.hpp"
#include "common/http/client.hpp"
#include "common/storage/make_store.hpp"
#include "queries/spot_images.hpp"
#include "workloads/services.hpp"
#include "workloads/spot_images/names.hpp"
#include "workloads/spot_images/plan_requests.hpp"

namespace rowrunner::spot_images {
namespace {

using api::answer;
using api::problem;
using api::request;
using api::request_error;
using nlohmann::ordered_json;

constexpr std::size_t most_plan_bytes = 1024 * 1024;
constexpr std::size_t most_picture_bytes = 16 * 1024 * 1024;
constexpr int most_plans = 100;

ordered_json or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json();
}

ordered_json spot_json(const spot_state& of) {
  ordered_json out{{"spot_name", of.spot.name},          {"area", of.spot.area},
                   {"description", of.spot.description}, {"image_url", or_null(of.spot.image_url)},
                   {"image_status", of.image_status},    {"job", nullptr}};
  if (of.job_id) {
    out["job"] = {{"kind", "spot_image"},
                  {"id", *of.job_id},
                  {"status", or_null(of.job_status)},
                  {"attempts", of.attempts},
                  {"max_attempts", of.max_attempts},
                  {"last_error", or_null(of.last_error)}};
  }
  return out;
}

std::string plan_id_of(const request& asked) {
  return checked_plan_id(asked.params.find("id")->second);
}

problem no_plan(const std::string& id) { return {404, "not_found", "there is no plan " + id}; }

asio::awaitable<answer> add_plan(api::services& with, const request& asked) {
  const plan given = parse_plan(asked.body);
  const auto mine = co_await api::borrow_session(with);
  const auto imported = co_await import_and_enqueue(*mine, given);
  if (!imported.difference.empty()) {
    throw request_error(problem(409, "conflict",
                                "plan '" + given.id + "' exists with other content (" +
                                    imported.difference + " differs); nothing was changed"));
  }
  const bool created = imported.result == import_result::created;
  co_return answer(created ? 201 : 200, ordered_json{{"plan_id", given.id},
                                                     {"result", created ? "created" : "unchanged"},
                                                     {"enqueued", imported.enqueued}});
}

asio::awaitable<answer> list_plans(api::services& with, const request&) {
  const auto statement = queries::plans_newest.statement();
  const auto rows =
      co_await api::ask_database(with, pg::with(statement, std::to_string(most_plans + 1)));
  ordered_json items = ordered_json::array();
  for (int row = 0; row < std::min(rows.rows(), most_plans); ++row) {
    items.push_back({{"plan_id", rows.get(row, 0)},
                     {"title", rows.get(row, 1)},
                     {"created_at", rows.get(row, 2)}});
  }
  co_return answer(200, ordered_json{{"items", items}, {"complete", rows.rows() <= most_plans}});
}

asio::awaitable<answer> show_plan(api::services& with, const request& asked) {
  const auto id = plan_id_of(asked);
  const auto mine = co_await api::borrow_session(with);
  const auto found = co_await find_plan(*mine, id);
  if (!found) throw request_error(no_plan(id));
  ordered_json spots = ordered_json::array();
  for (const auto& each : found->spots) spots.push_back(spot_json(each));
  co_return answer(200, ordered_json{{"plan_id", id}, {"title", found->title}, {"spots", spots}});
}

/// By its first bytes: what a file is called says nothing.
std::string type_of_picture(const std::string& bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP") return "image/webp";
  return "application/octet-stream";
}

/// The storage that the workers write to, if this server sees it too. It is opened at the first
/// request, as a server without pictures needs none.
class picture_files {
 public:
  picture_files(const asio::any_io_executor& executor, environment env)
      : env_(std::move(env)), http_(executor) {}

  asio::awaitable<std::optional<std::string>> get(std::string url) {
    if (!store_) store_ = storage::make_store(env_, http_, on_threads(threads_));
    const auto key = store_->key_of(url);
    if (!key) co_return std::nullopt;
    co_return co_await store_->get(*key, most_picture_bytes);
  }

 private:
  const environment env_;
  http::client http_;
  asio::thread_pool threads_{1};
  std::unique_ptr<storage::store> store_;
};

asio::awaitable<answer> show_picture(std::shared_ptr<picture_files> files, api::services& with,
                                     const request& asked) {
  const auto id = plan_id_of(asked);
  const auto name = checked_spot_name(asked.params.find("spot_name")->second);
  const auto statement = queries::spot_image_url.statement();
  const auto row = co_await api::ask_database(with, pg::with(statement, id, name));
  const problem missing(404, "not_found", "this storage has no picture of that place");
  if (row.rows() == 0) throw request_error(missing);
  std::optional<std::string> bytes;
  try {
    bytes = co_await files->get(std::string(row.get(0, 0)));
  } catch (const std::exception& error) {
    with.log->warn("a picture could not be read", {{"plan", id}, {"error", error.what()}});
  }
  if (!bytes) throw request_error(missing);
  answer out;
  out.status = 200;
  out.content_type = type_of_picture(*bytes);
  out.headers.emplace_back("Cache-Control", "private, max-age=60");
  out.body = std::move(*bytes);
  co_return out;
}

constexpr std::string_view example =
    R"({"plan_id": "kyoto", "title": "Three days in Kyoto", "spots": [{"spot_name": "Kinkaku-ji",
        "area": "Kita", "description": "The golden pavilion"}]})";

}  // namespace

std::vector<api::route> make_routes(const asio::any_io_executor& executor, const environment& env) {
  using enum api::http::verb;
  using enum api::access;
  const auto files = std::make_shared<picture_files>(executor, env);
  const auto picture = [files](api::services& with, const request& asked) {
    return show_picture(files, with, asked);
  };
  return {
      {.method = post,
       .path = "/api/plans",
       .who = change_all,
       .run = add_plan,
       .summary = "Save a travel plan and enqueue its pictures; the same again changes nothing",
       .body_bytes = most_plan_bytes,
       .body_example = example},
      {.method = get,
       .path = "/api/plans",
       .who = read_all,
       .run = list_plans,
       .summary = "The newest plans"},
      {.method = get,
       .path = "/api/plans/{id}",
       .who = read_all,
       .run = show_plan,
       .summary = "A plan with its places, their pictures and jobs"},
      {.method = get,
       .path = "/api/plans/{id}/pictures/{spot_name}",
       .who = read_all,
       .run = picture,
       .summary = "The picture of a place, from the storage of the workers"},
  };
}

}  // namespace rowrunner::spot_images
