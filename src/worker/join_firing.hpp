#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <string>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/join_plan.hpp"

namespace rowrunner {

/// Lets jobs of any kind run that waited for others, each kind in a transaction of its own, whose
/// statements the server ends after a second. join_plan decides, this performs.
class join_firing {
 public:
  join_firing(pg::session& session, logger& log);

  /// Says whether it let any job run. `idle`: no job runs in this process.
  boost::asio::awaitable<bool> fire(join_plan& plan, bool idle);

 private:
  using kind_names = std::map<join_plan::kind_id, std::string>;

  boost::asio::awaitable<std::optional<kind_names>> ask();
  boost::asio::awaitable<fired_joins> fire_kind(join_plan::kind_id kind);

  pg::session& session_;
  logger& log_;
  pg::statement kinds_, fire_, missed_, settings_, statement_timeout_, constraints_;
  pg::statement begin_, commit_, rollback_;
};

}  // namespace rowrunner
