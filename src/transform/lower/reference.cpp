// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/reference.hpp"

#include <algorithm>
#include <cmath>
#include <tessera/core/float16.hpp>
#include <tessera/core/load_store.hpp>

#include "formats/real_from_chars.hpp"
#include "tensor/formulas.hpp"
#include "transform/lower/emit.hpp"
#include "vm/nem/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

namespace vm_nem = vm::nem;
namespace formulas = tensors::formulas;
using nem::attribute;
using nem::opcode;

/// Calls f(index in the home, position in the view's order) for each element of a view.
template <class F>
void each_place(const tensor_view& v, F&& f) {
  dimensions index(v.rank());
  std::int64_t from = v.offset;
  for (std::int64_t i = 0, n = product(v.shape); i < n; ++i) {
    f(static_cast<std::size_t>(from), static_cast<std::size_t>(i));
    for (std::size_t k = v.rank(); k-- != 0;) {
      from += v.strides[k];
      if (++index[k] != v.shape[k]) break;
      from -= v.strides[k] * v.shape[k];
      index[k] = 0;
    }
  }
}

/// The numbers in an attribute's text: "[1, 1]", "-1", "0.25".
[[nodiscard]] std::vector<double> numbers_of(const tile_task& t, attribute a) {
  std::vector<double> out;
  for (const auto& [name, value] : t.attributes) {
    if (name != a) continue;
    const std::string_view text = value.text();
    for (std::size_t i = text.find_first_of("-0123456789"); i < text.size();
         i = text.find_first_of("-0123456789", i)) {
      double x = 0;
      const auto end = chars::real_from_chars(text.data() + i, text.data() + text.size(), x).ptr;
      i = static_cast<std::size_t>(end - text.data());
      out.push_back(x);
    }
  }
  return out;
}
[[nodiscard]] std::int64_t whole_of(const tile_task& t, attribute a, std::size_t k,
                                    std::int64_t otherwise) {
  const std::vector<double> all = numbers_of(t, a);
  return k < all.size() ? static_cast<std::int64_t>(all[k]) : otherwise;
}

// ---- integers

[[nodiscard]] double saturated(double q) noexcept { return std::clamp(q, -128.0, 127.0); }
[[nodiscard]] double real_of(double q, const number_form& f) noexcept {
  return f.scales[0] * (q - f.zero_point);
}
[[nodiscard]] double quantized_of(double real, const number_form& f) noexcept {
  return saturated(std::nearbyint(real / f.scales[0]) + f.zero_point);
}

[[nodiscard]] double apply(opcode op, double a, double b, const tile_task& t) {
  const auto number = [&](attribute name) {
    const std::vector<double> all = numbers_of(t, name);
    return all.empty() ? 0.0 : all[0];
  };
  if (op == opcode::relu) return std::max(a, 0.0);
  if (op == opcode::leaky_relu)
    return a >= 0 ? a : static_cast<double>(static_cast<float>(number(attribute::alpha))) * a;
  // The formulas of NEM's machine: others differ in the last bits of double, which can be decisive.
  if (op == opcode::sigmoid) return formulas::sigmoid::of(a);
  if (op == opcode::tanh) return formulas::tanh::of(a);
  if (op == opcode::gelu) return formulas::gelu_erfc::of(a);
  if (op == opcode::silu) return formulas::silu::of(a);
  if (op == opcode::abs) return std::abs(a);
  if (op == opcode::neg) return -a;
  if (op == opcode::clamp)
    return std::min(std::max(a, number(attribute::min_val)), number(attribute::max_val));
  if (op == opcode::add) return a + b;
  if (op == opcode::sub) return a - b;
  if (op == opcode::mul) return a * b;
  if (op == opcode::min) return std::min(a, b);
  return std::max(a, b);
}

