// What is decided about jobs, pages and the description of the API, without I/O.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/event_stream.hpp"
#include "api/message.hpp"
#include "api/openapi.hpp"
#include "api/operations.hpp"
#include "api/overview.hpp"
#include "api/pages.hpp"
#include "api/raw_client.hpp"
#include "api/recent_callers.hpp"
#include "api/routes.hpp"
#include "api/test_server.hpp"

namespace rowrunner::testing {
namespace {

using namespace api;
using nlohmann::json;
using ::testing::HasSubstr;

const std::string some_id = "01900000-0000-7000-8000-00000000000a";

job_state processing(std::int64_t done, std::int64_t total) {
  job_state out;
  out.key = {"scan", some_id};
  out.status = "processing";
  out.progress = job_progress{done, total, ""};
  return out;
}

TEST(api_document, statuses_in_the_words_of_the_document) {
  job_state job;
  const auto status = [&](const char* ours, std::optional<std::string> error = {}) {
    job.status = ours;
    job.last_error = error;
    return document_json(job).at("status").get<std::string>();
  };
  EXPECT_EQ(status("queued"), "pending");
  EXPECT_EQ(status("processing"), "processing");
  EXPECT_EQ(status("succeeded"), "completed");
  EXPECT_EQ(status("failed", "no paper"), "failed");
  EXPECT_EQ(status("cancelled"), "cancelled");
  EXPECT_EQ(status("failed", "cancelled: by the printer"), "failed");
  job.cancelled = true;  // its table has no other word
  EXPECT_EQ(status("failed", "cancelled: not needed"), "cancelled");
}

TEST(api_document, the_error_of_an_earlier_attempt_is_none) {
  job_state job;
  job.last_error = "no paper";
  for (const char* status : {"queued", "processing", "succeeded"}) {
    job.status = status;
    EXPECT_TRUE(document_json(job).at("error").is_null()) << status;
  }
}

TEST(api_document, progress_in_percent_and_pages) {
  EXPECT_EQ(document_json(processing(0, 0)).at("progress"), 0);
  EXPECT_EQ(document_json(processing(1, 3)).at("progress"), 33);
  EXPECT_EQ(document_json(processing(3, 3)).at("progress"), 100);
  EXPECT_EQ(document_json(processing(5, 3)).at("progress"), 100);
  EXPECT_EQ(document_json(processing(4, 10)).at("current_page"), 5);
  EXPECT_EQ(document_json(processing(10, 10)).at("current_page"), 10);
  auto ended = processing(4, 10);
  ended.status = "failed";
  EXPECT_EQ(document_json(ended).at("current_page"), 4);
  EXPECT_EQ(document_json(job_state{}).at("current_page"), 0);
}

/// total_pages, processed_pages, current_page and progress.
std::string pages_of(const job_state& job) {
  const auto seen = document_json(job);
  std::string out;
  for (const char* field : {"total_pages", "processed_pages", "current_page", "progress"}) {
    out += (out.empty() ? "" : " ") + seen.at(field).dump();
  }
  return out;
}

TEST(api_document, the_total_of_the_row_counts_where_no_report_has_one) {
  auto job = processing(0, 0);
  job.total_pages = 10;
  EXPECT_EQ(pages_of(job), "10 0 1 0");
  job.progress = job_progress{4, 0, "starting"};
  EXPECT_EQ(pages_of(job), "10 4 5 40");
  job.progress = job_progress{4, 8, ""};
  EXPECT_EQ(pages_of(job), "8 4 5 50");
  job.progress.reset();
  EXPECT_EQ(pages_of(job), "10 0 1 0");
}

TEST(api_document, no_more_pages_are_processed_than_there_are) {
  EXPECT_EQ(pages_of(processing(12, 10)), "10 10 10 100");
  EXPECT_EQ(pages_of(processing(3, 0)), "0 3 3 0");  // the total is not known
}

TEST(api_document, a_completed_job_has_all_its_pages_and_the_time_of_its_end) {
  auto job = processing(4, 10);
  job.status = "succeeded";
  job.updated_at = "2025-09-30T10:05:00Z";
  EXPECT_EQ(pages_of(job), "10 10 10 100");
  EXPECT_EQ(document_json(job).at("estimated_completion"), job.updated_at);
  job.progress.reset();
  job.total_pages = 10;
  EXPECT_EQ(pages_of(job), "10 10 10 100");
  job.total_pages = 0;
  EXPECT_EQ(pages_of(job), "0 0 0 100");
  EXPECT_TRUE(document_json(job).at("estimated_completion").is_null());  // nothing to go by
}

TEST(api_events, a_list_of_jobs) {
  const auto jobs = parse_jobs("scan:" + some_id + "," + some_id +
                               ";letter:0190AAAA-0000-7000-8000-00000000000B");
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0], (job_key{"scan", some_id}));
  EXPECT_EQ(jobs[2], (job_key{"letter", "0190aaaa-0000-7000-8000-00000000000b"}));
  for (const auto& bad :
       {std::string("scan"), ":" + some_id, std::string("scan:"), "scan:" + some_id + ","}) {
    EXPECT_THROW(parse_jobs(bad), request_error) << bad;
  }
}

