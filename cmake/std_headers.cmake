# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The standard headers that include/ may use, each cheap to include; included by scripts. Add one only
# with a look at what it does to the include-cost test.

set(std_headers
    bit cerrno cfloat compare concepts cstddef cstdint cstdio cstring initializer_list iterator limits new
    span string_view type_traits utility vector)
# Those with which a file is opened, and where.
set(file_headers cerrno cstdio)
set(opens_files include/tessera/nem/detail/device/resolver.hpp)

# What interfaces of compiled libraries (vm, inspect) include, too.
set(compiled_std_headers array chrono memory string)
