#include "workloads/mirror/workload.hpp"

#include "migrations/mirror.hpp"
#include "queries/api.hpp"
#include "queries/mirror.hpp"
#include "workloads/mirror/mirror.hpp"

namespace rowrunner::mirror {
namespace {

std::shared_ptr<void> start(const companion_context& context) {
  const auto redis = configured_redis(context.env);
  if (!redis) return nullptr;
  mirror_options options;
  options.redis = *redis;
  options.database.url = context.database_url;
  options.statuses = context.statuses;
  options.queues = context.queues;
  return std::make_shared<mirror>(std::move(options), context.log);
}

std::vector<query> triggers(const environment& env) {
  if (!configured_redis(env)) return {};
  return {queries::mirror_enable_all};
}

}  // namespace

workload as_workload() {
  workload out{{"mirror",
                migrations::mirror(),
                {"rowrunner_mirror"},
                {queries::ensure_api_role, queries::ensure_mirror_permissions}},
               {},
               [](CLI::App&, command_context&) {},
               [](const boost::asio::any_io_executor&, const environment&) {
                 return std::vector<api::route>();
               }};
  out.start_companion = start;
  out.configured = triggers;
  return out;
}

}  // namespace rowrunner::mirror
