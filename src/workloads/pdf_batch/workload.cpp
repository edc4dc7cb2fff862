#include "workloads/pdf_batch/workload.hpp"

#include "migrations/pdf_batch.hpp"
#include "queries/pdf_batch.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/pdf_batch/commands/commands.hpp"
#include "workloads/pdf_batch/handler.hpp"
#include "workloads/pdf_batch/routes.hpp"
#include "workloads/pdf_batch/status.hpp"

namespace rowrunner::pdf_batch {

workload as_workload() {
  return {{"pdf_batch", migrations::pdf_batch(), {}, {queries::ensure_pdf_batch_permissions}},
          {pdf_batch_handler()},
          add_commands,
          make_routes,
          pdf::tools(),
          {{"pdf_batch", "job:", mirrored_json}}};
}

}  // namespace rowrunner::pdf_batch
