// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tests' main. Catch2 2 is compiled here and nowhere else; Catch2 3 is a library.

#define CATCH_CONFIG_RUNNER
#include "../support/catch.hpp"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
