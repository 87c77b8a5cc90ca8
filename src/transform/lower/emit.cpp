// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/emit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tessera/core/float16.hpp>
#include <tessera/core/load_store.hpp>
#include <utility>

#include "formats/real_from_chars.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::expr;

/// a + b, without what is nothing.
[[nodiscard]] expr plus(const expr& a, const expr& b) {
  if (a.text() == "0") return b;
  return b.text() == "0" ? a : a + b;
}
[[nodiscard]] expr times(const expr& a, std::int64_t n) {
  if (a.text() == "0" || n == 0) return 0;
  return n == 1 ? a : a * n;
}

[[nodiscard]] expr list_of(const dimensions& d) { return view<std::int64_t>{d.data(), d.size()}; }

[[nodiscard]] std::vector<std::string_view> views_of(const std::vector<std::string>& of) {
  return {of.begin(), of.end()};
}
[[nodiscard]] view<std::string_view> view_of(const std::vector<std::string_view>& of) {
  return {of.data(), of.size()};
}

[[nodiscard]] std::string part_name(const std::string& token, std::int64_t part) {
  return token + '_' + std::to_string(part);
}

/// The number of fewest digits that is the same binary32: scales are rounded to it.
[[nodiscard]] double as_written(double scale) noexcept {
  char digits[32];
  const auto single = static_cast<float>(scale);
  const auto end = std::to_chars(digits, digits + sizeof digits, single).ptr;
  double out = 0;
  (void)chars::real_from_chars(digits, end, out);
  return static_cast<float>(out) == single ? out : scale;
}

/// The strides of a read as those of a tile that it is broadcast to.
[[nodiscard]] dimensions spread(const dimensions& strides, const std::vector<std::int32_t>& follows,
                                std::size_t rank) {
  dimensions out(rank);
  for (std::size_t k = 0; k < follows.size(); ++k)
    if (follows[k] >= 0) out[static_cast<std::size_t>(follows[k])] = strides[k];
  return out;
}

/// Of what is loaded before it is converted.
[[nodiscard]] std::string raw_name(const std::string& token) { return token + 'r'; }

[[nodiscard]] dimensions in_bytes(dimensions strides, const number_form& of) {
  for (std::int64_t& s : strides) s *= of.size();
  return strides;
}

/// The tokens of what one transfer, or several side by side, load.
[[nodiscard]] std::vector<std::string> part_names(const std::string& token, std::int64_t bytes,
                                                  std::int64_t parts) {
  if (parts == 1) return {token};
  std::vector<std::string> out;
  for (std::int64_t k = 0; k * part_size(bytes, parts) < bytes; ++k)
    out.push_back(part_name(token, k));
  return out;
}

[[nodiscard]] std::string zeros_name(std::size_t count) { return "zeros" + std::to_string(count); }

}  // namespace

float within(float x, nem::element type) noexcept {
  if (!std::isfinite(x) || type == nem::element::f32) return x;
  const float most = type == nem::element::f16 ? 65504.0f : 0x1.fep127f;
  return std::clamp(x, -most, most);
}

dimensions adapted(const dimensions& d, const task_operand& o) {
  if (o.rank == 0) return d;
  dimensions out;
  const std::size_t extra = d.size() > o.rank ? d.size() - o.rank : 0;
  for (std::size_t k = 0; k < d.size(); ++k) {
    if (k <= extra && k != 0)
      out[0] *= d[k];
    else
      out.push_back(d[k]);
  }
  const std::size_t rank = std::max<std::size_t>(o.padded, o.rank);
  if (out.size() < rank) out.insert(out.begin(), rank - out.size(), 1);
  return out;
}

// ---- weights

std::int64_t weight_file::place_of(const access& a) {
  const tensor_view& v = a.of;
  if (known_.empty()) known_.resize(plan_.homes.size());
  for (const entry& e : known_[v.home])
    if (e.of == v && e.form == a.form) return e.at;
  const std::int64_t at = aligned(size_);
  known_[v.home].push_back({v, a.form, at});
  size_ = at + product(v.shape) * a.form.size();
  return at;
}

std::vector<std::byte> weight_file::make() const {
  std::vector<std::byte> out(static_cast<std::size_t>(size_));
  for (const std::vector<entry>& of_home : known_)
    for (const entry& e : of_home) write(e, out.data() + e.at);
  return out;
}

void weight_file::write(const entry& e, std::byte* to) const {
  const tensor_view& v = e.of;
  const std::vector<float>& data = plan_.homes[v.home].data;
  const std::int64_t count = product(v.shape), size = e.form.size();
  dimensions index(v.rank());
  std::int64_t from = v.offset;
  for (std::int64_t i = 0; i < count; ++i, to += size) {
    put(data[static_cast<std::size_t>(from)], e.form, index.empty() ? 0 : index.back(), to);
    for (std::size_t k = v.rank(); k-- != 0;) {
      from += v.strides[k];
      if (++index[k] != v.shape[k]) break;
      from -= v.strides[k] * v.shape[k];
      index[k] = 0;
    }
  }
}

