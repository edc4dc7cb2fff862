#include "workloads/spot_images/plan_store.hpp"

#include "common/errors.hpp"
#include "common/pg/array.hpp"
#include "common/pg/exec.hpp"
#include "queries/spot_images.hpp"
#include "workloads/spot_images/names.hpp"

namespace rowrunner::spot_images {
namespace {

std::optional<std::string> optional_text(const pqxx::field& from) {
  if (from.is_null()) return std::nullopt;
  return from.as<std::string>();
}

void create_spots(pqxx::dbtransaction& tx, const plan& given) {
  std::vector<std::string> names, areas, descriptions;
  std::vector<std::optional<std::string>> urls;
  for (const auto& spot : given.spots) {
    names.push_back(spot.name);
    areas.push_back(spot.area);
    descriptions.push_back(spot.description);
    urls.push_back(spot.image_url);
  }
  pg::exec(tx, queries::plan_spots_create, given.id, pg::array(names), pg::array(areas),
           pg::array(descriptions), pg::array(urls));
}

}  // namespace

std::string difference(const plan& given, const plan_state& stored) {
  if (given.title != stored.title) return "the title";
  if (given.spots.size() != stored.spots.size()) return "the number of spots";
  for (std::size_t i = 0; i < given.spots.size(); ++i) {
    const plan_spot& mine = given.spots[i];
    const plan_spot& theirs = stored.spots[i].spot;
    const std::string place = "spots[" + std::to_string(i) + "].";
    if (mine.name != theirs.name) return place + "spot_name";
    if (mine.area != theirs.area) return place + "area";
    if (mine.description != theirs.description) return place + "description";
    if (mine.image_url && mine.image_url != theirs.image_url) return place + "image_url";
  }
  return {};
}

import_result import_plan(pqxx::dbtransaction& tx, const plan& given) {
  if (!pg::exec(tx, queries::plan_create, given.id, given.title).empty()) {
    create_spots(tx, given);
    return import_result::created;
  }
  const std::string what = difference(given, read_plan(tx, given.id));
  if (what.empty()) return import_result::unchanged;
  throw bad_input("plan '" + given.id + "' exists with other content (" + what +
                  " differs); nothing was changed");
}

plan_state read_plan(pqxx::dbtransaction& tx, std::string_view plan_id) {
  plan_state out;
  out.id = checked_plan_id(plan_id);
  const auto title = pg::exec(tx, queries::plan_title, out.id);
  if (title.empty()) throw bad_input("unknown plan '" + out.id + "'");
  out.title = title[0][0].as<std::string>();
  for (const auto& row : pg::exec(tx, queries::plan_spots, out.id)) {
    spot_state state;
    state.spot.name = row[0].as<std::string>();
    state.spot.area = row[1].as<std::string>();
    state.spot.description = row[2].as<std::string>();
    state.spot.image_url = optional_text(row[3]);
    state.image_status = row[4].as<std::string>();
    state.job_id = optional_text(row[5]);
    state.job_status = optional_text(row[6]);
    state.attempts = row[7].as<int>(0);
    state.max_attempts = row[8].as<int>(0);
    state.last_error = optional_text(row[9]);
    out.spots.push_back(std::move(state));
  }
  return out;
}

}  // namespace rowrunner::spot_images
