// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/write.hpp.

#ifndef TESSERA_ARK_DETAIL_WRITE_HPP
#define TESSERA_ARK_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/digits.hpp"
#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/shortest.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../check.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Limits for text of our own making.
inline constexpr limits no_limits{UINT64_MAX, UINT64_MAX, UINT32_MAX};

/// Appends the objects of a model to a text. Plans hold the same operations and use it too. What it
/// writes has passed check(). Depths count the containers around an object: 0 for the root.
///
/// Functions take a pointer to the end of the text, reserve their space there, and return the new
/// end. begin() gives the first pointer, done() takes the last.
class graph_writer {
 public:
  graph_writer(text& out, const model& g, dialect form, bool pretty)
      : out_(out), g_(g), form_(info(form)), levels_(pretty ? info(form).levels : -1) {
    tensors_.resize(g.tensors.size());
    layouts_.resize(g.layouts.size());
    buffers_.resize(g.buffers.size());
  }
  /// How many levels are spread over lines; it may change between values.
  void levels(int count) noexcept { levels_ = count; }

  [[nodiscard]] char* begin() {
    char* const to = out_.prepare(0);
    end_ = to + out_.available();
    return to;
  }
  void done(const char* to) noexcept {
    out_.advance(static_cast<std::size_t>(to - out_.data()) - out_.size());
  }

