#include "workloads/spot_images/handler.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/http/client.hpp"
#include "common/pg/until_answered.hpp"
#include "common/storage/make_store.hpp"
#include "queries/spot_images.hpp"
#include "workloads/spot_images/image_api.hpp"

namespace rowrunner::spot_images {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

using step_body = std::function<asio::awaitable<json>()>;

pg::settings connection_settings(const std::string& url, bool pooled) {
  pg::settings settings;
  settings.url = url;
  settings.pooled = pooled;
  settings.system_names_only = true;
  settings.application_name = "rowrunner spot_image";
  return settings;
}

/// Files are written and synced on threads of their own: a disk that is slow must not hold up the
/// engine.
storage::offload on_threads(asio::thread_pool& threads) {
  return [&threads](std::function<void()> work) -> asio::awaitable<void> {
    const auto body = [work = std::move(work)]() -> asio::awaitable<void> {
      work();
      co_return;
    };
    co_await asio::co_spawn(threads, body, asio::use_awaitable);
  };
}

outcome spot_missing(const job& self) {
  return final_failure("plan " + self.text("plan_id") + " has no spot " + self.text("spot_name"));
}

std::string draft_key(const job& self) { return "spot_images/drafts/" + self.id() + ".png"; }
std::string final_key(const job& self) { return "spot_images/" + self.id() + ".png"; }

}  // namespace

struct handler::outside {
  outside(const asio::any_io_executor& executor, const std::string& url, bool pooled,
          const environment& env, std::shared_ptr<const logger> log)
      : http(executor),
        outbound(executor, http::outbound_policy(env), std::move(log)),
        session(executor, connection_settings(url, pooled)),
        spot_of_job(queries::spot_of_job.statement()),
        storage(storage::make_store(env, http, on_threads(files))),
        pictures(make_provider(env, http, outbound)) {}

  asio::thread_pool files{2};
  http::client http;
  http::guarded_client outbound;
  pg::session session;
  pg::statement spot_of_job;
  std::unique_ptr<storage::store> storage;
  std::unique_ptr<provider> pictures;
};

handler::handler(std::string database_url, bool pooled, environment env,
                 std::shared_ptr<const logger> log)
    : database_url_(std::move(database_url)),
      pooled_(pooled),
      env_(std::move(env)),
      log_(std::move(log)) {
  // Settings that make no sense are found now, not by the first job.
  asio::io_context io;
  outside(io.get_executor(), database_url_, pooled_, env_, log_).storage->check_writable();
}

handler::~handler() = default;

asio::awaitable<outcome> handler::run(job& self) {
  if (!outside_) {
    const auto executor = co_await asio::this_coro::executor;
    outside_ = std::make_unique<outside>(executor, database_url_, pooled_, env_, log_);
  }
  try {
    co_return co_await make_picture(self);
  } catch (const provider_error& e) {
    co_return failed{e.what(), e.after, e.final};
  } catch (const storage::error& e) {
    co_return failed{e.what(), e.retry_after, false};
  }
}

asio::awaitable<outcome> handler::make_picture(job& self) {
  const auto place = co_await read_spot(self);
  if (!place) co_return spot_missing(self);
  const step_body write_prompt = [&]() -> asio::awaitable<json> { co_return prompt_for(*place); };
  const auto prompt = co_await self.step("prompt", write_prompt);

  const std::string words = prompt.get<std::string>();
  const step_body paint = [&]() -> asio::awaitable<json> { return generate(self, *place, words); };
  const auto draft = co_await self.step("generate", paint);

  const std::string draft_file = draft.at("file").get<std::string>();
  // A generation takes time: a spot that was deleted meanwhile needs no picture.
  if (!co_await read_spot(self)) {
    co_await discard(draft_file);
    co_return spot_missing(self);
  }
  const step_body store = [&]() -> asio::awaitable<json> {
    return upload(self, draft_file, *place, words);
  };
  const auto stored = co_await self.step("upload", store);
  co_await discard(draft_file);

  succeeded end;
  end.effects.push_back(
      {std::string{queries::spot_image_saved.text},
       {self.text("plan_id"), self.text("spot_name"), stored.at("url").get<std::string>()}});
  co_return end;
}

asio::awaitable<std::optional<place_text>> handler::read_spot(job& self) {
  // A database that went away is no failure of the job: it is asked for as long as the job may run.
  const std::function<void()> may_run = [&self] {
    if (self.stop_requested()) throw job_stopped("the job was told to stop");
  };
  auto call = pg::with(outside_->spot_of_job, self.text("plan_id"), self.text("spot_name"));
  const auto answers =
      co_await pg::until_answered(outside_->session, pg::together(std::move(call)), may_run);
  const auto& row = answers.front();
  if (row.rows() == 0) co_return std::nullopt;
  place_text place;
  place.name = self.text("spot_name");
  place.area = row.get(0, 0);
  place.description = row.get(0, 1);
  co_return place;
}

/// The picture is in the storage before the step counts as done: a later attempt finds it there.
asio::awaitable<json> handler::generate(job& self, place_text place, std::string prompt) {
  picture_request wanted(std::move(place), std::move(prompt));
  auto picture = co_await outside_->pictures->generate(self, std::move(wanted));
  const auto size = picture.size();
  const auto file = draft_key(self);
  co_await outside_->storage->put(file, std::move(picture), "image/png");
  json result;
  result["file"] = file;
  result["bytes"] = size;
  co_return result;
}

/// A draft that was removed is made again: without it no later attempt could succeed.
asio::awaitable<json> handler::upload(job& self, std::string draft, place_text place,
                                      std::string prompt) {
  auto picture = co_await outside_->storage->get(draft, image_api::max_picture);
  if (!picture) {
    picture_request wanted(std::move(place), std::move(prompt));
    picture = co_await outside_->pictures->generate(self, std::move(wanted));
  }
  const auto file = final_key(self);
  co_await outside_->storage->put(file, std::move(*picture), "image/png");
  json result;
  result["url"] = outside_->storage->url(file);
  co_return result;
}

/// A draft that stays behind costs some space; that is no reason to lose the picture.
asio::awaitable<void> handler::discard(std::string draft) {
  try {
    co_await outside_->storage->remove(std::move(draft));
  } catch (const storage::error&) {
  }
}

std::string prompt_for(const place_text& place) {
  std::string prompt = "A travel poster of " + place.name;
  if (!place.area.empty()) prompt += " in " + place.area;
  prompt += ".";
  if (!place.description.empty()) prompt += " " + place.description;
  return prompt + " Landscape format, no people in the foreground, no text.";
}

void add_to(worker& process, kind_options options, const worker_options& about,
            const environment& env) {
  options.columns = {"plan_id", "spot_name"};
  const auto serve =
      std::make_shared<handler>(about.database_url, about.pooled, env, process.log());
  process.add(std::move(options), [serve](job& self) { return serve->run(self); });
}

}  // namespace rowrunner::spot_images
