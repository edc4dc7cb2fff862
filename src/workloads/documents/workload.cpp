#include "workloads/documents/workload.hpp"

#include "migrations/documents.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/handler.hpp"
#include "workloads/documents/routes.hpp"
#include "workloads/pdf/pdf.hpp"

namespace rowrunner::documents {

namespace {

void add_no_commands(CLI::App&, command_context&) {}

}  // namespace

workload as_workload() {
  return {{"documents",
           migrations::documents(),
           {"rowrunner_documents"},
           {queries::ensure_document_permissions}},
          {document_handler()},
          add_no_commands,
          make_routes,
          pdf::tools(),
          {},
          {{"document", "queue:document:processing"}}};
}

}  // namespace rowrunner::documents
