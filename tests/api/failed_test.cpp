// Failed jobs by what their errors share, and their retry.
#include <csignal>
#include <set>

#include "api/jobs_fixture.hpp"

namespace rowrunner::testing {
namespace {

class api_failed : public jobs_server {
 protected:
  using jobs_server::jobs_server;

  /// So many failed letters, whose errors differ in numbers and ids only.
  void add_failed(const std::string& batch, int count, const std::string& error) {
    db_.exec(
        "INSERT INTO letter_jobs (batch_id, recipient, status, attempts, last_error) "
        "SELECT '" +
        batch + "', n::text, 'failed', 3, format('" + error +
        "', n) "
        "FROM generate_series(1, " +
        std::to_string(count) + ") n");
  }
  std::string fingerprint(const std::string& batch) {
    return db_.value(
        "SELECT f.fingerprint FROM rowrunner.failures f JOIN letter_jobs j ON j.id = f.job_id "
        "WHERE j.batch_id = '" +
        batch + "' LIMIT 1");
  }
  static json body_of(const http_reply& reply) { return json::parse(reply.body, nullptr, false); }
  /// Asks until the operation has ended.
  json ended(int port, const std::string& id) {
    json now;
    do {
      now = body_of(ask(port, "GET", "/api/operations/" + id, bearer(tokens_.at("viewer"))));
    } while (now.at("state") == "running");
    return now;
  }
  static std::string wish(const std::string& fingerprint) {
    return json{{"kind", "letter"}, {"fingerprint", fingerprint}}.dump();
  }
};

TEST_F(api_failed, groups_share_the_error_without_numbers_and_ids) {
  add_failed("a", 3, "page %s of 9f3a2c1d-0000-4000-8000-00000000000a failed after 1.5 s");
  add_failed("b", 2, "the image API answered 503 (try %s)");
  add_failed("c", 1, "the image API answered 404 (try %s)");
  add_failed("d", 10001, "no stamp");
  const auto seen = get("/api/failed?kind=letter");
  ASSERT_EQ(seen.at("items").size(), 4u);
  EXPECT_EQ(seen.at("complete"), true);
  const auto& most = seen.at("items")[0];
  EXPECT_EQ(most.at("count"), json({{"n", 10000}, {"capped", true}}));
  EXPECT_EQ(most.at("sample").at("error"), "no stamp");
  EXPECT_EQ(seen.at("items")[1].at("count").at("n"), 3);
  EXPECT_EQ(seen.at("items")[1].at("fingerprint"), fingerprint("a"));
  EXPECT_LE(seen.at("items")[1].at("first_failed_at"), seen.at("items")[1].at("last_failed_at"));
  EXPECT_EQ(get("/api/failed").at("items").size(), 4u);
  EXPECT_EQ(get("/api/failed?kind=scan").at("items").size(), 0u);
  EXPECT_EQ(status("GET", "/api/failed?kind=unknown"), 404);
}

TEST_F(api_failed, more_groups_than_a_page_shows) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, status, last_error) "
      "SELECT 'b', n::text, 'failed', repeat('x', n) FROM generate_series(1, 101) n");
  const auto seen = get("/api/failed");
  EXPECT_EQ(seen.at("items").size(), 100u);
  EXPECT_EQ(seen.at("complete"), false);
}

TEST_F(api_failed, the_jobs_of_a_group_in_pages) {
  add_failed("a", 3, "page no-%s failed");
  add_failed("b", 1, "no stamp");
  const auto path = "/api/failed/jobs?kind=letter&limit=2&fingerprint=" + fingerprint("a");
  const auto first = get(path);
  ASSERT_EQ(first.at("items").size(), 2u);
  EXPECT_EQ(first.at("count").at("n"), 3);
  const auto second = get(path + "&after=" + first.at("next").get<std::string>());
  ASSERT_EQ(second.at("items").size(), 1u);
  EXPECT_TRUE(second.at("next").is_null());
  std::set<std::string> ids;
  for (const auto& page : {first, second}) {
    for (const auto& each : page.at("items")) ids.insert(each.at("id").get<std::string>());
  }
  EXPECT_EQ(ids.size(), 3u);
  for (const char* bad :
       {"kind=letter", "kind=letter&fingerprint=x", "kind=letter&fingerprint=1&after=x",
        "kind=letter&fingerprint=99999999999999999999"}) {
    EXPECT_EQ(status("GET", std::string("/api/failed/jobs?") + bad), 400) << bad;
  }
}

