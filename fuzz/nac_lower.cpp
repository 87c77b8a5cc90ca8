// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks for accelerators: whatever verify() accepts is lowered for any device, or refused with a
// documented error. What is lowered can be written and read, is verified without errors, warnings or races,
// gives the same bytes under every schedule, and is the same when it is lowered again.
//
//   the first line   letters: the type, what the device has, L1, L2, units, the inputs' shapes
//   what follows     a container, or the text of one
//
// Outputs are those of NAC's machine where that can be said of any network: in float32, of small whole
// numbers, as far as operations whose results aren't are followed by none but those that move elements.
// Those of 8-bit integers are the quantized network's, to the last bit.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/load_store.hpp>
#include <tessera/nac/all.hpp>
#include <tessera/nem.hpp>
#include <tessera/transform/lower.hpp>
#include <vector>

#include "require.hpp"
#include "tessera/vm/nem.hpp"
#include "vm/nac/interpreter.hpp"

using namespace tessera;
namespace vn = vm::nac;

namespace {

constexpr budget limit{.max_steps = 1 << 20, .max_memory = 1 << 22};
constexpr budget lowered_limit{.max_steps = 1 << 26, .max_memory = 1 << 26};

/// What an input is.
struct form {
  std::vector<std::int64_t> shape;
  nac::data_type type = nac::data_type::float32;
  std::int64_t end = 0;  ///< of indices; 0 for others
};
using forms = std::vector<form>;

// ---- the first line

class letters {
 public:
  explicit letters(std::string_view line) : line_(line) {}
  /// The letter at a place, from a = 0 on, below `end`.
  [[nodiscard]] std::size_t at(std::size_t k, std::size_t end) const noexcept {
    return k < line_.size() ? static_cast<std::uint8_t>(line_[k] - 'a') % end : 0;
  }

 private:
  std::string_view line_;
};

[[nodiscard]] nem::element type_of(const letters& l) noexcept {
  constexpr nem::element all[] = {nem::element::f32, nem::element::f16, nem::element::bf16,
                                  nem::element::i8};
  return all[l.at(0, std::size(all))];
}

[[nodiscard]] std::string text_of_device(const letters& l) {
  constexpr std::int64_t l1[] = {1 << 22, 1 << 13, 1 << 11, 1 << 9, 64, 1 << 15};
  constexpr std::int64_t l2[] = {1 << 22, 1 << 12, 64, 1};
  constexpr const char* families[] = {
      "conv2d.float<f32>.no_bias", "conv2d.float<f32>.with_bias", "gemm.float<f32>.no_bias",
      "eltwise<f32>.default",      "view<f32>.default",           "norm<f32>.default",
      "softmax<f32>.default",      "quantize<f32, i8>.default",   "dequantize<i8, f32>.default"};
  const std::size_t units = l.at(4, 3) + 1, absent = l.at(1, std::size(families) + 1);
  std::string out =
      "include \"nem_baseline_1.0.nem\"\ndevice d extends nem_baseline_1_0 {\n  topology {\n";
  out += "    num_engines = 1\n    l2_size_bytes = " + std::to_string(l2[l.at(3, 4)]);
  out += "\n    device_units {\n      sDMA = " + std::to_string(units);
  out += "\n    }\n    per_engine {\n      NMU = " + std::to_string(units);
  out +=
      "\n      CSTL = " + std::to_string(units) + "\n      DMA = 2\n      VPU = 1\n      SEQ = 1";
  out += "\n      l1_size_bytes = " + std::to_string(l1[l.at(2, std::size(l1))]);
  out += "\n    }\n  }\n  unit_characteristics {\n    SEQ {\n      max_active_tokens = ";
  out += std::to_string(std::size_t{16} << l.at(4, 3));
  out += "\n    }\n  }\n  opcode.extended {\n";
  for (std::size_t k = 0; k < std::size(families); ++k)
    if (k + 1 != absent) out.append("    ").append(families[k]).append("\n");
  return out + "  }\n}\nprogram p:\n";
}

/// Letters from a on are shapes of float32, those from m on the same of int64, and so on.
[[nodiscard]] forms forms_of(const letters& l, std::size_t count) {
  static const std::vector<std::int64_t> shapes[] = {
      {1, 2, 5, 4}, {3, 4},          {2, 3, 4}, {5},    {},  {2, 4, 9, 7},
      {1, 6, 4, 8}, {2, 2, 3, 3, 2}, {8, 8},    {0, 3}, {1}, {1, 1, 33}};
  constexpr nac::data_type types[] = {nac::data_type::float32, nac::data_type::int64,
                                      nac::data_type::boolean};
  forms out;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t n = l.at(5 + k, std::size(shapes) * std::size(types));
    out.push_back({shapes[n % std::size(shapes)], types[n / std::size(shapes)]});
  }
  return out;
}

