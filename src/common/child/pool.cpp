#include "common/child/pool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <iterator>
#include <system_error>
#include <thread>

#include "common/child/death.hpp"
#include "common/child/orders.hpp"
#include "common/child/process.hpp"
#include "common/child/required.hpp"
#include "common/child/turns.hpp"
#include "common/child/wire.hpp"

namespace rowrunner::child {
namespace {

using nlohmann::json;
using std::filesystem::path;
using process_ptr = std::shared_ptr<process>;

std::size_t one_per_core() { return std::max(1U, std::thread::hardware_concurrency()); }

/// Calls for one file that a child may serve while others wait: to open a file may take longer than
/// to read a page of it.
constexpr std::size_t most_in_a_row = 16;

descriptor open_to_read(const path& file) {
  descriptor out(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!out) {
    throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
  }
  return out;
}

/// The same for the same file. Two files may share it: then one waits for the other without need.
std::uint64_t file_number(const std::vector<path>& to_read, const std::vector<descriptor>& files) {
  struct stat about {};
  int found = -1;
  if (!to_read.empty()) {
    found = ::stat(to_read.front().c_str(), &about);
  } else if (!files.empty()) {
    found = ::fstat(files.front().get(), &about);
  }
  return found == 0 ? (std::uint64_t{about.st_dev} << 40) + about.st_ino : 0;
}

bool may_be_of_earlier_files(failure why) {
  return why == failure::out_of_memory || why == failure::crashed;
}

/// Kills the process when the time is over.
class deadline {
 public:
  deadline(const asio::any_io_executor& executor, std::chrono::milliseconds time,
           const process_ptr& whom)
      : over_(std::make_shared<bool>(false)), timer_(executor, time) {
    timer_.async_wait(
        [over = over_, whom = std::weak_ptr(whom)](const boost::system::error_code& cancelled) {
          const auto alive = whom.lock();
          if (cancelled || !alive) return;
          *over = true;
          alive->kill();
        });
  }

  bool over() const { return *over_; }

 private:
  std::shared_ptr<bool> over_;
  asio::steady_timer timer_;
};

/// The answer of the tool, or what it says instead.
json take_answer(json from, const limits& allowed) {
  if (!from.is_object() || from.size() != 1) throw bad_answer{};
  const auto key = from.begin().key();
  auto& value = from.begin().value();
  if (key == "answer") return std::move(value);
  if (key == "refused" && value.is_string()) {
    throw error(failure::refused, value.get<std::string>());
  }
  if (key == "out_of_memory") {
    throw error(failure::out_of_memory, "the file needs more than " +
                                            std::to_string(allowed.memory_bytes >> 20) +
                                            " MiB of memory");
  }
  if (key == "too_large") throw long_answer{};
  throw bad_answer{};
}

error too_long(const limits& allowed) {
  return error(failure::too_large, "what is read from the file is larger than " +
                                       std::to_string(allowed.output_bytes >> 20) + " MiB");
}

error out_of_time(const limits& allowed) {
  return error(failure::out_of_time,
               "the file takes longer than " + std::to_string(allowed.wall.count() / 1000) + " s");
}

}  // namespace

/// What a call asks of a child.
struct question {
  std::string tool;
  std::string text;
  std::vector<descriptor> files;
  /// The file that it is about.
  std::uint64_t about = 0;
  /// Only a child that has served nothing yet.
  bool in_new_child = false;
};

class pool::impl : public std::enable_shared_from_this<impl> {
 public:
  impl(asio::any_io_executor executor, options how)
      : executor_(std::move(executor)),
        how_(std::move(how)),
        turns_(executor_, how_.size == 0 ? one_per_core() : how_.size) {}

  asio::awaitable<json> call(std::string tool, json arguments, std::vector<path> to_read,
                             std::vector<descriptor> files);
  void close() noexcept;

  std::size_t running() const noexcept { return idle_.size() + busy_.size(); }
  std::size_t started() const noexcept { return started_; }

 private:
  /// A turn, for as long as the call lasts.
  struct turn {
    explicit turn(std::shared_ptr<impl> of) : owner(std::move(of)) {}
    ~turn() { owner->turns_.pass_on(next_about); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    std::shared_ptr<impl> owner;
    std::uint64_t next_about = 0;
  };
  /// A child at work. Whatever ends the call, a child that was not given back is killed.
  struct at_work {
    at_work(std::shared_ptr<impl> of, process_ptr which)
        : owner(std::move(of)), child(std::move(which)) {
      owner->busy_.push_back(child.get());
    }
    ~at_work() { std::erase(owner->busy_, child.get()); }
    at_work(const at_work&) = delete;
    at_work& operator=(const at_work&) = delete;
    std::shared_ptr<impl> owner;
    process_ptr child;
  };

