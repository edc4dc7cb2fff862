#include "workloads/ocr_relay/workload.hpp"

#include "migrations/ocr_relay.hpp"
#include "queries/ocr_relay.hpp"
#include "workloads/ocr_relay/commands/commands.hpp"
#include "workloads/ocr_relay/reader.hpp"
#include "workloads/ocr_relay/routes.hpp"
#include "workloads/ocr_relay/summariser.hpp"
#include "workloads/pdf/pdf.hpp"

namespace rowrunner::ocr_relay {

workload as_workload() {
  return {{"ocr_relay",
           migrations::ocr_relay(),
           {"rowrunner_relay"},
           {queries::ensure_relay_permissions}},
          {relay_handler(), summary_handler()},
          add_commands,
          make_routes,
          pdf::tools()};
}

}  // namespace rowrunner::ocr_relay
