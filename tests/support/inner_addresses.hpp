#pragma once

#include <string>
#include <vector>

namespace rowrunner::testing {

/// Hosts that no request for others may reach, one of each network of http_address_policy_test.
inline const std::vector<std::string>& inner_addresses() {
  static const std::vector<std::string> all{
      "0.0.0.0",         "10.0.0.1",           "100.64.0.1",        "127.0.0.1",
      "127.255.255.255", "168.63.129.16",      "169.254.169.254",   "172.16.0.1",
      "172.31.255.255",  "192.0.0.1",          "192.0.2.1",         "192.88.99.1",
      "192.168.0.1",     "198.18.0.1",         "198.51.100.1",      "203.0.113.1",
      "224.0.0.1",       "240.0.0.1",          "255.255.255.255",   "[::]",
      "[::1]",           "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[100::1]",
      "[2001:db8::1]",   "[2002:7f00:1::]",    "[3fff::1]",         "[5f00::1]",
      "[fc00::1]",       "[fd00:ec2::254]",    "[fe80::1]",         "[ff02::1]"};
  return all;
}

}  // namespace rowrunner::testing