TEST_F(api_failed, one_group_is_retried_and_the_others_stay) {
  add_failed("a", 450, "page no-%s failed");
  add_failed("b", 2, "no stamp");
  const auto begun = call("POST", "/api/failed/retry", "operator", wish(fingerprint("a")));
  ASSERT_EQ(begun.status, 202) << begun.body;
  EXPECT_EQ(body_of(begun).at("matching").at("n"), 450);
  EXPECT_EQ(body_of(begun).at("by"), "operator");
  const auto done = ended(server_.port(), body_of(begun).at("id"));
  EXPECT_EQ(done.at("state"), "done");
  EXPECT_EQ(done.at("requeued"), 450);
  EXPECT_EQ(done.at("skipped"), 0);
  EXPECT_EQ(db_.value("SELECT count(*) FROM letter_jobs WHERE status = 'queued'"), "450");
  EXPECT_EQ(db_.value("SELECT count(*) FROM letter_jobs WHERE status = 'failed'"), "2");
  EXPECT_EQ(get("/api/operations").at("items").size(), 1u);
  EXPECT_EQ(status("POST", "/api/operations/" + done.at("id").get<std::string>() + "/cancel"), 409);
}

TEST_F(api_failed, a_job_that_fails_again_is_not_retried_again) {
  add_failed("a", 1, "page no-%s failed");
  auto begun = call("POST", "/api/failed/retry", "operator", R"({"kind": "letter"})");
  EXPECT_EQ(ended(server_.port(), body_of(begun).at("id")).at("requeued"), 1);
  fail("letter", db_.value("SELECT id FROM letter_jobs"), "page no-1 failed");
  EXPECT_EQ(db_.value("SELECT status FROM letter_jobs"), "failed");
}

TEST_F(api_failed, all_of_a_kind_but_what_was_cancelled) {
  add_failed("a", 2, "page no-%s failed");
  add_failed("b", 1, "cancelled: not needed");
  const auto begun =
      body_of(call("POST", "/api/failed/retry", "operator", R"({"kind": "letter"})"));
  EXPECT_EQ(begun.at("matching"), json({{"n", 2}, {"capped", false}}));
  EXPECT_EQ(ended(server_.port(), begun.at("id")).at("requeued"), 2);
  EXPECT_EQ(db_.value("SELECT batch_id FROM letter_jobs WHERE status = 'failed'"), "b");
  const auto chosen =
      body_of(call("POST", "/api/failed/retry", "operator", wish(fingerprint("b"))));
  EXPECT_EQ(chosen.at("matching").at("n"), 1) << "they are a group, which may be chosen";
  EXPECT_EQ(ended(server_.port(), chosen.at("id")).at("requeued"), 1);
}

// A job that another session has locked keeps neither the others nor the operation.
TEST_F(api_failed, a_locked_job_is_passed_over) {
  add_failed("a", 3, "page no-%s failed");
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("SELECT FROM letter_jobs WHERE recipient = '2' FOR UPDATE");
  const auto begun = body_of(call("POST", "/api/failed/retry", "admin", wish(fingerprint("a"))));
  const auto done = ended(server_.port(), begun.at("id"));
  EXPECT_EQ(done.at("state"), "done");
  EXPECT_EQ(done.at("requeued"), 2);
  EXPECT_EQ(done.at("skipped"), 1);
}

TEST_F(api_failed, what_cannot_be_meant_is_refused) {
  for (const char* bad :
       {"[]", "{}", R"({"kind": 1})", R"({"kind": "letter", "fingerprint": 1})",
        R"({"kind": "letter", "fingerprint": "x"})", R"({"kind": "letter", "all": true})"}) {
    EXPECT_EQ(status("POST", "/api/failed/retry", "operator", bad), 400) << bad;
  }
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator"), 415);
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator", R"({"kind": "unknown"})"), 404);
  EXPECT_EQ(status("POST", "/api/failed/retry", "viewer", R"({"kind": "letter"})"), 403);
}

TEST_F(api_failed, a_detached_kind_ends_the_operation) {
  db_.exec("INSERT INTO rowrunner.operations (kind, user_id) VALUES ('gone', 'ann')");
  server_.in_server([](api::services& with) {
    with.operations.wake();
    return true;
  });
  const auto done = ended(server_.port(), "1");
  EXPECT_EQ(done.at("state"), "failed");
  EXPECT_EQ(done.at("error"), "the kind was detached");
}