void weight_file::put(float x, const number_form& form, std::int64_t channel, std::byte* to) {
  std::byte raw[4] = {};
  if (!form.scales.empty()) {
    const std::size_t k = form.scales.size() == 1 ? 0 : static_cast<std::size_t>(channel);
    store_le(raw, static_cast<std::uint32_t>(quantized(static_cast<double>(x), form.scales[k],
                                                       form.zero_point, form.type)));
  } else if (form.type == nem::element::f32) {
    store_le(raw, std::bit_cast<std::uint32_t>(x));
  } else if (form.type == nem::element::i32) {
    store_le(raw, static_cast<std::uint32_t>(static_cast<std::int32_t>(x)));
  } else {
    const float held = within(x, form.type);
    const std::uint16_t bits =
        form.type == nem::element::f16 ? half_from_float(held) : bfloat16_from_float(held);
    store_le(raw, bits);
  }
  std::copy_n(raw, form.size(), to);
}

std::int32_t quantized(double x, double scale, std::int32_t zero_point,
                       nem::element type) noexcept {
  const double bound = std::ldexp(1.0, static_cast<int>(nem::bitwidth(type)) - 1);
  const double q = std::nearbyint(x / scale) + zero_point;
  return static_cast<std::int32_t>(std::clamp(q, -bound, bound - 1));
}

// ---- places

std::string_view emitter::buffer_of(const home& h) const noexcept {
  if (h.what == home::kind::constant) return "weights";
  if (h.what != home::kind::computed) return h.buffer;
  return h.level == nem::level::l2 ? "l2" : "spill";
}

expr emitter::index_of(std::uint32_t dimension, const position& at) const {
  const step& s = t_->step;
  if (!at.has_outer || s.dims[dimension] == 1) return 0;
  std::int64_t after = 1, before = 1;
  for (std::uint32_t d = dimension + 1; d < t_->dimension; ++d) after *= s.dims[d];
  for (std::uint32_t d = 0; d < dimension; ++d) before *= s.dims[d];
  const expr quotient = after == 1 ? at.outer : at.outer / after;
  return before == 1 ? quotient : mod(quotient, s.dims[dimension]);
}

expr emitter::offset_of(const access& a, const dimensions& strides, std::int64_t first,
                        const tile_form& g, const position& at, bool is_window) const {
  expr out = 0;
  for (std::size_t k = 0; k < a.follows.size(); ++k) {
    if (a.follows[k] == slice_dimension) out = plus(out, times(at.slice, strides[k]));
    if (a.follows[k] < 0) continue;
    const auto d = static_cast<std::uint32_t>(a.follows[k]);
    if (d < t_->dimension) {
      out = plus(out, times(index_of(d, at), strides[k]));
    } else if (d == t_->dimension) {
      const bool has_window = is_window && d == t_->step.window.dimension;
      const std::int64_t stride = has_window ? t_->step.window.stride : 1;
      const std::int64_t of_band = t_->band().rows * stride;
      const std::int64_t of_tile = t_->size * stride, by = at.has_band ? of_band : of_tile;
      // Tiles count from the first one of the loop.
      const std::int64_t before = g.first->first;
      out = plus(out, times(at.tile, of_tile * strides[k]));
      if (at.has_band) out = plus(out, times(at.band, of_band * strides[k]));
      out = plus(out, g.value([&](const segment& s) {
        return ((has_window ? s.in_first - s.first * by : 0) + before * by) * strides[k];
      }));
    }
  }
  return plus(out, first);
}

expr emitter::near_offset(std::size_t read, const tile_form& g, const position& at) const {
  const std::int64_t place = t_->read_at[read];
  switch (t_->loads[read]) {
    case loading::once: return plus(band_offset(read, g, at), place);
    case loading::never: break;
    case loading::by_outer:
    case loading::by_slice:
      return plus(times(at.buffer, t_->other_at[read] - place),
                  plus(band_offset(read, g, at), place));
    case loading::slices_once:
      return plus(times(at.slice, t_->read_size[read]), plus(band_offset(read, g, at), place));
    case loading::by_tile:
      return plus(at.has_slot ? times(at.slot, t_->slot_size) : expr(0),
                  plus(band_offset(read, g, at), t_->slots_at + place));
    case loading::whole:
      return offset_of(t_->step.reads[read],
                       in_bytes(dense_strides(t_->apart_shape(read)), t_->step.reads[read].form),
                       place, g, at, has_window(read));
  }
  return place;
}

expr emitter::band_offset(std::size_t read, const tile_form& g, const position& at) const {
  if (!at.has_band) return 0;
  position of_band;
  of_band.band = at.band;
  of_band.has_band = true;
  const access& a = t_->step.reads[read];
  const dimensions strides = in_bytes(dense_strides(t_->read_shape(read, t_->segments[0])), a.form);
  return offset_of(a, strides, 0, g, of_band, has_window(read));
}

expr emitter::register_offset(std::uint32_t r, const position& at) const {
  const expr place = t_->slots_at + t_->register_at[r];
  if (!at.has_band) return plus(at.has_slot ? times(at.slot, t_->slot_size) : expr(0), place);
  // The last register has room for the bands that are worked on.
  const step& s = t_->step;
  const bool is_slice = r == s.registers;
  const std::int64_t size =
      is_slice ? lowering::form_of(s, s.tasks[0].out).size() : s.register_sizes[r];
  return plus(times(is_slice ? mod(at.band, t_->lanes) : at.band,
                    product(t_->tile_shape(t_->band())) * size),
              place);
}

// ---- forms

