#pragma once

#include <functional>

#include "program/context.hpp"

namespace rowrunner {

/// What the role of a command must have; what it is told if that is denied.
enum class permission { app_or_worker, owner };

/// What every command gets: the settings that are common to all. A command's callback sets
/// `action`, and main runs it when the whole command line has been read.
struct command_context : program_context {
  /// Output for scripts instead of people.
  bool json = false;
  std::function<void()> action;
  permission needs = permission::app_or_worker;
};

}  // namespace rowrunner