  process_ptr idle_child(std::uint64_t about);
  asio::awaitable<process_ptr> take_child(const question& what);
  asio::awaitable<process_ptr> start_child();
  asio::awaitable<void> greet(const process_ptr& child);
  /// Both give nothing if the question is to be asked again.
  asio::awaitable<std::optional<json>> ask_one(turn& mine, question& what);
  asio::awaitable<std::optional<json>> ask(const process_ptr& child, const question& what);
  void give_back(process_ptr child, turn& mine);
  void report_missing(const json& greeting);
  void report(const error& problem, const std::string& tool, pid_t child, bool again) const;

  const asio::any_io_executor executor_;
  const options how_;
  std::shared_ptr<spawner> spawner_;
  turns turns_;
  /// The one that was used last is the last.
  std::vector<process_ptr> idle_;
  std::vector<process*> busy_;
  std::size_t started_ = 0;
  bool told_of_missing_ = false;
  bool closed_ = false;
};

asio::awaitable<json> pool::impl::call(std::string tool, json arguments, std::vector<path> to_read,
                                       std::vector<descriptor> files) {
  const auto self = shared_from_this();
  question what;
  what.about = file_number(to_read, files);
  if (!turns_.try_take()) {
    if (turns_.waiting() >= how_.waiting) {
      throw error(failure::unavailable, "too many files wait to be read");
    }
    co_await turns_.take(what.about);
  }
  turn mine(self);
  what.text = text_of(json{{"tool", tool}, {"arguments", std::move(arguments)}});
  what.tool = std::move(tool);
  for (const auto& each : to_read) what.files.push_back(open_to_read(each));
  std::move(files.begin(), files.end(), std::back_inserter(what.files));
  for (int tries = 3; tries > 0; --tries) {
    auto answer = co_await ask_one(mine, what);
    if (answer) co_return std::move(*answer);
  }
  throw error(failure::crashed, "the program that reads the file ended without an answer");
}

asio::awaitable<std::optional<json>> pool::impl::ask_one(turn& mine, question& what) {
  auto child = co_await take_child(what);
  const at_work here(mine.owner, std::move(child));
  // The greeting is the first request.
  const bool served_before = here.child->requests > 1;
  std::optional<error> problem;
  try {
    auto answer = co_await ask(here.child, what);
    if (answer) give_back(here.child, mine);
    co_return answer;
  } catch (const error& failed) {
    problem = failed;
  }
  const bool again = served_before && may_be_of_earlier_files(problem->why);
  report(*problem, what.tool, here.child->pid(), again);
  // A tool that refused a file is as good as new; what ran out of memory is not.
  if (problem->why == failure::refused) give_back(here.child, mine);
  if (again) {
    what.in_new_child = true;
    co_return std::nullopt;
  }
  throw error(*problem);
}

/// The one that has the file open, or else the one that was idle for longest: the others keep
/// theirs.
process_ptr pool::impl::idle_child(std::uint64_t about) {
  std::erase_if(idle_, [](const process_ptr& each) { return each->unusable(); });
  if (idle_.empty()) return nullptr;
  auto found = std::find_if(idle_.rbegin(), idle_.rend(), [about](const process_ptr& each) {
    return about != 0 && each->about == about;
  });
  if (found == idle_.rend()) --found;
  auto out = std::move(*found);
  idle_.erase(std::next(found).base());
  return out;
}

asio::awaitable<process_ptr> pool::impl::take_child(const question& what) {
  process_ptr out;
  if (!what.in_new_child) out = idle_child(what.about);
  if (!out) out = co_await start_child();
  if (out->about != what.about) out->in_a_row = 0;
  out->about = what.about;
  co_return out;
}

asio::awaitable<process_ptr> pool::impl::start_child() {
  if (!spawner_) spawner_ = std::make_shared<spawner>(how_);
  std::string why;
  try {
    auto child = co_await spawner_->start();
    const auto started =
        std::make_shared<process>(executor_, std::move(child), spawner_, how_.elsewhere);
    ++started_;
    co_await greet(started);
    co_return started;
  } catch (const std::system_error& problem) {
    // That of a cancellation is boost's.
    why = problem.what();
  } catch (const no_answer&) {
    why = "it ended at once";
  } catch (const bad_answer&) {
    why = "it does not know what to do";
  } catch (const long_answer&) {
    why = "it does not know what to do";
  }
  if (how_.log) how_.log->error("no child process can be started", {{"error", why}});
  throw error(failure::unavailable, "no program to read files can be started: " + why);
}

asio::awaitable<void> pool::impl::greet(const process_ptr& child) {
  orders given;
  given.parent = ::getpid();
  given.allowed = how_.each;
  given.readable = how_.readable;
  const deadline limit(executor_, how_.each.wall, child);
  constexpr std::size_t short_answer = 64 * 1024;
  const auto text = text_of(given);
  const std::vector<descriptor> none;
  const auto greeting = co_await child->exchange(text, none, short_answer);
  report_missing(greeting);
}

asio::awaitable<std::optional<json>> pool::impl::ask(const process_ptr& child,
                                                     const question& what) {
  const deadline limit(executor_, how_.each.wall, child);
  constexpr std::size_t envelope = 1024;
  bool died = false;
  try {
    auto raw = co_await child->exchange(what.text, what.files, how_.each.output_bytes + envelope);
    co_return take_answer(std::move(raw), how_.each);
  } catch (const no_answer&) {
    died = true;
  } catch (const long_answer&) {
    throw too_long(how_.each);
  } catch (const bad_answer&) {
  }
  if (!died) throw error(failure::crashed, "the program that reads the file talks nonsense");
  const auto end = co_await child->end();
  if (limit.over()) throw out_of_time(how_.each);
  if (child->killed()) throw error(failure::unavailable, "the process is being stopped");
  if (end.killed)
    throw error(failure::crashed, "the program that reads the file stopped answering");
  if (const auto why = error_of_death(end.status, how_.each)) throw error(*why);
  co_return std::nullopt;
}

void pool::impl::give_back(process_ptr child, turn& mine) {
  if (closed_ || child->requests > how_.requests_per_child) return;
  // The deadline may have passed while the answer was parsed.
  if (child->killed() || child->unusable()) return;
  if (++child->in_a_row < most_in_a_row) {
    mine.next_about = child->about;
  } else {
    child->in_a_row = 0;
  }
  idle_.push_back(std::move(child));
}

void pool::impl::report_missing(const json& greeting) {
  const auto missing = greeting.find("missing");
  if (missing == greeting.end()) throw bad_answer{};
  if (missing->empty()) return;
  if (how_.confinement_required) {
    throw error(failure::unavailable, "CHILD_CONFINEMENT=required: " + list_of(*missing));
  }
  if (told_of_missing_) return;
  told_of_missing_ = true;
  if (how_.log) {
    how_.log->warn("this platform does not confine child processes fully", {{"missing", *missing}});
  }
}

void pool::impl::report(const error& problem, const std::string& tool, pid_t child,
                        bool again) const {
  if (!how_.log) return;
  auto level = log_level::warn;
  if (problem.why == failure::refused) level = log_level::debug;
  if (again) level = log_level::info;
  how_.log->event(level, again ? "a file is read again in a new child" : "a file could not be read",
                  {{"tool", tool},
                   {"failure", name_of(problem.why)},
                   {"error", problem.what()},
                   {"pid", child}});
}

void pool::impl::close() noexcept {
  closed_ = true;
  idle_.clear();
  for (auto* each : busy_) each->kill();
  if (spawner_) spawner_->close();
}

pool::pool(asio::any_io_executor executor, options how)
    : impl_(std::make_shared<impl>(std::move(executor), std::move(how))) {}

pool::~pool() { impl_->close(); }

asio::awaitable<json> pool::call(std::string tool, json arguments) {
  return impl_->call(std::move(tool), std::move(arguments), {}, {});
}

asio::awaitable<json> pool::call(std::string tool, json arguments, std::vector<descriptor> files) {
  return impl_->call(std::move(tool), std::move(arguments), {}, std::move(files));
}

asio::awaitable<json> pool::call(std::string tool, json arguments, std::vector<path> to_read,
                                 std::vector<descriptor> files) {
  return impl_->call(std::move(tool), std::move(arguments), std::move(to_read), std::move(files));
}

std::size_t pool::running() const noexcept { return impl_->running(); }
std::size_t pool::started() const noexcept { return impl_->started(); }

}  // namespace rowrunner::child
