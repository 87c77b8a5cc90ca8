// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reading containers: what the records say, every error with its offset, the laws.

#include "nac/support.hpp"

using namespace tessera;
using namespace nac_tests;

TEST_CASE("nac/read: small files of versions 1.6, 1.7 and 1.8", "[nac]") {
  struct row {
    const char* name;
    nac::header form;
  };
  for (const row& r : {row{"mini_v16", nac::header::v1_6}, row{"mini_v17", nac::header::v1_7},
                       row{"mini_v18", nac::header::v1_8}}) {
    const auto source = hex_file(r.name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    CHECK(file->header() == r.form);
    CHECK(file->instructions().size() == 6);
    CHECK(file->operation_name(r.form == nac::header::v1_6 ? 0x14 : 0x20) == "aten.linear.default");
  }
}
