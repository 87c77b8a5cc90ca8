// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <limits>
#include <tessera/core/float16.hpp>
#include <tessera/core/load_store.hpp>

#include "tessera/transform/lower.hpp"
#include "tessera/vm/nem.hpp"
#include "transform/lower/quantize.hpp"
#include "transform/lower/reference.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

namespace nem_vm = vm::nem;

[[nodiscard]] std::size_t size_of(nem::element type) noexcept { return nem::bitwidth(type) / 8; }

void store(float x, std::byte* to, nem::element type) {
  if (type == nem::element::f32)
    store_le(to, std::bit_cast<std::uint32_t>(x));
  else if (type == nem::element::i32)
    store_le(to, static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
  else if (type == nem::element::u8)
    *to = static_cast<std::byte>(x);
  else
    store_le(to, type == nem::element::f16 ? half_from_float(x) : bfloat16_from_float(x));
}
[[nodiscard]] double decode(const std::byte* from, nem::element type) noexcept {
  if (type == nem::element::u8) return static_cast<double>(*from);
  if (type == nem::element::i32) return static_cast<std::int32_t>(load_le<std::uint32_t>(from));
  if (type == nem::element::f32)
    return static_cast<double>(std::bit_cast<float>(load_le<std::uint32_t>(from)));
  const auto bits = load_le<std::uint16_t>(from);
  return static_cast<double>(type == nem::element::f16 ? float_from_half(bits)
                                                       : float_from_bfloat16(bits));
}
[[nodiscard]] std::vector<std::byte> encode(std::span<const float> from, nem::element type) {
  std::vector<std::byte> out(from.size() * size_of(type));
  for (std::size_t i = 0; i < from.size(); ++i)
    store(from[i], out.data() + i * size_of(type), type);
  return out;
}
[[nodiscard]] std::vector<double> elements_of(const vm::nac::tensor& t) {
  std::vector<double> out(t.size());
  vm::nac::visit(t.type, [&]<class T>(vm::nac::of<T>) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = vm::nac::convert<double>(t.as<T>()[i]);
  });
  return out;
}

/// Of numbers of a type; nothing of integers and truth values.
[[nodiscard]] double tolerance_of(nem::element type) noexcept {
  if (!nem::is_floating(type)) return 0;
  return type == nem::element::f32 ? 1e-5 : type == nem::element::f16 ? 5e-3 : 4e-2;
}

/// Finds the coarsest floats that a network computes with.
struct precision_observer : vm::nac::no_observer {
  const vm::nac::interpreter& machine;
  double& tolerance;

  precision_observer(const vm::nac::interpreter& m, double& t) noexcept
      : machine(m), tolerance(t) {}
  void end(const vm::nac::event& e) {
    const vm::nac::value& v = vm::nac::decayed(machine.result(e.instruction));
    if (!v.is_tensor()) return;
    const nac::data_type type = v.as_tensor().type;
    if (type == nac::data_type::float16)
      tolerance = std::max(tolerance, tolerance_of(nem::element::f16));
    if (type == nac::data_type::bfloat16)
      tolerance = std::max(tolerance, tolerance_of(nem::element::bf16));
  }
};

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
[[nodiscard]] double distance(const std::vector<double>& expected, std::span<const std::byte> got,
                              nem::element type) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double a = expected[i], b = decode(got.data() + i * size_of(type), type);
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
  std::optional<lowering::calibration> ranges;
  std::vector<std::uint32_t> by_tensor = made.by_tensor;
  lowering::reference expected(lowering::planned(p, device, options, ranges, by_tensor));
  for (std::size_t k = 0; k < inputs.size(); ++k) expected.set_input(k, inputs[k]);
  expected.run();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::span<const double> numbers = expected.output(k);
    const nem::element type = made.outputs[k].type;
    const std::vector<double> all(numbers.begin(), numbers.end());
    if (distance(all, outputs[k], type) != 0) return false;
  }
  return true;
}

}  // namespace

agreement compare(const nac::program& p, const nem::program& lowered_program, const lowered& made,
                  const lower_options& options, const nac::program* source) {
  agreement out;
  const bool is_quantized = options.type == nem::element::i8;
  vm::nac::interpreter network(p, {.max_memory = options.limit.max_memory});
  lower_options others = options;
  others.seed += 1;
  std::vector<std::int64_t> ends;
  for (const lowered_port& in : made.inputs) ends.push_back(in.end);
  std::vector<std::vector<float>> given = lowering::calibration_inputs(others, ends, 0);
  std::vector<std::vector<std::byte>> inputs;
  for (std::size_t k = 0; k < given.size(); ++k) {
    network.set_input(k, lowering::input_of(network.arena(), options, k, given[k]));
    inputs.push_back(encode(given[k], made.inputs[k].type));
  }
  double coarsest = 0;
  const vm::nac::outcome done = network.run(options.limit, precision_observer(network, coarsest));
  if (!done) {
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
  for (std::size_t k = 0; k < made.outputs.size(); ++k) {
    const vm::nac::tensor& expected = vm::nac::decayed(network.outputs()[k]).as_tensor();
    const nem::element type = made.outputs[k].type;
    out.distances.push_back(distance(elements_of(expected), first.outputs[k], type));
    const bool is_float = nem::is_floating(type);
    // Anything closer is a matter of the ranges.
    out.tolerances.push_back(!is_float      ? 0
                             : is_quantized ? 0.5
                                            : std::max(tolerance_of(type), coarsest));
  }
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
