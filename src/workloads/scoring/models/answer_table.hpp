#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/http/error.hpp"
#include "common/http/message.hpp"
#include "workloads/scoring/models/model.hpp"

namespace rowrunner::scoring {

/// What an answer that is not 2xx means. The whole table:
///
///   400            this row fails; a key that is not valid (Gemini) is a dead key
///   401, 402, 403  the key is dead
///   404            there is no such model or address: as a dead key
///   408, 409, 425  again, with an attempt charged
///   413, 422       this row fails
///   429            busy; insufficient_quota and a quota per day are a dead key
///   500, 502, 504  again, with an attempt charged; as any other 5xx
///   503            again, with an attempt charged; busy if the answer says when to come back
///   529            busy
///   others         3xx: as a dead key, 4xx: this row fails
///
/// How long to wait is, in this order: Retry-After (or retry-after-ms), the header for the reset of
/// requests, google.rpc.RetryInfo in the body. Values that are not positive are left out, and the
/// longest wait that counts is ten minutes.
reply refusal(const http::response& answer, const std::string& who);

/// No answer came.
reply no_answer(const http::error& why);

/// "1.5s", "6m0s", "250ms", "20": what services write; nothing for others.
std::optional<std::chrono::milliseconds> read_duration(const std::string& text);

}  // namespace rowrunner::scoring
