#include "workloads/spot_images/workload.hpp"

#include "migrations/spot_images.hpp"
#include "queries/spot_images.hpp"
#include "workloads/spot_images/commands/commands.hpp"
#include "workloads/spot_images/handler.hpp"
#include "workloads/spot_images/routes.hpp"

namespace rowrunner::spot_images {

workload as_workload() {
  return {{"spot_images",
           migrations::spot_images(),
           {"rowrunner_spots"},
           {queries::ensure_spot_permissions}},
          {spot_image_handler()},
          add_commands,
          make_routes};
}

}  // namespace rowrunner::spot_images
