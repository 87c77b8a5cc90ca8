# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# `cmake --build build --target single` rewrites include/single/ from the headers.

set(single_commands)
foreach(format IN LISTS TESSERA_FORMATS)
  list(APPEND single_commands
       COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR} -DENTRY=include/tessera/${format}.hpp
               -DOUTPUT=include/single/tessera_${format}.hpp -P "${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake")
endforeach()
add_custom_target(single ${single_commands} VERBATIM)