  [[nodiscard]] char* model(char* to) {
    to = reserve(to, record_capacity);
    *to++ = '{';
    to = put_integer(key(to, 0, "\"Rank\":"), g_.rank);
    to = put_integer(key(to, 0, ",\"WorldSize\":"), g_.world_size);
    to = put(key(to, 0, ",\"Nodes\":"), "[");
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      to = reserve(to, record_capacity);
      if (i != 0) *to++ = ',';
      to = node(line(to, 2, 1), g_.nodes[i], 2);
    }
    to = reserve(to, record_capacity);
    if (!g_.nodes.empty()) to = line(to, 1, 1);
    *to++ = ']';
    to = reserve(members(to, g_.own_members, 0), record_capacity);
    to = put(line(to, 0, 0), "}");
    if (levels_ >= 0) *to++ = '\n';
    return to;
  }

  [[nodiscard]] char* node(char* to, const ark::node& n, unsigned depth) {
    to = reserve(to, record_capacity);
    *to++ = '{';
    to = put_integer(key(to, depth, "\"Id\":"), n.id);
    to = list(key(to, depth, ",\"ProducerNodeIds\":"), integers(g_, n.producers));
    to = list(key(to, depth, ",\"ConsumerNodeIds\":"), integers(g_, n.consumers));
    if (form_.holds_ops) {
      to = put(key(to, depth, ",\"Ops\":"), "[");
      for (std::uint32_t i = 0; i < n.ops.count; ++i) {
        if (i != 0) *to++ = ',';
        to = reserve(line(to, depth + 2, depth + 1), record_capacity);
        to = operation(to, g_.ops[n.ops.first + i], depth + 2);
      }
      to = put(line(to, depth + 1, depth + 1), "]");
    } else {
      to = operation(key(to, depth, ",\"Op\":"), g_.ops[n.ops.first], depth + 1);
    }
    to = line(members(to, n.members, depth), depth, depth);
    *to++ = '}';
    return to;
  }

  /// `config`: a plan's member "Config", JSON that follows the others; none when it is empty.
  /// Reserves space for the rest of a node.
  [[nodiscard]] char* operation(char* to, const op& o, unsigned depth,
                                std::string_view config = {}) {
    const std::string_view type = type_name(g_, o), called = name(g_, o);
    to = reserve(to, record_capacity + 6 * (type.size() + called.size()));
    *to++ = '{';
    to = put_quoted(key(to, depth, "\"Type\":"), type);
    to = put_quoted(key(to, depth, ",\"Name\":"), called);
    to = key(to, depth, ",\"IsVirtual\":");
    to = o.is_virtual ? put(to, "true") : put(to, "false");
    to = tensors(key(to, depth, ",\"ReadTensors\":"), reads(g_, o), depth + 1);
    to = tensors(key(to, depth, ",\"WriteTensors\":"), writes(g_, o), depth + 1);
    to = tensors(key(to, depth, ",\"ResultTensors\":"), results(g_, o), depth + 1);
    to = key(to, depth, ",\"Args\":");
    if (o.arguments.count != 0)
      to = all_arguments(to, o, depth + 1);
    else
      to = put(to, o.args == args_form::null    ? std::string_view("null")
                   : o.args == args_form::array ? "[]"
                                                : "{}");
    if (!config.empty()) {
      done(key(to, depth, ",\"Config\":"));
      value(config, depth + 1);
      to = reserve(begin(), record_capacity);
    }
    to = line(members(to, o.members, depth), depth, depth);
    *to++ = '}';
    return reserve(to, record_capacity);
  }

  /// Appends JSON text, laid out anew; its own depth, if it is a container, is `depth`.
  void value(std::string_view json, unsigned depth) {
    struct container {
      bool object, spread, fresh;
    };
    pool<container> open;
    json::reader in(json, no_limits);
    std::string_view name;
    const auto new_line = [&] {
      const unsigned indent = depth + static_cast<unsigned>(open.size());
      out_.advance(
          static_cast<std::size_t>(put_line(out_.prepare(1 + 2 * std::size_t{indent}), indent) -
                                   out_.data() - static_cast<std::ptrdiff_t>(out_.size())));
    };
    do {
      const json::kind kind = in.peek();
      if (kind == json::kind::object || kind == json::kind::array) {
        const bool object = kind == json::kind::object;
        object ? in.object() : in.array();
        out_ << (object ? '{' : '[');
        open.push_back({object,
                        spread(depth + static_cast<unsigned>(open.size())) &&
                            (open.empty() || open.back().spread),
                        true});
      } else if (kind == json::kind::string) {
        json::append_quoted(out_, in.string());
      } else {
        out_ << in.skip();
      }
      while (!open.empty() && !(open.back().object ? in.key(name) : in.element())) {
        const container closed = open.back();
        open.pop_back();
        if (closed.spread && !closed.fresh) new_line();
        out_ << (closed.object ? '}' : ']');
      }
      if (open.empty()) continue;
      container& inner = open.back();
      if (!inner.fresh)
        out_ << ',';
      else if (!inner.object && in.peek() == json::kind::number)
        inner.spread = false;
      inner.fresh = false;
      if (inner.spread) new_line();
      if (!inner.object) continue;
      json::append_quoted(out_, name);
      out_ << (inner.spread ? std::string_view(": ") : ":");
    } while (!open.empty());
    if (const error e = in.finish(); e.code != errc::ok && failed_ == errc::ok) failed_ = e.code;
  }
  /// The first error among kept values that are no JSON, or names that repeat.
  [[nodiscard]] errc failed() const noexcept { return failed_; }

 private:
  /// An earlier text of the same thing: its offset times 2^20 plus its size; 0 for none.
  using place = std::uint64_t;
  static constexpr unsigned size_bits = 20;
  static constexpr std::size_t max_indent = 64;
  static constexpr std::size_t key_capacity = max_indent + 24 + integer_capacity;
  /// Space for eight keys with numbers. A caller of another function that reserves, or returns, needs
  /// no more than that function leaves: this less a bracket or two.
  static constexpr std::size_t record_capacity = 8 * key_capacity;
  static constexpr std::size_t lists_capacity = 16 * (integer_capacity + 1) + 4 * key_capacity;

  /// Space for `count` characters from `to` on.
  [[nodiscard]] char* reserve(char* to, std::size_t count) {
    return static_cast<std::size_t>(end_ - to) >= count ? to : grow(to, count);
  }
  [[nodiscard, gnu::noinline]] char* grow(char* to, std::size_t count) {
    done(to);
    (void)out_.prepare(count);
    return begin();
  }

  template <std::size_t Size>
  static char* put(char* to, const char (&literal)[Size]) noexcept {
    std::memcpy(to, literal, Size - 1);
    return to + (Size - 1);
  }
  static char* put(char* to, std::string_view s) noexcept {
    if (!s.empty()) std::memcpy(to, s.data(), s.size());
    return to + s.size();
  }
  /// `s` in quotes; six bytes of space for each of its own, and two.
  static char* put_quoted(char* to, std::string_view s) noexcept {
    *to++ = '"';
    for (const char c : s) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && c != '"' && c != '\\') {
        *to++ = c;
        continue;
      }
      *to++ = '\\';
      constexpr std::string_view letters = "btn?fr";  // of 8 to 13; JSON has none for 11
      if (byte >= 0x20) {
        *to++ = c;
      } else if (byte >= 8 && byte <= 13 && byte != 11) {
        *to++ = letters[byte - 8u];
      } else {
        to = put(to, "u00");
        *to++ = "0123456789abcdef"[byte >> 4];
        *to++ = "0123456789abcdef"[byte & 15];
      }
    }
    *to++ = '"';
    return to;
  }

  [[nodiscard]] bool spread(unsigned depth) const noexcept {
    return static_cast<int>(depth) <= levels_;
  }
  static char* put_line(char* to, unsigned indent) noexcept {
    const std::size_t spaces = 2 * std::size_t{indent};
    *to = '\n';
    std::memset(to + 1, ' ', spaces);
    return to + 1 + spaces;
  }
  /// A new line for a value at `indent`, in a container at `depth` that is spread.
  [[nodiscard]] char* line(char* to, unsigned indent, unsigned depth) const noexcept {
    return spread(depth) ? put_line(to, indent) : to;
  }
  /// A key, `,"Name":` or the first one without its comma, in a container at `depth`.
  template <std::size_t Size>
  [[nodiscard]] char* key(char* to, unsigned depth, const char (&literal)[Size]) const noexcept {
    if (!spread(depth)) return put(to, literal);
    const std::size_t comma = literal[0] == ',' ? 1 : 0;
    if (comma != 0) *to++ = ',';
    to = put_line(to, depth + 1);
    std::memcpy(to, literal + comma, Size - 1 - comma);
    to += Size - 1 - comma;
    *to++ = ' ';
    return to;
  }

  [[nodiscard]] char* list(char* to, view<std::int64_t> values) {
    to = reserve(to, values.size() * (integer_capacity + 1) + record_capacity);
    return put_list(to, values.data(), values.size());
  }
  static char* put_list(char* to, const std::int64_t* values, std::size_t count) noexcept {
    *to++ = '[';
    for (std::size_t i = 0; i < count; ++i) {
      to = put_integer(to, values[i]);
      *to++ = ',';
    }
    if (count != 0) --to;
    *to++ = ']';
    return to;
  }

  [[nodiscard]] char* tensors(char* to, view<std::uint32_t> list, unsigned depth) {
    *to++ = '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) *to++ = ',';
      to = tensor(line(to, depth + 1, depth), list[i], depth + 1);
    }
    if (!list.empty()) to = line(to, depth, depth);
    *to++ = ']';
    return to;
  }

  /// Copies the text at `where`, in whole blocks; the excess is overwritten.
  [[nodiscard]] char* again(char* to, place where) {
    constexpr std::size_t block_size = 32;
    const auto size = to_size(where & ((place{1} << size_bits) - 1));
    to = reserve(to, size + block_size + record_capacity);
    const char* const from = out_.data() + (where >> size_bits);
    for (std::size_t i = 0; i < size; i += block_size) {
      char block[block_size];
      std::memcpy(block, from + i, block_size);
      std::memcpy(to + i, block, block_size);
    }
    return to + size;
  }
  [[nodiscard]] std::size_t offset_of(const char* to) const noexcept {
    return static_cast<std::size_t>(to - out_.data());
  }
  [[nodiscard]] place since(std::size_t first, const char* to) const noexcept {
    const std::uint64_t start = first, size = offset_of(to) - first;  // of more bits than size_t
    return size >> size_bits == 0 && start >> (64 - size_bits) == 0 ? start << size_bits | size : 0;
  }

  /// Tensors are at one depth, except in arguments of type TENSOR, which are not copied from.
  [[nodiscard]] char* tensor(char* to, std::uint32_t index, unsigned depth, bool listed = true) {
    if (const place known = tensors_[index]; known != 0 && listed) return again(to, known);
    const ark::tensor& t = g_.tensors[index];
    to = reserve(to, record_capacity);
    const std::size_t first = offset_of(to);
    *to++ = '{';
    to = put_integer(key(to, depth, "\"Id\":"), t.id);
    to = put(key(to, depth, ",\"DataType\":"), "\"");
    to = put(put(to, info(t.type).name), "\"");
    if (form_.buffer_third) to = buffer(key(to, depth, ",\"Buffer\":"), t.buffer);
    to = layout(to, t.layout, depth, listed);
    if (!form_.buffer_third) to = buffer(key(to, depth, ",\"Buffer\":"), t.buffer);
    to = line(members(to, t.members, depth), depth, depth);
    *to++ = '}';
    to = reserve(to, record_capacity);
    if (listed) tensors_[index] = since(first, to);
    return to;
  }
  [[nodiscard]] char* layout(char* to, std::uint32_t index, unsigned depth, bool listed) {
    if (const place known = layouts_[index]; known != 0 && listed) return again(to, known);
    const ark::layout& l = g_.layouts[index];
    to = reserve(to, lists_capacity + record_capacity);
    const std::size_t first = offset_of(to);
    to = put_list(key(to, depth, ",\"Shape\":"), l.shape, l.rank);
    to = put_list(key(to, depth, ",\"Strides\":"), l.strides, l.rank);
    to = put_list(key(to, depth, ",\"Offsets\":"), l.offsets, l.rank);
    if (form_.pads) {
      constexpr std::int64_t ones[max_rank] = {1, 1, 1, 1};
      to = put_list(key(to, depth, ",\"Pads\":"),
                    l.pads == none ? ones : g_.integers.data() + l.pads, l.rank);
    } else {
      to = put_list(key(to, depth, ",\"PaddedShape\":"), l.padded_shape, l.rank);
    }
    if (listed) layouts_[index] = since(first, to);
    return to;
  }
  /// On one line, whatever the dialect.
  [[nodiscard]] char* buffer(char* to, std::uint32_t index) {
    if (const place known = buffers_[index]; known != 0) return again(to, known);
    const ark::buffer& b = g_.buffers[index];
    to = reserve(to, record_capacity);
    const std::size_t first = offset_of(to);
    to = put_integer(put(to, "{\"Id\":"), b.id);
    to = put_integer(put(to, ",\"Rank\":"), b.rank);
    if (!form_.holds_ops) to = put_external(to, b.external);
    to = tag_list(put(to, ",\"SendTags\":"), tags(g_, b.send_tags));
    to = tag_list(put(to, ",\"RecvTags\":"), tags(g_, b.recv_tags));
    if (form_.holds_ops) to = put_external(to, b.external);
    to = members(to, b.members, never_spread);
    *to++ = '}';
    buffers_[index] = since(first, to);
    return to;
  }
  static char* put_external(char* to, external e) noexcept {
    if (e == external::absent) return to;
    return put(put(to, ",\"IsExternal\":"),
               e == external::yes ? std::string_view("true") : "false");
  }
  [[nodiscard]] char* tag_list(char* to, view<tag> list) {
    constexpr std::size_t tag_capacity = 2 * integer_capacity + 4;
    to = reserve(to, list.size() * tag_capacity + record_capacity);
    *to++ = '[';
    for (const tag& t : list) {
      *to++ = '[';
      to = put_integer(to, t.rank);
      *to++ = ',';
      to = put_integer(to, t.number);
      to = put(to, "],");
    }
    if (!list.empty()) --to;
    *to++ = ']';
    return to;
  }

  [[nodiscard]] char* all_arguments(char* to, const op& o, unsigned depth) {
    const view<argument> all = arguments(g_, o);
    sorted_.clear();
    for (std::uint32_t i = 0; i < all.size(); ++i) sorted_.push_back(i);
    sort(sorted_.data(), sorted_.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(g_, all[a]) < name(g_, all[b]); });
    *to++ = '{';
    for (std::size_t i = 0; i < all.size(); ++i) {
      const argument& a = all[sorted_[i]];
      const std::string_view called = name(g_, a);
      to = reserve(to, 6 * called.size() + record_capacity);
      if (i != 0) {
        if (called == name(g_, all[sorted_[i - 1]])) failed_ = errc::json_duplicate_key;
        *to++ = ',';
      }
      to = put_quoted(line(to, depth + 1, depth), called);
      *to++ = ':';
      if (spread(depth)) *to++ = ' ';
      if (a.type != argument_type::other) {
        to = known_argument(to, a, depth + 1);
        continue;
      }
      done(to);
      value(text_of(g_, a.token), depth + 1);
      to = begin();
    }
    to = reserve(to, record_capacity);
    to = line(to, depth, depth);
    *to++ = '}';
    return to;
  }
  [[nodiscard]] char* known_argument(char* to, const argument& a, unsigned depth) {
    to = reserve(to, record_capacity);
    *to++ = '{';
    to = put(line(to, depth + 1, depth), "\"");
    to = put(put(to, argument_type_names[static_cast<std::size_t>(a.type)]), "\":");
    if (spread(depth)) *to++ = ' ';
    switch (a.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32: to = put_integer(to, a.integer); break;
      case argument_type::uint64:
        to = put_integer(to, static_cast<std::uint64_t>(a.integer));
        break;
      case argument_type::boolean: to = a.integer != 0 ? put(to, "true") : put(to, "false"); break;
      case argument_type::float32:
        to = reserve(to, a.token.size + record_capacity);
        to = a.token.size != 0 ? put(to, text_of(g_, a.token))
                               : put_double(to, static_cast<double>(a.real), double_style::json15);
        break;
      case argument_type::dims: to = list(to, integers(g_, a.integers)); break;
      case argument_type::tensor:
        to = tensor(to, static_cast<std::uint32_t>(a.integer), depth + 1, false);
        break;
      case argument_type::offset: {
        const view<std::int64_t> parts = integers(g_, a.integers);
        if (parts.size() == 1) {
          to = put_integer(to, parts[0]);
          break;
        }
        *to++ = '{';
        to = put_integer(key(to, depth + 1, "\"BufferId\":"), parts[0]);
        to = put_integer(key(to, depth + 1, ",\"Value\":"), parts[1]);
        to = put(line(to, depth + 1, depth + 1), "}");
        break;
      }
      case argument_type::other: break;  // unreachable: its text is written as it is
    }
    to = line(reserve(to, record_capacity), depth, depth);
    *to++ = '}';
    return to;
  }

  [[nodiscard]] char* members(char* to, std::uint32_t first, unsigned depth) {
    if (first == none) return to;
    for (std::uint32_t i = first; i != none; i = g_.members[i].next) {
      to = reserve(to, record_capacity);
      *to++ = ',';
      done(line(to, depth + 1, depth));
      json::append_quoted(out_, text_of(g_, g_.members[i].key));
      out_ << (spread(depth) ? std::string_view(": ") : ":");
      value(text_of(g_, g_.members[i].value), depth + 1);
      to = begin();
    }
    return reserve(to, record_capacity);
  }

  static constexpr unsigned never_spread = 1000;
  text& out_;
  const ark::model& g_;
  const dialect_row& form_;
  int levels_;  // -1: nothing is spread
  char* end_ = nullptr;
  pool<place> tensors_, layouts_, buffers_;
  pool<std::uint32_t> sorted_;
  errc failed_ = errc::ok;
};

