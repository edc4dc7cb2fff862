#include "support/watched_database.hpp"

#include <algorithm>

namespace rowrunner::testing {

void watched_database::watch(const std::string& table) {
  exec(
      "CREATE OR REPLACE FUNCTION public.tell_change() RETURNS trigger LANGUAGE plpgsql AS"
      " $$ BEGIN PERFORM pg_notify('test_changes', ''); RETURN NULL; END $$");
  exec("CREATE TRIGGER tell_change AFTER INSERT OR UPDATE ON " + table +
       " FOR EACH STATEMENT EXECUTE FUNCTION public.tell_change()");
}

void watched_database::come_back() {
  reconnect();
  listen();
}

void watched_database::listen() {
  listener_ = std::make_unique<pqxx::connection>(url());
  pqxx::nontransaction(*listener_).exec("LISTEN test_changes");
}

bool watched_database::becomes(const std::string& sql, const std::string& wanted,
                               std::chrono::seconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    if (value(sql) == wanted) return true;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    // At most half a second, since not all that is asked for comes with a change that notifies.
    const auto pause =
        std::min<std::chrono::steady_clock::duration>(left, std::chrono::milliseconds{500});
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(pause).count();
    listener_->await_notification(0, static_cast<long>(us));
  }
}

}  // namespace rowrunner::testing