TEST(api_events, an_id_of_another_server_is_not_known) {
  EXPECT_EQ(change_of("a-b", "a-b-12"), 12u);
  for (const char* other : {"a-c-12", "a-b-", "a-b-x", "a-b-1x", "", "12", "a-b"}) {
    EXPECT_FALSE(change_of("a-b", other)) << other;
  }
}

TEST(api_operations_unit, batches_shrink_at_failures_and_grow_again) {
  batch_size size;
  EXPECT_EQ(size.now(), batch_size::most);
  for (int i = 0; i < 10; ++i) size.failed();
  EXPECT_TRUE(size.is_least());
  size.succeeded();
  EXPECT_EQ(size.now(), 2);
  for (int i = 0; i < 10; ++i) size.succeeded();
  EXPECT_EQ(size.now(), batch_size::most);
}

TEST(api_operations_unit, only_what_one_job_causes_is_passed_over) {
  for (const char* of_a_job : {"55P03", "57014", "23514", "23505", "P0001"}) {
    EXPECT_EQ(remedy_of(of_a_job, false), batch_remedy::take_fewer) << of_a_job;
    EXPECT_EQ(remedy_of(of_a_job, true), batch_remedy::pass_over) << of_a_job;
  }
  for (const char* passing : {"40001", "40P01"}) {
    EXPECT_EQ(remedy_of(passing, false), batch_remedy::take_fewer) << passing;
    EXPECT_EQ(remedy_of(passing, true), batch_remedy::wait) << passing;
  }
  for (const char* of_the_server : {"53100", "53200", "53300", "57P01", "25006"}) {
    EXPECT_EQ(remedy_of(of_the_server, false), batch_remedy::wait) << of_the_server;
    EXPECT_EQ(remedy_of(of_the_server, true), batch_remedy::wait) << of_the_server;
  }
  EXPECT_EQ(remedy_of("42501", false), batch_remedy::give_up);
  EXPECT_EQ(remedy_of("42501", true), batch_remedy::give_up);
}

TEST(api_overview_unit, problems_are_named_where_they_are_some) {
  admin::database_stats stats;
  admin::kind_stats fine;
  fine.kind = "fine";
  fine.waiting = 3;
  fine.workers.live = 1;
  fine.oldest_waiting_seconds = 299;
  admin::kind_stats lost = fine;
  lost.kind = "lost";
  lost.workers.live = 0;
  lost.oldest_waiting_seconds = 301;
  admin::kind_stats paused = lost;
  paused.kind = "paused";
  paused.paused = true;
  paused.workers.live = 1;
  stats.kinds = {fine, lost, paused};
  vacuum_blocker blocker;
  blocker.what = "session";
  blocker.name = "42";
  blocker.seconds = 301;
  stats.vacuum_blockers = {blocker};
  const auto problems = problems_of(stats, std::chrono::minutes(5));
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].at("code"), "no_live_worker");
  EXPECT_EQ(problems[1].at("code"), "oldest_too_old");
  EXPECT_EQ(problems[1].at("kind"), "lost");
  EXPECT_EQ(problems[2].at("code"), "vacuum_blocked");
}

