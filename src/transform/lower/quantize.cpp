// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::element;
using nem::opcode;

/// How many times the range of an operand a sum's may be, for the operand to matter in 8 bits.
constexpr double max_ratio = 16;
/// Of one sum of products, for it and its bias to fit 32 bits: (q - zero point) * q is at most
/// 255 * 127.
constexpr std::int64_t max_products = (std::int64_t{1} << 30) / (255 * 127);
constexpr double max_bias = 0x1p30;

/// Operations that 8 bits are enough for, other than products and pools.
[[nodiscard]] bool is_coarse(opcode op) noexcept {
  constexpr opcode table[] = {opcode::relu,  opcode::leaky_relu, opcode::sigmoid, opcode::tanh,
                              opcode::gelu,  opcode::silu,       opcode::abs,     opcode::neg,
                              opcode::clamp, opcode::add,        opcode::sub,     opcode::mul,
                              opcode::min,   opcode::max};
  return std::find(std::begin(table), std::end(table), op) != std::end(table);
}
[[nodiscard]] bool is_product(const step& s) noexcept {
  return s.tasks.size() == 1 && (s.tasks[0].op == opcode::conv2d || s.tasks[0].op == opcode::gemm);
}
[[nodiscard]] bool is_pool(const step& s) noexcept {
  return s.tasks.size() == 1 &&
         (s.tasks[0].op == opcode::maxpool || s.tasks[0].op == opcode::avgpool);
}
/// Whether a step gives elements of what it reads, with their scale.
[[nodiscard]] bool keeps_scale(const step& s) noexcept {
  return s.tasks.empty() || (s.tasks.size() == 1 && s.tasks[0].op == opcode::maxpool);
}

/// A scale as the program has it: binary32.
[[nodiscard]] double rounded_scale(double x) noexcept {
  return std::max(static_cast<double>(static_cast<float>(x)), 0x1p-126);
}

[[nodiscard]] number_form asymmetric(value_range r) {
  r.include(0.0);
  const double scale = rounded_scale((r.greatest - r.least) / 255);
  const double zero = std::nearbyint(-128 - r.least / scale);
  return {element::i8, {scale}, static_cast<std::int32_t>(std::clamp(zero, -128.0, 127.0))};
}

/// Calls f(element, index of the last dimension) for each element of a constant's view.
template <class F>
void each_element(const plan& p, const tensor_view& v, F&& f) {
  const std::vector<float>& data = p.homes[v.home].data;
  dimensions index(v.rank());
  std::int64_t from = v.offset;
  for (std::int64_t i = 0, n = product(v.shape); i < n; ++i) {
    f(static_cast<double>(data[static_cast<std::size_t>(from)]),
      index.empty() ? std::size_t{0} : static_cast<std::size_t>(index.back()));
    for (std::size_t k = v.rank(); k-- != 0;) {
      from += v.strides[k];
      if (++index[k] != v.shape[k]) break;
      from -= v.strides[k] * v.shape[k];
      index[k] = 0;
    }
  }
}

class quantizer {
 public:
  quantizer(plan& p, const target& device, const calibration& seen,
            std::vector<std::uint32_t>& by_tensor)
      : plan_(p),
        device_(device),
        by_tensor_(by_tensor),
        group_(p.homes.size()),
        ranges_(p.homes.size()),
        is_float_(p.homes.size()),
        is_float_step_(p.steps.size()),
        converted_(p.homes.size(), none) {
    std::iota(group_.begin(), group_.end(), std::uint32_t{0});
    find_groups();
    find_ranges(seen);
  }