/// sat(rint(sum * M) + zero point) for sums of one column's scale.
class requantizer {
 public:
  requantizer(const number_form& a, const number_form& b, const number_form& y)
      : zero_(y.zero_point) {
    for (const double scale : b.scales) factors_.push_back(a.scales[0] * scale / y.scales[0]);
  }
  [[nodiscard]] double operator()(std::int64_t sum, std::size_t column) const noexcept {
    const double factor = factors_[factors_.size() == 1 ? 0 : column];
    const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
    return saturated(std::nearbyint(wrapped * factor) + zero_);
  }

 private:
  std::vector<double> factors_;
  double zero_;
};

/// q - zero point
[[nodiscard]] std::vector<std::int32_t> shifted(const std::vector<double>& q,
                                                const number_form& f) {
  std::vector<std::int32_t> out;
  out.reserve(q.size());
  for (const double x : q) out.push_back(static_cast<std::int32_t>(x) - f.zero_point);
  return out;
}

struct sizes {
  std::int64_t batches = 1, rows = 0, depth = 0, columns = 0;
};

template <class Block>
void multiply(const std::vector<Block>& in, const dimensions& result, Block& out) {
  const dimensions &a = in[0].shape, &b = in[1].shape;
  sizes n{1, 0, a.back(), b.back()};
  if (b.size() > 2) n.batches = product(std::span(b).first(b.size() - 2));
  n.rows = product(result) / n.columns / n.batches;
  const std::vector<std::int32_t> left = shifted(in[0].data, in[0].form),
                                  right = shifted(in[1].data, in[1].form);
  const requantizer done(in[0].form, in[1].form, out.form);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(n.columns));
  for (std::int64_t row = 0; row < n.batches * n.rows; ++row) {
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] = in.size() > 2 ? static_cast<std::int64_t>(in[2].data[c]) : 0;
    const std::int64_t at = row / n.rows * n.depth * n.columns;
    for (std::int64_t k = 0; k < n.depth; ++k) {
      const std::int64_t x = left[static_cast<std::size_t>(row * n.depth + k)];
      const std::int32_t* const w = right.data() + at + k * n.columns;
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += x * w[c];
    }
    for (std::size_t c = 0; c < sums.size(); ++c) out.data.push_back(done(sums[c], c));
  }
}

template <class Block>
void convolve(const std::vector<Block>& in, const dimensions& y, const tile_task& t,
              const window& w, Block& out) {
  const dimensions &x = in[0].shape, &k = in[1].shape;
  const std::int64_t groups = whole_of(t, attribute::groups, 0, 1);
  const std::vector<std::int32_t> image = shifted(in[0].data, in[0].form),
                                  weights = shifted(in[1].data, in[1].form);
  const requantizer done(in[0].form, in[1].form, out.form);
  const std::int64_t by[] = {whole_of(t, attribute::strides, 0, 1),
                             whole_of(t, attribute::strides, 1, 1)};
  const std::int64_t apart[] = {whole_of(t, attribute::dilations, 0, 1),
                                whole_of(t, attribute::dilations, 1, 1)};
  std::vector<std::int64_t> sums(static_cast<std::size_t>(y[3]));
  const auto add_pixel = [&](std::int64_t pixel, std::int64_t tap) {
    for (std::int64_t i = 0; i < k[2]; ++i) {
      const std::int32_t* const row = weights.data() + (tap * k[2] + i) * k[3];
      for (std::int64_t o = 0; o < k[3]; ++o)
        sums[static_cast<std::size_t>(o)] +=
            std::int64_t{row[o]} *
            image[static_cast<std::size_t>(pixel * x[3] + o / (k[3] / groups) * k[2] + i)];
    }
  };
  for (std::int64_t at = 0; at < y[0] * y[1] * y[2]; ++at) {
    const std::int64_t n = at / (y[1] * y[2]), oh = at / y[2] % y[1], ow = at % y[2];
    for (std::size_t o = 0; o < sums.size(); ++o)
      sums[o] = in.size() > 2 ? static_cast<std::int64_t>(in[2].data[o]) : 0;
    for (std::int64_t tap = 0; tap < k[0] * k[1]; ++tap) {
      const std::int64_t h = oh * by[0] + tap / k[1] * apart[0] - w.before;
      const std::int64_t v = ow * by[1] + tap % k[1] * apart[1] - w.left;
      if (h >= 0 && h < x[1] && v >= 0 && v < x[2]) add_pixel((n * x[1] + h) * x[2] + v, tap);
    }
    for (std::size_t o = 0; o < sums.size(); ++o) out.data.push_back(done(sums[o], o));
  }
}