template <class F>
expr emitter::tile_form::value(F&& of) const {
  const std::int64_t a = of(*first), m = of(*middle), l = of(*last);
  expr out = a;
  if (a < m) out = plus(out, times(not_first, m - a));
  if (a > m) out = out - times(not_first, a - m);
  if (m < l) out = plus(out, times(is_last, l - m));
  if (m > l) out = out - times(is_last, m - l);
  return out;
}

emitter::tile_form emitter::form_of(const std::vector<segment>& of, const tile_run& r,
                                    const expr& tile) {
  tile_form g{&of[r.first], &of[r.middle], &of[r.last], 1, 0};
  if (r.first != r.middle) g.not_first = (tile + (r.count - 1)) / r.count;
  if (r.middle != r.last) g.is_last = (tile + 1) / r.count;
  return g;
}
/// Of what is the same for all tiles.
emitter::tile_form emitter::whole() const {
  const segment* const s = t_->segments.data();
  return {s, s, s, 1, 0};
}

template <class Shape>
expr emitter::shape_of(const tile_form& g, const Shape& shape) const {
  std::vector<expr> out;
  const std::size_t rank = shape(*g.middle).size();
  for (std::size_t k = 0; k < rank; ++k)
    out.push_back(g.value([&](const segment& s) { return shape(s)[k]; }));
  return view<expr>{out.data(), out.size()};
}

// ---- moves

namespace {

/// Bytes from the first to the last element of a box.
[[nodiscard]] std::int64_t extent_of(const dimensions& box, const dimensions& strides,
                                     std::int64_t element_size) noexcept {
  std::int64_t last = 0;
  for (std::size_t k = 0; k < box.size(); ++k) last += (box[k] - 1) * strides[k];
  return (last + 1) * element_size;
}

}  // namespace

template <class Shape>
void emitter::move(const std::string& token, std::string_view buffer, const expr& far,
                   bool is_store, const expr& near, const tile_form& g, const Shape& shape,
                   const dimensions& strides, nem::element type) {
  const std::int64_t e = nem::bitwidth(type) / 8;
  const expr extent = g.value([&](const segment& s) { return extent_of(shape(s), strides, e); });
  const expr size = g.value([&](const segment& s) { return product(shape(s)) * e; });
  nem::region_expr there = to_.region(buffer, far, extent), here = to_.region("l1", near, size);
  if (g.all([&](const segment& s) { return is_contiguous(shape(s), strides); })) {
    if (is_store)
      to_.store(token, there, here);
    else
      to_.transfer(token, here, there);
    return;
  }
  dimensions steps;
  std::vector<std::size_t> kept;  // dimensions that aren't 1 in all tiles
  for (std::size_t k = 0; k < strides.size(); ++k) {
    if (g.all([&](const segment& s) { return shape(s)[k] == 1; })) continue;
    kept.push_back(k);
    steps.push_back(strides[k]);
  }
  const auto short_shape = [&](const segment& s) {
    dimensions out;
    const dimensions all = shape(s);
    for (const std::size_t k : kept) out.push_back(all[k]);
    return out;
  };
  const expr list = shape_of(g, short_shape);
  const expr dense = shape_of(g, [&](const segment& s) { return dense_strides(short_shape(s)); });
  there.elem(type).shape(list).strides(list_of(steps));
  here.elem(type).shape(list).strides(dense);
  to_.compute(token, nem::opcode::reshape);
  to_.in(is_store ? here : there).out(is_store ? there : here);
  to_.attribute(nem::attribute::target_shape, list);
}

/// Elements in L1, from the form that they are stored in to the one that tasks read; `size` of those of a
/// number of bytes.
template <class Size>
void emitter::convert(const access& a, const expr& near, const expr& stage, const Size& size,
                      const std::string& token, const std::vector<std::string>& deps) {
  const expr count = size(1);
  const auto row = [&](const expr& at, const number_form& form) {
    nem::region_expr r = to_.region("l1", at, size(form.size()));
    r.elem(form.type).shape(expr(view<expr>{&count, 1})).layout("RowMajor");
    describe(r, form);
    return r;
  };
  const bool is_quantized = nem::is_floating(a.stored.type);
  to_.compute(token, is_quantized ? nem::opcode::quantize : nem::opcode::dequantize);
  to_.in(row(stage, a.stored)).out(row(near, a.form));
  const std::vector<std::string_view> names = views_of(deps);
  to_.deps(view_of(names));
}

void emitter::load(std::size_t read, const tile_form& g, const position& at,
                   const std::string& token) {
  const expr near = near_offset(read, g, at);
  const access& a = t_->step.reads[read];
  if (!a.is_converted()) return load_to(near, read, g, at, token);
  const bool is_tile = t_->loads[read] == loading::by_tile;
  const expr slot = is_tile && at.has_slot ? times(at.slot, t_->slot_size) : expr(0);
  const expr stage = plus(slot, t_->slots_at + (is_tile ? t_->stage_at[read] : t_->stage_of(read)));
  const std::string raw = raw_name(token);
  load_to(stage, read, g, at, raw);
  const auto size = [&](std::int64_t of_element) {
    return g.value([&](const segment& s) { return product(loaded_shape(read, s)) * of_element; });
  };
  const std::int64_t bytes = product(loaded_shape(read, *g.middle)) * a.stored.size();
  convert(a, near, stage, size, token, part_names(raw, bytes, t_->parts[read]));
}

/// What a load takes of a read, in a segment.
dimensions emitter::loaded_shape(std::size_t read, const segment& s) const {
  return t_->loads[read] == loading::whole ? t_->first_shape(read) : t_->read_shape(read, s);
}

