#pragma once

#include <functional>

#include "program/context.hpp"

namespace rowrunner {

/// What every command gets: the settings that are common to all. A command's callback sets
/// `action`, and main runs it when the whole command line has been read.
struct command_context : program_context {
  /// Output for scripts instead of people.
  bool json = false;
  std::function<void()> action;
};

}  // namespace rowrunner
