#include "workloads/webhooks/endpoint_gate.hpp"

#include <gtest/gtest.h>

namespace rowrunner::webhooks {
namespace {

using namespace std::chrono_literals;
using clock = endpoint_gate::clock;

const clock::time_point start{};
constexpr std::size_t many = 1'000;

/// Each of these receivers is on a server of its own.
endpoint at(const std::string& name) { return {name, "/hook"}; }

TEST(webhook_gate, lets_so_many_through_to_each_receiver) {
  endpoint_gate gate(8, many);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(gate.enter(at("slow"), start));
  EXPECT_FALSE(gate.enter(at("slow"), start));
  EXPECT_TRUE(gate.enter(at("other"), start)) << "it is not held up";
  gate.leave(at("slow"), start, start + 1s);
  EXPECT_TRUE(gate.enter(at("slow"), start + 1s));
  EXPECT_FALSE(gate.enter(at("slow"), start + 1s));
}

TEST(webhook_gate, forgets_receivers_that_nobody_calls) {
  endpoint_gate gate(1, many);
  EXPECT_TRUE(gate.enter(at("a"), start));
  gate.come_back_after(at("a"), start + 1s, 0.5);
  gate.leave(at("a"), start, start + 2s);
  EXPECT_EQ(gate.endpoints(), 0u);
  EXPECT_EQ(gate.servers(), 0u);
  gate.leave(at("a"), start, start + 3s);
}

// URLs with an id in the path are receivers of their own, but of one server.
TEST(webhook_gate, lets_only_so_many_through_to_all_receivers_of_a_server) {
  endpoint_gate gate(8, 64);
  const auto event = [](int id) { return endpoint{"https://slow", "/hook/" + std::to_string(id)}; };
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(gate.enter(event(i), start));
  for (int i = 64; i < 1'000; ++i) {
    EXPECT_FALSE(gate.enter(event(i), start));
    EXPECT_GE(gate.come_back_after(event(i), start + 1s, 0.5), endpoint_gate::shortest_wait);
  }
  EXPECT_TRUE(gate.enter(at("https://other"), start)) << "it is not held up";
  gate.leave(event(0), start, start + 2s);
  EXPECT_TRUE(gate.enter(event(64), start + 2s));
  EXPECT_FALSE(gate.enter(event(65), start + 2s));
  EXPECT_EQ(gate.endpoints(), 65u) << "those that were turned away are not remembered";
}

TEST(webhook_gate, those_who_wait_come_one_after_the_other) {
  endpoint_gate gate(2, many);
  gate.enter(at("a"), start);
  gate.leave(at("a"), start, start + 4s);
  gate.enter(at("a"), start + 4s);
  gate.enter(at("a"), start + 4s);
  // A call that has lasted ten seconds by now says that each takes that long: two at a time.
  const auto now = start + 14s;
  EXPECT_EQ(gate.come_back_after(at("a"), now, 0.5), 5s);
  EXPECT_EQ(gate.come_back_after(at("a"), now, 0.5), 10s);
  EXPECT_EQ(gate.come_back_after(at("a"), now, 0.5), 15s);
  EXPECT_LT(gate.come_back_after(at("a"), now, 0), 20s);
  EXPECT_GT(gate.come_back_after(at("a"), now, 0.99), 25s);
}

TEST(webhook_gate, nobody_is_sent_away_for_ever_or_for_nothing) {
  endpoint_gate gate(1, many);
  gate.enter(at("a"), start);
  EXPECT_EQ(gate.come_back_after(at("a"), start, 0), endpoint_gate::shortest_wait);
  auto wait = 0ms;
  for (int i = 0; i < 10'000; ++i) wait = gate.come_back_after(at("a"), start + 30s, 0.99);
  EXPECT_EQ(wait, endpoint_gate::longest_wait);
}

TEST(webhook_gate, a_receiver_is_its_server_and_path) {
  const auto text = [](const char* url) { return endpoint_of(http::parse_url(url)).text(); };
  EXPECT_EQ(text("https://A.example/hook?event=1"), text("https://a.example/hook?event=2"));
  EXPECT_NE(text("https://a.example/one"), text("https://a.example/two"));
}

}  // namespace
}  // namespace rowrunner::webhooks