void emitter::load_to(const expr& near, std::size_t read, const tile_form& g, const position& at,
                      const std::string& token) {
  const access& a = t_->step.reads[read];
  const home& h = plan_.homes[a.of.home];
  const expr from = place_of(read, g, at);
  const auto box = [&](const segment& s) { return loaded_shape(read, s); };
  if (const std::int64_t parts = t_->parts[read]; parts > 1) {
    const std::int64_t size = product(box(*g.middle)) * a.far().size();
    const std::int64_t part = part_size(size, parts);
    for (std::int64_t k = 0; k * part < size; ++k) {
      const std::int64_t bytes = std::min(part, size - k * part);
      to_.transfer(token.empty() ? token : part_name(token, k),
                   to_.region("l1", plus(near, k * part), bytes),
                   to_.region(buffer_of(h), plus(from, k * part), bytes));
    }
    return;
  }
  move(token, buffer_of(h), from, false, near, g, box, strides_of(read), a.far().type);
}

bool emitter::has_window(std::size_t read) const noexcept {
  return t_->step.window.exists && read == t_->step.window.read;
}
dimensions emitter::strides_of(std::size_t read) const {
  const access& a = t_->step.reads[read];
  const bool is_constant = plan_.homes[a.of.home].what == home::kind::constant;
  return is_constant ? dense_strides(a.of.shape) : a.of.strides;
}
expr emitter::place_of(std::size_t read, const tile_form& g, const position& at) const {
  const access& a = t_->step.reads[read];
  const home& h = plan_.homes[a.of.home];
  const std::int64_t first = h.what == home::kind::constant
                                 ? weights_.place_of(a)
                                 : h.offset + a.of.offset * a.far().size();
  return offset_of(a, in_bytes(strides_of(read), a.far()), first, g, at, has_window(read));
}

void emitter::store(const tile_form& g, const position& at, const std::string& dep) {
  const access& a = t_->step.write;
  const home& h = plan_.homes[a.of.home];
  const expr to = offset_of(a, in_bytes(a.of.strides, a.form),
                            h.offset + a.of.offset * a.form.size(), g, at, false);
  const task_operand& r = t_->step.result;
  const expr near = r.what == task_operand::kind::reg ? register_offset(r.index, at)
                                                      : near_offset(r.index, g, at);
  const auto shape = [&](const segment& s) { return t_->write_shape(s); };
  move({}, buffer_of(h), to, true, near, g, shape, a.of.strides, a.form.type);
  if (!dep.empty()) to_.deps({dep});
}

// ---- tasks

nem::region_expr emitter::operand(const task_operand& o, const tile_form& g, const position& at,
                                  std::string_view layout) const {
  const number_form& number = lowering::form_of(t_->step, o);
  const auto tile = [&](const segment& s) { return t_->tile_shape(s); };
  const auto of = [&](const expr& near, const auto& shape) {
    const expr size = g.value([&](const segment& s) { return product(shape(s)) * number.size(); });
    nem::region_expr r = to_.region("l1", near, size);
    r.elem(number.type);
    return r;
  };
  if (o.what == task_operand::kind::reg) {
    nem::region_expr r = of(register_offset(o.index, at), tile);
    r.shape(shape_of(g, [&](const segment& s) { return adapted(tile(s), o); })).layout(layout);
    describe(r, number);
    return r;
  }
  if (t_->loads[o.index] == loading::never) return operand_in_place(o, g, at);
  const auto box = [&](const segment& s) { return t_->read_shape(o.index, s); };
  nem::region_expr r = of(near_offset(o.index, g, at), box);
  if (o.what == task_operand::kind::read) {
    r.shape(shape_of(g, [&](const segment& s) { return adapted(box(s), o); })).layout(layout);
    describe(r, number, adapted(box(*g.middle), o).size());
    return r;
  }
  const auto strides = [&](const segment& s) {
    return spread(dense_strides(box(s)), t_->step.reads[o.index].follows, tile(s).size());
  };
  r.shape(shape_of(g, tile));
  if (g.all([&](const segment& s) { return is_contiguous(tile(s), strides(s)); }))
    r.layout(layout);
  else
    r.strides(shape_of(g, strides));
  describe(r, number);
  return r;
}

nem::region_expr emitter::operand_in_place(const task_operand& o, const tile_form& g,
                                           const position& at) const {
  const access& a = t_->step.reads[o.index];
  const dimensions strides = strides_of(o.index);
  const auto box = [&](const segment& s) { return t_->read_shape(o.index, s); };
  const expr extent =
      g.value([&](const segment& s) { return extent_of(box(s), strides, a.form.size()); });
  nem::region_expr r =
      to_.region(buffer_of(plan_.homes[a.of.home]), place_of(o.index, g, at), extent);
  r.elem(a.form.type);
  if (o.what == task_operand::kind::read)
    r.shape(shape_of(g, box)).strides(list_of(strides));
  else
    r.shape(shape_of(g, [&](const segment& s) {
       return t_->tile_shape(s);
     })).strides(list_of(spread(strides, a.follows, t_->step.dims.size())));
  describe(r, a.form);
  return r;
}

// ---- quantized values

