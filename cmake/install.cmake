# The library as other projects see it: find_package(rowrunner) gives rowrunner::rowrunner.
include(CMakePackageConfigHelpers)

add_library(rowrunner_library INTERFACE)
set_target_properties(rowrunner_library PROPERTIES EXPORT_NAME rowrunner)
target_link_libraries(rowrunner_library INTERFACE rowrunner_program rowrunner_worker
  rowrunner_enqueue)
add_library(rowrunner::rowrunner ALIAS rowrunner_library)

install(TARGETS rowrunner_library rowrunner_program rowrunner_worker rowrunner_enqueue rowrunner_schema
        rowrunner_pg rowrunner_common
        EXPORT rowrunner ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS rowrunner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/rowrunner DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rowrunner NAMESPACE rowrunner:: FILE rowrunner-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rowrunner)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rowrunner-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/rowrunner-config.cmake ${PROJECT_BINARY_DIR}/rowrunner-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rowrunner)