// ---- what NAC's machine computes

/// Operations that are exact for small whole numbers.
[[nodiscard]] bool is_exact(nac::operation o) noexcept {
  using enum nac::operation;
  constexpr nac::operation these[] = {relu,        abs,
                                      neg,         mul,
                                      minimum,     maximum,
                                      add,         sub,
                                      rsub,        square,
                                      clamp,       clamp_max,
                                      relu6,       hardtanh,
                                      linear,      addmm,
                                      matmul,      conv1d,
                                      conv2d,      convolution,
                                      max_pool2d,  max_pool2d_with_indices,
                                      addcmul,     gt,
                                      ge,          lt,
                                      le,          eq,
                                      ne,          where,
                                      logical_and, logical_or,
                                      logical_not, sum,
                                      amax,        embedding};
  return std::find(std::begin(these), std::end(these), o) != std::end(these);
}
/// Operations that move elements.
[[nodiscard]] bool is_move(nac::operation o) noexcept {
  using enum nac::operation;
  constexpr nac::operation these[] = {pass,
                                      clone,
                                      view,
                                      transpose,
                                      permute,
                                      expand,
                                      expand_as,
                                      reshape_as,
                                      select,
                                      slice,
                                      narrow,
                                      unsqueeze,
                                      squeeze,
                                      flatten,
                                      unflatten,
                                      split,
                                      chunk,
                                      unbind,
                                      movedim,
                                      repeat,
                                      tile,
                                      roll,
                                      cat,
                                      stack,
                                      split_with_sizes,
                                      getitem,
                                      transpose_matrices};
  return std::find(std::begin(these), std::end(these), o) != std::end(these);
}
/// Operations whose results are close to exact for small whole numbers.
[[nodiscard]] bool is_close(nac::operation o) noexcept {
  using enum nac::operation;
  constexpr nac::operation these[] = {sigmoid,     tanh,      silu,
                                      gelu,        softmax,   log_softmax,
                                      avg_pool2d,  mean,      adaptive_avg_pool2d,
                                      hardsigmoid, hardswish, leaky_relu,
                                      softplus,    mish,      log_sigmoid,
                                      selu};
  return std::find(std::begin(these), std::end(these), o) != std::end(these);
}

/// Which results are small whole numbers, and which ones aren't numbers.
struct watcher : vn::no_observer {
  const vn::interpreter& machine;
  std::vector<bool> whole;
  bool finite = true;

  watcher(const vn::interpreter& m, std::size_t steps) : machine(m), whole(steps, true) {}
  void end(const vn::event& e) {
    const vn::value& v = machine.result(e.instruction);
    if (v.is_list())
      for (const vn::value& x : v.as_list()) look(x, e.instruction);
    else
      look(v, e.instruction);
  }
  void look(const vn::value& v, std::uint32_t i) {
    if (!v.is_tensor() || v.as_tensor().type != nac::data_type::float32) return;
    const std::span<const float> all = v.as_tensor().elements<const float>();
    for (const float x : all) {
      finite = finite && std::isfinite(x);
      if (!(std::abs(x) <= 64) || x != std::floor(x)) whole[i] = false;
    }
  }
};

