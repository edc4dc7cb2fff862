#pragma once

#include <rowrunner/log.hpp>

#include "common/http/client.hpp"

namespace rowrunner::http {

/// For addresses that a client or a foreign answer names: a client with an address policy, with
/// connections and look-up threads of its own.
///
/// What goes wrong is told to the outside in three ways only, so that answers do not map the
/// network: error (refused) "address refused", error (too_large) "the answer is too large", and
/// error (no_answer) "no answer" for all the rest. The log has the details, but no path and no
/// query.
class guarded_client {
 public:
  /// The policy goes to where the options have one.
  guarded_client(asio::any_io_executor executor, address_policy policy, event_log log,
                 client_options options = {});

  /// As client::send does, with the errors above. The guarded_client must live longer.
  asio::awaitable<response> send(request wanted);

 private:
  const event_log log_;
  client client_;
};

}  // namespace rowrunner::http
