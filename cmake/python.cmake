# carom._native, the compiled part of the Python package (python/): library and tools in one module behind cffi, which any
# Python from 3.6 on can load. In a checkout the package finds it in the build folder.
set(CAROM_PYTHON AUTO CACHE STRING "Build the Python package: ON, OFF, or AUTO: where Python has NumPy, cffi and its headers")
set(CAROM_PYTHON_INTERPRETER "" CACHE STRING "The Python that has NumPy and cffi; empty: that of the PATH or of the system")

# The first Python that has what the module needs, and where its headers are.
set(question "import cffi, numpy, os, sysconfig; path = sysconfig.get_path('include')
assert os.path.exists(path + '/Python.h'); print(path)")
foreach(candidate ${CAROM_PYTHON_INTERPRETER} python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -I -c "${question}" OUTPUT_VARIABLE python_include RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed STREQUAL 0)
    set(python ${candidate})
    break()
  endif()
endforeach()
if(NOT python)
  if(CAROM_PYTHON STREQUAL AUTO)
    message(STATUS "no Python with NumPy, cffi and its headers: no Python package (scripts/deps --python)")
    return()
  endif()
  message(FATAL_ERROR "the Python package needs a Python with NumPy, cffi and its headers: scripts/deps --python")
endif()

file(GLOB native CONFIGURE_DEPENDS python/native/*.c)
set(generated ${PROJECT_BINARY_DIR}/generated/python/native.c)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/python)
add_custom_command(OUTPUT ${generated}
  COMMAND ${python} -I ${PROJECT_SOURCE_DIR}/python/native/declare.py ${PROJECT_SOURCE_DIR}/include ${generated}
  DEPENDS python/native/declare.py python/native/loop.h ${public_headers} VERBATIM)
set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -w) # it is cffi's
add_library(carom_python MODULE ${native} ${generated})
target_include_directories(carom_python PRIVATE include python/native)
target_include_directories(carom_python SYSTEM PRIVATE ${python_include})
target_link_libraries(carom_python PRIVATE carom_tools)
target_link_options(carom_python PRIVATE LINKER:--exclude-libs,ALL LINKER:--disable-new-dtags)
target_link_options(carom PRIVATE LINKER:--disable-new-dtags)
set_target_properties(carom_python PROPERTIES PREFIX "" SUFFIX ".abi3.so" OUTPUT_NAME _native
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
# In a wheel (python/backend) both find their libraries in the package.
set_target_properties(carom_python PROPERTIES BUILD_RPATH "$ORIGIN/lib")
set_target_properties(carom PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
set(CAROM_PYTHON_MODULE ${PROJECT_BINARY_DIR}/python/_native.abi3.so CACHE INTERNAL "The compiled module")
set(CAROM_PYTHON_FOUND ${python} CACHE INTERNAL "The Python that it was built with")
