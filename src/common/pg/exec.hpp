#pragma once

#include <pqxx/pqxx>
#include <string>
#include <string_view>

#include "common/pg/query.hpp"

namespace rowrunner::pg {

// libpqxx 7.10 deprecates what 6.4 has: this is the one place that knows of both.
#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 10)
#define ROWRUNNER_PQXX_PARAMS
#endif

/// Runs a statement with parameters.
template <typename... Args>
pqxx::result exec(pqxx::transaction_base& tx, std::string_view sql, const Args&... args) {
#ifdef ROWRUNNER_PQXX_PARAMS
  return tx.exec(sql, pqxx::params{args...});
#else
  return tx.exec_params(std::string(sql), args...);
#endif
}

template <typename... Args>
pqxx::result exec(pqxx::transaction_base& tx, const query& statement, const Args&... args) {
  return exec(tx, statement.text, args...);
}

/// The same with parameters whose number is known when it runs.
template <typename Container>
pqxx::result exec_each(pqxx::transaction_base& tx, std::string_view sql, const Container& args) {
#ifdef ROWRUNNER_PQXX_PARAMS
  pqxx::params params;
  params.append_multi(args);
  return tx.exec(sql, params);
#else
  return tx.exec_params(std::string(sql), pqxx::prepare::make_dynamic_params(args));
#endif
}

}  // namespace rowrunner::pg
