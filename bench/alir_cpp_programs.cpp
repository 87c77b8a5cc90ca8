// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The headers that bench_alir_cpp measures, in a unit of their own: the baseline must not share one with
// so much code, or the compiler inlines less of it.

#include "alir_cpp_programs.hpp"

#include "dense_1000.hpp"
#include "dense_4000.hpp"
#include "mixed_1000.hpp"
#include "mixed_4000.hpp"
#include "narrow_1000.hpp"
#include "narrow_4000.hpp"

namespace bench {

const emitted_program emitted_programs[6] = {
    {{.mix = mix::dense, .operations = 1000}, dense_1000::run},
    {{.mix = mix::narrow, .operations = 1000}, narrow_1000::run},
    {{.mix = mix::mixed, .operations = 1000}, mixed_1000::run},
    {{.mix = mix::dense, .operations = 4000}, dense_4000::run},
    {{.mix = mix::narrow, .operations = 4000}, narrow_4000::run},
    {{.mix = mix::mixed, .operations = 4000}, mixed_4000::run}};

}  // namespace bench
