#include "worker/horizon_watch.hpp"

#include "queries/engine.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

/// The oldest of those who hold too long: only when it is gone, the next one matters.
std::optional<horizon_holder> oldest(const pg::result& holders, std::chrono::milliseconds alarm) {
  for (int row = 0; row < holders.rows(); ++row) {
    std::vector<std::optional<std::string>> fields;
    for (int column = 0; column < holders.columns(); ++column) {
      if (holders.is_null(row, column)) {
        fields.emplace_back();
      } else {
        fields.emplace_back(holders.get(row, column));
      }
    }
    const auto holder = read_horizon_holder(fields);
    if (holds_too_long(holder, alarm)) return holder;
  }
  return std::nullopt;
}

}  // namespace

horizon_watch::horizon_watch(pg::session& session, logger& log, std::chrono::milliseconds alarm)
    : session_(session), log_(log), alarm_(alarm), holders_(queries::horizon_holders.statement()) {}

asio::awaitable<void> horizon_watch::look(clock::time_point now) {
  if (alarm_ <= alarm_.zero()) co_return;
  const auto answer = co_await session_.run_one(pg::with(holders_));
  const auto holder = oldest(answer, alarm_);
  if (!holder) {
    if (!told_of_.empty()) log_.info("dead rows can be removed again");
    told_of_.clear();
    co_return;
  }
  const auto who = holder->what + " " + holder->name + " " + holder->since;
  if (who == told_of_ && now < tell_again_) co_return;
  told_of_ = who;
  tell_again_ = now + between_warnings;
  nlohmann::json seconds;
  if (holder->seconds) seconds = static_cast<std::int64_t>(*holder->seconds);
  log_.warn("dead rows cannot be removed: somebody holds an old snapshot",
            {{"holder", text_of(*holder)},
             {"since", holder->since},
             {"held_s", seconds},
             {"transactions", holder->transactions},
             {"statement", holder->statement},
             {"advice", advice_for(*holder)}});
}

}  // namespace rowrunner