/// The elements of an input: whole numbers from -3 to 3; indices from 0 on, truth values of 0 and 1.
[[nodiscard]] std::vector<float> elements_of(const form& f, std::size_t k) {
  std::size_t n = 1;
  for (const std::int64_t d : f.shape) n *= static_cast<std::size_t>(d);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t v = static_cast<std::int64_t>((i * 5 + i / 7 + k) % 7) - 3;
    if (f.end > 0) v = (v + 3) % f.end;
    if (f.type == nac::data_type::boolean) v = v > 0 ? 1 : 0;
    out[i] = static_cast<float>(v);
  }
  return out;
}

/// The outputs that the lowered program's must be close to; none where that can't be said.
[[nodiscard]] std::optional<std::vector<std::vector<double>>> expected(const nac::program& p,
                                                                       const forms& of) {
  vn::interpreter machine(p, {.max_memory = limit.max_memory, .frees = vn::freeing::never});
  for (std::size_t k = 0; k < of.size(); ++k) {
    vn::tensor x = vn::make_tensor(machine.arena(), of[k].type, vn::shape(of[k].shape));
    const std::vector<float> from = elements_of(of[k], k);
    vn::visit(x.type, [&]<class T>(vn::of<T>) {
      for (std::size_t i = 0; i < from.size(); ++i) x.as<T>()[i] = vn::convert<T>(from[i]);
    });
    machine.set_input(k, std::move(x));
  }
  const view<nac::step> steps = p.code().steps;
  watcher all(machine, steps.size());
  if (!machine.run(limit, all) || !all.finite) return std::nullopt;
  std::vector<bool> depends(steps.size(), false);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const nac::step& s = steps[i];
    if (s.a == nac::op_input) depends[i] = s.b == static_cast<std::uint8_t>(nac::input::user);
    if (s.a < nac::first_regular_op) continue;
    bool are_whole = true;
    for (const nac::argument a : p.code().arguments_of(s)) {
      if (a.is_constant()) continue;
      depends[i] = depends[i] || depends[a.index()];
      are_whole = are_whole && all.whole[a.index()];
    }
    const nac::operation o = nac::program::operation_of(s);
    if (!depends[i] || is_move(o)) continue;
    if (!are_whole || (!is_exact(o) && !is_close(o))) return std::nullopt;
  }
  std::vector<std::vector<double>> out;
  for (const vn::value& v : machine.outputs()) {
    const vn::tensor& t = vn::decayed(v).as_tensor();
    std::vector<double>& to = out.emplace_back(t.size());
    vn::visit(t.type, [&]<class T>(vn::of<T>) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = vn::convert<double>(t.as<T>()[i]);
    });
  }
  return out;
}

// ---- what NEM's machine computes

using outputs = std::vector<std::vector<std::byte>>;

