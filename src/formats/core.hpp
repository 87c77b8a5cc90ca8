// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every interface of core that has bodies. core.cpp compiles these; the other files of this folder
// include them first, as declarations, so that no body is compiled twice.

#ifndef TESSERA_FORMATS_CORE_HPP
#define TESSERA_FORMATS_CORE_HPP

#include <tessera/core/describe.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/findings.hpp>
#include <tessera/core/json_path.hpp>
#include <tessera/core/report.hpp>
#include <tessera/core/text.hpp>

#endif  // TESSERA_FORMATS_CORE_HPP
