// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the steps of a quantized network compute, without tiles: the reference for its program.
//
//   reference r(planned(program, target, options));
//   r.set_input(0, {0.5f, …});
//   r.run();
//   r.output(0)                               // as numbers of the output's type
//
// Steps of 8-bit integers are plain loops: products have sums of 32 bits, everything is rounded to the
// nearest even. Those of floats, which have no integers, are the operations of NEM's machine on whole
// tensors; products of floats are @deterministic, as sums are in another order where tiles are small.
//
// Lifetime:   owns the plan.
// Errors:     std::bad_alloc.
// Limits:     none.
// Allocation: 8 bytes for each element of all results.

#ifndef TESSERA_TRANSFORM_LOWER_REFERENCE_HPP
#define TESSERA_TRANSFORM_LOWER_REFERENCE_HPP

#include <span>
#include <vector>

#include "transform/lower/steps.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

class reference {
 public:
  explicit reference(plan p);
  void set_input(std::size_t k, std::span<const float> elements);
  void run();
  [[nodiscard]] std::span<const double> output(std::size_t k) const;

 private:
  /// Elements in the order of a shape, as they are stored: integers, or numbers of a float type.
  struct block {
    dimensions shape;
    number_form form;
    std::vector<double> data;
  };

  void run(const step& s);
  [[nodiscard]] std::vector<double> stored(const access& a) const;
  [[nodiscard]] block operand(const step& s, const task_operand& o,
                              const std::vector<block>& registers) const;
  [[nodiscard]] std::size_t port(home::kind what, std::size_t k) const;

  plan plan_;
  std::vector<std::vector<double>> homes_;
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_REFERENCE_HPP