  void run() {
    decide();
    absorb_relus();
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) change(s);
    add_conversions();
  }

 private:
  // ---- what has one scale

  [[nodiscard]] bool is_constant(const access& a) const noexcept {
    return plan_.homes[a.of.home].what == home::kind::constant;
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t h) noexcept {
    while (group_[h] != h) h = group_[h] = group_[group_[h]];
    return h;
  }
  [[nodiscard]] const value_range& range_of(const access& a) noexcept {
    return ranges_[group_of(a.of.home)];
  }
  void find_groups() {
    for (const step& s : plan_.steps)
      if (keeps_scale(s) && !is_constant(s.reads[0]) && !is_output(s))
        group_[group_of(s.reads[0].of.home)] = group_of(s.write.of.home);
  }
  [[nodiscard]] bool is_output(const step& s) const noexcept {
    return plan_.homes[s.write.of.home].what == home::kind::output;
  }
  void find_ranges(const calibration& seen) {
    for (std::uint32_t i = 0; i < plan_.results.size(); ++i) {
      const std::vector<value_range>& of = seen.of(i);
      for (std::size_t k = 0; k < std::min(of.size(), plan_.results[i].size()); ++k)
        ranges_[group_of(plan_.results[i][k].home)].include(of[k]);
    }
  }

  // ---- results that saturate as relu does

  /// Whether values below 0 become 0, and nothing else is done to what a calibration has seen.
  [[nodiscard]] static bool is_relu(const step& s) noexcept {
    if (s.tasks.size() != 1) return false;
    const tile_task& t = s.tasks[0];
    if (t.op == opcode::relu) return true;
    if (t.op != opcode::clamp) return false;
    for (const auto& [name, value] : t.attributes)
      if (name == nem::attribute::min_val && value.text() != "0.0") return false;
    return true;
  }
  /// Where all that reads a result is a relu, the result gets the relu's scale: its least integer is
  /// 0, and integers saturate. The relu has nothing to do then.
  void absorb_relus() {
    std::vector<std::size_t> readers(plan_.homes.size()), writer(plan_.homes.size(), none);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const access& a : plan_.steps[s].reads) ++readers[a.of.home];
      std::size_t& w = writer[plan_.steps[s].write.of.home];
      w = w == none ? s : plan_.steps.size();
    }
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      step& t = plan_.steps[s];
      if (is_float_step_[s] || !is_relu(t)) continue;
      const std::uint32_t from = t.reads[0].of.home;
      const std::size_t w = writer[from];
      if (readers[from] != 1 || w >= plan_.steps.size() || is_float_step_[w] ||
          keeps_scale(plan_.steps[w]) || !range_of(t.reads[0]).is_finite() ||
          range_of(t.write).greatest <= 0)
        continue;
      group_[from] = group_of(t.write.of.home);
      t.tasks.clear();
      t.forms.clear();
      t.registers = 0;
      t.result = of_read(0);
    }
  }

  // ---- what is computed with which numbers

  void decide() {
    for (std::uint32_t h = 0; h < plan_.homes.size(); ++h)
      is_float_[h] = !ranges_[group_of(h)].exists();
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      is_float_step_[s] = is_output(plan_.steps[s]) || !can_be_integer(plan_.steps[s]);
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t s = 0; s < plan_.steps.size(); ++s) goes_on = settle(s) || goes_on;
    }
  }
  /// Whether a step or what it writes becomes one of floats, because of those around it.
  bool settle(std::size_t s) {
    const step& t = plan_.steps[s];
    const std::uint32_t to = t.write.of.home;
    bool is_float = is_float_step_[s] || is_float_[to];
    if (!is_product(t))
      for (const access& a : t.reads)
        is_float = is_float || (!is_constant(a) && is_float_[a.of.home]);
    const bool is_new = is_float && (!is_float_step_[s] || !is_float_[to]);
    if (is_float) is_float_step_[s] = is_float_[to] = true;
    return is_new;
  }
  [[nodiscard]] bool can_be_integer(const step& s) {
    for (const access& a : s.reads)
      if (!is_constant(a) && !range_of(a).exists()) return false;
    if (!range_of(s.write).exists() || s.tasks.size() > 1) return false;
    if (s.tasks.empty() || is_pool(s)) return true;
    if (is_product(s)) return is_integer_product(s);
    return is_coarse(s.tasks[0].op) && is_balanced(s);
  }
  [[nodiscard]] bool is_integer_product(const step& s) const {
    if (s.reads.size() > 2 && !is_constant(s.reads[2])) return false;
    const dimensions& w = s.reads[1].of.shape;
    const bool is_image = s.tasks[0].op == opcode::conv2d;
    const std::int64_t products = is_image ? product(w) / w.back() : w[w.size() - 2];
    return products <= max_products;
  }
  /// Finite, and no operand of a sum much smaller than the result.
  [[nodiscard]] bool is_balanced(const step& s) {
    if (!range_of(s.write).is_finite()) return false;
    const auto width = [](const value_range& r) { return r.greatest - r.least; };
    const opcode op = s.tasks[0].op;
    const bool is_sum =
        op == opcode::add || op == opcode::sub || op == opcode::min || op == opcode::max;
    for (const access& a : s.reads) {
      if (is_constant(a)) {
        const std::vector<float>& data = plan_.homes[a.of.home].data;
        if (!std::all_of(data.begin(), data.end(), [](float x) { return std::isfinite(x); }))
          return false;
      } else if (!range_of(a).is_finite() ||
                 (is_sum && width(range_of(s.write)) > max_ratio * width(range_of(a)))) {
        return false;
      }
    }
    return true;
  }

  // ---- forms

  [[nodiscard]] bool is_by_tensor(std::uint32_t i) const {
    return std::find(by_tensor_.begin(), by_tensor_.end(), i) != by_tensor_.end();
  }
  [[noreturn]] void refuse(const step& s, const std::string& why, errc code) const {
    throw refusal{code, s.instruction, s.name + " on " + device_.name() + ": " + why};
  }
  void need(const step& s, std::string_view family, view<element> types,
            std::string_view variant) const {
    if (!device_.has(family, types, variant))
      refuse(s, "the device has no " + target::reference(family, types, variant),
             errc::nac_lower_device);
  }
  /// Of a tensor that isn't constant; the step is named where none fits.
  [[nodiscard]] number_form form(const step& s, const access& a, bool is_result) {
    const value_range& r = range_of(a);
    const std::string what = is_result ? "its results are" : "its operand is";
    if (!r.is_finite())
      refuse(s, what + " infinite or NaN for the calibration's inputs", errc::nac_lower_operation);
    if (r.least == 0 && r.greatest == 0)
      refuse(s, what + " 0 for all of the calibration's inputs", errc::nac_lower_operation);
    return asymmetric(r);
  }
  /// Of a constant: symmetric.
  [[nodiscard]] number_form symmetric(const step& s, const tensor_view& v) const {
    double largest = 0;
    each_element(plan_, v, [&](double x, std::size_t) {
      largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : x * x;
    });
    if (!std::isfinite(largest))
      refuse(s, "a constant operand is infinite or NaN", errc::nac_lower_operation);
    return {element::i8, {rounded_scale(largest == 0 ? 1 : largest / 127)}, 0};
  }

  void change(std::size_t k) {
    step& s = plan_.steps[k];
    if (is_float_step_[k]) return change_float(s);
    s.write.form = form(s, s.write, true);
    plan_.homes[s.write.of.home].quantized = s.write.form;
    for (number_form& f : s.forms) f = s.write.form;
    if (is_product(s)) return change_product(s);
    if (!s.tasks.empty() && !is_pool(s)) need(s, "eltwise", {&i8, 1}, "default");
    for (access& a : s.reads) {
      if (!is_constant(a))
        a.form = form(s, a, false);
      else
        a.form = s.tasks.empty() ? s.write.form : symmetric(s, a.of);
    }
  }
  /// A product of floats, that the mapper took for one of integers. Its sums are in one order, for
  /// results that are exactly those of the reference.
  void change_float(step& s) const {
    for (tile_task& t : s.tasks)
      t.is_deterministic = t.op == opcode::gemm || t.op == opcode::conv2d;
    if (!is_product(s)) return;
    const element type = device_.type();
    const std::string_view family = s.tasks[0].op == opcode::gemm ? "gemm.float" : "conv2d.float";
    const bool has_bias = s.tasks[0].in.size() > 2;
    if (has_bias && device_.has(family, {&type, 1}, "with_bias")) return;
    need(s, family, {&type, 1}, "no_bias");
    if (!has_bias) return;
    need(s, "eltwise", {&type, 1}, "default");
    const std::uint32_t bias = s.tasks[0].in[2].index;
    s.tasks[0].in.pop_back();
    s.tasks.push_back({opcode::add, {of_register(0), broadcast(bias)}, of_register(1)});
    s.registers = 2;
    s.forms.push_back(s.forms[0]);
    s.result = of_register(1);
  }

  void change_product(step& s) {
    tile_task& t = s.tasks[0];
    const bool has_bias = t.in.size() > 2;
    const std::string_view family = t.op == opcode::gemm ? "gemm.int8" : "conv2d.int8";
    need(s, family, {&i8, 1}, has_bias ? "with_bias" : "no_bias");
    for (auto& [name, value] : t.attributes)
      if (name == nem::attribute::accum_type) value = element::i32;
    for (std::size_t r = 0; r < 2; ++r)
      s.reads[r].form =
          is_constant(s.reads[r]) ? symmetric(s, s.reads[r].of) : form(s, s.reads[r], false);
    const double input = s.reads[0].form.scales[0];
    if (is_constant(s.reads[1])) set_weights(s, input);
    if (!has_bias) return;
    number_form& bias = s.reads[2].form;
    bias = {element::i32, s.reads[1].form.scales, 0};
    for (double& scale : bias.scales) scale *= input;
  }
  /// Scales of weights: by the last dimension where that is the result's, and they fit L1 as a whole.
  void set_weights(step& s, double input) {
    access& w = s.reads[1];
    const bool is_of_columns = w.follows.back() == static_cast<std::int32_t>(s.dims.size() - 1) &&
                               s.tasks[0].in[1].rank != 3;  // a product of batches
    const auto channels = static_cast<std::size_t>(w.of.shape.back());
    const bool has_channels = is_of_columns && channels > 1;
    if (has_channels && product(w.of.shape) > device_.l1_size() / 2 && !is_by_tensor(s.instruction))
      by_tensor_.push_back(s.instruction);
    const bool by_channel = has_channels && !is_by_tensor(s.instruction);
    std::vector<double> largest(by_channel ? channels : 1), bias(largest.size());
    const auto note = [by_channel](std::vector<double>& to) {
      return [&to, by_channel](double x, std::size_t k) {
        double& at = to[by_channel ? k : 0];
        at = std::max(at, std::abs(x));
      };
    };
    each_element(plan_, w.of, note(largest));
    if (s.reads.size() > 2) each_element(plan_, s.reads[2].of, note(bias));
    w.form.scales.clear();
    for (std::size_t k = 0; k < largest.size(); ++k) {
      const double least = bias[k] / (input * max_bias);
      const double scale = std::max(largest[k] / 127, least);
      w.form.scales.push_back(rounded_scale(scale == 0 ? 1 : scale));
    }
    if (by_channel) s.can_split = false;
  }

  // ---- conversions

  /// The same elements in the other form, which a step after the last that writes them makes.
  [[nodiscard]] std::uint32_t other(std::uint32_t h) {
    if (converted_[h] != none) return static_cast<std::uint32_t>(converted_[h]);
    const auto at = static_cast<std::uint32_t>(plan_.homes.size());
    plan_.homes.push_back({home::kind::computed, plan_.homes[h].size});
    plan_.homes.back().type = is_stored_float(h) ? element::i8 : device_.type();
    converted_[h] = at;
    return at;
  }
  [[nodiscard]] bool is_stored_float(std::uint32_t h) const noexcept {
    return is_float_[h] || plan_.homes[h].what == home::kind::input;
  }

  void add_conversions() {
    const std::size_t homes = plan_.homes.size();
    std::vector<std::size_t> first_reader(homes, none), last_writer(homes, none);
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      step& s = plan_.steps[k];
      last_writer[s.write.of.home] = k;
      for (access& a : s.reads) {
        const std::uint32_t h = a.of.home;
        if (plan_.homes[h].what == home::kind::constant) continue;
        if (is_float_step_[k] == is_stored_float(h)) continue;
        a.of.home = other(h);
        if (first_reader[h] == none) first_reader[h] = k;
      }
    }
    for (std::uint32_t h = 0; h < homes; ++h)
      if (plan_.homes[h].what == home::kind::computed && !is_float_[h])
        plan_.homes[h].type = element::i8;
    std::vector<step> all;
    for (std::uint32_t h = 0; h < homes; ++h)
      if (converted_[h] != none && last_writer[h] == none)
        all.push_back(conversion(h, nullptr, plan_.steps[first_reader[h]]));
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const std::uint32_t h = plan_.steps[k].write.of.home;
      const bool is_last = h < homes && last_writer[h] == k && converted_[h] != none;
      std::optional<step> after;
      if (is_last) after = conversion(h, &plan_.steps[k], plan_.steps[first_reader[h]]);
      all.push_back(std::move(plan_.steps[k]));
      if (after) all.push_back(std::move(*after));
    }
    plan_.steps = std::move(all);
  }

  /// `writer` is the one step that writes it; null or one of several: the elements are in a row.
  [[nodiscard]] step conversion(std::uint32_t h, const step* writer, const step& reader) {
    step s;
    const bool to_float = !is_stored_float(h);
    const step& named = writer != nullptr ? *writer : reader;
    s.instruction = named.instruction;
    s.name = to_float ? "dequantize " : "quantize ";
    s.name +=
        plan_.homes[h].buffer.empty() ? "v" + std::to_string(s.instruction) : plan_.homes[h].buffer;
    if (writer != nullptr && product(writer->dims) == plan_.homes[h].size) {
      s.dims = writer->dims;
      s.reads = {{writer->write.of, writer->write.follows}};
    } else {
      s.dims = {plan_.homes[h].size};
      s.reads = {{{h, 0, s.dims, {1}}, {0}}};
    }
    s.write = s.reads[0];
    s.write.of.home = static_cast<std::uint32_t>(converted_[h]);
    number_form& whole = to_float ? s.reads[0].form : s.write.form;
    whole = form(named, s.reads[0], writer != nullptr);
    plan_.homes[h].quantized = whole;
    (to_float ? s.write.form : s.reads[0].form).type = device_.type();
    const element from[] = {s.reads[0].form.type, s.write.form.type};
    need(s, to_float ? "dequantize" : "quantize", {from, 2}, "default");
    s.is_plain = s.is_tail = s.can_split = true;
    s.tasks = {{to_float ? opcode::dequantize : opcode::quantize, {of_read(0)}, of_register(0)}};
    s.registers = 1;
    s.forms = {s.write.form};
    s.result = of_register(0);
    return s;
  }

  static constexpr element i8 = element::i8;

  plan& plan_;
  const target& device_;
  std::vector<std::uint32_t>& by_tensor_;
  std::vector<std::uint32_t> group_;  // by home: another one that it has its scale with
  std::vector<value_range> ranges_;   // by group
  std::vector<bool> is_float_;        // by home
  std::vector<bool> is_float_step_;
  std::vector<std::size_t> converted_;  // by home: that with the other form
};

}  // namespace

void quantize(plan& p, const target& device, const calibration& ranges,
              std::vector<std::uint32_t>& by_tensor) {
  quantizer(p, device, ranges, by_tensor).run();
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
