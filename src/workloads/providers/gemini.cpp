#include "workloads/providers/gemini.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>

#include "common/errors.hpp"
#include "common/scratch_folder.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/providers/gemini_messages.hpp"
#include "workloads/providers/settings.hpp"
#include "workloads/providers/tesseract.hpp"

namespace rowrunner::providers {

namespace {

/// A page of a PDF costs a fixed number of tokens, and text one for about four characters.
std::int64_t expected_tokens(const page_input& page) {
  std::size_t text = page.prompt.size();
  if (page.masters && page.masters->is_object()) {
    for (const auto& list : *page.masters) {
      if (list.is_string()) text += list.get_ref<const std::string&>().size();
    }
  }
  return 1500 + static_cast<std::int64_t>(text / 4);
}

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(file), {}};
  if (out.empty()) throw provider_error("the page was lost before it could be sent");
  return out;
}

/// The service takes no calls for now: that is a matter of the limit that all share, and no try of
/// the page.
bool refused_for_now(const limits::answer_facts& facts) {
  return facts.status == 429 || ((facts.status == 503 || facts.status == 529) && facts.retry_after);
}

}  // namespace

gemini_options gemini_settings(const environment& env) {
  const auto key = env.get("GEMINI_API_KEY");
  if (!key) throw usage_error("OCR_PROVIDER=gemini needs GEMINI_API_KEY");
  return {base_url(env, "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta"),
          *key, env.get("GEMINI_MODEL").value_or("gemini-2.5-flash"), request_timeout(env)};
}

gemini::gemini(gemini_options options, http::client& http, child::pool& children, offload files,
               limits::service* shared)
    : options_(std::move(options)),
      http_(http),
      children_(children),
      files_(std::move(files)),
      limits_(shared) {}

asio::awaitable<void> gemini::take_page_out(const page_input& page, std::filesystem::path out) {
  try {
    if (page.as_image) {
      co_await pdf::render_page(children_, page.file, page.page, page.dpi, out);
    } else {
      co_await pdf::extract_page(children_, page.file, page.page, out);
    }
  } catch (const child::error& why) {
    throw as_provider_error(why);
  }
  if (std::filesystem::file_size(out) > largest_gemini_file) {
    throw provider_error("the page is too large for Gemini: more than 14 MiB", true);
  }
}

asio::awaitable<page_text> gemini::read(const job_view&, page_input page) {
  const auto model = gemini_model(page, options_.model);
  const scratch_folder folder;
  const auto file = folder.path() / "page";
  co_await take_page_out(page, file);
  const auto shared = std::make_shared<const page_input>(std::move(page));
  const auto until = std::chrono::steady_clock::now() + options_.patience;
  for (;;) {
    auto read = co_await ask(shared, model, file, until);
    if (read) co_return std::move(*read);
  }
}

std::chrono::milliseconds gemini::time_of_block(const std::string& key) const {
  const auto known = limits_->look(key);
  if (!known || !known->blocked_until) return std::chrono::milliseconds{0};
  return std::chrono::ceil<std::chrono::milliseconds>(*known->blocked_until -
                                                      std::chrono::system_clock::now());
}

asio::awaitable<std::optional<limits::held>> gemini::wait_for_permit(std::string key,
                                                                     std::int64_t tokens) {
  co_return co_await limits_->permit(std::move(key), tokens);
}

/// Until `until` at most, and not at all if the service takes no calls before. The job then gives
/// up its place for as long as the service has asked for, and at least a minute.
asio::awaitable<std::optional<limits::held>> gemini::permit(std::string key, std::int64_t tokens,
                                                            moment until) {
  const auto busy = [&] {
    const std::chrono::milliseconds least = std::chrono::minutes(1);
    return service_busy("Gemini takes no calls for now", std::max(least, time_of_block(key)));
  };
  if (std::chrono::steady_clock::now() + time_of_block(key) > until) throw busy();
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer over(executor, until);
  auto both = asio::experimental::make_parallel_group(
      asio::co_spawn(executor, wait_for_permit(key, tokens), asio::deferred),
      over.async_wait(asio::deferred));
  const asio::experimental::wait_for_one first;
  auto [order, thrown, found, timer] = co_await both.async_wait(first, asio::use_awaitable);
  if (!thrown) co_return std::move(found);
  if (!timer) throw busy();
  std::rethrow_exception(thrown);
}

/// Nothing if no calls are taken for now. The body, of many megabytes, exists only while the permit
/// is held, and is not made on the engine's thread.
asio::awaitable<std::optional<page_text>> gemini::ask(std::shared_ptr<const page_input> page,
                                                      std::string model, std::filesystem::path file,
                                                      moment until) {
  std::optional<limits::held> held;
  if (limits_ != nullptr) {
    held = co_await permit("gemini:" + model, expected_tokens(*page), until);
  }
  const auto write = [page, file] {
    return gemini_request(*page, page->as_image ? "image/png" : "application/pdf",
                          read_whole(file));
  };
  http::request wanted(options_.base_url + "/models/" + model + ":generateContent", "POST");
  wanted.headers.add("x-goog-api-key", options_.key);
  wanted.headers.add("Content-Type", "application/json");
  wanted.body = co_await result_of<std::string>(files_, write);
  wanted.timeout = options_.timeout;
  wanted.max_body = largest_gemini_answer;
  const auto begun = std::chrono::steady_clock::now();
  std::optional<http::response> answer;
  try {
    answer = co_await http_.send(std::move(wanted));
  } catch (const http::error& why) {
    throw provider_error(why.what(), !http::is_temporary(why.kind()));
  }
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  auto facts = limits::facts_of(*answer);
  std::optional<page_text> out;
  try {
    out = gemini_answer(*answer);
    facts.tokens_used = out->meta.at("tokensInput").get<std::int64_t>() +
                        out->meta.at("tokensOutput").get<std::int64_t>();
    out->meta["model"] = model;
    out->meta["durationMs"] = taken.count();
  } catch (const provider_error& why) {
    // The body may ask for more time than the header.
    if (why.after) facts.retry_after = why.after;
    if (held) held->report(facts);
    if (!held || !refused_for_now(facts)) throw;
  }
  if (held) held->report(facts);
  co_return out;
}

}  // namespace rowrunner::providers
