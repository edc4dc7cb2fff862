#pragma once

#include "common/schema/component.hpp"

namespace rowrunner::api {

/// The tables of the server: tokens, sign-ins, tickets, counts of calls.
component api_component();

}  // namespace rowrunner::api
