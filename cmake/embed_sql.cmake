# Turns db/queries/*.sql and db/migrations/*.sql into generated C++: one constant per query
# (rowrunner::queries::claim), one table of migrations in order.
file(GLOB ROWRUNNER_QUERIES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/queries/*.sql)
file(GLOB ROWRUNNER_MIGRATIONS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/migrations/*.sql)
set(ROWRUNNER_GENERATED ${PROJECT_BINARY_DIR}/generated)
set(ROWRUNNER_EMBEDDED
    ${ROWRUNNER_GENERATED}/common/queries.hpp
    ${ROWRUNNER_GENERATED}/common/queries.cpp
    ${ROWRUNNER_GENERATED}/common/migrations.cpp)
add_custom_command(
  OUTPUT ${ROWRUNNER_EMBEDDED}
  COMMAND ${CMAKE_COMMAND} -DOUT=${ROWRUNNER_GENERATED}/common "-DQUERIES=${ROWRUNNER_QUERIES}"
          "-DMIGRATIONS=${ROWRUNNER_MIGRATIONS}" -P ${PROJECT_SOURCE_DIR}/cmake/generate_sql.cmake
  DEPENDS ${ROWRUNNER_QUERIES} ${ROWRUNNER_MIGRATIONS} ${PROJECT_SOURCE_DIR}/cmake/generate_sql.cmake
  COMMENT "Embedding db/queries and db/migrations"
  VERBATIM)
