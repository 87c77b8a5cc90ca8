// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules O: the tensors and arguments that each operation takes.
//
//   op_rules(c).run();
//
//   O01  Type is known                       O09  a view stays in its buffer
//   O02  IsVirtual matches Type              O10  reductions: Axis and shape
//   O03  as many tensors as Type has         O11  transpositions: permutation and shape
//   O04  arguments, in their TYPEs           O12  matrix multiplications: shapes, padding
//   O05  {TYPE: value}                       O13  lookups: ranks and shape
//   O06  DataTypes                           O14  inputs and outputs overlap
//   O07  shapes that broadcast               O15  Rope's last dimension is even
//   O08  the result is the output's view
//
// Of operations newer than D3 only what is known is checked.
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_RULES_OP_HPP
#define TESSERA_ARK_DETAIL_RULES_OP_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../shapes.hpp"
#include "findings.hpp"
#include "overlap.hpp"
#include "rules_communication.hpp"
#include "rules_structure.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// The rows of argument_table that are about an operation.
struct argument_rows {
  std::size_t first = 0, count = 0;
  [[nodiscard]] constexpr const argument_row* begin() const noexcept {
    return argument_table + first;
  }
  [[nodiscard]] constexpr const argument_row* end() const noexcept { return begin() + count; }
};
[[nodiscard]] consteval argument_rows rows_of(op_type type) noexcept {
  argument_rows r;
  for (std::size_t i = 0; i < std::size(argument_table); ++i) {
    if (argument_table[i].op != type) continue;
    if (r.count++ == 0) r.first = i;
  }
  return r;
}
struct argument_index {
  argument_rows of[std::size(op_table)] = {};
};
inline constexpr argument_index arguments_by_op = []() consteval {
  argument_index index;
  for (std::size_t i = 0; i < std::size(op_table); ++i)
    index.of[i] = rows_of(static_cast<op_type>(i));
  return index;
}
();

class op_rules {
 public:
  explicit op_rules(context& c) : c_(c), g_(c.g) {}

  [[gnu::cold]] void run() {
    communication_rules communication(c_);
    for (const op_place& p : c_.ops) {
      p_ = p;
      const op& o = g_.ops[p.op];
      if (o.type == op_type::unknown) {
        writer out = c_.found.add(errc::ark_o01_type,
                                  c_.options.strict ? severity::error : severity::warning,
                                  c_.at(p).in("Type"));
        out << "unknown Type " << quoted{type_name(g_, o)};
        did_you_mean(out, nearest(type_name(g_, o), op_table));
        continue;
      }
      if (o.is_virtual != is_virtual(o.type))
        c_.warning(errc::ark_o02_virtual, c_.at(p).in("IsVirtual"))
            << "IsVirtual is "
            << (o.is_virtual ? "true; expected false for " : "false; expected true for ")
            << info(o.type).name;
      const std::uint64_t before = c_.found.errors();
      arity(o);
      if (c_.found.errors() != before) continue;
      const bool arguments_hold = arguments_of(o);
      tensors_of(o, arguments_hold);
      if (info(o.type).kind == op_kind::communication)
        communication.operation(p, o, arguments_hold);
      else if (info(o.type).kind != op_kind::view && info(o.type).kind != op_kind::none)
        communication.computation(p, o);
    }
  }

 private:
  [[nodiscard]] std::uint32_t read(const op& o, std::uint32_t i) const noexcept {
    return reads(g_, o)[i];
  }
  [[nodiscard]] std::uint32_t written(const op& o, std::uint32_t i) const noexcept {
    return writes(g_, o)[i];
  }
  [[nodiscard]] const layout& at(std::uint32_t t) const noexcept { return layout_of(g_, t); }
  [[nodiscard]] data_type type(std::uint32_t t) const noexcept { return g_.tensors[t].type; }
  [[nodiscard]] location use(list l, std::uint32_t i) const noexcept { return c_.at(p_, l, i); }
  [[nodiscard]] static std::string_view name_of(const op& o) noexcept { return info(o.type).name; }

