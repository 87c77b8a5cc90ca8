// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules T and B: tensors and buffers, each at its first use.
//
//   tensor_rules(c).run();
//   c.unsound[t];              // whether its shape must not be used
//
//   T01  one to four dimensions            B01  a buffer Id has one Rank and one set of tags
//   T02  sizes of at least 1               B02  Rank is -1 or a rank
//   T03  Offsets of at least 0             B03  tags ascend, each once
//   T04  Shape <= PaddedShape              B04  tags name other ranks; a remote buffer's its own
//   T05  Offsets + PaddedShape <= Strides  B05  a tag names one sender and one receiver
//   T06  FP8 needs verify_options::fp8
//   T07  fewer than 2^63 bytes             S12, S13 for tensors and buffers
//   T08  a tensor Id has one description
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none.
// Allocation: a byte for each tensor, buffer and layout; 16 bytes for each tag.

#ifndef TESSERA_ARK_DETAIL_RULES_TENSOR_HPP
#define TESSERA_ARK_DETAIL_RULES_TENSOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../shapes.hpp"
#include "findings.hpp"
#include "rules_structure.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// Bytes that the memory of a tensor's buffer has at least, for its Strides; 0 when that is not a
/// number below 2^63.
[[nodiscard]] constexpr std::uint64_t bytes_of(const layout& l, data_type type) noexcept {
  std::uint64_t bytes = info(type).bytes;
  for (const std::int64_t d : l.strides) {
    if (d < 1 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(d), &bytes) ||
        bytes > INT64_MAX)
      return 0;
  }
  return bytes;
}

class tensor_rules {
 public:
  explicit tensor_rules(context& c) : c_(c), g_(c.g) {}

  [[gnu::cold]] void run() {
    seen_tensor_.resize(g_.tensors.size());
    seen_buffer_.resize(g_.buffers.size());
    layouts_.resize(g_.layouts.size());
    c_.unsound.resize(g_.tensors.size());
    for (const op_place& p : c_.ops) {
      const op& o = g_.ops[p.op];
      const auto used = uses(g_, o);
      for (std::uint32_t u = 0; u < used.size(); ++u)
        if (!seen_tensor_[used[u]]) first_use(used[u], at_use(p.node, p.index, o, u));
      for (const argument& a : arguments(g_, o))
        if (a.type == argument_type::tensor)
          if (const auto t = static_cast<std::uint32_t>(a.integer); !seen_tensor_[t])
            first_use(t, c_.at(p, a).in("TENSOR"));
    }
    reused_tags();
  }

 private:
  enum flaw : std::uint8_t {
    known = 1,
    rank = 2,
    no_rank = 4,
    size = 8,
    offset = 16,
    padding = 32,
    outside = 64,
    pad_step = 128
  };
  struct list_name {
    std::string_view name;
    const std::int64_t (&values)[max_rank];
  };
  struct tag_use {
    tag t;
    std::uint32_t storage, index;  // which buffer, and its location in the list
    std::uint32_t at;              // of the buffer, in places_
  };

  [[nodiscard]] flaw flaws(std::uint32_t index) noexcept {
    std::uint8_t& known_flaws = layouts_[index];
    if (known_flaws != 0) return static_cast<flaw>(known_flaws);
    const layout& l = g_.layouts[index];
    unsigned f = known;
    if (l.rank > max_rank) f |= rank;
    if (l.rank == 0) f |= no_rank;
    for (std::size_t d = 0; d < max_rank; ++d) {
      if (l.shape[d] < 1 || l.padded_shape[d] < 1 || l.strides[d] < 1) f |= size;
      if (l.offsets[d] < 0) f |= offset;
    }
    for (std::size_t d = 0; (f & (rank | size | offset)) == 0 && d < max_rank; ++d) {
      if (l.shape[d] > l.padded_shape[d]) f |= padding;
      if (l.padded_shape[d] > l.strides[d] || l.offsets[d] > l.strides[d] - l.padded_shape[d])
        f |= outside;
      if (d >= l.rank && (l.shape[d] != 1 || l.strides[d] != 1 || l.offsets[d] != 0)) f |= rank;
    }
    for (std::uint32_t d = 0; (f & (rank | size)) == 0 && l.pads != none && d < l.rank; ++d)
      if (const std::int64_t pad = g_.integers[l.pads + d]; pad < 1 || l.strides[d] % pad != 0)
        f |= pad_step;
    return static_cast<flaw>(known_flaws = static_cast<std::uint8_t>(f));
  }

