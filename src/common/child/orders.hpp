#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/child/limits.hpp"

namespace rowrunner::child {

/// The first message to a child: how it is to be confined.
struct orders {
  pid_t parent = 0;
  limits allowed;
  std::vector<std::filesystem::path> readable;
  /// A child without a request for so long ends by itself and frees its memory.
  int idle_ms = 60'000;
};

void to_json(nlohmann::json& out, const orders& from);
void from_json(const nlohmann::json& from, orders& out);

/// How a child ends whose libraries gave up for lack of memory.
inline constexpr int exit_out_of_memory = 77;

}  // namespace rowrunner::child
