#include "chaos/runner/pictures.hpp"

#include <fstream>
#include <iterator>

#include "workloads/spot_images/image_api.hpp"
#include "workloads/spot_images/provider.hpp"

namespace rowrunner::chaos {

std::string state_of_file(const std::string& url) {
  if (url.empty()) return "none";
  std::ifstream file(url.substr(url.find("://") + 3), std::ios::binary);
  if (!file) return "missing";
  try {
    spot_images::check_png(std::string{std::istreambuf_iterator<char>(file), {}});
    return "whole";
  } catch (const spot_images::provider_error&) {
    return "broken";
  }
}

}  // namespace rowrunner::chaos