TEST(api_recent_callers, are_known_for_a_minute_and_not_without_end) {
  recent_callers callers;
  const auto now = recent_callers::clock::now();
  identity ann;
  ann.user = "ann";
  callers.remember("proof", ann, now);
  EXPECT_EQ(callers.find("proof", now + std::chrono::seconds(60))->user, "ann");
  EXPECT_FALSE(callers.find("proof", now + std::chrono::seconds(61)));
  EXPECT_FALSE(callers.find("other", now));
  for (std::size_t i = 0; i < recent_callers::most; ++i) {
    callers.remember(std::to_string(i), ann, now + std::chrono::seconds(30));
  }
  EXPECT_FALSE(callers.find(std::to_string(recent_callers::most - 1), now));
  callers.remember("late", ann, now + std::chrono::seconds(100));
  EXPECT_TRUE(callers.find("late", now + std::chrono::seconds(100)));
}

TEST(api_pages, a_path_stands_for_a_file_or_for_the_page) {
  const std::vector<web_file> files{{"/index.html", "<p>", "\"1\""}, {"/app.js", "1", "\"2\""}};
  const auto path_of = [&](const char* path) {
    const auto* found = find_page(files, path);
    return found ? std::string(found->path) : "";
  };
  EXPECT_EQ(path_of("/"), "/index.html");
  EXPECT_EQ(path_of("/app.js"), "/app.js");
  for (const char* unknown : {"/jobs", "/livez/", "//", "/other.js", "/api/none"}) {
    EXPECT_EQ(path_of(unknown), "") << unknown;
  }
  EXPECT_EQ(find_page({}, "/"), nullptr);
}

TEST(api_pages, are_served_with_a_strict_policy_and_an_etag) {
  test_server server;
  server.in_server([](services& with) {
    with.pages = {{"/index.html", "<p>hello", "\"e1\""}, {"/app.js", "1", "\"e2\""}};
    return true;
  });
  const auto page = ask(server.port(), "GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<p>hello");
  EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("etag"), "\"e1\"");
  EXPECT_THAT(page.header("content-security-policy"),
              HasSubstr("default-src 'none'; script-src 'self'"));
  EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.header("cache-control"), "no-cache");
  EXPECT_EQ(ask(server.port(), "GET", "/app.js").header("content-type"),
            "text/javascript; charset=utf-8");
  const auto same = ask(server.port(), "GET", "/app.js", {{"If-None-Match", "\"e2\""}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(ask(server.port(), "POST", "/").status, 404);
  EXPECT_EQ(ask(server.port(), "GET", "/none.js").status, 404);
  EXPECT_EQ(ask(server.port(), "GET", "/api/none").status, 404);
}

TEST(api_openapi, describes_every_route_and_nothing_else) {
  test_server server;
  const auto served = ask(server.port(), "GET", "/openapi.json");
  ASSERT_EQ(served.status, 200);
  const auto described = json::parse(served.body);
  std::set<std::string> in_table, in_description, ids;
  for (const auto& each : all_routes()) {
    in_table.insert(std::string(http::to_string(each.method)) + " " + std::string(each.path));
    EXPECT_FALSE(each.summary.empty()) << each.path;
  }
  for (const auto& [path, methods] : described.at("paths").items()) {
    for (const auto& [method, what] : methods.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      in_description.insert(upper + " " + path);
      EXPECT_TRUE(ids.insert(what.at("operationId").get<std::string>()).second) << path;
      EXPECT_TRUE(what.at("responses").contains("default")) << path;
      // Every {name} of the path is described, as the format demands.
      std::size_t names = 0, parameters = 0;
      for (const char c : path) names += c == '{' ? 1 : 0;
      for (const auto& each : what.value("parameters", json::array())) {
        parameters += each.at("in") == "path" ? 1 : 0;
      }
      EXPECT_EQ(names, parameters) << path;
    }
  }
  EXPECT_EQ(in_table, in_description);
  EXPECT_EQ(described.at("openapi"), "3.1.0");
}

}  // namespace
}  // namespace rowrunner::testing
