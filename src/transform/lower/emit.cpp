// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/emit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tessera/core/float16.hpp>
#include <tessera/core/load_store.hpp>
#include <utility>

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
  (void)std::from_chars(digits, end, out);
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
  bytes_.resize(static_cast<std::size_t>(aligned(static_cast<std::int64_t>(bytes_.size()))));
  const auto at = static_cast<std::int64_t>(bytes_.size());
  known_[v.home].push_back({v, a.form, at});
  const std::vector<float>& data = plan_.homes[v.home].data;
  const std::int64_t count = product(v.shape);
  bytes_.reserve(bytes_.size() + static_cast<std::size_t>(count * a.form.size()));
  dimensions index(v.rank());
  std::int64_t from = v.offset;
  for (std::int64_t i = 0; i < count; ++i) {
    append(data[static_cast<std::size_t>(from)], a.form, index.empty() ? 0 : index.back());
    for (std::size_t k = v.rank(); k-- != 0;) {
      from += v.strides[k];
      if (++index[k] != v.shape[k]) break;
      from -= v.strides[k] * v.shape[k];
      index[k] = 0;
    }
  }
  return at;
}

void weight_file::append(float x, const number_form& form, std::int64_t channel) {
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
  bytes_.insert(bytes_.end(), raw, raw + form.size());
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
                        const segment& g, const position& at, bool is_window) const {
  const std::int64_t e = a.form.size();
  expr out = 0;
  for (std::size_t k = 0; k < a.follows.size(); ++k) {
    if (a.follows[k] < 0) continue;
    const auto d = static_cast<std::uint32_t>(a.follows[k]);
    if (d < t_->dimension) {
      out = plus(out, times(index_of(d, at), strides[k] * e));
    } else if (d == t_->dimension) {
      const bool has_window = is_window && d == t_->step.window.dimension;
      const std::int64_t by = t_->size * (has_window ? t_->step.window.stride : 1);
      first += (has_window ? g.in_first : g.first * t_->size) * strides[k] * e;
      if (at.has_tile) out = plus(out, times(at.tile, by * strides[k] * e));
    }
  }
  return plus(out, first);
}

expr emitter::near_offset(std::size_t read, const position& at) const {
  const std::int64_t place = t_->read_at[read];
  switch (t_->loads[read]) {
    case loading::once:
    case loading::never: break;
    case loading::by_outer: return plus(times(at.buffer, t_->read_size[read]), place);
    case loading::by_tile:
      return plus(at.has_slot ? times(at.slot, t_->slot_size) : expr(0), t_->slots_at + place);
  }
  return place;
}

expr emitter::register_offset(std::uint32_t r, const position& at) const {
  return plus(at.has_slot ? times(at.slot, t_->slot_size) : expr(0),
              t_->slots_at + t_->register_at[r]);
}

// ---- moves

void emitter::move(const std::string& token, const nem::region_expr& far, bool is_store,
                   const expr& near, const dimensions& box, const dimensions& strides,
                   nem::element type) {
  const std::int64_t size = product(box) * nem::bitwidth(type) / 8;
  nem::region_expr here = to_.region("l1", near, size);
  if (is_contiguous(box, strides)) {
    if (is_store)
      to_.store(token, far, here);
    else
      to_.transfer(token, here, far);
    return;
  }
  dimensions shape, steps;
  for (std::size_t k = 0; k < box.size(); ++k) {
    if (box[k] == 1) continue;
    shape.push_back(box[k]);
    steps.push_back(strides[k]);
  }
  nem::region_expr there = far;
  there.elem(type).shape(list_of(shape)).strides(list_of(steps));
  here.elem(type).shape(list_of(shape)).strides(list_of(dense_strides(shape)));
  to_.compute(token, nem::opcode::reshape);
  to_.in(is_store ? here : there).out(is_store ? there : here);
  to_.attribute(nem::attribute::target_shape, list_of(shape));
}

namespace {

/// Bytes from the first to the last element of a box.
[[nodiscard]] std::int64_t extent_of(const dimensions& box, const dimensions& strides,
                                     std::int64_t element_size) noexcept {
  std::int64_t last = 0;
  for (std::size_t k = 0; k < box.size(); ++k) last += (box[k] - 1) * strides[k];
  return (last + 1) * element_size;
}

}  // namespace

void emitter::load(std::size_t read, const segment& g, const position& at,
                   const std::string& token) {
  const access& a = t_->step.reads[read];
  const home& h = plan_.homes[a.of.home];
  const std::int64_t e = a.form.size();
  const auto [from, box, strides] = place_of(read, g, at);
  if (const std::int64_t parts = t_->parts[read]; parts > 1) {
    const std::int64_t size = product(box) * e, part = part_size(size, parts);
    for (std::int64_t k = 0; k * part < size; ++k) {
      const std::int64_t bytes = std::min(part, size - k * part);
      to_.transfer(token.empty() ? token : part_name(token, k),
                   to_.region("l1", plus(near_offset(read, at), k * part), bytes),
                   to_.region(buffer_of(h), plus(from, k * part), bytes));
    }
    return;
  }
  move(token, to_.region(buffer_of(h), from, extent_of(box, strides, e)), false,
       near_offset(read, at), box, strides, a.form.type);
}

