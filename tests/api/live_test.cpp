// Jobs as they change: server-sent events, and the routes of document 003.
#include <csignal>
#include <thread>

#include "api/jobs_fixture.hpp"
#include "api/web_socket.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;

class api_live : public jobs_server {
 protected:
  header_fields as(const std::string& role) { return bearer(tokens_.at(role)); }

  void progress(const std::string& id, const std::string& lease, int done, int total) {
    db_.exec("SELECT rowrunner.progress('scan', '" + id + "', " + lease + ", " +
             std::to_string(done) + ", " + std::to_string(total) + ", 'reading')");
  }
  void succeed(const std::string& id, const std::string& lease) {
    db_.exec("SELECT rowrunner.succeed('scan', '" + id + "', " + lease + ")");
  }
};

/// Reads events from a connection of its own.
class event_reader {
 public:
  event_reader(int port, const std::string& target, const header_fields& fields) : client_(port) {
    std::string head = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n";
    for (const auto& [name, value] : fields) head += name + ": " + value + "\r\n";
    client_.send(head + "\r\n");
    EXPECT_NE(until("\r\n\r\n").find("text/event-stream"), std::string::npos);
  }

  struct event {
    std::string id;
    std::string name;
    json data;
  };

  event next() {
    const auto text = until("\n\n");
    if (text.starts_with(":")) return next();
    event out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("id: ")) out.id = line.substr(4);
      if (line.starts_with("event: ")) out.name = line.substr(7);
      if (line.starts_with("data: ")) out.data = json::parse(line.substr(6));
    }
    return out;
  }
  bool ended() { return client_.read_to_end(10s).has_value(); }

 private:
  std::string until(const std::string& end) { return client_.read_until(end).value_or(""); }

  raw_client client_;
};

TEST_F(api_live, a_document_job_field_by_field) {
  const auto id = add_scan("document_ocr-1");
  db_.exec("UPDATE scan_jobs SET document_id = '550e8400-e29b-41d4-a716-446655440000'");
  auto seen = get("/documents/jobs/document_ocr-1", "user");
  EXPECT_EQ(seen.at("status"), "pending");
  EXPECT_EQ(seen.at("progress"), 0);
  EXPECT_EQ(seen.at("total_pages"), 0);
  const auto lease = claim("scan");
  db_.exec("SELECT pg_sleep(0.01)");
  progress(id, lease, 4, 10);
  seen = get("/documents/jobs/document_ocr-1", "user");
  std::vector<std::string> names;
  for (const auto& [name, value] : seen.items()) names.push_back(name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "job_id", "job_type", "status", "progress", "total_pages",
                         "processed_pages", "current_page", "started_at", "updated_at",
                         "estimated_completion", "document_id", "user_id", "error"));
  EXPECT_EQ(seen.at("job_id"), "document_ocr-1");
  EXPECT_EQ(seen.at("job_type"), "scan");
  EXPECT_EQ(seen.at("status"), "processing");
  EXPECT_EQ(seen.at("progress"), 40);
  EXPECT_EQ(seen.at("total_pages"), 10);
  EXPECT_EQ(seen.at("processed_pages"), 4);
  EXPECT_EQ(seen.at("current_page"), 5);
  EXPECT_GT(seen.at("estimated_completion"), seen.at("updated_at"));
  EXPECT_EQ(seen.at("document_id"), "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(seen.at("user_id"), "user");
  EXPECT_TRUE(seen.at("error").is_null());
  succeed(id, lease);
  seen = get("/documents/jobs/document_ocr-1", "user");
  EXPECT_EQ(seen.at("status"), "completed");
  EXPECT_EQ(seen.at("progress"), 100);
  EXPECT_EQ(seen.at("processed_pages"), 10);
  EXPECT_EQ(seen.at("current_page"), 10);
  EXPECT_EQ(seen.at("estimated_completion"), seen.at("updated_at"));
}

TEST_F(api_live, a_document_job_is_for_its_owner_and_admins) {
  add_scan("mine", "user");
  add_scan("other", "somebody");
  const auto letter = add_letter("a");
  EXPECT_EQ(status("GET", "/documents/jobs/mine", "user"), 200);
  EXPECT_EQ(status("GET", "/documents/jobs/mine", "admin"), 200);
  EXPECT_EQ(status("GET", "/documents/jobs/mine", "operator"), 403);
  EXPECT_EQ(status("GET", "/documents/jobs/" + letter, "admin"), 200);
  EXPECT_EQ(status("GET", "/documents/jobs/" + letter, "user"), 403);
  EXPECT_EQ(call("GET", "/documents/jobs/other", "user").body, "{\"detail\":\"Not authorized\"}\n");
  EXPECT_EQ(call("GET", "/documents/jobs/none").body, "{\"detail\":\"Job not found\"}\n");
  EXPECT_EQ(status("GET", "/documents/jobs/none"), 404);
  const auto stranger = ask(server_.port(), "GET", "/documents/jobs/mine");
  EXPECT_EQ(stranger.status, 401);
  EXPECT_TRUE(json::parse(stranger.body).at("detail").is_string());
  const auto key = db_.value("SELECT id FROM scan_jobs WHERE job_key = 'mine'");
  EXPECT_EQ(status("GET", "/documents/jobs/" + key), 404);  // it has a public id
}

