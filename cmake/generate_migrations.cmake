# Run by embed_sql.cmake at build time: writes the list of FILES into OUT/COMPONENT.hpp and .cpp.
include(${CMAKE_CURRENT_LIST_DIR}/sql_literal.cmake)

file(WRITE ${OUT}/${COMPONENT}.hpp "#pragma once

#include \"common/schema/component.hpp\"

namespace rowrunner::migrations {

std::span<const migration> ${COMPONENT}();

}  // namespace rowrunner::migrations
")
set(source "#include \"migrations/${COMPONENT}.hpp\"\n\nnamespace rowrunner::migrations {\n\n")
string(APPEND source "std::span<const migration> ${COMPONENT}() {\n  static const migration list[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^0*([0-9]+)_.*" "\\1" version ${name})
  sql_literal(${file} text)
  string(APPEND source "    {${version}, \"${name}\",\n${text}},\n")
endforeach()
file(WRITE ${OUT}/${COMPONENT}.cpp "${source}  };\n  return list;\n}\n\n}  // namespace rowrunner::migrations\n")
