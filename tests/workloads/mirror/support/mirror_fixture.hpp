#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/log_lines.hpp"
#include "support/pooler.hpp"
#include "support/postgres.hpp"
#include "workloads/mirror/mirror.hpp"
#include "workloads/mirror/support/redis_server.hpp"

namespace rowrunner::testing {

inline constexpr const char* doc_jobs = R"sql(
CREATE TABLE public.doc_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  job_id       text NOT NULL UNIQUE,
  user_id      text,
  document_id  uuid,
  status       text NOT NULL DEFAULT 'queued'
               CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 3,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25);
SELECT rowrunner.attach('public.doc_jobs', kind => 'doc', owner => 'user_id', public_id => 'job_id');
)sql";

/// Waits, at most 20 seconds, until it is true.
inline bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

/// A database with the mirrored kind `doc`, whose jobs are run by SQL functions, and a Redis.
class mirror_fixture : public ::testing::Test {
 protected:
  mirror_fixture() : db_(test_database::contents::workloads) {
    db_.exec(doc_jobs);
    db_.exec("SELECT rowrunner_mirror.enable('doc')");
  }

  std::unique_ptr<mirror::mirror> start_mirror() { return start_mirror(redis_.address()); }
  std::unique_ptr<mirror::mirror> start_mirror(const mirror::redis_address& where) {
    mirror::mirror_options options;
    options.redis = where;
    options.database.url = endpoint_for_workers(db_.url()).url;
    options.statuses = statuses_;
    options.queues = {{"doc", "queue:document:processing"}};
    return std::make_unique<mirror::mirror>(options, log_.target());
  }

  void add(const std::string& job_id) {
    db_.exec("INSERT INTO doc_jobs (job_id, user_id, document_id) VALUES ('" + job_id +
             "', 'user-123', '550e8400-e29b-41d4-a716-446655440000')");
  }

  /// Claims the next job; its lease.
  std::string claim() {
    return db_.value("SELECT c ->> 'lease' FROM rowrunner.claim('doc', 'tester') c");
  }

  std::string id_of(const std::string& job_id) {
    return db_.value("SELECT id FROM doc_jobs WHERE job_id = '" + job_id + "'");
  }

  /// Calls rowrunner.<name>('doc', id, …).
  void call(const std::string& name, const std::string& job_id, const std::string& more) {
    db_.exec("SELECT rowrunner." + name + "('doc', '" + id_of(job_id) + "'" + more + ")");
  }

  /// What Redis has; null if it has none or is away.
  nlohmann::json in_redis(const std::string& job_id, const std::string& prefix = "job:status:") {
    try {
      const auto text = redis_.text({"GET", prefix + job_id});
      return text.empty() ? nlohmann::json() : nlohmann::json::parse(text);
    } catch (const mirror::redis_unavailable&) {
      return nullptr;
    }
  }

  /// "" if Redis has none.
  std::string status_in_redis(const std::string& job_id) {
    const auto now = in_redis(job_id);
    return now.is_object() ? now.at("status").get<std::string>() : "";
  }

  int pages_in_redis(const std::string& job_id) {
    const auto now = in_redis(job_id);
    return now.is_object() ? now.at("processed_pages").get<int>() : 0;
  }

  bool becomes(const std::string& job_id, const std::string& status) {
    return eventually([&] { return status_in_redis(job_id) == status; });
  }

  bool nothing_is_noted() {
    return eventually(
        [&] { return db_.value("SELECT count(*) FROM rowrunner_mirror.changes") == "0"; });
  }

  test_database db_;
  redis_server redis_;
  log_lines log_;
  std::vector<status_projection> statuses_;
};

}  // namespace rowrunner::testing