template <class Block>
void pool(const Block& in, const dimensions& y, const tile_task& t, const window& w, Block& out) {
  const dimensions& x = in.shape;
  const std::int64_t kernel[] = {whole_of(t, attribute::kernel_shape, 0, 1),
                                 whole_of(t, attribute::kernel_shape, 1, 1)};
  const std::int64_t by[] = {whole_of(t, attribute::strides, 0, 1),
                             whole_of(t, attribute::strides, 1, 1)};
  const bool is_max = t.op == opcode::maxpool, is_same = in.form == out.form;
  const auto one = [&](std::int64_t n, std::int64_t oh, std::int64_t ow, std::int64_t c) {
    double sum = is_max ? -INFINITY : 0;
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < kernel[0] * kernel[1]; ++tap) {
      const std::int64_t h = oh * by[0] + tap / kernel[1] - w.before;
      const std::int64_t v = ow * by[1] + tap % kernel[1] - w.left;
      if (h < 0 || h >= x[1] || v < 0 || v >= x[2]) continue;
      const double q = in.data[static_cast<std::size_t>(((n * x[1] + h) * x[2] + v) * x[3] + c)];
      const double e = is_same ? q - in.form.zero_point : real_of(q, in.form);
      sum = is_max ? std::max(sum, e) : sum + e;
      ++count;
    }
    const double value = is_max ? sum : sum / static_cast<double>(count);
    return is_same ? saturated(std::nearbyint(value) + out.form.zero_point)
                   : quantized_of(value, out.form);
  };
  for (std::int64_t i = 0, n = product(y); i < n; ++i)
    out.data.push_back(
        one(i / (y[1] * y[2] * y[3]), i / (y[2] * y[3]) % y[1], i / y[3] % y[2], i % y[3]));
}

// ---- floats

