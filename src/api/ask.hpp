#pragma once

#include "api/services.hpp"

namespace rowrunner::api {

/// Runs a call on a session of the server. Throws connection_lost also if no session is free within
/// the limit database_time; what was sent by then is waited for as long as the settings of the
/// sessions say.
asio::awaitable<pg::result> ask_database(services& with, pg::call one);

}  // namespace rowrunner::api
