#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"
#include "common/http/address_policy.hpp"

namespace rowrunner::http {
namespace {

using boost::asio::ip::make_address;
using ::testing::AllOf;
using ::testing::HasSubstr;
using addresses = std::vector<boost::asio::ip::address>;

origin server(const std::string& url) { return parse_url(url).server; }

using variables = std::map<std::string, std::string>;

address_policy policy_of(const variables& settings) {
  return outbound_policy(environment(settings));
}

std::string complaint(const variables& settings) {
  try {
    policy_of(settings);
  } catch (const usage_error& why) {
    return why.what();
  }
  return "no error";
}

// The first and the last address of each network.
TEST(http_address_policy, no_special_address_counts_as_public) {
  for (const char* text : {"0.0.0.0",
                           "0.255.255.255",
                           "10.0.0.0",
                           "10.255.255.255",
                           "100.64.0.0",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.255",
                           "168.63.129.16",
                           "169.254.0.0",
                           "169.254.169.254",
                           "169.254.255.255",
                           "172.16.0.0",
                           "172.31.255.255",
                           "192.0.0.0",
                           "192.0.0.255",
                           "192.0.2.0",
                           "192.0.2.255",
                           "192.88.99.0",
                           "192.88.99.255",
                           "192.168.0.0",
                           "192.168.255.255",
                           "198.18.0.0",
                           "198.19.255.255",
                           "198.51.100.0",
                           "198.51.100.255",
                           "203.0.113.0",
                           "203.0.113.255",
                           "224.0.0.0",
                           "239.255.255.255",
                           "240.0.0.0",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::7f00:1",
                           "::ffff:127.0.0.1",
                           "::ffff:8.8.8.8",
                           "64:ff9b::7f00:1",
                           "64:ff9b::808:808",
                           "64:ff9b:1::a00:1",
                           "ff:ffff::1",
                           "100::1",
                           "100:0:0:1::1",
                           "200::1",
                           "2001::1",
                           "2001:0:7f00:1::",
                           "2001:1ff:ffff::",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "2002:808:808::1",
                           "3fff::1",
                           "3fff:fff:ffff::1",
                           "4000::1",
                           "5f00::1",
                           "fc00::1",
                           "fd00:ec2::254",
                           "fdff:ffff::1",
                           "fe80::1",
                           "febf:ffff::1",
                           "fec0::1",
                           "ff02::1",
                           "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}) {
    EXPECT_TRUE(special_purpose(make_address(text))) << text;
  }
}

TEST(http_address_policy, what_lies_beside_them_is_public) {
  for (const char* text :
       {"1.0.0.0",         "9.255.255.255", "11.0.0.0",       "100.63.255.255",  "100.128.0.0",
        "126.255.255.255", "128.0.0.0",     "168.63.129.15",  "169.253.255.255", "169.255.0.0",
        "172.15.255.255",  "172.32.0.0",    "192.0.1.0",      "192.0.3.0",       "192.88.98.255",
        "192.167.255.255", "192.169.0.0",   "198.17.255.255", "198.20.0.0",      "223.255.255.255",
        "8.8.8.8",         "2001:200::1",   "2001:db7::1",    "2001:db9::1",     "2003::1",
        "2606:4700::1111", "2a00:1450::1",  "3ffe::1",        "3fff:1000::1"}) {
    EXPECT_EQ(special_purpose(make_address(text)), std::nullopt) << text;
  }
}

TEST(http_address_policy, one_bad_address_is_enough) {
  const address_policy policy;
  const auto where = server("https://example.com/");
  EXPECT_EQ(policy.refusal(where, {make_address("8.8.8.8"), make_address("2606:4700::1111")}),
            std::nullopt);
  EXPECT_THAT(policy.refusal(where, {make_address("8.8.8.8"), make_address("10.0.0.7")}).value(),
              AllOf(HasSubstr("10.0.0.7"), HasSubstr("private")));
  EXPECT_TRUE(policy.refusal(where, {make_address("::1"), make_address("8.8.8.8")}));
}

TEST(http_address_policy, other_ports_and_schemes_are_refused) {
  address_policy policy;
  const addresses found{make_address("8.8.8.8")};
  EXPECT_FALSE(policy.refusal(server("http://a/"), found));
  EXPECT_FALSE(policy.refusal(server("http://a:443/"), found));
  for (const int port : {22, 25, 5432, 6379, 8080}) {
    const auto where = server("http://a:" + std::to_string(port) + "/");
    EXPECT_TRUE(policy.refusal(where, found)) << port;
  }
  policy.plain_http = false;
  EXPECT_TRUE(policy.refusal(server("http://a/")));
  EXPECT_FALSE(policy.refusal(server("https://a/")));
  policy = policy_of({{"OUTBOUND_PORTS", "443, 8443"}});
  EXPECT_TRUE(policy.refusal(server("http://a/"), found));
  EXPECT_FALSE(policy.refusal(server("https://a:8443/"), found));
}

TEST(http_address_policy, the_allow_list_is_by_network_and_for_every_port) {
  const auto policy = policy_of({{"OUTBOUND_ALLOW", "10.1.0.0/16, 192.168.7.9,::1/128"}});
  const auto where = server("http://a:8080/");
  for (const char* text : {"10.1.0.0", "10.1.255.255", "192.168.7.9", "::1"}) {
    EXPECT_EQ(policy.refusal(where, {make_address(text)}), std::nullopt) << text;
  }
  for (const char* text :
       {"10.0.255.255", "10.2.0.0", "192.168.7.8", "127.0.0.1", "::2", "::ffff:10.1.0.1"}) {
    EXPECT_TRUE(policy.refusal(where, {make_address(text)})) << text;
  }
}

TEST(http_address_policy, an_entry_that_makes_no_sense_is_an_error) {
  for (const char* entry : {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8x", "10.0.0.0/ 8",
                            "10.0.0.1/8", "10/8", "010.0.0.0/8", "::1/129", "fe80::1%lo/128",
                            "localhost", "*", "", "/8", "10.0.0.0-10.0.0.9", "::ffff:0:0/95/1"}) {
    EXPECT_THAT(complaint({{"OUTBOUND_ALLOW", "127.0.0.1/32," + std::string(entry)}}),
                AllOf(HasSubstr("OUTBOUND_ALLOW: '" + std::string(entry)), HasSubstr("10.0.0.0/8")))
        << entry;
  }
  for (const char* entry : {"0", "65536", "-1", "https", "80-90", "80;443", ""}) {
    EXPECT_THAT(complaint({{"OUTBOUND_PORTS", "80," + std::string(entry)}}),
                HasSubstr("OUTBOUND_PORTS: '" + std::string(entry)))
        << entry;
  }
  EXPECT_EQ(complaint({{"OUTBOUND_ALLOW", "0.0.0.0/0,::/0"}}), "no error");
}

TEST(http_address_policy, only_this_machine_gets_credentials_in_plain) {
  for (const char* url : {"https://example.com/", "http://localhost:8080/", "http://127.0.0.1/",
                          "http://127.9.9.9/", "http://[::1]:80/"}) {
    EXPECT_NO_THROW(check_private(server(url), "X")) << url;
  }
  for (const char* url : {"http://example.com/", "http://10.0.0.1/", "http://0.0.0.0/",
                          "http://localhost.example.com/", "http://127.1/", "http://2130706433/"}) {
    EXPECT_THROW(check_private(server(url), "X"), usage_error) << url;
  }
}

}  // namespace
}  // namespace rowrunner::http
