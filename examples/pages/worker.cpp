// Reads documents (documents.sql) page by page. Enqueue with a plain INSERT:
//   INSERT INTO documents (title, pages) VALUES ('atlas', 100) ON CONFLICT DO NOTHING;
// and run:  DATABASE_URL=postgresql://… pages_worker [--drain]

#include <rowrunner/run_worker.hpp>

#include "handler.hpp"

int main(int argc, char** argv) {
  rowrunner::kind_options documents;
  documents.kind = "document";
  documents.columns = {"title", "pages"};
  return rowrunner::run_worker(argc, argv, {{documents, pages::read_document}});
}
