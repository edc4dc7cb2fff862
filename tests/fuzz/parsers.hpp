#pragma once

#include <span>
#include <string_view>

namespace rowrunner::fuzz {

/// A parser with what must hold of it for any bytes.
struct parser {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

void read_head(std::string_view bytes);
void read_target(std::string_view bytes);
void read_parameters(std::string_view bytes);
void read_json(std::string_view bytes);
void read_credential(std::string_view bytes);
void read_url(std::string_view bytes);
void read_database_values(std::string_view bytes);

/// The name is that of its folder of seeds.
inline constexpr parser parsers[] = {
    {"head", read_head},
    {"target", read_target},
    {"parameters", read_parameters},
    {"json", read_json},
    {"credential", read_credential},
    {"url", read_url},
    {"database", read_database_values},
};

/// Ends the process with a message unless it holds, with any compiler.
void require(bool holds, const char* what);

}  // namespace rowrunner::fuzz
