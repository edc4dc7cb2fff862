// Saves an album and enqueues its thumbnails in one transaction: both exist, or neither does.
//   DATABASE_URL=postgresql://… enqueue_in_transaction a.png b.png

#include <cstdio>
#include <cstdlib>
#include <pqxx/pqxx>
#include <rowrunner/enqueue.hpp>

int main(int argc, char** argv) {
  const char* url = std::getenv("DATABASE_URL");
  if (url == nullptr || argc < 2) {
    std::fputs("usage: DATABASE_URL=… enqueue_in_transaction PICTURE…\n", stderr);
    return 2;
  }
  try {
    pqxx::connection connection(url);
    pqxx::work tx(connection);
    tx.exec(
        "CREATE TABLE IF NOT EXISTS albums (id bigint GENERATED ALWAYS AS IDENTITY, pictures "
        "integer)");
    tx.exec("INSERT INTO albums (pictures) VALUES (" + tx.quote(argc - 1) + ")");
    for (int i = 1; i < argc; ++i) {
      rowrunner::new_job job;
      job.columns["picture"] = argv[i];
      job.priority = 5;
      const auto id = rowrunner::enqueue(tx, "thumbnail", job);
      std::printf("%s %s\n", argv[i], id ? id->c_str() : "is enqueued already");
    }
    tx.commit();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
