#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chaos/proxy/conversation.hpp"
#include "chaos/proxy/protocol.hpp"

namespace rowrunner::chaos {

/// What is to happen to a message.
enum class treatment { pass, drop, cut };

/// Says which messages are dropped, or cut the connection instead of being passed on.
struct message_rule {
  treatment what = treatment::cut;
  direction way = direction::to_client;
  /// Nothing: the message with which a transaction commits, or which says that it has.
  std::optional<char> type;
  /// Only for a transaction in which this text occurs; empty for any.
  std::string within;
  /// How often; zero for ever.
  int times = 1;
};

/// The connection ends after so many bytes more.
struct byte_limit {
  direction way = direction::to_client;
  std::uint64_t left = 0;
};

/// The faults of one link. It decides and does nothing.
struct link_faults {
  /// Nothing is read any more: the peers see a connection on which nothing comes and, when the
  /// buffers are full, nothing goes.
  bool stalled = false;
  /// New connections are closed at once.
  bool refusing = false;
  std::chrono::milliseconds delay_to_server{0};
  std::chrono::milliseconds delay_to_client{0};
  /// Bytes that go in one piece, each piece after the delay; zero for as they come.
  std::size_t piece = 0;
  std::optional<byte_limit> limit;
  std::vector<message_rule> rules;

  std::chrono::milliseconds delay(direction way) const {
    return way == direction::to_server ? delay_to_server : delay_to_client;
  }
  /// The first rule that fits decides, and is used up.
  treatment treat(direction way, const message& each, const meaning& what);
  /// How many of these bytes may still go; less than `wanted` means that the connection ends then.
  std::size_t allowed(direction way, std::size_t wanted);
};

}  // namespace rowrunner::chaos