/// The text of a model that is in its dialect.
[[nodiscard]] inline result<text> write_as_is(const model& g, bool pretty) {
  text out;
  // An estimate, below twice the real size: growing costs more than writing.
  const bool spread = pretty && info(g.form).levels > 5;
  out.reserve(256 + (pretty ? 130 : 64) * g.nodes.size() + (pretty ? 290 : 110) * g.ops.size() +
              (spread ? 320 : 220) * g.uses.size() + (spread ? 80 : 30) * g.arguments.size());
  graph_writer w(out, g, g.form, pretty);
  w.done(w.model(w.begin()));
  errc code = w.failed();
  if (code == errc::ok && !g.members.empty()) {
    // Kept members may repeat a key, in a model that was built in code.
    json::reader in(out, no_limits);
    (void)in.skip();
    code = in.finish().code;
  }
  if (code != errc::ok) return error{code, 0};
  return out;
}

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<text> write(const model& g, const write_options& options) {
  if (const error e = check(g); e.code != errc::ok) return e;
  if (options.to == g.form && in_dialect(g)) return detail::write_as_is(g, options.pretty);
  const result<model> converted = convert(g, options.to);
  if (!converted) return converted.error();
  return detail::write_as_is(*converted, options.pretty);
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_WRITE_HPP
