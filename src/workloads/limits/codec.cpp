#include "workloads/limits/codec.hpp"

#include <nlohmann/json.hpp>

namespace rowrunner::limits {

using nlohmann::json;

namespace {

json sums(const header_sums& of) {
  return json::array(
      {of.answers, of.used, of.left, of.reset, of.used_reset, of.slowest, of.proven, of.exact});
}

/// A process of an earlier version reports fewer numbers.
header_sums sums_from(const json& stored) {
  const auto number = [&stored](std::size_t at) {
    return at < stored.size() ? stored.at(at) : json(0);
  };
  return {stored.at(0), stored.at(1), stored.at(2), stored.at(3),
          stored.at(4), stored.at(5), number(6),    number(7)};
}

json rate_json(const rate_state& of) {
  return {{"rate", of.rate},         {"ceiling", of.ceiling},   {"base", of.base},
          {"step", of.step},         {"cut", of.cut},           {"since", of.since},
          {"accepted", of.accepted}, {"measured", of.measured}, {"counted", of.counted},
          {"before", of.before}};
}

rate_state rate_from(const json& stored) {
  return {stored.at("rate"),    stored.at("ceiling"), stored.at("base"),     stored.at("step"),
          stored.at("cut"),     stored.at("since"),   stored.at("accepted"), stored.at("measured"),
          stored.at("counted"), stored.at("before")};
}

}  // namespace

json to_json(const member_report& report) {
  json counts = json::array();
  for (const auto& each : report.counts) {
    counts.push_back(json::array({each.at, each.sent, each.rejected, each.tokens}));
  }
  return {{"replica", report.replica},     {"want", report.want},
          {"in_flight", report.in_flight}, {"tokens_per_call", report.tokens_per_call},
          {"counts", std::move(counts)},   {"requests", sums(report.requests)},
          {"tokens", sums(report.tokens)}};
}

member_report report_from(const json& stored) {
  member_report out;
  out.replica = stored.at("replica");
  out.want = stored.at("want");
  out.in_flight = stored.at("in_flight");
  out.tokens_per_call = stored.at("tokens_per_call");
  for (const auto& each : stored.at("counts")) {
    out.counts.push_back({each.at(0), each.at(1), each.at(2), each.at(3)});
  }
  out.requests = sums_from(stored.at("requests"));
  out.tokens = sums_from(stored.at("tokens"));
  return out;
}

json to_json(const plan& all) {
  json shares = json::array();
  for (const auto& each : all.shares) {
    json one = {each.replica, each.slots};
    if (each.concurrency) one.push_back(*each.concurrency);
    shares.push_back(std::move(one));
  }
  return {{"at", all.at},
          {"rate", rate_json(all.rate)},
          {"carry", all.carry},
          {"turn", all.turn},
          {"tokens", {all.tokens.level, all.tokens.expected, all.tokens.expected_before}},
          {"shares", std::move(shares)}};
}

std::optional<member_report> readable_report(std::string_view stored) {
  try {
    return report_from(json::parse(stored));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

plan plan_from(const json& stored) {
  plan out;
  out.at = stored.at("at");
  out.rate = rate_from(stored.at("rate"));
  out.carry = stored.at("carry");
  out.turn = stored.at("turn");
  const auto& tokens = stored.at("tokens");
  out.tokens = {tokens.at(0), tokens.at(1), tokens.at(2)};
  for (const auto& each : stored.at("shares")) {
    share one{each.at(0), each.at(1), {}};
    if (each.size() > 2) one.concurrency = each.at(2).get<int>();
    out.shares.push_back(std::move(one));
  }
  return out;
}

}  // namespace rowrunner::limits
