#include "workloads/webhooks/workload.hpp"

#include "migrations/webhooks.hpp"
#include "queries/webhooks.hpp"
#include "workloads/webhooks/commands/commands.hpp"
#include "workloads/webhooks/deliverer.hpp"
#include "workloads/webhooks/routes.hpp"

namespace rowrunner::webhooks {

workload as_workload() {
  return {{"webhooks",
           migrations::webhooks(),
           {"rowrunner_webhooks"},
           {queries::ensure_webhook_permissions}},
          {delivery_handler()},
          add_commands,
          make_routes};
}

}  // namespace rowrunner::webhooks
