# The files of web/, compiled into the target that serves them: rowrunner_embed_web(target) defines
# rowrunner::api::web_files(), declared in "api/web_files.hpp".
function(rowrunner_embed_web target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
  set(output ${PROJECT_BINARY_DIR}/generated/web_files.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/generate_web.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUT=${output} -DROOT=${PROJECT_SOURCE_DIR}/web "-DFILES=${files}" -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding web"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