void emitter::describe(nem::region_expr& r, const number_form& form, std::size_t rank) const {
  if (form.scales.empty() || form.type == nem::element::i32) return;
  if (form.scales.size() == 1) {
    r.per_tensor(as_written(form.scales[0]), form.zero_point);
    return;
  }
  for (const auto& [scales, name] : scales_)
    if (scales == form.scales)
      r.per_channel(static_cast<std::int64_t>(rank) - 1, std::string_view(name),
                    std::string_view(zeros_name(scales.size())));
}

void emitter::name_scales() {
  scales_.clear();
  for (const access& a : t_->step.reads) {
    const std::vector<double>& scales = a.form.scales;
    if (scales.size() < 2 || a.form.type == nem::element::i32) continue;
    std::vector<double> written;
    for (const double s : scales) written.push_back(as_written(s));
    const std::string name =
        "scales" + std::to_string(step_) + "_" + std::to_string(scales_.size());
    to_.let(name, expr(view<double>{written.data(), written.size()}));
    scales_.emplace_back(scales, name);
    if (std::find(zeros_.begin(), zeros_.end(), scales.size()) != zeros_.end()) continue;
    zeros_.push_back(scales.size());
    to_.let(zeros_name(scales.size()), list_of(dimensions(scales.size(), 0)));
  }
}

void emitter::compute(const tile_task& task, const tile_form& g, const position& at,
                      const std::string& token, const std::vector<std::string>& deps) {
  const nem::opcode_category c = nem::opcode_table[static_cast<std::size_t>(task.op)].category;
  const bool is_image =
      c == nem::opcode_category::convolution || c == nem::opcode_category::pooling;
  constexpr std::string_view of_images[] = {"NHWC", "HWIO", "C"};
  constexpr std::string_view any = "RowMajor";
  to_.compute(token, task.op);
  for (std::size_t k = 0; k < task.in.size(); ++k)
    to_.in(operand(task.in[k], g, at, is_image ? of_images[k] : any));
  to_.out(operand(task.out, g, at, is_image ? of_images[0] : any));
  const std::vector<std::string_view> names = views_of(deps);
  if (!names.empty()) to_.deps(view_of(names));
  if (task.has_pads) {
    const window& w = t_->step.window;
    to_.attribute(nem::attribute::pads,
                  {g.value([](const segment& s) { return s.top; }), w.left,
                   g.value([](const segment& s) { return s.bottom; }), w.right});
  }
  for (const auto& [name, value] : task.attributes) to_.attribute(name, value);
  if (task.is_deterministic) to_.decorate(nem::decorator::deterministic);
}

void emitter::write_tile(const tile_form& g, const position& at) {
  tile_tokens tokens;
  tokens.loads.resize(t_->step.reads.size());
  load_tiles(g, at, tokens);
  if (t_->step.result.what == task_operand::kind::read)
    tokens.last = tokens.loads[t_->step.result.index];
  write_tail(g, at, std::move(tokens), 0);
}

void emitter::load_tiles(const tile_form& g, const position& at, tile_tokens& tokens) {
  for (std::size_t r = 0; r < tokens.loads.size(); ++r) {
    if (t_->loads[r] != loading::by_tile) continue;
    issue(tokens);
    if (t_->step.reads[r].is_converted()) issue(tokens);
    tokens.loads[r] = "x" + std::to_string(r);
    load(r, g, at, tokens.loads[r]);
  }
}

/// A task more of a tile: where the sequencer has no token for it, what was issued is waited for.
void emitter::issue(tile_tokens& tokens) {
  if (t_->depth > 1 || ++tokens.live <= max_live()) return;
  std::vector<std::string> all;
  for (std::string& token : tokens.loads)
    if (!token.empty()) all.push_back(std::exchange(token, {}));
  if (!tokens.last.empty()) all.push_back(std::exchange(tokens.last, {}));
  wait_for(all);
  tokens.live = 1;
}

/// The tasks of a tile from one on, and the store.
void emitter::write_tail(const tile_form& g, const position& at, tile_tokens tokens,
                         std::size_t first) {
  for (std::size_t k = first; k < t_->step.tasks.size(); ++k) {
    const tile_task& task = t_->step.tasks[k];
    issue(tokens);
    std::vector<std::string> deps;
    if (!tokens.last.empty()) deps.push_back(tokens.last);
    for (const task_operand& o : task.in) {
      if (o.what == task_operand::kind::reg) continue;
      std::string& token = tokens.loads[o.index];
      if (token.empty()) continue;
      deps.push_back(token);
      token.clear();  // all later tasks follow this one
    }
    tokens.last = "y" + std::to_string(k);
    compute(task, g, at, tokens.last, deps);
  }
  issue(tokens);
  store(g, at, tokens.last);
}

std::int64_t emitter::next_loads() const {
  std::int64_t count = 0;
  for (std::size_t r = 0; r < t_->loads.size(); ++r)
    if (t_->loads[r] == loading::by_outer) count += t_->parts[r];
  return count;
}

std::int64_t emitter::max_live() const {
  const auto held = static_cast<std::int64_t>(ahead_.size());
  return std::max<std::int64_t>(max_tokens_ - held - next_loads(), least_live);
}

// ---- loops

void emitter::write(const tiling& t, const tiling* next) {
  t_ = &t;
  name_scales();
  load_before();
  if (t.slices > 1) {
    load_ahead(next);
    write_by_slices();
  } else if (t.is_nested) {
    write_nested(next);
  } else {
    load_ahead(next);
    for (const tile_run& r : t.runs) t.is_pipelined ? write_pipelined(r) : write_flat(r);
  }
  ++step_;
}