  [[gnu::cold]] void first_use(std::uint32_t t, const location& at) {
    seen_tensor_[t] = true;
    const tensor& x = g_.tensors[t];
    const layout& l = g_.layouts[x.layout];
    const flaw f = flaws(x.layout);
    const std::uint64_t bytes = bytes_of(l, x.type);
    if (f != known || bytes == 0) {
      c_.unsound[t] = (f & ~unsigned{known | no_rank | pad_step}) != 0 || bytes == 0;
      layout_flaws(l, f, bytes, at);
    }
    if (x.id < 0)
      c_.error(errc::ark_s13_integer, at.in("Id")) << "Id is " << x.id << "; expected at least 0";
    if (info(x.type).kind == data_kind::fp8)
      c_.found.add(errc::ark_t06_data_type, c_.options.fp8 ? severity::warning : severity::error,
                   at.in("DataType"))
          << "DataType " << info(x.type).name << " is supported by only one fork";
    if (const std::uint32_t first = c_.same_tensor(t); first != t) differs(first, t, at);
    unknown_members(c_, x.members, at, false);
    if (!seen_buffer_[x.buffer]) first_use_of_buffer(x.buffer, at.in("Buffer"));
  }

  /// T01 to T05, T07.
  [[gnu::cold, gnu::noinline]] void layout_flaws(const layout& l, flaw f, std::uint64_t bytes,
                                                 const location& at) {
    if ((f & rank) != 0) {
      writer out = c_.error(errc::ark_t01_rank, at.in("Shape"));
      if (l.rank > max_rank)
        out << l.rank << " dimensions; expected 1 to 4";
      else
        out << "the layout has " << l.rank
            << " dimensions; expected sizes of 1 and offsets of 0 past them";
    }
    if ((f & no_rank) != 0)
      c_.warning(errc::ark_t01_rank, at.in("Shape"))
          << "no dimensions; the tensor counts as one element, [1]";
    if ((f & rank) != 0) return;
    const auto dims = [&](const std::int64_t(&v)[max_rank]) { return dimensions_of(v, l.rank); };
    // A D1a file has Pads and no PaddedShape.
    const std::string_view padded = l.pads == none ? "PaddedShape" : "Shape";
    const list_name sizes[] = {
        {"Shape", l.shape}, {padded, l.padded_shape}, {"Strides", l.strides}};
    for (const list_name& s : sizes)
      for (std::uint32_t d = 0; (f & size) != 0 && d < l.rank; ++d)
        if (s.values[d] < 1 && !(l.pads != none && &s == &sizes[1]))
          c_.error(errc::ark_t02_dimension, at.in(s.name, d))
              << s.name << " is " << dims(s.values) << "; expected sizes of at least 1";
    for (std::uint32_t d = 0; (f & offset) != 0 && d < l.rank; ++d)
      if (l.offsets[d] < 0)
        c_.error(errc::ark_t03_offset, at.in("Offsets", d))
            << "Offsets are " << dims(l.offsets) << "; expected at least 0";
    if ((f & padding) != 0)
      c_.error(errc::ark_t04_padding, at.in(padded))
          << "PaddedShape " << dims(l.padded_shape) << " is smaller than Shape " << dims(l.shape);
    if ((f & outside) != 0)
      c_.error(errc::ark_t05_strides, at.in("Strides"))
          << "Offsets " << dims(l.offsets) << " + PaddedShape " << dims(l.padded_shape)
          << " exceed Strides " << dims(l.strides);
    if ((f & pad_step) != 0) {
      writer out = c_.error(errc::ark_t05_strides, at.in("Pads"));
      std::int64_t pads[max_rank] = {1, 1, 1, 1};
      for (std::uint32_t d = 0; d < l.rank; ++d) pads[d] = g_.integers[l.pads + d];
      out << "Strides " << dims(l.strides) << " are not multiples of Pads " << dims(pads);
    }
    if (bytes == 0 && (f & size) == 0)
      c_.error(errc::ark_t07_size, at.in("Strides"))
          << "Strides " << dims(l.strides) << " span 2^63 bytes or more; expected fewer";
  }