TEST_F(api_live, a_failed_and_a_cancelled_document_job_have_an_error) {
  fail("scan", add_scan("bad"), "no paper");
  auto seen = get("/documents/jobs/bad", "user");
  EXPECT_EQ(seen.at("status"), "failed");
  EXPECT_EQ(seen.at("error"), "no paper");
  const auto letter = add_letter("a");
  EXPECT_EQ(status("POST", "/api/jobs/letter/" + letter + "/cancel"), 200);
  seen = get("/documents/jobs/" + letter, "admin");
  EXPECT_EQ(seen.at("status"), "cancelled");  // its table says failed
  fail("scan", add_scan("other"), "cancelled: by the printer");
  EXPECT_EQ(get("/documents/jobs/other", "user").at("status"), "failed");  // its table has the word
}

/// One more kind like scans.
std::string kind_like_scans(const std::string& name) {
  return "CREATE TABLE public." + name + "_jobs (LIKE public.scan_jobs INCLUDING ALL);" +
         "SELECT rowrunner.attach('public." + name + "_jobs', kind => '" + name +
         "', owner => 'user_id', public_id => 'job_key')";
}

// What one table's lock keeps from being read is that table's jobs.
TEST_F(api_live, a_locked_table_keeps_no_job_of_another_from_being_found) {
  add_scan("s1");
  add_letter("a");  // its kind is looked in first
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("LOCK TABLE letter_jobs IN ACCESS EXCLUSIVE MODE");
  // An id that could be a letter's too.
  const std::string id = "01900000-0000-7000-8000-00000000000a";
  add_scan(id);
  EXPECT_EQ(get("/documents/jobs/s1", "user").at("status"), "pending");
  EXPECT_EQ(get("/documents/jobs/" + id, "user").at("status"), "pending");
  web_socket socket(server_.port(), "/ws/jobs/" + id, as("user"));
  EXPECT_EQ(socket.read().at("status"), "pending");
  EXPECT_EQ(status("GET", "/documents/jobs/none"), 404);  // no key of a letter
  EXPECT_EQ(status("GET", "/documents/jobs/01900000-0000-7000-8000-00000000000b"), 503);
}

TEST_F(api_live, of_two_jobs_with_one_public_id_a_caller_sees_their_own) {
  const std::string id = "01900000-0000-7000-8000-00000000000a";
  db_.exec(kind_like_scans("a_first"));
  db_.exec("INSERT INTO a_first_jobs (job_key, user_id) VALUES ('" + id + "', 'somebody')");
  EXPECT_EQ(status("GET", "/documents/jobs/" + id, "user"), 403);
  add_scan(id);
  EXPECT_EQ(get("/documents/jobs/" + id, "user").at("job_type"), "scan");
  web_socket socket(server_.port(), "/ws/jobs/" + id, as("user"));
  EXPECT_EQ(socket.read().at("job_type"), "scan");
}

TEST_F(api_live, a_job_of_a_kind_that_was_attached_a_moment_ago_is_watched) {
  event_reader events(server_.port(), "/api/events?jobs=letter:" + add_letter("a"), as("viewer"));
  EXPECT_EQ(events.next().name, "job");  // the kinds have been read
  db_.exec(kind_like_scans("new_one"));
  const std::string key = "01900000-0000-7000-8000-00000000000a";
  const auto id = db_.value("INSERT INTO new_one_jobs (job_key, user_id) VALUES ('" + key +
                            "', 'user') RETURNING id");
  web_socket socket(server_.port(), "/ws/jobs/" + key, as("user"));
  EXPECT_EQ(socket.read().at("status"), "pending");
  event_reader other(server_.port(), "/api/events?jobs=new_one:" + id, as("viewer"));
  EXPECT_EQ(other.next().data.at("status"), "queued");
}