  /// O03.
  [[gnu::cold]] void arity(const op& o) {
    const op_row& row = info(o.type);
    const std::uint32_t counts[] = {o.reads, o.writes, o.results};
    const std::int8_t wanted[] = {row.reads, row.writes, row.results};
    for (std::size_t i = 0; i < 3; ++i) {
      // Any number of peers follows what is written locally.
      const bool fits = wanted[i] >= 0 ? counts[i] == static_cast<std::uint32_t>(wanted[i])
                                       : i != 1 || counts[i] >= 1;
      if (fits) continue;
      {
        writer out = c_.error(errc::ark_o03_arity, c_.at(p_).in(list_names[i]));
        out << name_of(o) << ": expected ";
        if (wanted[i] < 0)
          out << "at least 1";
        else
          out << static_cast<int>(wanted[i]);
        out << " tensors in " << list_names[i] << ", found " << counts[i];
      }
    }
  }

  // ---- arguments

  /// O04, O05. Whether the arguments have no errors.
  [[gnu::cold]] bool arguments_of(const op& o) {
    const argument_rows rows = arguments_by_op.of[static_cast<std::size_t>(o.type)];
    if (rows.count == 0 && o.arguments.count == 0) return true;
    const std::uint64_t before = c_.found.errors();
    std::uint32_t seen = 0;
    for (const argument& a : arguments(g_, o)) {
      const bool well_formed = form(a);
      const argument_row* row = nullptr;
      for (const argument_row& r : rows)
        if (r.name == a.name) row = &r;
      if (a.name != argument_name::other) {
        const std::uint32_t bit = 1u << static_cast<unsigned>(a.name);
        if ((seen & bit) != 0)
          c_.error(errc::json_duplicate_key, c_.at(p_, a))
              << "duplicate argument " << quoted{name(g_, a)};
        seen |= bit;
      }
      if (row == nullptr) {
        writer out = c_.warning(errc::ark_o04_argument, c_.at(p_, a));
        out << "unknown argument " << quoted{name(g_, a)} << " of " << name_of(o);
        suggestion near(name(g_, a));
        for (const argument_row& r : rows) near.offer(argument_names[index(r.name)]);
        did_you_mean(out, near.word());
      } else if (well_formed && a.type != row->type) {
        c_.error(errc::ark_o04_argument, c_.at(p_, a))
            << name(g_, a) << " is " << type_text(a.type) << "; expected " << type_text(row->type);
      } else if (row->use == argument_use::alias) {
        {
          writer out = c_.warning(errc::ark_o04_argument, c_.at(p_, a));
          out << name(g_, a) << " is an older spelling of ";
          for (const argument_row& r : rows)
            if (older_name(r.name, o.type) == a.name) out << argument_names[index(r.name)];
        }
      }
    }
    for (const argument_row& r : rows) {
      if (r.use != argument_use::required) continue;
      const argument* const a = find_argument(g_, o, r.name);
      const argument_name older = older_name(r.name, o.type);
      const argument* const b =
          older == argument_name::other ? nullptr : find_argument(g_, o, older);
      if (a == nullptr && b == nullptr)
        c_.error(errc::ark_o04_argument, c_.at(p_).in("Args"))
            << name_of(o) << " lacks its argument " << argument_names[index(r.name)]
            << "; expected it as " << type_text(r.type);
      if (a != nullptr && b != nullptr && a->type == b->type &&
          (a->type == argument_type::float32 ? !(a->real == b->real) : a->integer != b->integer))
        c_.error(errc::ark_o04_argument, c_.at(p_, *b))
            << name(g_, *b) << " and " << name(g_, *a)
            << " are spellings of one argument and have different values";
    }
    return c_.found.errors() == before;
  }
  template <class Enumerator>
  [[nodiscard]] static constexpr std::size_t index(Enumerator e) noexcept {
    return static_cast<std::size_t>(e);
  }
  [[nodiscard]] static std::string_view type_text(argument_type t) noexcept {
    return argument_type_names[index(t)];
  }

