#include "workloads/mirror/redis_connection.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/text.hpp"

namespace rowrunner::mirror {
namespace {

struct free_reply {
  void operator()(void* raw) const noexcept { freeReplyObject(raw); }
};

redis_answer answer_of(const redisReply& reply) {
  redis_answer out;
  const std::string text(reply.str == nullptr ? "" : reply.str,
                         reply.str == nullptr ? 0 : static_cast<std::size_t>(reply.len));
  if (reply.type == REDIS_REPLY_ERROR) {
    out.error = text.empty() ? "an error without words" : visible(printable(text, 300));
  } else if (reply.type == REDIS_REPLY_INTEGER) {
    out.number = reply.integer;
  } else if (reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS) {
    out.text = text;
  }
  return out;
}

timeval as_timeval(std::chrono::milliseconds time) {
  return {time.count() / 1000, (time.count() % 1000) * 1000};
}

}  // namespace

bool is_about_redis(const std::string& error) {
  // The words that Redis begins such errors with; NOSCRIPT and WRONGTYPE are about a command.
  constexpr std::array<std::string_view, 10> words{
      "OOM ",     "LOADING ", "READONLY ",    "NOAUTH ",     "WRONGPASS ",
      "MISCONF ", "BUSY ",    "CLUSTERDOWN ", "MASTERDOWN ", "NOREPLICAS "};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return error.starts_with(word) || error.find("-" + std::string(word)) != std::string::npos;
  });
}

void redis_connection::close::operator()(redisContext* raw) const noexcept { redisFree(raw); }

redis_connection::redis_connection(const redis_address& where, std::chrono::milliseconds timeout)
    : raw_(redisConnectWithTimeout(where.host.c_str(), where.port, as_timeval(timeout))) {
  if (!raw_) throw redis_unavailable("out of memory");
  if (raw_->err != 0) lose();
  if (redisSetTimeout(raw_.get(), as_timeval(timeout)) != REDIS_OK) lose();
  set_up(where);
}

redis_connection::~redis_connection() = default;

void redis_connection::set_up(const redis_address& where) {
  std::vector<redis_command> commands;
  if (!where.password.empty()) {
    redis_command auth{"AUTH"};
    if (!where.user.empty()) auth.push_back(where.user);
    auth.push_back(where.password);
    commands.push_back(std::move(auth));
  }
  if (where.database != 0) commands.push_back({"SELECT", std::to_string(where.database)});
  // A server that wants a password says so here, and not at the first status.
  commands.push_back({"PING"});
  for (const auto& answer : run(commands)) {
    if (!answer.error.empty()) throw redis_unavailable(answer.error);
  }
}

std::vector<redis_answer> redis_connection::run(const std::vector<redis_command>& commands) {
  for (const auto& command : commands) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& each : command) {
      texts.push_back(each.data());
      sizes.push_back(each.size());
    }
    if (redisAppendCommandArgv(raw_.get(), static_cast<int>(command.size()), texts.data(),
                               sizes.data()) != REDIS_OK) {
      lose();
    }
  }
  std::vector<redis_answer> out;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    out.push_back(read_answer());
    if (is_about_redis(out.back().error)) throw redis_unavailable(out.back().error);
  }
  return out;
}

redis_answer redis_connection::read_answer() {
  void* raw = nullptr;
  if (redisGetReply(raw_.get(), &raw) != REDIS_OK) lose();
  const std::unique_ptr<void, free_reply> reply(raw);
  return answer_of(*static_cast<const redisReply*>(raw));
}

void redis_connection::lose() {
  // hiredis calls a time that ran out EAGAIN.
  const std::string text = raw_->errstr;
  throw redis_unavailable(text == "Resource temporarily unavailable" ? "no answer in time"
                                                                     : visible(text));
}

}  // namespace rowrunner::mirror
