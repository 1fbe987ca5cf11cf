# tests/<kind>/test_*.c: one cmocka program and one ctest each, label <kind>. tests/robustness/*.sh: one ctest each.
# tests/campaign/*.c: random cases, the first few of each as a ctest. tests/support/*.c: what they share.
# python/tests/test_*.py: one ctest each.
# tests/preload/*.c: libraries that they put before those of the program, which no sanitizer shares. Tests
# that include a header of tools/ or name CAROM_PROGRAM, and scripts that read support.bash, need the tools; all others
# are linked to the library alone, and run also where CAROM_TOOLS is off. Tests run in the source folder; CAROM_PROGRAM is the program and CAROM_BUILD the
# build folder, in the environment and, for C, as definitions. Exit code 77 means skipped.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_path(SUNDIALS_INCLUDE cvode/cvode.h REQUIRED)

# Splits a list of files: those that need the library alone stay in the list, the others go to tools_<list>, which stays
# empty where the tools are not built.
function(split_tools list)
  set(tools_files)
  foreach(file IN LISTS ${list})
    file(STRINGS ${file} lines REGEX "CAROM_PROGRAM|support.bash|sample_report.h|unit/test_report|\"(result|picture|study|reproduce|fclib|sweep|modes|identify|derivative)/")
    if(lines)
      list(REMOVE_ITEM ${list} ${file})
      list(APPEND tools_files ${file})
    endif()
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
  if(CAROM_TOOLS)
    set(tools_${list} ${tools_files} PARENT_SCOPE)
  endif()
endfunction()

file(GLOB support CONFIGURE_DEPENDS tests/support/*.c)
split_tools(support)
add_library(carom_support STATIC ${support})
target_include_directories(carom_support PUBLIC tests tests/support)
target_include_directories(carom_support SYSTEM PUBLIC ${SUNDIALS_INCLUDE})
target_compile_definitions(carom_support PUBLIC CAROM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                           CAROM_BUILD="${PROJECT_BINARY_DIR}" CAROM_PROGRAM="${PROJECT_BINARY_DIR}/carom")
target_link_libraries(carom_support PUBLIC carom_static PkgConfig::CMOCKA)
# SUNDIALS integrates the independent references.
foreach(name cvode nvecserial sunmatrixdense sunlinsoldense)
  string(TOUPPER ${name} NAME)
  find_library(SUNDIALS_${NAME}_LIBRARY sundials_${name} REQUIRED)
  target_link_libraries(carom_support PUBLIC ${SUNDIALS_${NAME}_LIBRARY})
endforeach()

if(tools_support)
  add_library(carom_tools_support STATIC ${tools_support})
  target_link_libraries(carom_tools_support PUBLIC carom_support carom_tools)
endif()

# One program and its ctest, in the folder and under the label of its kind, linked to a library of support.
add_custom_target(unit_tests)
function(add_test_program kind source support)
  get_filename_component(name ${source} NAME_WE)
  set(target ${kind}_${name})
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ${support})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${kind}
                                             OUTPUT_NAME ${name})
  if(kind STREQUAL unit)
    add_dependencies(unit_tests ${target})
  endif()
  string(REGEX REPLACE "^test_" "" short ${name})
  add_test(NAME ${kind}/${short} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${kind}/${short} PROPERTIES LABELS ${kind} ENVIRONMENT "${environment}" TIMEOUT 600
                                                   SKIP_RETURN_CODE 77)
endfunction()

if(NOT CAROM_SANITIZE)
  file(GLOB preloads CONFIGURE_DEPENDS tests/preload/*.c)
  foreach(source IN LISTS preloads)
    get_filename_component(name ${source} NAME_WE)
    add_library(preload_${name} MODULE ${source})
    target_compile_options(preload_${name} PRIVATE -fno-builtin)
    set_target_properties(preload_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/preload
                                                     OUTPUT_NAME ${name} PREFIX "" SUFFIX ".so")
  endforeach()
endif()

set(environment "CAROM_BUILD=${PROJECT_BINARY_DIR}" "CAROM_PROGRAM=${PROJECT_BINARY_DIR}/carom"
                "UBSAN_OPTIONS=print_stacktrace=1")
foreach(kind unit conformance papers robustness campaign)
  file(GLOB tests CONFIGURE_DEPENDS tests/${kind}/test_*.c)
  if(kind STREQUAL campaign)
    file(GLOB tests CONFIGURE_DEPENDS tests/campaign/*.c)
  endif()
  split_tools(tests)
  foreach(source IN LISTS tests)
    add_test_program(${kind} ${source} carom_support)
  endforeach()
  foreach(source IN LISTS tools_tests)
    add_test_program(${kind} ${source} carom_tools_support)
  endforeach()
endforeach()

file(GLOB shell_tests CONFIGURE_DEPENDS tests/robustness/*.sh)
split_tools(shell_tests)
foreach(script IN LISTS shell_tests tools_shell_tests)
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME robustness/${name}.sh COMMAND bash ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(robustness/${name}.sh PROPERTIES LABELS robustness ENVIRONMENT "${environment}" TIMEOUT 600
                                                        SKIP_RETURN_CODE 77)
endforeach()

# python/tests/test_*.py: one ctest each, by the Python that the package is built with.
if(TARGET carom_python)
  file(GLOB python_tests CONFIGURE_DEPENDS python/tests/test_*.py)
  foreach(test IN LISTS python_tests)
    get_filename_component(name ${test} NAME_WE)
    string(REGEX REPLACE "^test_" "" short ${name})
    add_test(NAME python/${short} COMMAND ${python} -m pytest -q -p no:cacheprovider ${test}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(python/${short} PROPERTIES LABELS python ENVIRONMENT "${environment}" TIMEOUT 600)
  endforeach()
endif()
