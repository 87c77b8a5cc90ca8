// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC with everything: the four verbs of nac.hpp, and assembly, conversion, quantization, weights
// outside, execution plans and tokenizers. The single header is made from this one.

#include "../version.hpp"  // before the guard: a second version must not pass unseen

#ifndef TESSERA_NAC_ALL_HPP
#define TESSERA_NAC_ALL_HPP

#include "../nac.hpp"
#include "assembly.hpp"
#include "execution_plan.hpp"
#include "format.hpp"
#include "model.hpp"
#include "operations.hpp"
#include "parts.hpp"
#include "print.hpp"
#include "quantization.hpp"
#include "read.hpp"
#include "safetensors.hpp"
#include "tokenizer.hpp"
#include "verify.hpp"
#include "weights.hpp"
#include "write.hpp"

#endif  // TESSERA_NAC_ALL_HPP
