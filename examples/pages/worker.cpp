// Reads books (books.sql) page by page. Enqueue with a plain INSERT:
//   INSERT INTO books (title, pages) VALUES ('atlas', 100) ON CONFLICT DO NOTHING;
// and run:  DATABASE_URL=postgresql://… pages_worker [--drain]

#include <rowrunner/run_worker.hpp>

#include "handler.hpp"

int main(int argc, char** argv) {
  rowrunner::kind_options books;
  books.kind = "book";
  books.columns = {"title", "pages"};
  return rowrunner::run_worker(argc, argv, {{books, pages::read_book}});
}