emitter::located emitter::place_of(std::size_t read, const segment& g, const position& at) const {
  const access& a = t_->step.reads[read];
  const home& h = plan_.homes[a.of.home];
  const bool is_constant = h.what == home::kind::constant;
  located out{0, t_->read_shape(read, g), is_constant ? dense_strides(a.of.shape) : a.of.strides};
  const std::int64_t first =
      is_constant ? weights_.place_of(a) : h.offset + a.of.offset * a.form.size();
  const bool is_window = t_->step.window.exists && read == t_->step.window.read;
  out.first = offset_of(a, out.strides, first, g, at, is_window);
  return out;
}

void emitter::store(const segment& g, const position& at, const std::string& dep) {
  const access& a = t_->step.write;
  const home& h = plan_.homes[a.of.home];
  const std::int64_t e = a.form.size();
  const dimensions box = t_->tile_shape(g);
  const expr to = offset_of(a, a.of.strides, h.offset + a.of.offset * e, g, at, false);
  const task_operand& r = t_->step.result;
  const expr near =
      r.what == task_operand::kind::reg ? register_offset(r.index, at) : near_offset(r.index, at);
  // The written view has the dimensions of the step, in its own order.
  dimensions shape(a.follows.size());
  for (std::size_t k = 0; k < shape.size(); ++k)
    shape[k] = box[static_cast<std::size_t>(a.follows[k])];
  move({}, to_.region(buffer_of(h), to, extent_of(shape, a.of.strides, e)), true, near, shape,
       a.of.strides, a.form.type);
  if (!dep.empty()) to_.deps({dep});
}

// ---- tasks

nem::region_expr emitter::operand(const task_operand& o, const segment& g, const position& at,
                                  std::string_view layout) const {
  const number_form& form = form_of(t_->step, o);
  const std::int64_t e = form.size();
  if (o.what == task_operand::kind::reg) {
    const dimensions tile = t_->tile_shape(g);
    nem::region_expr r = to_.region("l1", register_offset(o.index, at), product(tile) * e);
    r.elem(form.type).shape(list_of(adapted(tile, o))).layout(layout);
    describe(r, form);
    return r;
  }
  if (t_->loads[o.index] == loading::never) return operand_in_place(o, g, at);
  const dimensions box = t_->read_shape(o.index, g);
  nem::region_expr r = to_.region("l1", near_offset(o.index, at), product(box) * e);
  if (o.what == task_operand::kind::read) {
    const dimensions shape = adapted(box, o);
    r.elem(form.type).shape(list_of(shape)).layout(layout);
    describe(r, form, shape.size());
    return r;
  }
  const dimensions tile = t_->tile_shape(g);
  const dimensions strides =
      spread(dense_strides(box), t_->step.reads[o.index].follows, tile.size());
  r.elem(form.type).shape(list_of(tile));
  if (is_contiguous(tile, strides))
    r.layout(layout);
  else
    r.strides(list_of(strides));
  describe(r, form);
  return r;
}

nem::region_expr emitter::operand_in_place(const task_operand& o, const segment& g,
                                           const position& at) const {
  const access& a = t_->step.reads[o.index];
  const auto [first, box, strides] = place_of(o.index, g, at);
  nem::region_expr r =
      to_.region(buffer_of(plan_.homes[a.of.home]), first, extent_of(box, strides, a.form.size()));
  r.elem(a.form.type);
  if (o.what == task_operand::kind::read)
    r.shape(list_of(box)).strides(list_of(strides));
  else
    r.shape(list_of(t_->tile_shape(g)))
        .strides(list_of(spread(strides, a.follows, t_->step.dims.size())));
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

void emitter::compute(const tile_task& task, const segment& g, const position& at,
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
    to_.attribute(nem::attribute::pads, {g.top, w.left, g.bottom, w.right});
  }
  for (const auto& [name, value] : task.attributes) to_.attribute(name, value);
  if (task.is_deterministic) to_.decorate(nem::decorator::deterministic);
}

void emitter::write_tile(const segment& g, const position& at) {
  std::vector<std::string> loads(t_->step.reads.size());
  std::string last;
  // Tasks of this tile that may not be complete, beside loads for the next outer index.
  const std::int64_t most = max_live();
  std::int64_t live = 0;
  const auto issue = [&] {
    if (t_->depth > 1 || ++live <= most) return;
    std::vector<std::string> tokens;
    for (std::string& token : loads)
      if (!token.empty()) tokens.push_back(std::exchange(token, {}));
    if (!last.empty()) tokens.push_back(std::exchange(last, {}));
    wait_for(tokens);
    live = 1;
  };
  for (std::size_t r = 0; r < loads.size(); ++r) {
    if (t_->loads[r] != loading::by_tile) continue;
    issue();
    loads[r] = "x" + std::to_string(r);
    load(r, g, at, loads[r]);
  }
  if (t_->step.result.what == task_operand::kind::read) last = loads[t_->step.result.index];
  for (std::size_t k = 0; k < t_->step.tasks.size(); ++k) {
    const tile_task& task = t_->step.tasks[k];
    issue();
    std::vector<std::string> deps;
    if (!last.empty()) deps.push_back(last);
    for (const task_operand& o : task.in) {
      if (o.what == task_operand::kind::reg) continue;
      std::string& token = loads[o.index];
      if (token.empty()) continue;
      deps.push_back(token);
      token.clear();  // all later tasks follow this one
    }
    last = "y" + std::to_string(k);
    compute(task, g, at, last, deps);
  }
  issue();
  store(g, at, last);
}

