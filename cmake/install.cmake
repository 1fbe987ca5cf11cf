# cmake --install: libraries, headers, carom.pc, the CMake package, program, manual page, completion, scenes,
# documentation. Components are the Debian packages: libcarom0, libcarom-dev, carom (cmake/package.cmake).
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
install(TARGETS carom_shared EXPORT carom-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libcarom0 NAMELINK_COMPONENT libcarom-dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Static libraries for programs: one object each, in which the names of the API alone are global, so that none of the
# others can clash with a program's. libcarom-tools.a holds the library as well, whose inside the tools use. They are
# made from libraries, since makefiles have no rule for an object of another target.
function(install_static name)
  set(object ${PROJECT_BINARY_DIR}/generated/${name}.o)
  set(archive ${PROJECT_BINARY_DIR}/generated/lib${name}.a)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE libraries)
  add_custom_command(OUTPUT ${archive} DEPENDS ${ARGN} VERBATIM
    COMMAND ${CMAKE_LINKER} -r -o ${object} --whole-archive ${libraries}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object})
  add_custom_target(${name}_archive ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libcarom-dev)
endfunction()
install_static(carom carom_static)
if(CAROM_TOOLS)
  install_static(carom-tools carom_static carom_tools)
else()
  list(FILTER public_headers EXCLUDE REGEX "/result.h$")
endif()
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom COMPONENT libcarom-dev)

# carom.pc: "pkg-config --libs carom" for the shared library, "--static --libs" adds what the static one needs. The
# prefix is relative to carom.pc and libraries go by name: an installed folder can be moved.
list(TRANSFORM CAROM_LIBRARIES PREPEND -l OUTPUT_VARIABLE private_libs)
string(REPLACE ";" " " CAROM_PC_LIBS_PRIVATE "${private_libs} ${CMAKE_THREAD_LIBS_INIT} -lm")
string(REPLACE ";" " " CAROM_PC_REQUIRES_PRIVATE "${CAROM_MODULES}")
file(RELATIVE_PATH CAROM_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CAROM_PC_PREFIX "${CAROM_PC_PREFIX}")
configure_file(cmake/carom.pc.in carom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libcarom-dev)
if(CAROM_TOOLS)
  string(REPLACE ";" " " CAROM_PC_TOOLS_REQUIRES "${CAROM_TOOLS_MODULES};${CAROM_MODULES}")
  configure_file(cmake/carom-tools.pc.in carom-tools.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/carom-tools.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT libcarom-dev)
endif()

# find_package(carom): carom::carom, and carom::static and carom::tools where asked for
include(CMakePackageConfigHelpers)
install(EXPORT carom-targets NAMESPACE carom:: DESTINATION ${package_dir} COMPONENT libcarom-dev)
configure_package_config_file(cmake/carom-config.cmake.in carom-config.cmake INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(carom-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake ${PROJECT_BINARY_DIR}/carom-config-version.cmake
        DESTINATION ${package_dir} COMPONENT libcarom-dev)

# The program writes its own manual page and completion.
if(TARGET carom)
  set(bash_dir ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  foreach(form man:carom.1:${CMAKE_INSTALL_MANDIR}/man1 bash:carom:${bash_dir} zsh:_carom)
    string(REPLACE ":" ";" form ${form})
    list(GET form 0 kind)
    list(GET form 1 name)
    set(file ${PROJECT_BINARY_DIR}/generated/${kind}/${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/${kind})
    add_custom_command(OUTPUT ${file} COMMAND carom help --${kind} > ${file} DEPENDS carom VERBATIM)
    list(APPEND manuals ${file})
    if(kind STREQUAL zsh)
      set(zsh_file ${file})
    else()
      list(GET form 2 place)
      install(FILES ${file} DESTINATION ${place} COMPONENT carom)
    endif()
  endforeach()
  # zsh reads site-functions, but in /usr, which belongs to packages, Debian's reads vendor-completions.
  install(CODE "
    set(place share/zsh/site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL /usr AND EXISTS /etc/debian_version)
      set(place share/zsh/vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${place}\" TYPE FILE FILES \"${zsh_file}\")"
    COMPONENT carom)
  add_custom_target(carom_manual ALL DEPENDS ${manuals})
  install(TARGETS carom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT carom)
endif()

# The Python package is a package of Debian, and a wheel elsewhere: cmake --install leaves it out.
if(TARGET carom_python)
  set(python_dir lib/python3/dist-packages/carom)
  install(DIRECTORY python/carom/ DESTINATION ${python_dir} COMPONENT python3-carom EXCLUDE_FROM_ALL
          FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  install(TARGETS carom_python LIBRARY DESTINATION ${python_dir} COMPONENT python3-carom EXCLUDE_FROM_ALL)
endif()

install(DIRECTORY reproduce DESTINATION ${CMAKE_INSTALL_DATADIR}/carom COMPONENT carom)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/carom COMPONENT carom FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT carom)
install(FILES CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT carom)