/// Loads what is no tile; appends the tokens.
void emitter::load_apart(std::size_t read, const position& at, const std::string& token,
                         std::vector<std::string>& tokens) {
  load(read, whole(), at, token);
  const access& a = t_->step.reads[read];
  if (a.is_converted()) return tokens.push_back(token);
  const std::int64_t size = product(t_->first_shape(read)) * a.form.size();
  for (std::string& name : part_names(token, size, t_->parts[read]))
    tokens.push_back(std::move(name));
}

void emitter::wait_for(std::vector<std::string>& tokens) {
  const std::vector<std::string_view> names = views_of(tokens);
  if (!names.empty()) to_.wait(view_of(names));
  tokens.clear();
}

namespace {

/// What a step loads outside of its loops: "s12_0". The report knows the step by it.
[[nodiscard]] std::string apart_name(std::uint64_t step, std::size_t read) {
  return "s" + std::to_string(step) + "_" + std::to_string(read);
}

}  // namespace

/// Loads what has no tiles and isn't there yet, a few at once.
void emitter::load_before() {
  std::vector<std::string> tokens = std::exchange(ahead_, {});
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    if (t_->loads[r] == loading::by_tile || t_->loads[r] == loading::never || t_->is_ahead[r])
      continue;
    const bool is_converted = t_->step.reads[r].is_converted();
    const std::int64_t tasks = t_->parts[r] + (is_converted ? 1 : 0);
    if (static_cast<std::int64_t>(tokens.size()) + tasks > max_tokens_) wait_for(tokens);
    load_apart(r, {}, apart_name(step_, r), tokens);
    if (is_converted) wait_for(tokens);
  }
  wait_for(tokens);
}

/// Tasks before a loop run beside it: what the next step needs, and this one doesn't write.
void emitter::load_ahead(const tiling* next) {
  if (next == nullptr) return;
  const tiling* const now = std::exchange(t_, next);
  for (std::size_t r = 0; r < t_->loads.size(); ++r)
    if (t_->is_ahead[r]) load_apart(r, {}, apart_name(step_ + 1, r), ahead_);
  t_ = now;
}

/// What the next outer index needs: not waited for, unless that takes the tokens of everything else.
void emitter::load_next(const position& next) {
  const bool has_room = next_loads() + least_live <= max_tokens_;
  std::vector<std::string> tokens;
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    if (t_->loads[r] != loading::by_outer) continue;
    if (has_room) {
      load(r, whole(), next, {});
      continue;
    }
    load_apart(r, next, "n" + std::to_string(r), tokens);
    if (static_cast<std::int64_t>(tokens.size()) + t_->parts[r] > max_tokens_) wait_for(tokens);
  }
  wait_for(tokens);
}

void emitter::write_flat(const tile_run& r) {
  const std::int64_t count = r.count * t_->outer, depth = std::min(t_->depth, count);
  to_.loop("i", 0, count - 1);
  if (depth > 1) to_.max_in_flight(depth);
  to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
  const expr i("i");
  position at;
  at.has_outer = t_->outer > 1;
  at.outer = r.count == 1 ? i : i / r.count;
  if (r.count > 1) at.tile = t_->outer == 1 ? i : mod(i, r.count);
  at.has_slot = depth > 1;
  at.slot = mod(i, depth);
  load_pieces(at);
  write_tile(form_of(r, at.tile), at);
  to_.end_loop();
}

/// A tile of a run, by its index among those of all outer indices.
emitter::position emitter::tile_at(const tile_run& r, const expr& index) const {
  position at;
  at.has_outer = t_->outer > 1;
  at.outer = r.count == 1 ? index : index / r.count;
  if (r.count > 1) at.tile = t_->outer == 1 ? index : mod(index, r.count);
  at.has_slot = true;
  at.slot = mod(index, t_->depth);
  return at;
}

/// Loads of a tile that its product reads, or all others.
void emitter::load_some(const tile_form& g, const position& at, bool is_of_product,
                        std::vector<std::string>* tokens) {
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    if (t_->loads[r] != loading::by_tile || is_read_by(t_->step.tasks[0], r) != is_of_product)
      continue;
    const std::string token = tokens != nullptr                  ? apart_name(step_, r)
                              : t_->step.reads[r].is_converted() ? "x" + std::to_string(r)
                                                                 : std::string();
    load(r, g, at, token);
    if (tokens != nullptr) tokens->push_back(token);
  }
}

/// In each iteration, the product of a tile, what follows that of the tile before it, and loads for the next
/// one: fewer tasks than two tiles have.
void emitter::write_pipelined(const tile_run& r) {
  const std::int64_t count = r.count * t_->outer;
  const expr i("i");
  std::vector<std::string> waits;
  position zero;
  zero.has_slot = true;
  load_some(form_of(r, zero.tile), zero, true, &waits);
  wait_for(waits);
  const auto loop = [&](std::int64_t first, std::int64_t last, bool has_product, bool has_tail) {
    to_.loop("i", first, last);
    to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
    if (has_product) write_product(r, i, count);
    const position before = tile_at(r, i - 1);
    tile_tokens tokens;
    tokens.loads.resize(t_->step.reads.size());
    if (has_tail) write_tail(form_of(r, before.tile), before, std::move(tokens), 1);
    to_.end_loop();
  };
  loop(0, 0, true, false);
  loop(1, count - 1, true, true);
  loop(count, count, false, true);
}

