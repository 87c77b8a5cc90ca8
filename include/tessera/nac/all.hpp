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
#include "check.hpp"
#include "conversion.hpp"
#include "decode.hpp"
#include "execution_plan.hpp"
#include "execution_plan_text.hpp"
#include "execution_plan_verify.hpp"
#include "format.hpp"
#include "layout.hpp"
#include "lexer.hpp"
#include "model.hpp"
#include "operations.hpp"
#include "parts.hpp"
#include "print.hpp"
#include "program.hpp"
#include "quantization.hpp"
#include "read.hpp"
#include "records.hpp"
#include "resolve.hpp"
#include "safetensors.hpp"
#include "safetensors_write.hpp"
#include "sink.hpp"
#include "tensor_index.hpp"
#include "text_map.hpp"
#include "tokenizer.hpp"
#include "tokenizer_text.hpp"
#include "verify.hpp"
#include "weights.hpp"
#include "words.hpp"
#include "write.hpp"

#endif  // TESSERA_NAC_ALL_HPP
