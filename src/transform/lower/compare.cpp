// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <limits>
#include <tessera/core/float16.hpp>
#include <tessera/core/load_store.hpp>

#include "tessera/transform/lower.hpp"
#include "tessera/vm/nac.hpp"
#include "tessera/vm/nem.hpp"
#include "transform/lower/quantize.hpp"
#include "transform/lower/reference.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

namespace nem_vm = vm::nem;
using lowering::planned;

[[nodiscard]] std::size_t size_of(nem::element type) noexcept { return nem::bitwidth(type) / 8; }

[[nodiscard]] std::vector<std::byte> encode(std::span<const float> from, nem::element type) {
  std::vector<std::byte> out(from.size() * size_of(type));
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::byte* const to = out.data() + i * size_of(type);
    if (type == nem::element::f32)
      store_le(to, std::bit_cast<std::uint32_t>(from[i]));
    else
      store_le(to,
               type == nem::element::f16 ? half_from_float(from[i]) : bfloat16_from_float(from[i]));
  }
  return out;
}

[[nodiscard]] float decode(const std::byte* from, nem::element type) noexcept {
  if (type == nem::element::f32) return std::bit_cast<float>(load_le<std::uint32_t>(from));
  const auto bits = load_le<std::uint16_t>(from);
  return type == nem::element::f16 ? float_from_half(bits) : float_from_bfloat16(bits);
}

struct run_result {
  std::vector<std::vector<std::byte>> outputs;
  std::string failure;
};

[[nodiscard]] run_result run(const nem::program& p, const lowered& made,
                             const std::vector<std::vector<std::byte>>& inputs,
                             const nem_vm::machine_options& how, const budget& limit) {
  nem_vm::machine machine(p, how);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (const nem_vm::place* const at = machine.find(made.inputs[k].buffer))
      (void)machine.bind(*at, inputs[k]);
  if (const nem_vm::place* const at = machine.find("weights"))
    (void)machine.bind(*at, made.weights);
  tessera::report found;
  const nem_vm::outcome done = machine.run(&found, nullptr, limit);
  run_result out;
  if (!done || found.errors != 0) {
    out.failure = "the lowered program failed: " + std::string(error{done.code}.name());
    return out;
  }
  for (const lowered_port& o : made.outputs) {
    const std::span<const std::byte> bytes = machine.bytes(*machine.find(o.buffer));
    out.outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return out;
}

/// Against the largest finite magnitude of what was expected.
[[nodiscard]] double distance(std::span<const float> expected, std::span<const std::byte> got,
                              nem::element type) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto a = static_cast<double>(expected[i]);
    const auto b = static_cast<double>(decode(got.data() + i * size_of(type), type));
    if (std::isfinite(a)) largest = std::max(largest, std::abs(a));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    worst = std::isfinite(a - b) ? std::max(worst, std::abs(a - b))
                                 : std::numeric_limits<double>::infinity();
  }
  return largest == 0 ? worst : worst / largest;
}

/// Whether outputs have exactly the numbers that the quantized network has without tiles.
[[nodiscard]] bool is_exact(const nac::program& p, const nem::program& lowered_program,
                            const lower_options& options,
                            const std::vector<std::vector<float>>& inputs, const lowered& made,
                            const std::vector<std::vector<std::byte>>& outputs) {
  const lowering::target device(lowered_program.catalog(), *lowered_program.target(), options.type);
  std::vector<std::uint32_t> by_tensor = made.by_tensor;
  lowering::reference expected(lowering::planned(p, device, options, by_tensor));
  for (std::size_t k = 0; k < inputs.size(); ++k) expected.set_input(k, inputs[k]);
  expected.run();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::span<const double> numbers = expected.output(k);
    const nem::element type = made.outputs[k].type;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto got = static_cast<double>(decode(outputs[k].data() + i * size_of(type), type));
      if (got != numbers[i] && !(std::isnan(got) && std::isnan(numbers[i]))) return false;
    }
  }
  return true;
}

}  // namespace

agreement compare(const nac::program& p, const nem::program& lowered_program, const lowered& made,
                  const lower_options& options, const nac::program* source) {
  agreement out;
  const bool is_quantized = options.type == nem::element::i8;
  vm::nac::machine network(p, {.max_memory = options.limit.max_memory});
  lower_options others = options;
  others.seed += 1;
  std::vector<std::vector<float>> given = lowering::calibration_inputs(others, 0);
  std::vector<std::vector<std::byte>> inputs;
  for (std::size_t k = 0; k < given.size(); ++k) {
    (void)network.set_input(k, {options.shapes[k], std::span(given[k])});
    inputs.push_back(encode(given[k], made.inputs[k].type));
  }
  if (const vm::nac::outcome done = network.run(options.limit); !done) {
    out.failure = "the network failed: " + done.text;
    return out;
  }
  run_result first;
  const nem_vm::machine_options schedules[] = {
      {.max_memory = options.limit.max_memory},
      {.max_memory = options.limit.max_memory, .schedule = nem_vm::schedule::reverse},
      {.max_memory = options.limit.max_memory, .schedule = nem_vm::schedule::random, .seed = 7}};
  for (const nem_vm::machine_options& how : schedules) {
    run_result r = run(lowered_program, made, inputs, how, options.limit);
    out.failure = r.failure;
    if (!out.failure.empty()) return out;
    if (first.outputs.empty()) {
      first = std::move(r);
    } else if (r.outputs != first.outputs) {
      out.failure = "schedules give different bytes";
      return out;
    }
  }
  if (is_quantized && !is_exact(source != nullptr ? *source : p, lowered_program, options, given,
                                made, first.outputs)) {
    out.failure = "the lowered program and the reference evaluation give different numbers";
    return out;
  }
  for (std::size_t k = 0; k < made.outputs.size(); ++k)
    out.distances.push_back(
        distance(network.output(k).elements<float>(), first.outputs[k], made.outputs[k].type));
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
