#include "worker/vacuum_watch.hpp"

#include "queries/engine.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

/// The oldest of those that hold too long: only when it is gone, the next one matters.
std::optional<vacuum_blocker> oldest(const pg::result& blockers, std::chrono::milliseconds alarm) {
  for (auto& blocker : read_vacuum_blockers(blockers)) {
    if (holds_too_long(blocker, alarm)) return std::move(blocker);
  }
  return std::nullopt;
}

}  // namespace

vacuum_watch::vacuum_watch(pg::session& session, logger& log, std::chrono::milliseconds alarm)
    : session_(session),
      log_(log),
      alarm_(alarm),
      blockers_(queries::vacuum_blockers.statement()) {}

asio::awaitable<void> vacuum_watch::poll(clock::time_point now) {
  if (alarm_ <= alarm_.zero()) co_return;
  const auto answer = co_await session_.run_one(pg::with(blockers_));
  const auto blocker = oldest(answer, alarm_);
  if (!blocker) {
    if (!told_of_.empty()) log_.info("dead rows can be removed again");
    told_of_.clear();
    co_return;
  }
  const auto who = blocker->what + " " + blocker->name + " " + blocker->since;
  if (who == told_of_ && now < tell_again_) co_return;
  told_of_ = who;
  tell_again_ = now + between_warnings;
  nlohmann::json seconds;
  if (blocker->seconds) seconds = static_cast<std::int64_t>(*blocker->seconds);
  log_.warn("dead rows cannot be removed: a session holds an old snapshot",
            {{"holder", text_of(*blocker)},
             {"since", blocker->since},
             {"held_s", seconds},
             {"transactions", blocker->transactions},
             {"statement", blocker->statement},
             {"advice", advice_for(*blocker)}});
}

}  // namespace rowrunner
