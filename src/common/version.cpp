#include "common/version.hpp"

namespace rowrunner {

constinit const std::string_view version = ROWRUNNER_VERSION;

}  // namespace rowrunner
