#include "workloads/spot_images/handler.hpp"

#include "queries/spot_images.hpp"
#include "workloads/spot_images/image_api.hpp"

namespace rowrunner::spot_images {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

using step_body = std::function<asio::awaitable<json>()>;

outcome spot_missing(const job& self) {
  return final_failure("plan " + self.text("plan_id") + " has no spot " + self.text("spot_name"));
}

std::string draft_key(const job& self) { return "spot_images/drafts/" + self.id() + ".png"; }
std::string final_key(const job& self) { return "spot_images/" + self.id() + ".png"; }

}  // namespace

handler::handler(workload_services& all)
    : engine_(all.engine),
      storage_(*all.storage),
      pictures_(make_provider(all.env, all.http, all.outbound)) {}

asio::awaitable<outcome> handler::run(job& self) {
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
  const auto found = co_await engine_.idempotent_query(
      self, std::string{queries::spot_of_job.text}, self.text("plan_id"), self.text("spot_name"));
  if (found.rows.empty()) co_return std::nullopt;
  const auto& row = found.rows.front();
  place_text place;
  place.name = self.text("spot_name");
  place.area = row.at(0).value_or("");
  place.description = row.at(1).value_or("");
  co_return place;
}

/// The picture is in the storage before the step counts as done: a later attempt finds it there.
asio::awaitable<json> handler::generate(job& self, place_text place, std::string prompt) {
  picture_request wanted(std::move(place), std::move(prompt));
  auto picture = co_await pictures_->generate(self, std::move(wanted));
  const auto size = picture.size();
  const auto file = draft_key(self);
  co_await storage_.put(file, std::move(picture), "image/png");
  json result;
  result["file"] = file;
  result["bytes"] = size;
  co_return result;
}

/// A draft that was removed is made again: without it no later attempt could succeed.
asio::awaitable<json> handler::upload(job& self, std::string draft, place_text place,
                                      std::string prompt) {
  auto picture = co_await storage_.get(draft, image_api::max_picture);
  if (!picture) {
    picture_request wanted(std::move(place), std::move(prompt));
    picture = co_await pictures_->generate(self, std::move(wanted));
  }
  const auto file = final_key(self);
  co_await storage_.put(file, std::move(*picture), "image/png");
  json result;
  result["url"] = storage_.url(file);
  co_return result;
}

/// A draft that stays behind costs some space; that is no reason to lose the picture.
asio::awaitable<void> handler::discard(std::string draft) {
  try {
    co_await storage_.remove(std::move(draft));
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

handler_entry spot_image_handler() {
  kind_options options;
  options.kind = "spot_image";
  options.columns = {"plan_id", "spot_name"};
  const auto make = [](workload_services& all) -> coroutine_handler {
    const auto serve = std::make_shared<handler>(all);
    return [serve](job& self) { return serve->run(self); };
  };
  return {"spot_image", std::move(options), make};
}

}  // namespace rowrunner::spot_images
