// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// JSON, both ways: json::reader and json::writer.

#ifndef TESSERA_CORE_JSON_HPP
#define TESSERA_CORE_JSON_HPP

#include "json_read.hpp"
#include "json_write.hpp"

#endif  // TESSERA_CORE_JSON_HPP
