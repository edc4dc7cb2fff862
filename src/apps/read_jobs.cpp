#include "apps/read_jobs.hpp"

#include "admin/transaction.hpp"
#include "apps/read_wait_facts.hpp"
#include "command/database.hpp"
#include "common/pg/exec.hpp"
#include "queries/session.hpp"

namespace rowrunner {

void read_jobs(pqxx::connection& connection,
               const std::function<void(pqxx::dbtransaction&)>& read) {
  constexpr std::string_view lock_not_available = "55P03";
  try {
    pqxx::work tx(connection);
    use_system_names(tx);
    pg::exec(tx, queries::lock_timeout, "2s");
    read(tx);
    tx.commit();
    return;
  } catch (const pqxx::sql_error& error) {
    if (error.sqlstate() != lock_not_available) throw;
  }
  pqxx::work tx(connection);
  use_system_names(tx);
  throw std::runtime_error(locked_table(tx));
}

}  // namespace rowrunner
