# cmake --install: libraries, headers, carom.pc, program, scenes, documentation.
install(TARGETS carom_shared carom_static LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom)

# carom.pc: "pkg-config --libs carom" for the shared library, "--static --libs" adds what the static one needs.
set(private_libs "")
foreach(name KLU BTF AMD COLAMD SUITESPARSECONFIG)
  list(APPEND private_libs ${${name}_LIBRARY})
endforeach()
list(APPEND private_libs ${CMAKE_THREAD_LIBS_INIT} -lm)
list(REMOVE_DUPLICATES private_libs)
string(REPLACE ";" " " CAROM_PC_LIBS_PRIVATE "${private_libs}")
set(CAROM_PC_REQUIRES_PRIVATE "${HDF5_MODULE_NAME} zlib libfyaml")
# The prefix relative to carom.pc: an installed folder can be moved.
file(RELATIVE_PATH CAROM_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CAROM_PC_PREFIX "${CAROM_PC_PREFIX}")
configure_file(cmake/carom.pc.in carom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY reproduce DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/carom FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
