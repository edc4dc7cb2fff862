#include "workloads/mirror/kind_mirror.hpp"

#include <set>

#include "common/uuid.hpp"

namespace rowrunner::mirror {
namespace {

constexpr int batch = 200;
constexpr int batches_at_once = 20;

/// Of each kind the epoch whose jobs Redis has, or the sweep that is at it.
constexpr const char* marks = "rowrunner:mirror";

std::string as_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string mark_of(const mirrored_kind& kind, redis_connection& redis) {
  return redis.run({{"HGET", marks, kind.kind}}).front().text.value_or("");
}

void set_mark(const mirrored_kind& kind, const std::string& mark, redis_connection& redis) {
  redis.run({{"HSET", marks, kind.kind, mark}});
}

}  // namespace

kind_mirror::kind_mirror(status_source& source, const logger& log,
                         std::vector<status_projection> forms)
    : source_(source),
      log_(log),
      forms_(std::move(forms)),
      sweep_name_("sweep " + uuid_maker().next()) {}

asio::awaitable<void> kind_mirror::catch_up(const mirrored_kind& kind, redis_connection& redis) {
  has_more_ = false;
  co_await sweep(kind, redis);
  co_await send_changes(kind, redis);
  co_await send_progress(kind, redis);
}

asio::awaitable<void> kind_mirror::send_changes(const mirrored_kind& kind,
                                                redis_connection& redis) {
  for (int i = 0; i < batches_at_once; ++i) {
    const auto notes = co_await source_.changes(kind, batch);
    if (notes.empty()) co_return;
    std::set<std::string> changed;
    for (const auto& each : notes) changed.insert(each.job_id);
    const ids wanted(changed.begin(), changed.end());
    co_await send(kind, wanted, notes, redis);
    co_await source_.forget(kind, notes);
    if (notes.size() < batch) co_return;
  }
  has_more_ = true;
}

asio::awaitable<void> kind_mirror::send_progress(const mirrored_kind& kind,
                                                 redis_connection& redis) {
  auto now = co_await source_.progress_times(kind);
  ids changed;
  for (const auto& [id, time] : now) {
    const auto sent = progress_.find(id);
    if (sent == progress_.end() || sent->second != time) changed.push_back(id);
  }
  const std::vector<noted_change> none;
  for (std::size_t from = 0; from < changed.size(); from += batch) {
    const auto to = std::min(changed.size(), from + batch);
    const ids wanted(changed.begin() + static_cast<std::ptrdiff_t>(from),
                     changed.begin() + static_cast<std::ptrdiff_t>(to));
    co_await send(kind, wanted, none, redis);
  }
  progress_ = std::move(now);
}

// Redis has never had these jobs, or has lost them: everything recent is sent, some pages at a
// time. A mark that is neither the epoch nor that of this sweep means that Redis lost what was sent
// of it.
asio::awaitable<void> kind_mirror::sweep(const mirrored_kind& kind, redis_connection& redis) {
  const auto mark = mark_of(kind, redis);
  if (mark == kind.epoch) co_return;
  if (mark != sweep_name_ || sweep_at_.empty()) {
    set_mark(kind, sweep_name_, redis);
    sweep_at_ = before_all_ids;
    progress_.clear();
  }
  const std::vector<noted_change> none;
  for (int i = 0; i < batches_at_once; ++i) {
    const auto page = co_await source_.jobs_after(kind, sweep_at_, batch);
    if (!page.recent.empty()) co_await send(kind, page.recent, none, redis);
    if (!page.next) {
      set_mark(kind, kind.epoch, redis);
      sweep_at_.clear();
      co_return;
    }
    sweep_at_ = *page.next;
  }
  has_more_ = true;
}

asio::awaitable<void> kind_mirror::send(const mirrored_kind& kind, const ids& wanted,
                                        const std::vector<noted_change>& notes,
                                        redis_connection& redis) {
  const auto seen = co_await source_.states(kind, wanted);
  std::vector<redis_command> commands;
  add_commands(seen, notes, commands);
  write(commands, redis);
}

void kind_mirror::add_commands(const seen_states& seen, const std::vector<noted_change>& notes,
                               std::vector<redis_command>& commands) const {
  std::set<std::string> existing;
  for (const auto& state : seen.states) {
    existing.insert(state.key.id);
    for (const auto& form : forms_) add_status(form, state, seen.at, commands);
  }
  for (const auto& note : notes) {
    if (!note.public_id || existing.contains(note.job_id)) continue;
    for (const auto& form : forms_) {
      commands.push_back(set_status(std::string(form.key_prefix) + *note.public_id, seen.at, ""));
    }
  }
}

/// A job that cannot be shown must not keep others from it.
void kind_mirror::add_status(const status_projection& form, const api::job_state& state,
                             const version& at, std::vector<redis_command>& commands) const {
  try {
    commands.push_back(set_status(std::string(form.key_prefix) + state.public_id, at,
                                  as_text(form.as_json(state))));
  } catch (const std::exception& error) {
    log_.warn("a job cannot be shown in Redis",
              {{"kind", state.key.kind}, {"job", state.key.id}, {"error", error.what()}});
  }
}

void kind_mirror::write(const std::vector<redis_command>& commands, redis_connection& redis) const {
  for (const auto& answer : redis.run(commands)) {
    if (answer.error.empty()) continue;
    // The others are written, and to try this one again would hold up what follows.
    log_.warn("Redis refuses a status", {{"error", answer.error}});
    return;
  }
}

}  // namespace rowrunner::mirror
