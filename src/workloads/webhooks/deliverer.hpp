#pragma once

#include <functional>
#include <random>

#include "workloads/services.hpp"
#include "workloads/webhooks/endpoint_gate.hpp"
#include "workloads/webhooks/settings.hpp"
#include "workloads/webhooks/verdict.hpp"
#include "workloads/workload.hpp"

namespace rowrunner::webhooks {

/// Takes an event to its receiver. No connection to the database is used while a call is on its
/// way.
class deliverer {
 public:
  /// The services and the client must live longer.
  deliverer(services& engine, http::guarded_client& outbound, settings chosen,
            std::function<double()> random);

  boost::asio::awaitable<outcome> run(job& self);

  /// What came of one try: the last answer, and what follows.
  struct result {
    verdict what;
    std::optional<http::response> answer{};
  };

 private:
  /// A request and where it goes, which redirects change.
  struct call {
    http::url where;
    std::optional<std::string> token;
    bool posts = true;
    int redirects = 0;
    endpoint_gate::clock::time_point deadline;
  };

  boost::asio::awaitable<std::optional<std::string>> token_of(job& self);
  boost::asio::awaitable<result> deliver(job& self, call& one);
  boost::asio::awaitable<result> send(job& self, call& one);
  boost::asio::awaitable<result> send_once(job& self, const call& one);
  http::request request_for(job& self, const call& one) const;
  outcome end_of(job& self, const result& came, const std::optional<std::string>& token) const;

  services& engine_;
  http::guarded_client& outbound_;
  const settings settings_;
  const std::function<double()> random_;
  endpoint_gate gate_;
};

/// The handler of the kind webhook_delivery.
handler_entry delivery_handler();

}  // namespace rowrunner::webhooks
