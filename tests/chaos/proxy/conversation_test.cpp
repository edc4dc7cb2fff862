// Where transactions commit, read off the wire.

#include "chaos/proxy/conversation.hpp"

#include <gtest/gtest.h>

#include "chaos/proxy/faults.hpp"
#include "common/pg/binary_array.hpp"

namespace rowrunner::chaos {
namespace {

std::string int32(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string int16(std::uint32_t value) { return int32(value).substr(2); }

message make(char type, const std::string& body) {
  const std::string length = int32(static_cast<std::uint32_t>(body.size() + 4));
  return {type, std::string(1, type) + length + body};
}

std::string zero() { return std::string(1, '\0'); }

message parse(const std::string& name, const std::string& text) {
  return make('P', name + zero() + text + zero() + int16(0));
}
message bind(const std::string& name, const std::string& param = "{1,2}") {
  return make('B', zero() + name + zero() + int16(0) + int16(1) +
                       int32(static_cast<std::uint32_t>(param.size())) + param + int16(0));
}
message execute() { return make('E', zero() + int32(0)); }
message sync() { return make('S', ""); }
message query(const std::string& text) { return make('Q', text + zero()); }
message complete(const std::string& tag) { return make('C', tag + zero()); }
message ready(const std::string& status) { return make('Z', status); }

TEST(framer, finds_the_messages_however_the_bytes_come) {
  const std::string startup = int32(17) + int32(196608) + std::string("user\0me\0\0", 9);
  const std::string encryption = int32(8) + int32(80877103);
  const std::string stream = encryption + startup + query("SELECT 1").bytes + sync().bytes;
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    framer cut(direction::to_server);
    std::string types, all;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      cut.feed(stream.substr(at, piece));
      while (const auto each = cut.next()) {
        types += each->type == untyped ? (each->asks_for_encryption() ? 'e' : 'u') : each->type;
        all += each->bytes;
      }
    }
    EXPECT_EQ(types, "euQS");
    EXPECT_EQ(all, stream);
    EXPECT_EQ(cut.held(), 0U);
  }
}

TEST(framer, reads_the_parameters_of_a_bind) {
  const auto bound = read_bind(bind("succeed/test", "{a}").body());
  EXPECT_EQ(bound.statement, "succeed/test");
  ASSERT_EQ(bound.params.size(), 1U);
  EXPECT_EQ(bound.params[0], "{a}");
  EXPECT_TRUE(read_bind("nonsense").params.empty());
}

TEST(framer, reads_binary_arrays_of_a_bind_as_text) {
  const std::string id = "0190a000-0000-7000-8000-00000000000f";
  const auto ids = pg::uuid_array({id});
  const auto leases = pg::int_array({-1, 9223372036854775807});
  std::string body = zero() + "succeed/test" + zero() + int16(2) + int16(1) + int16(1) + int16(2);
  for (const auto& each : {ids, leases}) {
    body += int32(static_cast<std::uint32_t>(each->size())) + *each;
  }
  const auto bound = read_bind(body + int16(0));
  ASSERT_EQ(bound.params.size(), 2U);
  EXPECT_EQ(bound.params[0], "{" + id + "}");
  EXPECT_EQ(bound.params[1], "{-1,9223372036854775807}");
}

TEST(conversation, a_pipeline_outside_of_a_block_commits_at_its_sync) {
  conversation talk;
  EXPECT_FALSE(talk.from_server(ready("I")).commits) << "the connection has just opened";
  EXPECT_FALSE(talk.from_client(parse("succeed/test", "UPDATE t SET x = 1")).commits);
  EXPECT_FALSE(talk.from_client(bind("succeed/test")).commits);
  EXPECT_FALSE(talk.from_client(execute()).commits);
  const auto sent = talk.from_client(sync());
  EXPECT_TRUE(sent.commits);
  EXPECT_EQ(sent.about.statements, "succeed/test {1,2}");
  EXPECT_FALSE(talk.from_server(complete("UPDATE 1")).commits);
  const auto answered = talk.from_server(ready("I"));
  EXPECT_TRUE(answered.commits);
  EXPECT_TRUE(answered.about.mentions("succeed/"));
}

TEST(conversation, what_the_server_refused_is_not_committed) {
  conversation talk;
  talk.from_client(parse("", "UPDATE nothing"));
  talk.from_client(bind(""));
  talk.from_client(execute());
  EXPECT_TRUE(talk.from_client(sync()).commits);
  talk.from_server(make('E', "S"));
  EXPECT_FALSE(talk.from_server(ready("I")).commits);
}

TEST(conversation, an_explicit_commit_counts_when_it_is_executed) {
  conversation talk;
  for (const auto& [name, text] :
       {std::pair{"begin", "BEGIN"}, std::pair{"commit", "-- Ends it.\n COMMIT"}}) {
    talk.from_client(parse(name, text));
  }
  talk.from_client(bind("begin"));
  talk.from_client(execute());
  talk.from_client(parse("", "INSERT INTO effects"));
  talk.from_client(bind(""));
  talk.from_client(execute());
  EXPECT_FALSE(talk.from_client(sync()).commits);
  EXPECT_FALSE(talk.from_server(complete("INSERT 0 1")).commits);
  EXPECT_FALSE(talk.from_server(ready("T")).commits);

  talk.from_client(bind("commit"));
  const auto sent = talk.from_client(execute());
  EXPECT_TRUE(sent.commits);
  EXPECT_TRUE(sent.about.mentions("INSERT INTO effects"));
  EXPECT_FALSE(talk.from_client(sync()).commits) << "it has committed before";
  EXPECT_TRUE(talk.from_server(complete("COMMIT")).commits);
  EXPECT_FALSE(talk.from_server(ready("I")).commits);
}

TEST(conversation, a_commit_that_became_a_rollback_has_not_committed) {
  conversation talk;
  talk.from_client(query("BEGIN"));
  talk.from_server(ready("T"));
  EXPECT_TRUE(talk.from_client(query("commit")).commits);
  EXPECT_FALSE(talk.from_server(complete("ROLLBACK")).commits);
  EXPECT_FALSE(talk.from_server(ready("I")).commits);
}

TEST(conversation, a_query_commits_by_itself_unless_it_is_in_a_block) {
  conversation talk;
  EXPECT_TRUE(talk.from_client(query("INSERT INTO a VALUES (1)")).commits);
  EXPECT_TRUE(talk.from_server(ready("I")).commits);
  EXPECT_FALSE(talk.from_client(query("BEGIN")).commits);
  EXPECT_FALSE(talk.from_server(ready("T")).commits);
  EXPECT_FALSE(talk.from_client(query("INSERT INTO a VALUES (1)")).commits);
  EXPECT_FALSE(talk.from_server(ready("T")).commits);
  EXPECT_FALSE(talk.from_client(query("ROLLBACK")).commits);
  EXPECT_FALSE(talk.from_server(ready("I")).commits);
  EXPECT_FALSE(talk.from_client(query("INSERT INTO b VALUES (1)")).about.mentions("a VALUES"));
}

TEST(link_faults, a_rule_is_used_up_and_only_fits_its_transaction) {
  link_faults faults;
  faults.rules.push_back({treatment::cut, direction::to_server, std::nullopt, "succeed/", 2});
  const meaning end{true, {"succeed/test {1}"}};
  const meaning claim{true, {"claim/test 1"}};
  EXPECT_EQ(faults.treat(direction::to_server, sync(), claim), treatment::pass);
  EXPECT_EQ(faults.treat(direction::to_client, sync(), end), treatment::pass);
  EXPECT_EQ(faults.treat(direction::to_server, sync(), end), treatment::cut);
  EXPECT_EQ(faults.treat(direction::to_server, sync(), {}), treatment::pass);
  EXPECT_EQ(faults.treat(direction::to_server, sync(), end), treatment::cut);
  EXPECT_EQ(faults.treat(direction::to_server, sync(), end), treatment::pass);
}

TEST(link_faults, bytes_run_out_in_the_middle) {
  link_faults faults;
  faults.limit = byte_limit{direction::to_client, 10};
  EXPECT_EQ(faults.allowed(direction::to_server, 100), 100U);
  EXPECT_EQ(faults.allowed(direction::to_client, 10), 10U);
  EXPECT_EQ(faults.allowed(direction::to_client, 5), 0U);
  EXPECT_EQ(faults.allowed(direction::to_client, 5), 5U) << "the next connection is whole again";
}

}  // namespace
}  // namespace rowrunner::chaos
