#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "api/message.hpp"
#include "api/route.hpp"

namespace rowrunner::api {

/// What a request may go on with: its route, or the answer that it gets at once.
struct admission {
  const route* to = nullptr;
  std::optional<answer> refusal{};
};

/// Everything that is decided before the body is read: which route it is, who asks, whether they
/// may, and whether they have asked too often. `spare`: only health routes are served.
asio::awaitable<admission> admit(services& with, request& asked, bool spare);

/// Runs the handler. What it throws becomes an error answer: 503 if the database is away.
asio::awaitable<answer> perform(services& with, const route& on, const request& asked);

/// The error answer of a route, or of none: a document's route answers in the words of that
/// document.
answer refusal_answer(const route* to, const problem& why, const request& asked);

}  // namespace rowrunner::api
