# Run by embed_sql.cmake at build time: writes the constants of FILES into OUT/COMPONENT.hpp and .cpp.
include(${CMAKE_CURRENT_LIST_DIR}/sql_literal.cmake)

set(header "#pragma once\n\n#include \"common/pg/query.hpp\"\n\nnamespace rowrunner::queries {\n\n")
set(source "#include \"queries/${COMPONENT}.hpp\"\n\nnamespace rowrunner::queries {\n\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  sql_literal(${file} text)
  # Without its comment: what is prepared and logged is the statement.
  string(REGEX REPLACE "R\"sql\\((--[^\n]*\n)+" "R\"sql(" text "${text}")
  string(APPEND header "extern const query ${name};\n")
  string(APPEND source "const query ${name}{\"${name}\",\n${text}};\n\n")
endforeach()
file(WRITE ${OUT}/${COMPONENT}.hpp "${header}\n}  // namespace rowrunner::queries\n")
file(WRITE ${OUT}/${COMPONENT}.cpp "${source}}  // namespace rowrunner::queries\n")
