# The page of the viewer: the modules of tools/viewer/page joined with style and HTML into one file, what other pages need to show it, and three.js, both put
# into the program by tools/viewer/parts.c. three.js comes from the system (libjs-three of Debian) or from -DCAROM_THREE.
set(page_folder ${PROJECT_SOURCE_DIR}/tools/viewer/page)
set(page_out ${PROJECT_BINARY_DIR}/generated/viewer)
set(page_files ${page_out}/page.html ${page_out}/guest.html)
set(CAROM_THREE "" CACHE FILEPATH "three.min.js, where it is not the system's")
find_file(THREE_SYSTEM three.min.js PATHS /usr/share/javascript/three /usr/share/javascript/three/build NO_CACHE)
set(three ${CAROM_THREE})
if(NOT three AND THREE_SYSTEM)
  set(three ${THREE_SYSTEM})
endif()
if(NOT three)
  message(STATUS "three.js not found: 'carom view' will say so (scripts/deps, or -DCAROM_THREE=three.min.js)")
  set(three ${PROJECT_BINARY_DIR}/generated/viewer/none.js)
  file(WRITE ${three} "")
endif()

file(GLOB page_parts CONFIGURE_DEPENDS ${page_folder}/*)
foreach(page page guest)
  add_custom_command(OUTPUT ${page_out}/${page}.html
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${page_folder} -DPAGE=${page}.html -DOUTPUT=${page_out}/${page}.html
            -P ${PROJECT_SOURCE_DIR}/cmake/join_page.cmake
    DEPENDS ${page_parts} ${PROJECT_SOURCE_DIR}/cmake/join_page.cmake VERBATIM)
endforeach()
add_custom_target(carom_viewer_page DEPENDS ${page_files})
add_dependencies(carom_tools carom_viewer_page)
set_source_files_properties(tools/viewer/parts.c PROPERTIES
  COMPILE_DEFINITIONS "VIEWER_PAGE=\"${page_out}/page.html\";VIEWER_GUEST=\"${page_out}/guest.html\";VIEWER_THREE=\"${three}\""
  OBJECT_DEPENDS "${page_files};${three}")