  /// T08.
  [[gnu::cold, gnu::noinline]] void differs(std::uint32_t first, std::uint32_t t,
                                            const location& at) {
    const tensor &a = g_.tensors[first], &b = g_.tensors[t];
    const layout &x = g_.layouts[a.layout], &y = g_.layouts[b.layout];
    const severity how = c_.options.of_plan ? severity::warning : severity::error;
    constexpr errc code = errc::ark_t08_tensor_differs;
    const auto start = [&](writer out, std::string_view member) -> writer {
      return out << "tensor " << b.id << " has " << member << ' ';
    };
    if (a.type != b.type) {
      writer out = c_.found.add(code, how, at.in("DataType"));
      start(out, "DataType") << info(b.type).name << " here and " << info(a.type).name << " before";
      return;
    }
    const list_name here[] = {{"Shape", y.shape},
                              {"Strides", y.strides},
                              {"Offsets", y.offsets},
                              {y.pads == none ? "PaddedShape" : "Pads", y.padded_shape}};
    const list_name before[] = {{"Shape", x.shape},
                                {"Strides", x.strides},
                                {"Offsets", x.offsets},
                                {"PaddedShape", x.padded_shape}};
    for (std::size_t i = 0; i < 4; ++i) {
      const dimensions now = dimensions_of(here[i].values, y.rank < max_rank ? y.rank : max_rank);
      const dimensions then =
          dimensions_of(before[i].values, x.rank < max_rank ? x.rank : max_rank);
      if (now == then) continue;
      writer out = c_.found.add(code, how, at.in(here[i].name));
      start(out, here[i].name) << now << " here and " << then << " before";
      return;
    }
    if (c_.storage_of(t) == c_.storage_of(first)) return;
    writer out = c_.found.add(code, how, at.in("Buffer"));
    start(out, "Buffer") << g_.buffers[b.buffer].id << " here and " << g_.buffers[a.buffer].id
                         << " before";
  }

