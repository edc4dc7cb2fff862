#include "common/version.hpp"

namespace rowrunner {

constinit const std::string_view version = ROWRUNNER_VERSION;
constinit const std::string_view commit = ROWRUNNER_COMMIT;

}  // namespace rowrunner