  /// O05.
  [[gnu::cold]] bool form(const argument& a) {
    bool fits = true;
    switch (a.type) {
      case argument_type::other: fits = false; break;
      case argument_type::int32: fits = a.integer >= INT32_MIN && a.integer <= INT32_MAX; break;
      case argument_type::uint32: fits = a.integer >= 0 && a.integer <= UINT32_MAX; break;
      case argument_type::boolean: fits = a.integer == 0 || a.integer == 1; break;
      case argument_type::float32: fits = a.real - a.real == 0; break;  // finite
      case argument_type::dims: fits = a.integers.count <= max_rank; break;
      case argument_type::offset:
        if (a.integers.count == 1)
          c_.warning(errc::ark_o05_argument_form, c_.at(p_, a))
              << "OFFSET is an integer; expected BufferId and Value";
        else
          fits = a.integers.count == 2;
        for (const std::int64_t v : integers(g_, a.integers)) fits = fits && v >= 0;
        break;
      case argument_type::int64:
      case argument_type::uint64:
      case argument_type::tensor: break;
    }
    if (!fits) {
      writer out = c_.error(errc::ark_o05_argument_form, c_.at(p_, a));
      out << "expected {TYPE: value} with one known TYPE and a value in its range";
      if (a.type == argument_type::other) out << ", found " << excerpt{text_of(g_, a.token)};
    }
    return fits;
  }

  // ---- tensors

  [[gnu::cold]] void tensors_of(const op& o, bool arguments_hold) {
    for (const std::uint32_t t : uses(g_, o))
      if (c_.unsound[t]) return;
    const op_kind kind = info(o.type).kind;
    switch (kind) {
      case op_kind::view: view_of(o); return;
      case op_kind::none:
      case op_kind::unknown: return;
      case op_kind::communication: break;
      case op_kind::fill: break;
      case op_kind::unary: unary(o); break;
      case op_kind::binary: binary(o); break;
      case op_kind::layer_norm: layer_norm(o); break;
      case op_kind::reduce:
        if (arguments_hold) reduce(o);
        break;
      case op_kind::transpose:
        if (arguments_hold) transpose(o);
        break;
      case op_kind::matmul:
        if (arguments_hold) matmul(o);
        break;
      case op_kind::embedding: embedding(o); break;
      case op_kind::kv_cache_slot: kv_cache_slot(o); break;
    }
    result(o);
    if (kind != op_kind::communication && kind != op_kind::kv_cache_slot) overlaps(o, kind);
  }

  /// O09.
  void view_of(const op& o) {
    if (o.reads > 0) same_buffer(read(o, 0), results(g_, o)[0], use(list::results, 0));
  }
  [[gnu::cold]] void same_buffer(std::uint32_t from, std::uint32_t to, const location& where) {
    if (c_.storage_of(from) == c_.storage_of(to)) return;
    c_.error(errc::ark_o09_view_buffer, where.in("Buffer"))
        << "the view is in buffer " << buffer_of(g_, to).id << "; expected buffer "
        << buffer_of(g_, from).id << ", that of tensor " << g_.tensors[from].id;
  }
  /// O08.
  [[gnu::cold]] void result(const op& o) {
    const bool done = o.type == op_type::send_done;
    const std::uint32_t at_list = o.type == op_type::kv_cache_slot ? 2 : 0;
    const std::uint32_t from = done ? read(o, 0) : written(o, at_list);
    const std::uint32_t to = results(g_, o)[0];
    if (from == to || (c_.storage_of(from) == c_.storage_of(to) && type(from) == type(to) &&
                       same_dimensions(at(from), at(to))))
      return;
    {
      writer out = c_.error(errc::ark_o08_result_view, use(list::results, 0));
      out << "expected the same view as " << (done ? "ReadTensors[" : "WriteTensors[") << at_list
          << "], tensor " << g_.tensors[from].id << ", found a different ";
      if (c_.storage_of(from) != c_.storage_of(to))
        out << "buffer";
      else if (type(from) != type(to))
        out << "DataType";
      else
        out << "layout";
    }
  }

  /// O06.
  [[gnu::cold]] void same_type(const op& o, std::uint32_t expected, std::uint32_t t,
                               const location& where) {
    if (type(expected) == type(t)) return;
    c_.error(errc::ark_o06_data_types, where.in("DataType"))
        << "DataType is " << info(type(t)).name << "; expected " << info(type(expected)).name
        << ", as in the other tensors of " << name_of(o);
  }
  void same_types(const op& o) {
    const std::uint32_t first = read(o, 0);
    for (std::uint32_t i = 1; i < o.reads; ++i)
      same_type(o, first, read(o, i), use(list::reads, i));
    same_type(o, first, written(o, 0), use(list::writes, 0));
  }
  [[gnu::cold]] void expect_type(const op& o, data_type wanted, std::uint32_t t,
                                 const location& where) {
    if (type(t) == wanted) return;
    c_.error(errc::ark_o06_data_types, where.in("DataType"))
        << "DataType is " << info(type(t)).name << "; expected " << info(wanted).name
        << " for this tensor of " << name_of(o);
  }

