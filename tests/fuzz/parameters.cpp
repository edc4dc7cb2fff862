#include "api/parameters.hpp"

#include "api/target.hpp"
#include "common/text.hpp"
#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

/// Nothing but a request_error with a 4xx may come of it.
template <typename Work>
void refuses_or_reads(const Work& work) {
  try {
    work();
  } catch (const api::request_error& refusal) {
    require(refusal.why().status >= 400 && refusal.why().status < 500, "the caller's mistake");
    require(valid_utf8(refusal.why().message), "a message is UTF-8");
  }
}

}  // namespace

void read_parameters(std::string_view bytes) {
  const auto where = api::parse_target("/api/jobs?" + std::string(bytes));
  if (!where) return;
  api::request asked;
  asked.query = where->query;
  for (const auto& each : where->query) asked.params["id"] = each.second;
  asked.params.try_emplace("id", "");
  api::route to{
      .method = api::http::verb::get, .path = "/api/jobs", .who = {}, .run = {}, .summary = ""};
  to.query = {{"kind", "string", ""}, {"limit", "integer", ""}};
  refuses_or_reads([&] { api::check_query(to, asked); });
  refuses_or_reads([&] {
    const int limit = api::number_parameter(asked, "limit", 50, 1, 200);
    require(limit >= 1 && limit <= 200, "a number is within its limits");
  });
  refuses_or_reads([&] { require(is_uuid(api::id_parameter(asked)), "an id is a uuid"); });
  if (const auto kind = api::parameter(asked, "kind")) require(!kind->empty(), "it says something");
}

}  // namespace rowrunner::fuzz