TEST_F(api_live, a_web_socket_follows_a_job_to_its_end) {
  const auto id = add_scan("s1");
  web_socket socket(server_.port(), "/ws/jobs/s1", as("user"));
  EXPECT_EQ(socket.read().at("status"), "pending");
  const auto lease = claim("scan");
  EXPECT_EQ(socket.read().at("status"), "processing");
  progress(id, lease, 5, 10);
  EXPECT_EQ(socket.read().at("progress"), 50);
  succeed(id, lease);
  const auto last = socket.read();
  EXPECT_EQ(last.at("status"), "completed");
  EXPECT_EQ(last, get("/documents/jobs/s1", "user"));
  EXPECT_TRUE(socket.read().is_null());
  EXPECT_EQ(socket.close_code(), 1000);
}

TEST_F(api_live, a_web_socket_on_an_ended_or_unknown_job_says_so_and_closes) {
  fail("scan", add_scan("s1"), "no paper");
  web_socket ended(server_.port(), "/ws/jobs/s1", as("admin"));
  EXPECT_EQ(ended.read().at("status"), "failed");
  EXPECT_TRUE(ended.read().is_null());
  EXPECT_EQ(ended.close_code(), 1000);
  web_socket unknown(server_.port(), "/ws/jobs/none", as("admin"));
  EXPECT_EQ(unknown.read(), json({{"error", "Job not found"}}));
  EXPECT_TRUE(unknown.read().is_null());
  EXPECT_EQ(unknown.close_code(), 1000);
}

TEST_F(api_live, a_web_socket_that_is_not_allowed_is_closed_with_1008) {
  add_scan("s1", "somebody");
  const auto code = [&](const std::string& target, const header_fields& fields) {
    web_socket socket(server_.port(), target, fields);
    EXPECT_TRUE(socket.read().is_null());
    return socket.close_code();
  };
  EXPECT_EQ(code("/ws/jobs/s1", {}), 1008);
  EXPECT_EQ(code("/ws/jobs/s1", as("user")), 1008);
  EXPECT_EQ(code("/ws/jobs/s1", as("operator")), 1008);
  EXPECT_EQ(code("/ws/jobs/s1", bearer("rr_1_nonsense")), 1008);
  const auto cookie = sign_in(server_.port(), tokens_.at("admin"));
  EXPECT_EQ(code("/ws/jobs/s1", {{"Cookie", cookie}, {"Origin", "http://evil.example"}}), 1008);
  EXPECT_EQ(status("GET", "/ws/jobs/s1"), 426);
}

TEST_F(api_live, a_web_socket_by_cookie_and_by_ticket) {
  add_scan("s1");
  const auto cookie = sign_in(server_.port(), tokens_.at("user"));
  const auto origin = "http://localhost:" + std::to_string(server_.port());
  web_socket page(server_.port(), "/ws/jobs/s1", {{"Cookie", cookie}, {"Origin", origin}});
  EXPECT_EQ(page.read().at("status"), "pending");
  const auto ticket = json::parse(call("POST", "/api/tickets", "user").body).at("ticket");
  const auto target = "/ws/jobs/s1?ticket=" + ticket.get<std::string>();
  web_socket other(server_.port(), target);
  EXPECT_EQ(other.read().at("status"), "pending");
  web_socket again(server_.port(), target);
  EXPECT_TRUE(again.read().is_null());
  EXPECT_EQ(again.close_code(), 1008);
}

TEST_F(api_live, a_stop_of_the_server_closes_with_1001) {
  add_scan("s1");
  web_socket socket(server_.port(), "/ws/jobs/s1", as("user"));
  EXPECT_EQ(socket.read().at("status"), "pending");
  event_reader events(server_.port(), "/api/events?overview=1", as("viewer"));
  EXPECT_EQ(events.next().name, "overview");
  server_.stop();
  EXPECT_TRUE(socket.read().is_null());
  EXPECT_EQ(socket.close_code(), 1001);
  EXPECT_TRUE(events.ended());
  EXPECT_TRUE(server_.ends_within(5s));
}

