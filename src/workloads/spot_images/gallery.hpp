#pragma once

#include <map>
#include <string>

#include "workloads/spot_images/plan_store.hpp"

namespace rowrunner::spot_images {

/// What the gallery shows for a place that has an address: where its picture lies, as the page may
/// link to it, or why it cannot be shown.
struct gallery_picture {
  std::string link;
  std::string problem;
};

/// One page that needs nothing else but the pictures. `pictures` are by name of the place. A
/// picture is shown whatever the status says, then failures with their reason; all others wait.
std::string gallery_html(const plan_state& plan,
                         const std::map<std::string, gallery_picture>& pictures);

/// Text that is safe in HTML, between tags and in attributes with quotes.
std::string escape_html(std::string_view text);

}  // namespace rowrunner::spot_images
