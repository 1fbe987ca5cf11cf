# What the library links to, as one interface target carom_dependencies, and the same as text for packages: CAROM_MODULES
# of pkg-config and CAROM_LIBRARIES by name. What the tools need beyond it: carom_tools_dependencies, CAROM_TOOLS_MODULES.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)

add_library(carom_dependencies INTERFACE)
target_link_libraries(carom_dependencies INTERFACE PkgConfig::FYAML)
find_path(SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
target_include_directories(carom_dependencies SYSTEM INTERFACE ${SUITESPARSE_INCLUDE})
set(CAROM_MODULES libfyaml)
set(CAROM_LIBRARIES klu btf amd colamd suitesparseconfig)
foreach(name IN LISTS CAROM_LIBRARIES)
  string(TOUPPER ${name} NAME)
  find_library(${NAME}_LIBRARY ${name} REQUIRED)
  target_link_libraries(carom_dependencies INTERFACE ${${NAME}_LIBRARY})
endforeach()
target_link_libraries(carom_dependencies INTERFACE Threads::Threads m)

if(CAROM_TOOLS)
  find_package(ZLIB REQUIRED)
  # The serial HDF5, also where a parallel one is installed next to it.
  pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
  add_library(carom_tools_dependencies INTERFACE)
  target_link_libraries(carom_tools_dependencies INTERFACE PkgConfig::HDF5 ZLIB::ZLIB)
  set(CAROM_TOOLS_MODULES ${HDF5_MODULE_NAME} zlib)
  # Least squares of carom identify, which says so where it is not there.
  pkg_check_modules(CMINPACK QUIET IMPORTED_TARGET cminpack)
  if(CMINPACK_FOUND)
    target_link_libraries(carom_tools_dependencies INTERFACE PkgConfig::CMINPACK)
    set_source_files_properties(tools/identify/least_squares.c PROPERTIES COMPILE_DEFINITIONS CAROM_MINPACK)
    list(APPEND CAROM_TOOLS_MODULES cminpack)
  endif()
endif()
