# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# `cmake --build build --target single` rewrites include/single/ from the headers.

set(single_commands)
foreach(entry IN LISTS TESSERA_FORMATS ITEMS tessera)
  if(entry STREQUAL "tessera")
    set(output tessera.hpp)
  else()
    set(output tessera_${entry}.hpp)
  endif()
  list(APPEND single_commands
       COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR} -DENTRY=include/tessera/${entry}.hpp
               -DOUTPUT=include/single/${output} -P "${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake")
endforeach()
add_custom_target(single ${single_commands} VERBATIM)