  [[gnu::cold]] void unary(const op& o) {
    if (o.type != op_type::cast) same_types(o);
    const dimensions a = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    if (o.type == op_type::softmax ? a == w : broadcasts_to(a, w)) return;
    c_.error(errc::ark_o07_shape, use(list::writes, 0).in("Shape"))
        << "input Shape " << a << " does not "
        << (o.type == op_type::softmax ? "equal" : "broadcast to") << " Shape " << w;
  }
  [[gnu::cold]] void binary(const op& o) {
    same_types(o);
    const dimensions a = shape_of(at(read(o, 0))), b = shape_of(at(read(o, 1)));
    const dimensions w = shape_of(at(written(o, 0)));
    dimensions out_shape;
    if (!broadcast(a, b, out_shape))
      c_.error(errc::ark_o07_shape, use(list::reads, 1).in("Shape"))
          << "Shapes " << a << " and " << b << " do not broadcast";
    else if (!(out_shape == w))
      c_.error(errc::ark_o07_shape, use(list::writes, 0).in("Shape"))
          << "Shapes " << a << " and " << b << " broadcast to " << out_shape << ", not to " << w;
    if (o.type != op_type::rope) return;
    if (a.last() == b.last() && a.last() == w.last() && w.last() % 2 == 0) return;
    c_.error(errc::ark_o15_rope, use(list::writes, 0).in("Shape"))
        << "the last dimensions are " << a.last() << ", " << b.last() << " and " << w.last()
        << "; Rope expects equal, even ones";
  }
  [[gnu::cold]] void layer_norm(const op& o) {
    same_type(o, read(o, 0), written(o, 0), use(list::writes, 0));
    const dimensions x = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    if (!(x == w))
      c_.error(errc::ark_o07_shape, use(list::writes, 0).in("Shape"))
          << "LayerNorm of Shape " << x << ": expected a result of the same Shape, found " << w;
    for (std::uint32_t i = 1; i < 3; ++i)
      if (const dimensions s = shape_of(at(read(o, i))); !broadcasts_to(s, x))
        c_.error(errc::ark_o07_shape, use(list::reads, i).in("Shape"))
            << "Shape " << s << " does not broadcast to " << x;
  }

  /// O10.
  [[gnu::cold]] void reduce(const op& o) {
    same_types(o);
    const argument& axis = *argument_of(g_, o, argument_name::axis);
    const bool keep = argument_of(g_, o, argument_name::keep_dim)->integer != 0;
    const dimensions a = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    dimensions wanted;
    if (!reduced(a, axis.integer, keep, wanted))
      c_.error(errc::ark_o10_reduction, c_.at(p_, axis))
          << "Axis is " << axis.integer << "; expected " << -std::int64_t{a.rank} << " to "
          << a.rank - 1 << " for Shape " << a;
    else if (!(wanted == w))
      c_.error(errc::ark_o10_reduction, use(list::writes, 0).in("Shape"))
          << "Shape " << a << " reduced along Axis " << axis.integer
          << (keep ? ", keeping it," : "") << " is " << wanted << ", not " << w;
  }
  /// O11.
  [[gnu::cold]] void transpose(const op& o) {
    same_types(o);
    const argument& permutation = *argument_of(g_, o, argument_name::permutation);
    const auto axes = integers(g_, permutation.integers);
    const dimensions a = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    dimensions wanted;
    if (!permuted(a, axes, wanted)) {
      writer out = c_.error(errc::ark_o11_permutation, c_.at(p_, permutation));
      out << "Permutation is [";
      for (std::size_t i = 0; i < axes.size(); ++i) out << (i == 0 ? "" : ",") << axes[i];
      out << "]; expected each of the axes 0 to " << a.rank - 1 << " of Shape " << a << " once";
      return;
    }
    if (wanted == w) return;
    std::int64_t inverse[max_rank] = {};
    for (std::uint32_t i = 0; i < a.rank; ++i) inverse[axes[i]] = i;
    dimensions other;
    const bool is_inverse = permuted(a, {inverse, a.rank}, other) && other == w;
    {
      writer out = c_.error(errc::ark_o11_permutation, use(list::writes, 0).in("Shape"));
      out << "Shape " << a << " permuted is " << wanted << ", not " << w;
      if (is_inverse) out << "; the inverse permutation would fit";
    }
  }

