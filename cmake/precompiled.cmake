# The heavy headers, compiled once and shared by every target.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp.new "// Carries the precompiled header.\n")
file(COPY_FILE ${PROJECT_BINARY_DIR}/precompiled.cpp.new ${PROJECT_BINARY_DIR}/precompiled.cpp ONLY_IF_DIFFERENT)
add_library(rowrunner_precompiled STATIC ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(rowrunner_precompiled PRIVATE
  Threads::Threads Boost::headers PostgreSQL::PostgreSQL nlohmann_json::nlohmann_json spdlog::spdlog
  PkgConfig::pqxx rowrunner_flags)
target_precompile_headers(rowrunner_precompiled PRIVATE
  <boost/asio.hpp> <boost/asio/experimental/awaitable_operators.hpp> <nlohmann/json.hpp>
  <spdlog/spdlog.h> <pqxx/pqxx> <libpq-fe.h>
  <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <unordered_map> <variant>
  <vector>)

function(rowrunner_precompile target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    # Compiled as the libraries are: -fPIE, CMake's choice for programs, does not fit their header.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
    # Whatever includes the header of libpqxx 7.10 refers to that library.
    target_link_libraries(${target} PRIVATE PkgConfig::pqxx)
  endif()
  target_precompile_headers(${target} REUSE_FROM rowrunner_precompiled)
endfunction()
