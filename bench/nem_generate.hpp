// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NEM programs of any size, as a compiler writes them: tiles of a matrix product, each loaded,
// multiplied, activated and stored through two slots of L1, in order by deps and waits. No loop, so
// that verification does each statement once; every tile has names of its own.
//
//   const std::string source = bench::nem_program(200'000);

#ifndef TESSERA_BENCH_NEM_GENERATE_HPP
#define TESSERA_BENCH_NEM_GENERATE_HPP

#include <cstddef>
#include <string>

namespace bench {

/// At least `size` bytes, the same for the same size everywhere.
[[nodiscard]] inline std::string nem_program(std::size_t size) {
  constexpr std::size_t bytes_of_tile = 420;  // none is shorter
  const std::string tiles = std::to_string(size / bytes_of_tile + 2);
  std::string out =
      "program tiles:\n"
      "const TILE = 64\n"
      "const TILES = " +
      tiles +
      "\n"
      "buffer X_L2 : L2 (size=TILES*TILE, align=64)\n"
      "buffer W_L2 : L2 (size=128, align=64)\n"
      "buffer Y_L2 : L2 (size=TILES*TILE, align=64)\n"
      "buffer X_L1 : L1[0] (size=2*TILE, align=64)\n"
      "buffer W_L1 : L1[0] (size=128, align=64)\n"
      "buffer Y_L1 : L1[0] (size=2*TILE, align=64)\n"
      "let W = region(W_L1, 0, 128)\n"
      "    elem=f16, shape=[8, 8], layout=KN\n"
      "    @readonly\n"
      "transfer.sync(dst=region(W_L1, 0, 128), src=region(W_L2, 0, 128))\n";
  for (std::size_t i = 0; out.size() < size; ++i) {
    const std::string n = std::to_string(i), slot = std::to_string(i % 2);
    out += "# tile " + n + "\n";
    out += "let x" + n + "_l2 = region(X_L2, " + n + " * TILE, TILE)\n";
    out += "let x" + n + " = region(X_L1, " + slot + " * TILE, TILE)\n";
    out += "    elem=f16, shape=[4, 8], layout=MK\n";
    out += "let y" + n + " = region(Y_L1, " + slot + " * TILE, TILE)\n";
    out += "    elem=f16, shape=[4, 8], layout=MN\n";
    // Before a slot is used again, the tile before the last has left it.
    if (i >= 2) out += "wait(s" + std::to_string(i - 2) + ")\n";
    out += "t" + n + " = transfer.async(dst=x" + n + ", src=x" + n + "_l2)\n";
    out += "g" + n + " = gemm.async\n";
    out += "    in  x" + n + ", W\n";
    out += "    out y" + n + "\n";
    out += "    deps=[t" + n + "]\n";
    out += "    accum_type=f32\n";
    out +=
        "r" + n + " = leaky_relu.async in y" + n + " out y" + n + " deps=[g" + n + "] alpha=0.01\n";
    out += "s" + n + " = store.async(dst=region(Y_L2, (" + n + " + 0) * TILE, TILE), src=y" + n +
           ", deps=[r" + n + "]) @profile(tile)\n";
  }
  return out;
}

}  // namespace bench

#endif  // TESSERA_BENCH_NEM_GENERATE_HPP
