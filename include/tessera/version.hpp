// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The version of Tessera, once. CMake reads it from here.
//
// Everything lives in `tessera::inline TESSERA_ABI`, so two versions linked into one program keep
// apart. Two versions in one translation unit cannot, so that is an error; the check stands outside
// the guard because a guard would skip it exactly when it matters.

#if defined(TESSERA_VERSION) && TESSERA_VERSION != 100
#error "two versions of Tessera are included in one translation unit"
#endif

#ifndef TESSERA_VERSION_HPP
#define TESSERA_VERSION_HPP

#define TESSERA_VERSION 100  // major * 10000 + minor * 100 + patch
#define TESSERA_VERSION_STRING "0.1.0"
#define TESSERA_ABI v0_1_0  // the full version: the namespace that every entity lives in

#endif  // TESSERA_VERSION_HPP