[[nodiscard]] std::vector<std::byte> encoded(const std::vector<float>& from, nem::element type) {
  std::vector<std::byte> out;
  for (const float x : from) {
    std::array<std::byte, 4> word{};
    if (type == nem::element::f32)
      store_le(word.data(), std::bit_cast<std::uint32_t>(x));
    else if (type == nem::element::i32 || type == nem::element::u8)
      store_le(word.data(), static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
    else
      store_le(word.data(),
               type == nem::element::f16 ? half_from_float(x) : bfloat16_from_float(x));
    out.insert(out.end(), word.begin(), word.begin() + nem::bitwidth(type) / 8);
  }
  return out;
}

[[nodiscard]] outputs run(const nem::program& p, const transform::lowered& made, const forms& of,
                          vm::nem::schedule order) {
  vm::nem::machine machine(p,
                           {.max_memory = lowered_limit.max_memory, .schedule = order, .seed = 5});
  for (std::size_t k = 0; k < made.inputs.size(); ++k) {
    const vm::nem::place* const at = machine.find(made.inputs[k].buffer);
    fuzz::require(at != nullptr, "inputs have buffers");
    const std::vector<std::byte> raw = encoded(elements_of(of[k], k), made.inputs[k].type);
    fuzz::require(machine.bind(*at, raw), "inputs have room for their elements");
  }
  if (const vm::nem::place* const at = machine.find("weights"))
    fuzz::require(machine.bind(*at, made.weights), "weights have room");
  tessera::report found;
  const vm::nem::outcome done = machine.run(&found, nullptr, lowered_limit);
  fuzz::require(static_cast<bool>(done), "what is lowered runs");
  fuzz::require(found.errors == 0 && found.warnings == 0, "without warnings");
  outputs out;
  for (const transform::lowered_port& o : made.outputs) {
    const std::span<const std::byte> bytes = machine.bytes(*machine.find(o.buffer));
    out.emplace_back(bytes.begin(), bytes.end());
  }
  return out;
}

[[nodiscard]] double number_at(const std::byte* from, nem::element type) {
  if (type == nem::element::u8) return static_cast<double>(*from);
  const auto word = load_le<std::uint32_t>(from);
  if (type == nem::element::i32) return static_cast<std::int32_t>(word);
  return static_cast<double>(std::bit_cast<float>(word));
}

/// Of a program in float32.
void check_numbers(const nac::program& p, const transform::lowered& made, const forms& of,
                   const outputs& found) {
  const auto wanted = expected(p, of);
  if (!wanted) return;
  fuzz::require(wanted->size() == found.size(), "outputs are those of the container");
  for (std::size_t k = 0; k < found.size(); ++k) {
    const nem::element type = made.outputs[k].type;
    const std::size_t size = nem::bitwidth(type) / 8;
    fuzz::require((*wanted)[k].size() * size == found[k].size(), "outputs have as many elements");
    double worst = 0, largest = 1;
    for (std::size_t i = 0; i < (*wanted)[k].size(); ++i) {
      const double a = (*wanted)[k][i], b = number_at(found[k].data() + i * size, type);
      fuzz::require(std::isfinite(b), "what is finite stays so");
      worst = std::max(worst, std::abs(a - b));
      largest = std::max(largest, std::abs(a));
    }
    fuzz::require(worst <= 1e-5 * largest, "outputs are those of NAC's machine");
  }
}

// ---- the laws

void check_refusal(error e, const tessera::report& found, const nac::program& p) {
  const std::string_view name = e.name();
  fuzz::require(name.starts_with("nac_lower_") || name.starts_with("nac_run_") ||
                    name.starts_with("budget_") || name == "nac_operation_unsupported",
                "what is refused has an error of its own");
  fuzz::require(found.errors == 1 && found.diagnostics.size() == 1, "it is one");
  fuzz::require(!found.text_of(found.diagnostics[0].text).empty(), "with a reason");
  fuzz::require(e.offset < p.code().steps.size() || e.offset == vn::outcome::none,
                "at an instruction");
}

/// The text of a program, which means the same.
[[nodiscard]] text written(const nem::model& m) {
  result<text> out = nem::write(m);
  fuzz::require(static_cast<bool>(out), "what is lowered can be written");
  const result<nem::model> again = nem::read(*out);
  fuzz::require(static_cast<bool>(again), "and read");
  const result<text> same = nem::write(*again);
  fuzz::require(same && same->view() == out->view(), "and is written as the same text");
  return std::move(*out);
}

/// A program without tasks for a device. There are some hundreds, and making one takes longer than most
/// networks do.
[[nodiscard]] const nem::program& device_of(const letters& l) {
  thread_local std::map<std::string, nem::program> all;
  std::string key = text_of_device(l);
  if (const auto at = all.find(key); at != all.end()) return at->second;
  result<nem::model> model = nem::read(key);
  fuzz::require(static_cast<bool>(model), "devices can be read");
  result<nem::program> device = nem::verify(std::move(*model));
  fuzz::require(device && device->target() != nullptr, "devices are valid");
  return all.emplace(std::move(key), std::move(*device)).first->second;
}

void lower(const nac::program& p, const letters& l, fuzz::turns turn) {
  const nem::program& device = device_of(l);
  transform::lower_options how;
  forms of = forms_of(l, p.inputs().size());
  for (const form& f : of) {
    how.shapes.push_back(f.shape);
    how.types.push_back(f.type);
  }
  how.type = type_of(l);
  how.limit = limit;
  how.calibration.emplace_back();
  for (std::size_t k = 0; k < of.size(); ++k) {
    form indices = of[k];
    if (indices.type == nac::data_type::int64) indices.end = 1;  // which every table has
    how.calibration[0].push_back(elements_of(indices, k));
  }
  const auto lower_once = [&](tessera::report& found) {
    return transform::lower(p, device.catalog(), *device.target(), how, &found);
  };
  tessera::report found, of_second;
  const result<transform::lowered> made = lower_once(found);
  if (!made) return check_refusal(made.error(), found, p);
  for (std::size_t k = 0; k < of.size(); ++k) of[k].end = made->inputs[k].end;
  const text source = written(made->model);
  if (turn.one_in(8)) {
    const result<transform::lowered> second = lower_once(of_second);
    fuzz::require(second && second->weights == made->weights,
                  "lowering again gives the same weights");
    const text text_of_second = written(second->model);
    fuzz::require(text_of_second.view() == source.view(), "and the same text");
  }
  result<nem::model> model = nem::read(source);
  const result<nem::program> program = nem::verify(std::move(*model), {}, &found);
  fuzz::require(static_cast<bool>(program), "what is lowered is valid");
  fuzz::require(found.warnings == 0, "without warnings");
  fuzz::require(program->has_all_hazards(), "all races are searched for");
  const outputs first = run(*program, *made, of, vm::nem::schedule::in_order);
  for (const auto order : {vm::nem::schedule::reverse, vm::nem::schedule::random})
    if (turn.one_in(8))
      fuzz::require(run(*program, *made, of, order) == first, "schedules give the same bytes");
  if (how.type == nem::element::f32) check_numbers(p, *made, of, first);
  if (how.type != nem::element::i8) return;
  how.limit = lowered_limit;
  const transform::agreement a = transform::compare(p, *program, *made, how);
  if (!a.failure.empty()) std::fprintf(stderr, "%s\n", a.failure.c_str());
  fuzz::require(a.failure.empty(), "8-bit integers are those of the quantized network");
}

/// The bytes of a container, assembled if need be.
[[nodiscard]] std::optional<pool<std::byte>> container_of(std::string_view source) {
  if (source.substr(0, 3) == "NAC") {
    pool<std::byte> out;
    for (const char c : source) out.push_back(static_cast<std::byte>(c));
    return out;
  }
  const result<nac::parts> parts = nac::assemble(source);
  if (!parts) return std::nullopt;
  result<pool<std::byte>> out = nac::write(*parts);
  if (!out) return std::nullopt;
  return std::move(*out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const std::size_t line = std::min(source.find('\n'), source.size());
  const auto bytes_of = container_of(source.substr(std::min(line + 1, source.size())));
  if (!bytes_of) return 0;
  const result<nac::model> model = nac::read(bytes(bytes_of->data(), bytes_of->size()));
  if (!model) return 0;
  const result<nac::program> p = nac::verify(*model);
  if (!p || p->code().steps.size() > 40 || p->inputs().size() > 8) return 0;
  lower(*p, letters(source.substr(0, line)), fuzz::turns(source));
  return 0;
}