TEST_F(api_live, events_begin_with_what_is_and_go_on_with_what_changes) {
  const auto id = add_scan("s1"), letter = add_letter("a");
  const std::string none = "01900000-0000-7000-8000-000000000000";
  event_reader events(
      server_.port(),
      "/api/events?jobs=scan:" + id + "," + none + ";letter:" + letter + ";unknown:" + none,
      as("viewer"));
  std::map<std::string, json> first;
  for (int i = 0; i < 4; ++i) {
    const auto one = events.next();
    EXPECT_EQ(one.name, "job");
    first[one.data.at("kind").get<std::string>() + one.data.at("id").get<std::string>()] =
        one.data.at("status");
  }
  EXPECT_EQ(first.at("scan" + id), "queued");
  EXPECT_EQ(first.at("letter" + letter), "queued");
  EXPECT_TRUE(first.at("scan" + none).is_null());
  EXPECT_TRUE(first.at("unknown" + none).is_null());
  const auto lease = claim("scan");
  EXPECT_EQ(events.next().data.at("status"), "processing");
  progress(id, lease, 1, 2);
  EXPECT_EQ(events.next().data.at("progress"),
            json({{"done", 1}, {"total", 2}, {"message", "reading"}}));
  succeed(id, lease);
  EXPECT_EQ(events.next().data.at("status"), "succeeded");
}

TEST_F(api_live, events_go_on_after_the_last_id_or_say_resync) {
  const auto id = add_scan("s1");
  const auto path = "/api/events?jobs=scan:" + id;
  event_reader stays(server_.port(), path, as("viewer"));
  const auto first = stays.next();
  auto known = as("viewer");
  known.emplace_back("Last-Event-ID", first.id);
  event_reader again(server_.port(), path, known);
  claim("scan");
  const auto second = again.next();
  EXPECT_EQ(second.data.at("status"), "processing");  // not the state that it knows
  auto foreign = as("viewer");
  foreign.emplace_back("Last-Event-ID", "01900000-0000-7000-8000-000000000000-5");
  event_reader elsewhere(server_.port(), path, foreign);
  EXPECT_EQ(elsewhere.next().name, "resync");
  EXPECT_EQ(elsewhere.next().data.at("status"), "processing");
}

TEST_F(api_live, events_of_the_overview) {
  event_reader events(server_.port(), "/api/events?overview=1", as("viewer"));
  auto seen = events.next();
  EXPECT_EQ(seen.name, "overview");
  EXPECT_EQ(seen.data.at("kinds").size(), 2u);
  db_.exec("UPDATE rowrunner.kinds SET paused = true");
  seen = events.next();
  EXPECT_EQ(seen.data.at("kinds")[0].at("paused"), true);
}

TEST_F(api_live, events_that_cannot_be_meant_are_refused) {
  const std::string id = "01900000-0000-7000-8000-000000000000";
  std::string many = "letter:" + id;
  for (int i = 0; i < 200; ++i) many += "," + id;
  for (const auto& bad : {std::string("jobs="), std::string("jobs=x"), std::string("jobs=:") + id,
                          std::string("jobs=letter:x"), "jobs=" + many, std::string("overview=2"),
                          std::string("all=1")}) {
    EXPECT_EQ(status("GET", "/api/events?" + bad, "viewer"), 400) << bad;
  }
  EXPECT_EQ(status("GET", "/api/events?overview=1", "user"), 403);
}

TEST_F(api_live, jobs_are_watched_once_and_forgotten_with_their_last_viewer) {
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(add_scan("s" + std::to_string(i)));
  std::vector<std::unique_ptr<web_socket>> viewers;
  for (int i = 0; i < 60; ++i) {
    viewers.push_back(std::make_unique<web_socket>(
        server_.port(), "/ws/jobs/s" + std::to_string(i % 20), as("admin")));
    EXPECT_EQ(viewers.back()->read().at("status"), "pending");
  }
  const auto watched = server_.in_server(
      [](api::services& with) { return std::pair(with.live.watched(), with.live.viewers()); });
  EXPECT_EQ(watched.first, 20u);
  EXPECT_EQ(watched.second, 60u);
  db_.exec("UPDATE scan_jobs SET status = 'cancelled'");
  for (const auto& each : viewers) EXPECT_EQ(each->read().at("status"), "cancelled");
  viewers.clear();
  while (server_.in_server([](api::services& with) { return with.live.viewers(); }) > 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(server_.in_server([](api::services& with) { return with.live.watched(); }), 0u);
}

// A table that is locked blinds the viewers of its own jobs only.
TEST_F(api_live, a_locked_table_does_not_blind_the_viewers_of_others) {
  const auto id = add_scan("s1"), letter = add_letter("a");
  event_reader events(server_.port(), "/api/events?jobs=scan:" + id + ";letter:" + letter,
                      as("viewer"));
  events.next();
  events.next();
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("LOCK TABLE letter_jobs IN ACCESS EXCLUSIVE MODE");
  db_.exec("UPDATE scan_jobs SET status = 'cancelled'");
  const auto seen = events.next();
  EXPECT_EQ(seen.data.at("kind"), "scan");
  EXPECT_EQ(seen.data.at("status"), "cancelled");
}

}  // namespace
}  // namespace rowrunner::testing