/// With a server that only notes operations.
class api_operations : public api_failed {
 protected:
  api_operations() : api_failed(false) {}

  /// Carries out one batch of the first operation.
  api::batch_result next_batch() {
    boost::asio::io_context io;
    pg::settings settings;
    settings.url = db_.url();
    pg::session session(io.get_executor(), settings);
    auto done =
        boost::asio::co_spawn(io, api::run_batch(session, 1, 200, false), boost::asio::use_future);
    io.run();
    return done.get();
  }
};

TEST_F(api_operations, the_same_again_is_the_one_that_runs_and_can_be_cancelled) {
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator", wish("7")), 202);
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator", wish("8")), 202);
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator", R"({"kind": "letter"})"), 202);
  const auto again = call("POST", "/api/failed/retry", "admin", wish("7"));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(body_of(again).at("id"), "1");
  EXPECT_EQ(body_of(again).at("by"), "operator");
  EXPECT_EQ(status("POST", "/api/operations/1/cancel", "viewer"), 403);
  EXPECT_EQ(body_of(call("POST", "/api/operations/1/cancel")).at("state"), "cancelled");
  EXPECT_EQ(status("POST", "/api/operations/1/cancel"), 409);
  EXPECT_EQ(status("POST", "/api/operations/999/cancel"), 404);
  EXPECT_EQ(status("POST", "/api/operations/x/cancel"), 400);
  EXPECT_EQ(status("GET", "/api/operations/999"), 404);
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator", wish("7")), 202);
}

// The time of a failure is that at which its transaction began, so that others are dealt with
// before it.
TEST_F(api_operations, a_failure_that_is_committed_late_is_retried_too) {
  const auto late = add_letter("late");
  pqxx::connection other(db_.url());
  pqxx::work end(other);
  end.exec("UPDATE letter_jobs SET status = 'failed', last_error = 'no stamp' WHERE id = '" + late +
           "'");
  add_failed("a", 3, "page no-%s failed");
  EXPECT_EQ(status("POST", "/api/failed/retry", "operator", R"({"kind": "letter"})"), 202);
  EXPECT_EQ(next_batch(), api::batch_result::more);
  EXPECT_EQ(db_.value("SELECT requeued FROM rowrunner.operations"), "3");
  end.commit();
  while (next_batch() == api::batch_result::more) {
  }
  EXPECT_EQ(
      db_.value("SELECT state || ' ' || requeued || ' ' || skipped FROM rowrunner.operations"),
      "done 4 0");
  EXPECT_EQ(db_.value("SELECT status FROM letter_jobs WHERE id = '" + late + "'"), "queued");
}

// Each job is queued once, whatever becomes of the server that does it.
TEST_F(api_operations, a_server_that_is_killed_midway_leaves_nothing_undone_or_done_twice) {
  add_failed("a", 4000, "page no-%s failed");
  db_.exec(
      "CREATE TABLE public.queued_again (id uuid);"
      "CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN INSERT INTO public.queued_again VALUES (NEW.id); RETURN NULL; END $$;"
      "GRANT INSERT ON public.queued_again TO PUBLIC;"
      "CREATE TRIGGER note AFTER UPDATE ON letter_jobs FOR EACH ROW "
      "WHEN (OLD.status = 'failed' AND NEW.status = 'queued') EXECUTE FUNCTION public.note()");
  std::string id;
  {
    served first(db_.url());
    const auto begun = ask(
        first.port(), "POST", "/api/failed/retry",
        {{"Authorization", "Bearer " + tokens_.at("admin")}, {"Content-Type", "application/json"}},
        wish(fingerprint("a")));
    ASSERT_EQ(begun.status, 202) << begun.body;
    id = body_of(begun).at("id");
    while (db_.value("SELECT requeued FROM rowrunner.operations") == "0") {
    }
    first.process().kill(SIGKILL);
    first.process().wait();
  }
  served second(db_.url());
  const auto done = ended(second.port(), id);
  EXPECT_EQ(done.at("state"), "done");
  EXPECT_EQ(done.at("requeued"), 4000);
  EXPECT_EQ(db_.value("SELECT count(*) || ' ' || count(DISTINCT id) FROM queued_again"),
            "4000 4000");
}

}  // namespace
}  // namespace rowrunner::testing
