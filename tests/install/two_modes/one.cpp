// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The header-only half of a program whose other half is in compiled mode. With HAND_OVER it gives that
// one a model of its own, which must not link.

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <tessera/alir.hpp>

std::size_t other_reads(std::string_view source);
std::size_t count_operations(const tessera::alir::model& model);

int main() {
  constexpr std::string_view source =
      R"({"model":[[1,1],[0],[1],[0],[false],)"
      R"([[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,-1,-2,0,[-7.5,8.0,0.5],0.0,0.0]],-1,-1,null],)"
      R"("meta":"ALIRModel","spec_version":2})";
  const auto model = tessera::alir::read_json(source);
  if (!model || other_reads(source) != model->ops.size()) return 1;
#ifdef HAND_OVER
  if (count_operations(*model) != model->ops.size()) return 1;
#endif
  std::printf("both read %zu operations\n", model->ops.size());
  return 0;
}