std::int64_t emitter::next_loads() const {
  std::int64_t count = 0;
  for (std::size_t r = 0; r < t_->loads.size(); ++r)
    if (t_->loads[r] == loading::by_outer) count += t_->parts[r];
  return count;
}

std::int64_t emitter::max_live() const {
  return std::max<std::int64_t>(max_tokens_ - next_loads(), least_live);
}

// ---- loops

void emitter::write(const tiling& t) {
  t_ = &t;
  name_scales();
  write_once();
  if (t.is_nested)
    write_nested();
  else
    for (const segment& g : t.segments) write_flat(g);
  ++step_;
}

/// Loads what is no tile; appends the tokens.
void emitter::load_apart(std::size_t read, const position& at, const std::string& token,
                         std::vector<std::string>& tokens) {
  load(read, t_->segments[0], at, token);
  if (t_->parts[read] == 1) return tokens.push_back(token);
  const std::int64_t size =
      product(t_->read_shape(read, t_->segments[0])) * t_->step.reads[read].form.size();
  for (std::int64_t k = 0; k * part_size(size, t_->parts[read]) < size; ++k)
    tokens.push_back(part_name(token, k));
}

void emitter::wait_for(std::vector<std::string>& tokens) {
  const std::vector<std::string_view> names = views_of(tokens);
  if (!names.empty()) to_.wait(view_of(names));
  tokens.clear();
}

/// Loads what has no tiles, a few at once.
void emitter::load_all_apart(loading when) {
  std::vector<std::string> tokens;
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    if (t_->loads[r] != when) continue;
    if (static_cast<std::int64_t>(tokens.size()) + t_->parts[r] > max_tokens_) wait_for(tokens);
    load_apart(r, {}, "s" + std::to_string(step_) + "_" + std::to_string(r), tokens);
  }
  wait_for(tokens);
}

/// What the next outer index needs: not waited for, unless that takes the tokens of everything else.
void emitter::load_next(const position& next) {
  const bool has_room = next_loads() + least_live <= max_tokens_;
  std::vector<std::string> tokens;
  for (std::size_t r = 0; r < t_->loads.size(); ++r) {
    if (t_->loads[r] != loading::by_outer) continue;
    if (has_room) {
      load(r, t_->segments[0], next, {});
      continue;
    }
    load_apart(r, next, "n" + std::to_string(r), tokens);
    if (static_cast<std::int64_t>(tokens.size()) + t_->parts[r] > max_tokens_) wait_for(tokens);
  }
  wait_for(tokens);
}

void emitter::write_once() { load_all_apart(loading::once); }

void emitter::write_flat(const segment& g) {
  const std::int64_t count = g.count * t_->outer, depth = std::min(t_->depth, count);
  to_.loop("i", 0, count - 1);
  if (depth > 1) to_.max_in_flight(depth);
  to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
  const expr i("i");
  position at;
  at.has_outer = t_->outer > 1;
  at.outer = g.count == 1 ? i : i / g.count;
  at.has_tile = g.count > 1;
  at.tile = t_->outer == 1 ? i : mod(i, g.count);
  at.has_slot = depth > 1;
  at.slot = mod(i, depth);
  write_tile(g, at);
  to_.end_loop();
}

/// What is loaded by outer indices is loaded for the next one while one is computed.
void emitter::write_nested() {
  const expr o("o"), i("i");
  load_all_apart(loading::by_outer);
  to_.loop("o", 0, t_->outer - 1);
  to_.decorate(nem::decorator::debug, expr::string(t_->step.name));
  position next;
  next.has_outer = true;
  next.outer = mod(o + 1, t_->outer);
  next.buffer = mod(o + 1, 2);
  load_next(next);
  for (const segment& g : t_->segments) {
    const std::int64_t depth = std::min(t_->depth, g.count);
    to_.loop("i", 0, g.count - 1);
    if (depth > 1) to_.max_in_flight(depth);
    position at;
    at.has_outer = true;
    at.outer = o;
    at.has_tile = g.count > 1;
    at.tile = i;
    at.has_slot = depth > 1;
    at.slot = mod(i, depth);
    at.buffer = mod(o, 2);
    write_tile(g, at);
    to_.end_loop();
  }
  to_.end_loop();
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