  void first_use_of_buffer(std::uint32_t b, const location& at) {
    seen_buffer_[b] = true;
    const buffer& x = g_.buffers[b];
    const std::uint32_t first = c_.buffers.first_of(b);
    if (first != b) buffer_differs(g_.buffers[first], x, at);
    if (x.id < 0)
      c_.error(errc::ark_s13_integer, at.in("Id")) << "Id is " << x.id << "; expected at least 0";
    unknown_members(c_, x.members, at, true);
    if (x.rank < -1 || x.rank >= g_.world_size)
      c_.error(errc::ark_b02_buffer_rank, at.in("Rank"))
          << "Rank is " << x.rank << "; expected -1 or 0 to " << std::int64_t{g_.world_size} - 1;
    tag_list(x, x.send_tags, "SendTags", at);
    tag_list(x, x.recv_tags, "RecvTags", at);
    if (first != b || !is_local(g_, x)) return;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const range list = kind == 0 ? x.send_tags : x.recv_tags;
      for (std::uint32_t i = 0; i < list.count; ++i)
        tags_[kind].push_back(
            {g_.tags[list.first + i], b, i, static_cast<std::uint32_t>(places_.size())});
    }
    if (x.send_tags.count + std::uint64_t{x.recv_tags.count} != 0) places_.push_back(at);
  }
  [[nodiscard]] static constexpr bool before(const tag& a, const tag& b) noexcept {
    return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
  }

  /// B03, B04.
  [[gnu::cold]] void tag_list(const buffer& x, range list, std::string_view member,
                              const location& at) {
    bool ascending = true;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const tag t = g_.tags[list.first + i];
      const bool local = is_local(g_, x);
      const bool good = local ? t.rank >= 0 && t.rank < g_.world_size && t.rank != g_.rank
                              : t.rank == -1 || t.rank == g_.rank;
      if (!good) {
        writer out = c_.error(errc::ark_b04_tag_rank, at.in(member, i));
        out << '[' << t.rank << ',' << t.number << "] has rank " << t.rank << "; expected ";
        if (local)
          out << "a rank below " << g_.world_size << " other than " << g_.rank;
        else
          out << "-1 or " << g_.rank << ", as the buffer is of rank " << x.rank;
      }
      if (i > 0 && !before(g_.tags[list.first + i - 1], t)) ascending = false;
    }
    if (!ascending) order_of_tags(list, member, at);
  }
  /// B03 of a list whose tags don't ascend.
  [[gnu::cold, gnu::noinline]] void order_of_tags(range list, std::string_view member,
                                                  const location& at) {
    pool<tag_use> sorted;
    for (std::uint32_t i = 0; i < list.count; ++i)
      sorted.push_back({g_.tags[list.first + i], 0, i, 0});
    const auto less = [](const tag_use& a, const tag_use& b) { return before(a.t, b.t); };
    sort(sorted.data(), sorted.size(), less);
    pool<bool> again;
    again.resize(list.count);
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i].t == sorted[i - 1].t) again[sorted[i].index] = true;
    bool unordered = false;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const tag t = g_.tags[list.first + i];
      if (again[i])
        c_.warning(errc::ark_b03_tags, at.in(member, i))
            << '[' << t.rank << ',' << t.number << "] is listed twice";
      unordered = unordered || (i > 0 && before(t, g_.tags[list.first + i - 1]));
    }
    if (unordered)
      c_.found.add(errc::ark_b03_tags, severity::note, at.in(member))
          << member << " are not in ascending order";
  }

  /// B01.
  [[gnu::cold, gnu::noinline]] void buffer_differs(const buffer& first, const buffer& x,
                                                   const location& at) {
    constexpr errc code = errc::ark_b01_buffer_differs;
    if (first.rank != x.rank)
      c_.error(code, at.in("Rank"))
          << "buffer " << x.id << " has Rank " << x.rank << " here and " << first.rank << " before";
    const auto compare_tags = [&](std::string_view member, range before, range here) {
      if (same_tags(before, here)) return;
      auto out = c_.error(code, at.in(member));
      list_tags(out << "buffer " << x.id << " has the " << member << ' ', here);
      list_tags(out << " here and ", before);
      out << " before";
    };
    compare_tags("SendTags", first.send_tags, x.send_tags);
    compare_tags("RecvTags", first.recv_tags, x.recv_tags);
    if (first.external == x.external) return;
    if (x.external == external::absent)
      c_.error(code, at) << "buffer " << x.id << " has no IsExternal here, and has one before";
    else
      c_.error(code, at.in("IsExternal"))
          << "buffer " << x.id << " has another IsExternal here than before";
  }
  /// [[1,5],[2,0]]; of long lists the beginning.
  [[gnu::cold, gnu::noinline]] void list_tags(writer out, range list) const {
    constexpr std::uint32_t most = 4;
    out << '[';
    for (std::uint32_t i = 0; i < list.count && i < most; ++i) {
      const tag& t = g_.tags[list.first + i];
      out << (i == 0 ? "[" : ",[") << t.rank << ',' << t.number << ']';
    }
    out << (list.count > most ? ",…]" : "]");
  }
  [[nodiscard, gnu::cold, gnu::noinline]] bool same_tags(range a, range b) const {
    if (a.count != b.count) return false;
    std::uint32_t same = 0;
    while (same < a.count && g_.tags[a.first + same] == g_.tags[b.first + same]) ++same;
    if (same == a.count) return true;
    pool<tag> sets[2];  // in another order they are the same
    const range lists[] = {a, b};
    for (std::size_t k = 0; k < 2; ++k) {
      sets[k].append(g_.tags.data() + lists[k].first, lists[k].count);
      sort(sets[k].data(), sets[k].size(), before);
    }
    return sets[0] == sets[1];
  }

  /// B05.
  [[gnu::cold]] void reused_tags() {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      pool<tag_use>& all = tags_[kind];
      sort(all.data(), all.size(),
           [](const tag_use& a, const tag_use& b) { return before(a.t, b.t); });
      for (std::size_t i = 1; i < all.size(); ++i) {
        const tag_use &a = all[i - 1], &b = all[i];
        if (!(a.t == b.t) || a.storage == b.storage) continue;
        c_.error(errc::ark_b05_tag_reused,
                 places_[b.at].in(kind == 0 ? "SendTags" : "RecvTags", b.index))
            << '[' << b.t.rank << ',' << b.t.number << "] is also a tag of buffer "
            << g_.buffers[a.storage].id;
      }
    }
  }

  context& c_;
  const ark::model& g_;
  pool<bool> seen_tensor_, seen_buffer_;
  pool<std::uint8_t> layouts_;  // flaws of each
  pool<tag_use> tags_[2];       // SendTags, RecvTags of local buffers
  pool<location> places_;       // of the first use of local buffers with tags
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_TENSOR_HPP
