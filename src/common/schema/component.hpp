#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/pg/query.hpp"

namespace rowrunner {

/// One file of db/migrations/<component>, embedded at build time.
struct migration {
  int version;
  std::string_view name;
  std::string_view text;
};

/// A part of the product that has tables of its own: the engine, or a workload.
struct component {
  std::string_view name;
  /// In order of version, without gaps.
  std::span<const migration> migrations;
  /// The roles that own its SECURITY DEFINER functions; every migrate makes and checks them.
  std::vector<std::string_view> owners;
  /// Statements that every migrate runs after the last migration, also if there is none to run:
  /// owners and permissions.
  std::vector<query> after;
};

}  // namespace rowrunner
