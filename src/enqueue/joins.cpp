#include <rowrunner/enqueue.hpp>

#include "common/pg/array.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "enqueue/insertion.hpp"
#include "queries/engine.hpp"

namespace rowrunner {
namespace {

/// More are refused by the database too; a longer list need not be sent.
constexpr std::size_t most_parents = 100'000;

void check_id(std::string_view what, const std::string& id) {
  if (!is_uuid(id)) {
    throw bad_input(std::string(what) + " '" + printable(id, 100) + "' is not a uuid");
  }
}

text_value name_of(std::optional<when_failed> policy) {
  if (!policy) return std::nullopt;
  switch (*policy) {
    case when_failed::run:
      return "run";
    case when_failed::cancel:
      return "cancel";
    case when_failed::hold:
      return "hold";
  }
  throw bad_input("there is no such when_failed");
}

std::vector<text_value> parameters_of(const join& what) {
  check_text("child_kind", what.child_kind);
  check_text("parent_kind", what.parent_kind);
  check_id("child_id", what.child_id);
  if (what.parent_ids.size() > most_parents) {
    throw bad_input("a job can wait for " + std::to_string(most_parents) +
                    " parents at most, not " + std::to_string(what.parent_ids.size()));
  }
  for (const auto& id : what.parent_ids) check_id("parent id", id);
  text_value at_latest_ms;
  if (what.at_latest) at_latest_ms = std::to_string(what.at_latest->count());
  return {what.child_kind,      what.child_id, what.parent_kind, pg::array(what.parent_ids),
          name_of(what.policy), at_latest_ms};
}

}  // namespace

int run_after(pqxx::dbtransaction& tx, const join& what) {
  return pg::exec_each(tx, queries::run_after.text, parameters_of(what))[0][0].as<int>();
}

effect run_after_effect(const join& what) {
  return {std::string(queries::run_after.text), parameters_of(what)};
}

effect enqueue_effect(const job_table& target, const new_job& job) {
  auto planned = plan_one(target, job);
  return {std::move(planned.sql), std::move(planned.params)};
}

}  // namespace rowrunner