  /// O12.
  [[gnu::cold]] void matmul(const op& o) {
    same_types(o);
    const std::uint32_t x = read(o, 0), y = read(o, 1), z = written(o, 0);
    const bool tx = argument_of(g_, o, argument_name::transpose_input)->integer != 0;
    const bool ty = argument_of(g_, o, argument_name::transpose_other)->integer != 0;
    const dimensions a = shape_of(at(x)), b = shape_of(at(y)), w = shape_of(at(z));
    matmul_shape m, padded;
    const auto turned = [](bool t) { return t ? " (transposed)" : ""; };
    if (!multiply(a, b, tx, ty, m)) {
      c_.error(errc::ark_o12_matmul, use(list::reads, 1).in("Shape"))
          << "Shapes " << a << turned(tx) << " and " << b << turned(ty)
          << " can't be multiplied: inner dimensions or batches differ";
      return;
    }
    if (!(m.out == w))
      c_.error(errc::ark_o12_matmul, use(list::writes, 0).in("Shape"))
          << "Shapes " << a << turned(tx) << " and " << b << turned(ty) << " multiply to " << m.out
          << ", not to " << w;
    const dimensions pa = padded_shape_of(at(x)), pb = padded_shape_of(at(y));
    const dimensions pw = padded_shape_of(at(z));
    const bool fits = multiply(pa, pb, tx, ty, padded);
    if (m.out == w && !(fits && padded.out == pw)) {
      const location where = use(fits ? list::writes : list::reads, fits ? 0 : 1);
      const bool pads = (fits ? at(z) : at(y)).pads != none;
      {
        writer out = c_.error(errc::ark_o12_matmul, where.in(pads ? "Shape" : "PaddedShape"));
        out << "PaddedShapes " << pa << turned(tx) << " and " << pb << turned(ty);
        if (fits)
          out << " multiply to " << padded.out << ", not to " << pw;
        else
          out << " can't be multiplied";
      }
    }
    if (o.type == op_type::matmul_add) {
      const layout& residual = at(read(o, 2));
      if (!(shape_of(residual) == w) || !(padded_shape_of(residual) == pw))
        c_.error(errc::ark_o12_matmul, use(list::reads, 2).in("Shape"))
            << "the addend has Shape " << shape_of(residual) << " and PaddedShape "
            << padded_shape_of(residual) << "; expected " << w << " and " << pw
            << ", those of the output";
    }
    if (o.type == op_type::matmul && o.arguments.count > 2) redundant(o, m, padded);
  }
  /// O12 of arguments that repeat what follows from the tensors.
  [[gnu::cold]] void redundant(const op& o, const matmul_shape& m, const matmul_shape& padded) {
    const dimensions a = extended(shape_of(at(read(o, 0))));
    const dimensions b = extended(shape_of(at(read(o, 1))));
    const auto last = [&](std::uint32_t t) {
      const layout& l = at(t);
      return l.strides[l.rank == 0 ? 0 : l.rank - 1];
    };
    const std::int64_t c = last(written(o, 0));
    const auto check = [&](argument_name name, std::uint32_t count, std::int64_t v0,
                           std::int64_t v1, std::int64_t v2, std::int64_t v3) {
      const argument* const arg = find_argument(g_, o, name);
      if (arg == nullptr) return;
      const std::int64_t values[max_rank] = {v0, v1, v2, v3};
      const auto found = integers(g_, arg->integers);
      bool same = found.size() == count;
      for (std::size_t i = 0; same && i < count; ++i) same = found[i] == values[i];
      if (same) return;
      c_.warning(errc::ark_o12_matmul, c_.at(p_, *arg))
          << argument_names[index(name)] << " differs from " << dimensions_of(values, count)
          << ", which follows from the tensors and takes precedence";
    };
    check(argument_name::input_dim_nc, 2, a.size[0], a.size[1], 1, 1);
    check(argument_name::other_dim_nc, 2, b.size[0], b.size[1], 1, 1);
    check(argument_name::shape_mnk, 3, m.rows, m.columns, m.inner, 1);
    check(argument_name::padded_shape_mnk, 3, padded.rows, padded.columns, padded.inner, 1);
    check(argument_name::strides_acdb, 4, last(read(o, 0)), c, c, last(read(o, 1)));
  }

