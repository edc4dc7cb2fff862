#include "chaos/runner/outside.hpp"

#include <thread>

#include "chaos/behaviour.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

/// A picture of one point.
constexpr const char* picture =
    "{\"data\":[{\"b64_json\":\"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+"
    "M9QDwAD"
    "hgGAWjR9awAAAABJRU5ErkJggg==\"}]}";

}  // namespace

image_server::image_server(std::uint64_t seed, const std::string& record_path)
    : seed_(seed), record_(record_path) {
  http_.on("POST /v1/images/generations", [this](testing::http_exchange& with) { answer(with); });
}

image_server::~image_server() { set(mood::well); }

void image_server::set(mood now) { mood_ = now; }

std::string image_server::choose(const std::string& key) {
  if (mood_ == mood::well) return "picture";
  if (mood_ == mood::down) return "503";
  int call = 0;
  {
    const std::lock_guard lock(mutex_);
    call = ++calls_[key];
  }
  const auto chance = draw(seed_, key, static_cast<std::uint64_t>(call));
  // Two of three calls go well.
  constexpr const char* bad[] = {"429", "500", "503", "silence", "half", "nonsense"};
  return chance % 3 != 0 ? "picture" : bad[chance / 3 % std::size(bad)];
}

void image_server::answer(testing::http_exchange& with) {
  const auto key = with.call().header("Idempotency-Key");
  const auto what = choose(key);
  record_.note((key.empty() ? "-" : key) + " " + what);
  do_it(what, with);
}

void image_server::do_it(const std::string& what, testing::http_exchange& with) {
  const std::string body = picture;
  if (what == "picture") {
    with.answer(200, body, {{"Content-Type", "application/json"}});
  } else if (what == "429") {
    with.answer(429, "{}", {{"Retry-After", "1"}});
  } else if (what == "silence") {
    // Until the faults are over, or for longer than a patient client would like.
    for (int i = 0; i < 100 && mood_ != mood::well; ++i) std::this_thread::sleep_for(50ms);
    with.abort();
  } else if (what == "half") {
    with.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               body.substr(0, body.size() / 2));
    with.close();
  } else if (what == "nonsense") {
    with.answer(200, "a picture? {{{");
  } else {
    with.answer(std::stoi(what), "{\"error\":{\"message\":\"seeded\"}}");
  }
}

}  // namespace rowrunner::chaos
