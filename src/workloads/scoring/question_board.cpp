#include "workloads/scoring/question_board.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/pg/array.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/patient_query.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

constexpr std::size_t most_at_once = 500;
constexpr int stores_between_trims = 100;

std::int64_t number_from(const environment& env, const char* name, std::int64_t otherwise,
                         std::int64_t most) {
  const auto text = env.get(name);
  if (!text) return otherwise;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value < 1 || value > most) {
    throw usage_error(std::string(name) + " must be a number from 1 to " + std::to_string(most));
  }
  return value;
}

known_answer read_answer(const std::string& text) {
  const auto value = json::parse(text);
  known_answer out;
  for (const auto& each : value.at("scores")) {
    out.scores.push_back(each.is_null() ? std::nullopt : std::optional(each.get<double>()));
  }
  out.provider = value.at("provider").get<std::string>();
  out.model = value.at("model").get<std::string>();
  return out;
}

std::string write_answer(const known_answer& answer) {
  json scores = json::array();
  for (const auto& each : answer.scores) scores.push_back(each ? json(*each) : json());
  return json{{"scores", scores}, {"provider", answer.provider}, {"model", answer.model}}.dump();
}

}  // namespace

cache_settings cache_settings_from(const environment& env) {
  cache_settings out;
  out.most_entries = number_from(env, "SCORING_CACHE_ENTRIES", out.most_entries, 100'000'000);
  out.time_to_live = std::chrono::seconds(
      number_from(env, "SCORING_CACHE_SECONDS", out.time_to_live.count(), 365 * 86'400));
  return out;
}

question_board::question_board(services& engine, cache_settings settings, std::string asker)
    : engine_(engine), settings_(settings), asker_(std::move(asker)), stored_(engine.executor()) {
  const auto claim_function = [this](std::vector<std::string> keys) {
    return claim_all(std::move(keys));
  };
  claims_ = std::make_shared<gathered<std::string, claim>>(engine.executor(), most_at_once,
                                                           claim_function);
  const auto store_function = [this](std::vector<stored_answer> answers) {
    return store_all(std::move(answers));
  };
  stores_ = std::make_shared<gathered<stored_answer, bool>>(engine.executor(), most_at_once,
                                                            store_function);
}

question_board::~question_board() = default;

void question_board::request(const std::string& key, callback then) {
  if (const auto stored = storing_.find(key); stored != storing_.end()) {
    found what;
    what.answer = stored->second;
    return then(what);
  }
  const auto [flight, is_new] = flights_.try_emplace(key);
  if (!is_new) {
    flight->second.push_back(std::move(then));
    return;
  }
  asio::co_spawn(engine_.executor(), search(shared_from_this(), key, std::move(then)),
                 asio::detached);
}

asio::awaitable<void> question_board::search(board_ptr self, std::string key, callback then) {
  found what;
  for (;;) {
    claim answer;
    try {
      answer = co_await self->claims_->ask(key);
    } catch (const std::exception& error) {
      what.failure = error.what();
      break;
    }
    if (answer.mine) {
      self->hold(key);
      then(what);
      co_return;
    }
    if (answer.answer) {
      what.answer = std::move(answer.answer);
      break;
    }
    asio::steady_timer pause(self->engine_.executor(), self->settings_.between_looks);
    co_await pause.async_wait(asio::use_awaitable);
  }
  then(what);
  self->land(key, what);
}

/// All who wait get it.
void question_board::land(const std::string& key, const found& what) {
  auto flight = flights_.extract(key);
  if (flight.empty()) return;
  for (const auto& then : flight.mapped()) then(what);
}

void question_board::keep(const std::string& key, const known_answer& answer) {
  ++kept_;
  asio::co_spawn(engine_.executor(), store(shared_from_this(), key, write_answer(answer)),
                 asio::detached);
  storing_.emplace(key, answer);
  found what;
  what.answer = answer;
  land(key, what);
}

void question_board::give_up(const std::string& key) {
  const auto flight = flights_.find(key);
  if (flight != flights_.end() && !flight->second.empty()) {
    const auto next = std::move(flight->second.front());
    flight->second.pop_front();
    next({});
    return;
  }
  flights_.erase(key);
  held_.erase(key);
  asio::co_spawn(engine_.executor(), release(shared_from_this(), key), asio::detached);
}

/// The marker is renewed until the answer is stored. If that fails it expires, and others ask.
asio::awaitable<void> question_board::store(board_ptr self, std::string key, std::string value) {
  stored_answer row(key, std::move(value));
  try {
    co_await self->stores_->ask(std::move(row));
  } catch (const std::exception& error) {
    self->engine_.log().warn("an answer could not be cached", {{"error", error.what()}});
  }
  self->storing_.erase(key);
  self->held_.erase(key);
  ++self->landed_;
  self->stored_.wake_all();
}

asio::awaitable<void> question_board::trim_stored() {
  const auto self = shared_from_this();
  const auto kept = kept_;
  while (landed_ < kept) co_await stored_.wait();
  if (stored_since_trim_ == 0) co_return;
  try {
    co_await trim();
  } catch (const database_error& error) {
    engine_.log().warn("the cache could not be trimmed", {{"error", error.what()}});
  }
}

/// If it fails, others wait until the marker's time is over.
asio::awaitable<void> question_board::release(board_ptr self, std::string key) {
  query_params params;
  params.emplace_back(pg::array(std::vector<std::string>{key}));
  params.emplace_back(self->asker_);
  try {
    // Asked again meanwhile, the marker is needed.
    if (self->held_.contains(key)) co_return;
    co_await patient_query(self->engine_, std::string(queries::questions_release.text),
                           std::move(params));
  } catch (const std::exception&) {
  }
}

void question_board::hold(const std::string& key) {
  held_.insert(key);
  if (!std::exchange(renewing_, true)) {
    asio::co_spawn(engine_.executor(), renew(shared_from_this()), asio::detached);
  }
}

asio::awaitable<void> question_board::renew(board_ptr self) {
  while (!self->held_.empty()) {
    asio::steady_timer pause(self->engine_.executor(), self->settings_.marker_time / 3);
    co_await pause.async_wait(asio::use_awaitable);
    query_params params;
    params.emplace_back(
        pg::array(std::vector<std::string>(self->held_.begin(), self->held_.end())));
    params.emplace_back(self->asker_);
    params.emplace_back(std::to_string(self->settings_.marker_time.count()));
    try {
      co_await self->engine_.query(std::string(queries::questions_renew.text), std::move(params));
    } catch (const database_error&) {
    }
  }
  self->renewing_ = false;
}

asio::awaitable<std::vector<question_board::claim>> question_board::claim_all(
    std::vector<std::string> keys) {
  query_params params;
  params.emplace_back(pg::array(keys));
  params.emplace_back(asker_);
  params.emplace_back(std::to_string(settings_.marker_time.count()));
  params.emplace_back(std::to_string(settings_.time_to_live.count()));
  const auto answered = co_await patient_query(engine_, std::string(queries::questions_claim.text),
                                               std::move(params));
  std::map<std::string, claim> by_key;
  for (const auto& row : answered.rows) {
    auto& one = by_key[row.at(0).value()];
    if (row.at(1)) {
      one.answer = read_answer(*row.at(1));
    } else {
      one.mine = true;
    }
  }
  std::vector<claim> out;
  for (const auto& key : keys) out.push_back(by_key[key]);
  co_return out;
}

asio::awaitable<std::vector<bool>> question_board::store_all(std::vector<stored_answer> answers) {
  std::map<std::string, std::string> distinct(answers.begin(), answers.end());
  std::vector<std::string> keys, values;
  for (auto& [key, value] : distinct) {
    keys.push_back(key);
    values.push_back(value);
  }
  query_params params;
  params.emplace_back(pg::array(keys));
  params.emplace_back(pg::array(values));
  co_await patient_query(engine_, std::string(queries::cache_store.text), std::move(params));
  stored_since_trim_ += static_cast<int>(keys.size());
  // A small cache is trimmed more often.
  const auto often = std::min<std::int64_t>(stores_between_trims, settings_.most_entries / 10);
  if (stored_since_trim_ >= often) co_await trim();
  co_return std::vector<bool>(answers.size(), true);
}

asio::awaitable<void> question_board::trim() {
  stored_since_trim_ = 0;
  query_params limits;
  limits.emplace_back(std::to_string(settings_.most_entries));
  limits.emplace_back(std::to_string(settings_.time_to_live.count()));
  co_await patient_query(engine_, std::string(queries::cache_trim.text), std::move(limits));
  query_params none;
  co_await patient_query(engine_, std::string(queries::questions_forget.text), std::move(none));
}

}  // namespace rowrunner::scoring
