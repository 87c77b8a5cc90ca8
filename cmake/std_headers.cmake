# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The standard headers that include/ may use, each cheap to include; included by scripts. Add one only
# with a look at what it does to the include-cost test.

set(std_headers
    bit cfloat compare concepts cstddef cstdint cstring initializer_list iterator limits new span
    string_view type_traits utility vector)