void put(std::byte* to, double x, nem::element type) noexcept {
  if (type == nem::element::f32)
    store_le(to, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
  else if (type == nem::element::i32)
    store_le(to, static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
  else if (type == nem::element::u8)
    *to = static_cast<std::byte>(x);
  else
    store_le(to, half_from_float(static_cast<float>(x)));
}
[[nodiscard]] double get(const std::byte* from, nem::element type) noexcept {
  if (type == nem::element::f32)
    return static_cast<double>(std::bit_cast<float>(load_le<std::uint32_t>(from)));
  if (type == nem::element::i32) return static_cast<std::int32_t>(load_le<std::uint32_t>(from));
  if (type == nem::element::u8) return static_cast<double>(*from);
  return static_cast<double>(float_from_half(load_le<std::uint16_t>(from)));
}
[[nodiscard]] double rounded_to(double x, nem::element type) noexcept {
  std::byte raw[4];
  put(raw, x, type);
  return get(raw, type);
}

/// Lists that attributes borrow.
struct window_lists {
  std::int64_t kernel[2], strides[2], dilations[2], pads[4];
};
[[nodiscard]] nem::attributes attributes_of(const tile_task& t, const window& w,
                                            window_lists& lists) {
  nem::attributes a;
  for (std::size_t k = 0; k < 2; ++k) {
    lists.kernel[k] = whole_of(t, attribute::kernel_shape, k, 1);
    lists.strides[k] = whole_of(t, attribute::strides, k, 1);
    lists.dilations[k] = whole_of(t, attribute::dilations, k, 1);
  }
  const std::int64_t pads[] = {w.before, w.left, w.after, w.right};
  std::copy(std::begin(pads), std::end(pads), lists.pads);
  a.kernel_shape = {lists.kernel, 2};
  a.strides = {lists.strides, 2};
  a.dilations = {lists.dilations, 2};
  a.pads = {lists.pads, 4};
  a.groups = whole_of(t, attribute::groups, 0, 1);
  a.axis = whole_of(t, attribute::axis, 0, 0);
  const auto number = [&](attribute name) {
    const std::vector<double> all = numbers_of(t, name);
    return all.empty() ? 0.0 : all[0];
  };
  a.alpha = number(attribute::alpha);
  a.min_val = number(attribute::min_val);
  a.max_val = number(attribute::max_val);
  a.epsilon = number(attribute::epsilon);
  return a;
}

/// By NEM's machine.
template <class Block>
void execute(const std::vector<Block>& in, const dimensions& result, const tile_task& t,
             const window& w, Block& out) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<dimensions> strides;
  std::vector<vm_nem::tensor> tensors;
  memory.reserve(in.size() + 1), strides.reserve(in.size() + 1);
  const auto add = [&](const Block& b, const dimensions& shape) {
    const nem::element type = b.form.type;
    const std::int64_t bytes = product(shape) * b.form.size();
    memory.emplace_back(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < b.data.size(); ++i)
      put(memory.back().data() + i * static_cast<std::size_t>(b.form.size()), b.data[i], type);
    strides.push_back(dense_strides(shape));
    vm_nem::tensor x;
    x.data = memory.back().data();
    x.extent = bytes;
    x.element = type;
    x.shape = shape;
    x.strides = strides.back();
    tensors.push_back(x);
  };
  for (const Block& b : in) add(b, b.shape);
  add(out, result);
  vm_nem::call c;
  c.opcode = t.op;
  c.inputs = std::span(tensors).first(in.size());
  c.outputs = std::span(tensors).subspan(in.size());
  window_lists lists = {};
  c.attributes = attributes_of(t, w, lists);
  c.is_deterministic = t.is_deterministic;
  vm_nem::workspace scratch;
  (void)vm_nem::execute(c, scratch);
  const auto size = static_cast<std::size_t>(out.form.size());
  for (std::size_t i = 0; i < memory.back().size(); i += size)
    out.data.push_back(get(memory.back().data() + i, out.form.type));
}

template <class Block>
void compute(const tile_task& t, const std::vector<Block>& in, const dimensions& result,
             const window& w, Block& out) {
  const bool from_integers = in[0].form.type == nem::element::i8;
  if (t.op == opcode::quantize) {
    for (const double x : in[0].data) {
      const float quotient = static_cast<float>(x) / static_cast<float>(out.form.scales[0]);
      out.data.push_back(
          saturated(std::nearbyint(static_cast<double>(quotient)) + out.form.zero_point));
    }
  } else if (t.op == opcode::dequantize) {
    for (const double q : in[0].data)
      out.data.push_back(rounded_to(real_of(q, in[0].form), out.form.type));
  } else if (!from_integers) {
    execute(in, result, t, w, out);
  } else if (t.op == opcode::gemm) {
    multiply(in, result, out);
  } else if (t.op == opcode::conv2d) {
    convolve(in, result, t, w, out);
  } else if (t.op == opcode::maxpool || t.op == opcode::avgpool) {
    pool(in[0], result, t, w, out);
  } else {
    for (std::size_t i = 0; i < in[0].data.size(); ++i) {
      const double b = in.size() > 1 ? real_of(in[1].data[i], in[1].form) : 0;
      out.data.push_back(
          quantized_of(apply(t.op, real_of(in[0].data[i], in[0].form), b, t), out.form));
    }
  }
}

}  // namespace

