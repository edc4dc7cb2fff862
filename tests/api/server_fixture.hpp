#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "api/raw_client.hpp"
#include "api/secret.hpp"
#include "support/command.hpp"
#include "support/pooler.hpp"
#include "support/watched_database.hpp"

namespace rowrunner::testing {

/// A database with tokens.
class api_database : public watched_database {
 public:
  explicit api_database(contents of = contents::server) : watched_database(of) {}

  /// Adds a token as `rowrunner tokens add` does, and gives it.
  std::string token(const std::string& user, const std::string& role) {
    const auto secret = api::new_secret();
    const auto id = value("INSERT INTO rowrunner.tokens (hash, user_id, role) VALUES ('\\x" +
                          api::hash_of(secret) + "', '" + user + "', '" + role + "') RETURNING id");
    return api::key_text(api::token_prefix, std::stoll(id), secret);
  }

  /// A role of its own that logs in, dropped at the end, and its URL.
  std::string url_of_new_role() {
    const auto from = url().find(':', url().find("://") + 3) + 1;
    role_ = "login_" + name();
    exec("CREATE ROLE " + role_ + " LOGIN PASSWORD '" + url().substr(from, url().find('@') - from) +
         "'");
    return url_of(role_);
  }
  const std::string& new_role() const { return role_; }

  ~api_database() {
    if (!role_.empty()) exec("DROP ROLE " + role_);
  }

 private:
  std::string role_;
};

/// With the workloads besides.
class workloads_database : public api_database {
 public:
  workloads_database() : api_database(contents::workloads) {}
};

inline header_fields bearer(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

inline std::string token_body(const std::string& token) { return "{\"token\":\"" + token + "\"}"; }

/// Signs in, and gives "name=value" of the cookie.
inline std::string sign_in(int port, const std::string& token) {
  const auto reply =
      ask(port, "POST", "/api/session", {{"Content-Type", "application/json"}}, token_body(token));
  EXPECT_EQ(reply.status, 200) << reply.body;
  const auto cookie = reply.header("set-cookie");
  return cookie.substr(0, cookie.find(';'));
}

/// `rowrunner serve` as a process, on a free port. Through a pooler it is not told of it.
class served {
 public:
  explicit served(const std::string& database_url, process_environment environment = {})
      : process_({rowrunner_binary(), "serve", "--port", "0"}, with(environment, database_url)) {
    const auto line = process_.wait_for_output_line("\"listening\"");
    EXPECT_TRUE(line) << process_.err();
    if (!line) return;
    const auto url = nlohmann::json::parse(*line)["url"].get<std::string>();
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
  }

  int port() const { return port_; }
  child_process& process() { return process_; }

 private:
  static process_environment with(process_environment environment, const std::string& url) {
    environment.emplace("DATABASE_URL", endpoint_for_workers(url).url);
    return environment;
  }

  child_process process_;
  int port_ = 0;
};

}  // namespace rowrunner::testing
