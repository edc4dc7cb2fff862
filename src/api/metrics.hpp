#pragma once

#include "api/message.hpp"
#include "common/metrics/exposition.hpp"

namespace rowrunner::api {

answer metrics_answer(const exposition& of);

}  // namespace rowrunner::api