void emitter::write_product(const tile_run& r, const expr& index, std::int64_t count) {
  const position now = tile_at(r, index);
  // After the last tile, the first one comes again, into a slot that nobody reads.
  position next = tile_at(r, mod(index + 1, count));
  next.slot = mod(index + 1, t_->depth);
  load_some(form_of(r, next.tile), next, true, nullptr);
  load_some(form_of(r, now.tile), now, false, nullptr);
  load_pieces(now);
  compute(t_->step.tasks[0], form_of(r, now.tile), now, {}, {});
}

/// What the tile needs that is `depth` after this one. Where there is none, a few bytes are moved that
/// nobody reads: loops have no conditions.
void emitter::load_pieces(const position& at) {
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    const pieces p = t_->pieces_of(r);
    if (p.count == 0) continue;
    const access& a = t_->step.reads[r];
    const std::int64_t all = product(t_->piece_shape(r, p)), row = all / p.rows;
    const std::int64_t least = std::min(all, least_piece / std::max(a.form.size(), a.far().size()));
    const expr is_none = at.tile / p.count, is_there = 1 - is_none;
    const auto size = [&](std::int64_t of_element) {
      return is_there * (all * of_element) + is_none * (least * of_element);
    };
    const auto first_of = [&](std::int64_t bytes, std::int64_t place) {
      return is_there * plus(times(at.tile, all * bytes), row * p.first * bytes + place);
    };
    const expr slot = times(at.slot, t_->slot_size);
    const expr here =
        first_of(a.form.size(), t_->read_at[r]) + is_none * plus(slot, t_->other_at[r]);
    const expr from = plus(first_of(a.far().size(), 0), place_of(r, whole(), {}));
    const expr near = a.is_converted() ? plus(slot, t_->slots_at + t_->stage_at[r]) : here;
    const std::string token = a.is_converted() ? "q" + std::to_string(r) : std::string();
    const expr bytes = size(a.far().size());
    to_.transfer(token, to_.region("l1", near, bytes),
                 to_.region(buffer_of(plan_.homes[a.of.home]), from, bytes));
    if (a.is_converted()) convert(a, here, near, size, {}, {token});
  }
}

/// What is loaded by outer indices is loaded for the next one while one is computed; for the last one,
/// what the next step loads ahead.
void emitter::write_nested(const tiling* next) {
  const expr o("o");
  if (t_->outer > 1) {
    to_.loop("o", 0, t_->outer - 2);
    to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
    position later;
    later.has_outer = true;
    later.outer = o + 1;
    later.buffer = mod(o + 1, 2);
    load_next(later);
    position at;
    at.has_outer = true;
    at.outer = o;
    at.buffer = mod(o, 2);
    write_inner(at);
    to_.end_loop();
  }
  load_ahead(next);
  position last;
  last.has_outer = true;
  last.outer = t_->outer - 1;
  last.buffer = (t_->outer - 1) % 2;
  write_inner(last);
}

/// Where a slice of a tile is; one beyond the last slice is the first of the next tile.
emitter::position emitter::slice_at(const expr& tile, const expr& slice) const {
  const std::int64_t count = t_->runs[0].count, slices = t_->slices;
  const expr q = plus(tile * slices, slice);
  const expr all = mod(q / slices, count * t_->outer);
  position at;
  at.has_outer = t_->outer > 1;
  at.outer = count == 1 ? all : all / count;
  if (count > 1) at.tile = mod(all, count);
  at.slice = mod(q, slices);
  at.buffer = mod(q, 2);
  return at;
}

void emitter::load_slices(const position& at, const std::string& token,
                          std::vector<std::string>& tokens) {
  const segment part = t_->band_part();
  const tile_form g =
      at.has_band ? tile_form{&part, &part, &part, 1, 0} : form_of(t_->runs[0], at.tile);
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    if (!t_->is_sliced(r) || t_->is_banded(r) != at.has_band) continue;
    if (t_->loads[r] == loading::slices_once && has_slices_) continue;
    const std::string name = token.empty() ? token : token + std::to_string(r);
    load(r, g, at, name);
    const std::int64_t size = product(t_->read_shape(r, *g.middle)) * t_->step.reads[r].form.size();
    for (std::string& each : part_names(name, size, t_->parts[r]))
      tokens.push_back(std::move(each));
  }
}

/// One tile after another, and of each one slice after another, while the next one is loaded: that of
/// the next tile after the last one. The first tile loads the slices that stay.
void emitter::write_by_slices() {
  const std::int64_t count = t_->runs[0].count * t_->outer;
  has_slices_ = false;
  if (!t_->keeps_slices()) return write_sliced_tiles(0, count);
  write_sliced_tiles(0, 1);
  has_slices_ = true;
  write_sliced_tiles(1, count);
}

void emitter::write_sliced_tiles(std::int64_t begin, std::int64_t end) {
  to_.loop("i", begin, end - 1);
  to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
  const position first = slice_at(expr("i"), 0);
  const tile_form g = form_of(t_->runs[0], first.tile);
  tile_tokens tokens;
  tokens.loads.resize(t_->step.reads.size());
  load_tiles(g, first, tokens);
  if (t_->has_columns)
    write_columns(g, first, tokens);
  else if (t_->bands > 1)
    write_bands(tokens);
  else
    write_slices(g, first, std::move(tokens));
  to_.end_loop();
}

