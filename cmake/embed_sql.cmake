# The SQL files of a component, compiled into the target that uses them:
#   rowrunner_embed_queries(target component)     db/queries/<component>/*.sql, one constant
#     rowrunner::queries::<file> each, declared in "queries/<component>.hpp"
#   rowrunner_embed_migrations(target component)  db/migrations/<component>/*.sql, in order, as
#     rowrunner::migrations::<component>(), declared in "migrations/<component>.hpp"
set(ROWRUNNER_GENERATED ${PROJECT_BINARY_DIR}/generated)

function(rowrunner_embed_sql target what component)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/db/${what}/${component}/*.sql)
  set(outputs ${ROWRUNNER_GENERATED}/${what}/${component}.hpp ${ROWRUNNER_GENERATED}/${what}/${component}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/generate_${what}.cmake)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${CMAKE_COMMAND} -DOUT=${ROWRUNNER_GENERATED}/${what} -DCOMPONENT=${component}
            "-DFILES=${files}" -P ${script}
    DEPENDS ${files} ${script} ${PROJECT_SOURCE_DIR}/cmake/sql_literal.cmake
    COMMENT "Embedding db/${what}/${component}"
    VERBATIM)
  target_sources(${target} PRIVATE ${outputs})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${ROWRUNNER_GENERATED}>)
endfunction()

function(rowrunner_embed_queries target component)
  rowrunner_embed_sql(${target} queries ${component})
endfunction()

function(rowrunner_embed_migrations target component)
  rowrunner_embed_sql(${target} migrations ${component})
endfunction()
