#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/spot_images/plan.hpp"

namespace rowrunner::spot_images {

enum class import_result { created, unchanged };

/// Saves a plan with its places. One that exists with the same content stays as it is; throws
/// bad_input, with nothing changed, if its content differs. A picture's address counts only if the
/// file gives one: those that workers have written since do not make a plan another.
import_result import_plan(pqxx::dbtransaction& tx, const plan& given);

/// A place as it stands now, with its job if there is one.
struct spot_state {
  plan_spot spot;
  std::string image_status;
  std::optional<std::string> job_id;
  std::optional<std::string> job_status;
  int attempts = 0;
  int max_attempts = 0;
  std::optional<std::string> last_error;
};

struct plan_state {
  std::string id;
  std::string title;
  std::vector<spot_state> spots;
};

/// The first thing in which a plan differs from what is stored; empty if there is none.
std::string difference(const plan& given, const plan_state& stored);

/// Throws bad_input if there is no such plan.
plan_state read_plan(pqxx::dbtransaction& tx, std::string_view plan_id);

}  // namespace rowrunner::spot_images
