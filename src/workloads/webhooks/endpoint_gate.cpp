#include "workloads/webhooks/endpoint_gate.hpp"

#include <algorithm>
#include <cmath>

namespace rowrunner::webhooks {
namespace {

double ms_between(endpoint_gate::clock::time_point from, endpoint_gate::clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

endpoint_gate::clock::duration duration_of(double ms) {
  return std::chrono::duration_cast<endpoint_gate::clock::duration>(
      std::chrono::duration<double, std::milli>(ms));
}

}  // namespace

bool endpoint_gate::enter(const endpoint& to, clock::time_point now) {
  const auto name = to.text();
  if (is_full(receivers_, name, limit_) || is_full(servers_, to.server, server_limit_)) {
    return false;
  }
  receivers_[name].running.push_back(now);
  servers_[to.server].running.push_back(now);
  return true;
}

bool endpoint_gate::is_full(const receivers& in, const std::string& name, std::size_t limit) {
  const auto found = in.find(name);
  return found != in.end() && found->second.running.size() >= limit;
}

void endpoint_gate::leave(const endpoint& to, clock::time_point entered, clock::time_point now) {
  note_end(receivers_, to.text(), entered, now);
  note_end(servers_, to.server, entered, now);
}

void endpoint_gate::note_end(receivers& in, const std::string& name, clock::time_point entered,
                             clock::time_point now) {
  const auto found = in.find(name);
  if (found == in.end()) return;
  auto& of = found->second;
  const auto mine = std::find(of.running.begin(), of.running.end(), entered);
  if (mine != of.running.end()) of.running.erase(mine);
  const double took = ms_between(entered, now);
  of.usual_ms = of.usual_ms == 0 ? took : of.usual_ms * 0.8 + took * 0.2;
  if (of.running.empty()) in.erase(found);
}

endpoint_gate::milliseconds endpoint_gate::come_back_after(const endpoint& to,
                                                           clock::time_point now, double random) {
  const bool server_is_full = is_full(servers_, to.server, server_limit_);
  auto& of = server_is_full ? servers_[to.server] : receivers_[to.text()];
  const auto limit = static_cast<double>(server_is_full ? server_limit_ : limit_);
  // A call that hangs says how long calls take before it has ended.
  const double oldest =
      of.running.empty() ? 0
                         : ms_between(*std::min_element(of.running.begin(), of.running.end()), now);
  const double each = std::max({of.usual_ms, oldest, 1.0}) / limit;
  // No delivery waits longer than the longest wait, so the turns must not run ahead of it.
  of.next_turn = std::min(std::max(of.next_turn, now) + duration_of(each),
                          now + clock::duration(longest_wait));
  const double wait = ms_between(now, of.next_turn) * (0.75 + 0.5 * std::clamp(random, 0.0, 1.0));
  return std::clamp(milliseconds(std::llround(wait)), shortest_wait, longest_wait);
}

endpoint endpoint_of(const http::url& address) {
  return {address.server.text(), address.target.substr(0, address.target.find('?'))};
}

}  // namespace rowrunner::webhooks
