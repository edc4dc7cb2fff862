# The heavy headers, compiled once and shared by every target.
function(rowrunner_precompile target)
  if(TARGET rowrunner_common AND NOT target STREQUAL rowrunner_common)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      # Compiled as the libraries are: -fPIE, CMake's choice for programs, does not fit their header.
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    target_precompile_headers(${target} REUSE_FROM rowrunner_common)
  else()
    target_precompile_headers(${target} PRIVATE
      <boost/asio.hpp> <boost/asio/experimental/awaitable_operators.hpp> <nlohmann/json.hpp>
      <spdlog/spdlog.h> <pqxx/pqxx> <libpq-fe.h>
      <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <unordered_map> <variant>
      <vector>)
  endif()
endfunction()