  /// O13.
  [[gnu::cold]] void embedding(const op& o) {
    expect_type(o, data_type::int32, read(o, 0), use(list::reads, 0));
    same_type(o, read(o, 1), written(o, 0), use(list::writes, 0));
    const dimensions i = shape_of(at(read(o, 0))), t = shape_of(at(read(o, 1)));
    const dimensions w = shape_of(at(written(o, 0)));
    dimensions wanted;
    if (i.rank > 3)
      c_.error(errc::ark_o13_embedding, use(list::reads, 0).in("Shape"))
          << "indices of Shape " << i << "; expected up to 3 dimensions";
    if (t.rank != 2)
      c_.error(errc::ark_o13_embedding, use(list::reads, 1).in("Shape"))
          << "a table of Shape " << t << "; expected 2 dimensions";
    if (looked_up(i, t, wanted) && !is_looked_up(i, t, w))
      c_.error(errc::ark_o13_embedding, use(list::writes, 0).in("Shape"))
          << "rows of " << t << " at indices " << i << " have Shape " << wanted << ", not " << w;
  }

  /// token, position → cache, position, output (facts are partial).
  [[gnu::cold]] void kv_cache_slot(const op& o) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const list l = i == 0 ? list::reads : list::writes;
      const std::uint32_t position = i == 0 ? read(o, 1) : written(o, 1);
      expect_type(o, data_type::int32, position, use(l, 1));
      if (elements(at(position)) != 1)
        c_.error(errc::ark_o07_shape, use(l, 1).in("Shape"))
            << "a position of Shape " << shape_of(at(position)) << "; expected one element";
    }
    const std::uint32_t token = read(o, 0), cache = written(o, 0), output = written(o, 2);
    same_type(o, token, cache, use(list::writes, 0));
    same_type(o, token, output, use(list::writes, 2));
    const std::uint64_t slot = elements(at(cache)) / static_cast<std::uint64_t>(at(cache).shape[0]);
    for (std::uint32_t i = 0; i < 2; ++i)
      if (const std::uint32_t t = i == 0 ? token : output; elements(at(t)) != slot)
        c_.error(errc::ark_o07_shape,
                 use(i == 0 ? list::reads : list::writes, i == 0 ? 0 : 2).in("Shape"))
            << "Shape " << shape_of(at(t)) << " has " << elements(at(t)) << " elements; expected "
            << slot << ", as many as a slot of the cache";
  }

  /// O14.
  [[gnu::cold]] void overlaps(const op& o, op_kind kind) {
    const std::uint32_t w = written(o, 0);
    for (std::uint32_t i = 0; i < o.reads; ++i) {
      const std::uint32_t r = read(o, i);
      if (c_.storage_of(r) != c_.storage_of(w)) continue;
      const std::uint64_t rb = info(type(r)).bytes, wb = info(type(w)).bytes;
      const bool element_wise = kind == op_kind::unary || kind == op_kind::binary;
      if (element_wise && o.type != op_type::softmax && rb == wb && same_elements(at(r), at(w)))
        continue;
      if (!overlap(at(r), rb, at(w), wb)) continue;
      c_.found.add(errc::ark_o14_overlap,
                   kind == op_kind::reduce ? severity::error : severity::warning,
                   use(list::reads, i))
          << "tensor " << g_.tensors[r].id << " shares bytes with tensor " << g_.tensors[w].id
          << ", which " << name_of(o) << " writes";
    }
  }

  context& c_;
  const ark::model& g_;
  op_place p_ = {};
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_OP_HPP
