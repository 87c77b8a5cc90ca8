# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# `cmake --build build --target single` rewrites include/single/ from the headers.

set(single_commands)
foreach(format IN LISTS TESSERA_FORMATS)
  set(tessera_single_entry_${format} include/tessera/${format}.hpp)
  if(EXISTS "${PROJECT_SOURCE_DIR}/include/tessera/${format}/all.hpp")
    set(tessera_single_entry_${format} include/tessera/${format}/all.hpp)
  endif()
  list(APPEND single_commands
       COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR} -DENTRY=${tessera_single_entry_${format}}
               -DOUTPUT=include/single/tessera_${format}.hpp -P "${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake")
endforeach()
add_custom_target(single ${single_commands} VERBATIM)
# `cmake --build build --target operations` rewrites the list of NAC's operations.
add_custom_target(operations COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR}
                  -P "${PROJECT_SOURCE_DIR}/cmake/operations_table.cmake" VERBATIM)
# `cmake --build build --target editors` rewrites cmake/editors from the tables of NEM.
add_custom_target(editors COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR}
                  -P "${PROJECT_SOURCE_DIR}/cmake/editor_files.cmake" VERBATIM)
