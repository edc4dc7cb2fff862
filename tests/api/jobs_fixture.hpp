#pragma once

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "support/letters.hpp"

namespace rowrunner::testing {

using nlohmann::json;

/// Jobs that have an owner, a public id and a document: those that document 003 speaks of.
inline constexpr const char* scans_schema = R"sql(
CREATE TABLE public.scan_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  job_key      text NOT NULL UNIQUE,
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
SELECT rowrunner.attach('public.scan_jobs', kind => 'scan', joins => true, owner => 'user_id',
                        public_id => 'job_key');
)sql";

/// A server with letters (kind letter) and scans (kind scan), and a token of each role.
class jobs_server : public ::testing::Test {
 protected:
  explicit jobs_server(bool runs_operations = true)
      : server_({}, api::all_routes(), db_.url(), runs_operations) {
    db_.exec(std::string(letters_schema));
    db_.exec(scans_schema);
    for (const char* role : {"user", "viewer", "operator", "admin"}) {
      tokens_[role] = db_.token(role, role);
    }
  }

  http_reply call(const std::string& method, const std::string& path,
                  const std::string& role = "admin", const std::string& body = {}) {
    auto fields = bearer(tokens_.at(role));
    if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
    return ask(server_.port(), method, path, fields, body);
  }
  json get(const std::string& path, const std::string& role = "viewer") {
    const auto reply = call("GET", path, role);
    EXPECT_EQ(reply.status, 200) << path << '\n' << reply.body;
    return json::parse(reply.body, nullptr, false);
  }
  int status(const std::string& method, const std::string& path, const std::string& role = "admin",
             const std::string& body = {}) {
    return call(method, path, role, body).status;
  }

  std::string add_letter(const std::string& to, const std::string& more = "") {
    return db_.value("INSERT INTO letter_jobs (batch_id, recipient) VALUES ('b', '" + to + "') " +
                     (more.empty() ? "" : more) + " RETURNING id");
  }
  std::string add_scan(const std::string& key, const std::string& user = "user") {
    return db_.value("INSERT INTO scan_jobs (job_key, user_id) VALUES ('" + key + "', '" + user +
                     "') RETURNING id");
  }
  /// A scan that waits for another job, which is said in the transaction that enqueues it.
  std::string add_child(const std::string& key, const std::string& parent) {
    db_.exec("INSERT INTO scan_jobs (job_key, user_id) VALUES ('" + key +
             "', 'user');"
             "SELECT rowrunner.run_after('scan', (SELECT id FROM scan_jobs WHERE job_key = '" +
             key + "'), 'scan', ARRAY['" + parent + "'::uuid])");
    return db_.value("SELECT id FROM scan_jobs WHERE job_key = '" + key + "'");
  }
  /// Claims the next job of the kind, and gives its lease.
  std::string claim(const std::string& kind) {
    return db_.value("SELECT c->>'lease' FROM rowrunner.claim('" + kind + "', 'w') c");
  }
  void fail(const std::string& kind, const std::string& id, const std::string& error) {
    db_.exec("SELECT rowrunner.fail('" + kind + "', '" + id + "', " + claim(kind) + ", '" + error +
             "', final => true)");
  }

  api_database db_;
  std::map<std::string, std::string> tokens_;
  test_server server_;
};

}  // namespace rowrunner::testing