reference::reference(plan p) : plan_(std::move(p)), homes_(plan_.homes.size()) {
  for (std::size_t h = 0; h < homes_.size(); ++h)
    if (plan_.homes[h].what != home::kind::constant)
      homes_[h].resize(static_cast<std::size_t>(plan_.homes[h].size));
}

std::size_t reference::port(home::kind what, std::size_t k) const {
  for (std::size_t h = 0;; ++h)
    if (plan_.homes[h].what == what && k-- == 0) return h;
}

void reference::set_input(std::size_t k, std::span<const float> elements) {
  const std::size_t h = port(home::kind::input, k);
  for (std::size_t i = 0; i < elements.size(); ++i)
    homes_[h][i] = rounded_to(static_cast<double>(elements[i]), plan_.homes[h].type);
}

std::span<const double> reference::output(std::size_t k) const {
  return homes_[port(home::kind::output, k)];
}

std::vector<double> reference::stored(const access& a) const {
  const home& h = plan_.homes[a.of.home];
  std::vector<double> out(static_cast<std::size_t>(product(a.of.shape)));
  const auto channels = static_cast<std::size_t>(a.of.shape.empty() ? 1 : a.of.shape.back());
  each_place(a.of, [&](std::size_t from, std::size_t i) {
    if (h.what != home::kind::constant) {
      out[i] = homes_[a.of.home][from];
      return;
    }
    const auto x = static_cast<double>(h.data[from]);
    const std::vector<double>& scales = a.form.scales;
    if (scales.empty())
      out[i] = rounded_to(static_cast<double>(within(h.data[from], a.form.type)), a.form.type);
    else
      out[i] = quantized(x, scales[scales.size() == 1 ? 0 : i % channels], a.form.zero_point,
                         a.form.type);
  });
  return out;
}

reference::block reference::operand(const step& s, const task_operand& o,
                                    const std::vector<block>& registers) const {
  if (o.what == task_operand::kind::reg) {
    block b = registers[o.index];
    b.shape = adapted(s.dims, o);
    return b;
  }
  const access& a = s.reads[o.index];
  block b{adapted(a.of.shape, o), a.form, stored(a)};
  if (o.what == task_operand::kind::read) return b;
  tensor_view whole{0, 0, s.dims, dimensions(s.dims.size())};
  const dimensions dense = dense_strides(a.of.shape);
  for (std::size_t k = 0; k < a.follows.size(); ++k)
    if (a.follows[k] >= 0) whole.strides[static_cast<std::size_t>(a.follows[k])] = dense[k];
  block wide{s.dims, a.form, std::vector<double>(static_cast<std::size_t>(product(s.dims)))};
  each_place(whole, [&](std::size_t from, std::size_t i) { wide.data[i] = b.data[from]; });
  return wide;
}

void reference::run(const step& s) {
  std::vector<block> registers(s.registers);
  for (const tile_task& t : s.tasks) {
    std::vector<block> in;
    for (const task_operand& o : t.in) in.push_back(operand(s, o, registers));
    block out{s.dims, lowering::form_of(s, t.out), {}};
    compute(t, in, adapted(s.dims, t.out), s.window, out);
    registers[t.out.index] = std::move(out);
  }
  const block result = operand(s, s.result, registers);
  // The dimensions of the step as the written view has them.
  const dimensions dense = dense_strides(s.dims);
  tensor_view from{0, 0, s.write.of.shape, {}};
  for (const std::int32_t f : s.write.follows)
    from.strides.push_back(dense[static_cast<std::size_t>(f)]);
  std::vector<std::size_t> places(result.data.size());
  each_place(from, [&](std::size_t at, std::size_t i) { places[i] = at; });
  each_place(s.write.of, [&](std::size_t at, std::size_t i) {
    homes_[s.write.of.home][at] = result.data[places[i]];
  });
}

void reference::run() {
  for (const step& s : plan_.steps) run(s);
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