/// Tokens of what a task reads of a tile; later tasks follow it.
std::vector<std::string> emitter::loads_of(const tile_task& task, tile_tokens& tokens) const {
  std::vector<std::string> out;
  for (const task_operand& in : task.in)
    if (in.what != task_operand::kind::reg && !tokens.loads[in.index].empty())
      out.push_back(std::exchange(tokens.loads[in.index], {}));
  return out;
}

void emitter::write_slices(const tile_form& g, const position& first, tile_tokens tokens) {
  const tile_task& task = t_->step.tasks[0];
  std::vector<std::string> waits = {"y0"};
  load_slices(slice_at(expr("i"), 1), "z", waits);
  compute(task, g, first, "y0", loads_of(task, tokens));
  wait_for(waits);
  add_slices();
  tokens.live = 0;
  for (const std::string& token : tokens.loads) tokens.live += token.empty() ? 0 : 1;
  write_tail(g, first, std::move(tokens), 1);
}

/// Slices of columns, one after another: they write between each other's bytes.
void emitter::write_columns(const tile_form& g, const position& tile, const tile_tokens& loaded) {
  std::vector<std::string> waits, unnamed;
  for (const std::string& token : loaded.loads)
    if (!token.empty()) waits.push_back(token);
  wait_for(waits);
  const expr i("i"), o("o");
  to_.loop("o", 0, t_->slices - 1);
  load_slices(slice_at(i, o + 1), {}, unnamed);
  position now = tile;
  now.slice = o;
  now.buffer = mod(plus(times(i, t_->slices), o), 2);
  tile_tokens tokens;
  tokens.loads.resize(t_->step.reads.size());
  write_tail(g, now, std::move(tokens), 0);
  to_.end_loop();
}

/// All slices but the first.
void emitter::add_slices() {
  const expr i("i"), o("o");
  to_.loop("o", 1, t_->slices - 1);
  const position now = slice_at(i, o);
  std::vector<std::string> unnamed;
  load_slices(slice_at(i, o + 1), {}, unnamed);
  add_slice(form_of(t_->runs[0], now.tile), now, {});
  to_.end_loop();
}

void emitter::add_slice(const tile_form& g, const position& at, const std::string& token) {
  const tile_task& task = t_->step.tasks[0];
  tile_task one = task;
  one.in.resize(2);
  one.out.index = t_->step.registers;
  compute(one, g, at, "p0", {});
  task_operand sum = of_register(task.out.index), term = of_register(one.out.index);
  sum.form = term.form = task.out.form;
  compute({nem::opcode::add, {sum, term}, sum}, g, at, token, {"p0"});
}

/// A loop of bands, each of which loads a part of the next slice, if there is one.
template <class F>
void emitter::in_bands(const position& now, const position* next, F&& work) {
  const auto banded = [](position p) {
    p.band = expr("b0");
    p.has_band = true;
    return p;
  };
  const position at = banded(now);
  to_.loop("b0", 0, t_->bands - 1);
  to_.max_in_flight(t_->lanes);
  std::vector<std::string> unnamed;
  if (next != nullptr) load_slices(banded(*next), {}, unnamed);
  work(band_form(at), at);
  to_.end_loop();
}

/// Slices that units multiply in bands, side by side. A band of the last slice is stored while others are
/// multiplied.
void emitter::write_bands(const tile_tokens& loaded) {
  const expr i("i"), o("o");
  const tile_task& task = t_->step.tasks[0];
  std::vector<std::string> waits, unnamed;
  load_slices(slice_at(i, 1), "z", waits);
  tile_tokens tokens = loaded;
  const std::vector<std::string> deps = loads_of(task, tokens);
  const position first = slice_at(i, 0), second = slice_at(i, 1);
  in_bands(first, &second,
           [&](const tile_form& g, const position& at) { compute(task, g, at, {}, deps); });
  wait_for(waits);
  if (t_->slices > 2) {
    to_.loop("o", 1, t_->slices - 2);
    load_slices(slice_at(i, o + 1), {}, unnamed);
    const position now = slice_at(i, o), later = slice_at(i, o + 1);
    in_bands(now, &later, [&](const tile_form& g, const position& at) { add_slice(g, at, {}); });
    to_.end_loop();
  }
  const position last = slice_at(i, t_->slices - 1), next = slice_at(i, t_->slices);
  const bool has_next = t_->tiles() > 1;
  const bool had_slices = std::exchange(has_slices_, true);
  if (has_next) load_slices(next, {}, unnamed);
  in_bands(last, has_next ? &next : nullptr, [&](const tile_form& g, const position& at) {
    add_slice(g, at, "y0");
    tokens.last = "y0";
    write_tail(g, at, tokens, 1);
  });
  has_slices_ = had_slices;
}

void emitter::write_inner(const position& outer) {
  for (const tile_run& r : t_->runs) {
    const std::int64_t depth = std::min(t_->depth, r.count);
    to_.loop("i", 0, r.count - 1);
    if (depth > 1) to_.max_in_flight(depth);
    to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
    const expr i("i");
    position at = outer;
    if (r.count > 1) at.tile = i;
    at.has_slot = depth > 1;
    at.slot = mod(i, depth);
    write_tile(form_of(r, at.tile), at);
    to_.end_loop();
  }
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
