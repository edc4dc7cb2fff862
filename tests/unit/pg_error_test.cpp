#include <gtest/gtest.h>

#include "common/pg/endpoint.hpp"
#include "common/pg/error.hpp"

namespace rowrunner::pg {
namespace {

TEST(pg_error, classifies_an_absent_server) {
  for (const auto* state :
       {"08000", "08006", "08P01", "57P01", "57P02", "57P03", "53300", "25006", "26000", "42P05"}) {
    EXPECT_EQ(classify(state), error_class::connection) << state;
  }
}

TEST(pg_error, classifies_what_a_later_attempt_may_survive) {
  for (const auto* state :
       {"40001", "0A000", "40P01", "55P03", "57014", "53000", "53100", "53200", "53400"}) {
    EXPECT_EQ(classify(state), error_class::retry_transaction) << state;
  }
}

TEST(pg_error, classifies_the_rest_as_permanent) {
  for (const auto* state : {"", "23505", "42P01", "57P04", "40002", "22021", "25P02"}) {
    EXPECT_EQ(classify(state), error_class::permanent) << state;
  }
}

TEST(pg_error, query_error_names_the_statement_and_the_sqlstate) {
  const query_error failure("23505", "duplicate key", "finish_job", "Key (id)=(1) exists.");
  EXPECT_STREQ(failure.what(), "statement finish_job failed: duplicate key (SQLSTATE 23505)");
  EXPECT_EQ(failure.sqlstate(), "23505");
  EXPECT_EQ(failure.message(), "duplicate key");
  EXPECT_EQ(failure.detail(), "Key (id)=(1) exists.");
  EXPECT_EQ(failure.statement_name(), "finish_job");
}

TEST(pg_error, lost_and_failed_connections_are_of_class_connection) {
  EXPECT_EQ(classify(connection_lost("gone", true).sqlstate()), error_class::connection);
  EXPECT_EQ(classify(connect_failed("no server").sqlstate()), error_class::connection);
}

TEST(pg_endpoint, knows_the_place_but_not_the_secret) {
  const endpoint found = parse_endpoint("postgresql://me:s3cret@a,b:5433/jobs?sslmode=disable");
  EXPECT_EQ(found.host, "a,b");
  EXPECT_EQ(found.database, "jobs");
  EXPECT_EQ(found.text().find("s3cret"), std::string::npos);
}

TEST(pg_endpoint, leaves_out_a_host_that_does_not_answer) {
  const auto two = parse_endpoint("postgresql://a:1,b:2/jobs").without("a", "1");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->host + " " + two->port, "b 2");
  EXPECT_FALSE(two->without("b", "2")) << "none is left";
  EXPECT_EQ(parse_endpoint("host=a,b,c port=5433").without("b", "5433")->host, "a,c");
  EXPECT_EQ(parse_endpoint("host=a,a port=1,2").without("a", "2")->port, "1");
  EXPECT_FALSE(parse_endpoint("postgresql://a:1,b:2/jobs").without("c", "1")) << "not in the list";
  EXPECT_FALSE(parse_endpoint("host=a,b hostaddr=10.0.0.1,10.0.0.2").without("a", "5432"));
}

TEST(pg_endpoint, never_quotes_a_malformed_url) {
  // Each of these makes libpq itself, or a naive message, show a part of the password.
  for (const auto* url : {"postgresql://me:s3cret%zz@host/db", "postgresql://me:x@s3cret@host/db",
                          "postgresql://me:x/s3cret@host/db", "s3cret", "password=s3cret host"}) {
    try {
      parse_endpoint(url);
      ADD_FAILURE() << url << " was accepted";
    } catch (const connect_failed& failure) {
      EXPECT_EQ(std::string(failure.what()).find("s3cret"), std::string::npos) << failure.what();
    }
  }
}

TEST(pg_endpoint, says_what_to_try) {
  const endpoint place{.host = "db1", .port = "5433", .database = "jobs", .connect_timeout = ""};
  const std::string text = explain_failure(place, "Connection refused\n").what();
  EXPECT_EQ(
      text,
      "cannot connect to PostgreSQL (host db1, port 5433, database jobs): Connection refused. "
      "Check that the server runs and listens on this host and port.");
}

TEST(pg_endpoint, leaves_out_what_libpq_asks_back) {
  const auto target = parse_endpoint("postgresql://db1/jobs?connect_timeout=3");
  EXPECT_EQ(target.connect_timeout, "3");
  const std::string text =
      explain_failure(target, "first: Connection refused\n\tIs it running?\nsecond: no\n").what();
  EXPECT_NE(text.find("): first: Connection refused; second: no. Check"), std::string::npos)
      << text;
}

TEST(query_error, is_explained_in_one_line) {
  const query_error refused("42501", "no\npermission", "stats", "the detail", "the hint");
  EXPECT_EQ(refused.explanation(), "no. permission. the detail. the hint");
  EXPECT_EQ(query_error("42501", "no", "stats").explanation(), "no");
}

}  // namespace
}  // namespace rowrunner::pg
