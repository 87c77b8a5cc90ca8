// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Nodes by comparison with earlier ones: the fast path of read.hpp.
//
//   detail::fast_nodes fast(plain);           // a graph_reader
//   for (in.array(); in.element();)
//     if (!fast.read(in)) plain.node(in);     // as many as it takes, then one that it doesn't
//
// Files repeat themselves, and so text is compared with text that was read, not parsed again:
//
//   keys      in any order, with any white space (repeated_text.hpp)
//   tensors   whole, but for two numbers, the tensor's Id and its buffer's. Which pattern comes is
//             guessed: the one that the Id had before, that followed on the same tensors, or that
//             goes on like this one after the Id. Three comparisons and two numbers then read a tensor
//   Args      whole
//
// Anything unusual is left to the plain reader, but no more than that: a string with escapes, an
// integer of more than 15 digits, an unknown member, a tensor, Args. A node that can't be read so, as
// when a value is of the wrong kind, is undone and left to it whole: it also finds the error if there
// is one. Models and errors are the same with and without it.
//
// Lifetime:   borrows the text, the model and its interner.
// Errors:     none; it stops before a node that it doesn't recognise.
// Limits:     those of read.hpp; what exceeds them is left to the plain reader.
// Allocation: the model, a tenth of it again, and at most 400 KB of patterns.

#ifndef TESSERA_ARK_DETAIL_READ_FAST_HPP
#define TESSERA_ARK_DETAIL_READ_FAST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/json_read.hpp"
#include "../../core/limits.hpp"
#include "../../core/pool.hpp"
#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "dialect_signs.hpp"
#include "repeated_text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

inline constexpr name_slots op_slots(op_table);
inline constexpr name_slots argument_slots(argument_names);
inline constexpr name_slots argument_type_slots(argument_type_names);
inline constexpr name_slots data_type_slots(data_type_table);

inline constexpr std::string_view node_keys[] = {"Id", "ProducerNodeIds", "ConsumerNodeIds", "Op",
                                                 "Ops"};
inline constexpr std::string_view op_keys[] = {
    "Type", "Name", "IsVirtual", "ReadTensors", "WriteTensors", "ResultTensors", "Args"};
inline constexpr std::string_view tensor_keys[] = {"Id",      "DataType",    "Shape",  "Strides",
                                                   "Offsets", "PaddedShape", "Buffer", "Pads"};
inline constexpr std::string_view buffer_keys[] = {"Id", "Rank", "SendTags", "RecvTags",
                                                   "IsExternal"};
inline constexpr name_slots node_slots(node_keys);
inline constexpr name_slots op_member_slots(op_keys);
inline constexpr name_slots tensor_slots(tensor_keys);
inline constexpr name_slots buffer_slots(buffer_keys);

class graph_reader;

class fast_nodes : repeated_text {
 public:
  explicit fast_nodes(graph_reader& plain) noexcept;
  fast_nodes(const fast_nodes&) = delete;
  fast_nodes& operator=(const fast_nodes&) = delete;

  /// Reads nodes, the one that comes next and those end it, as many as it knows; false when that
  /// is none.
  bool read(json::reader& in) {
    const std::string_view rest = in.rest();
    if (rest.data() == refused_ || rest.size() < reach || in.depth_left() < depth) return false;
    limit_.max_depth = in.depth_left() - depth;
    begin_ = rest.data() - in.offset();
    end_ = rest.data() + rest.size();
    if (table_bits_ == 0) {
      const auto bits = static_cast<unsigned>(std::bit_width(rest.size()));
      table_bits_ = bits < 14 ? 5 : bits > 23 ? 14 : bits - 9;
    }
    const char* done = rest.data();
    for (const char* p = done; p != nullptr; p = separator(between_nodes_, done, ',')) {
      if (!reserved_ && p - rest.data() > sample) reserve(p);
      const interner::mark start = names_.set_mark();
      const char* const end = node(p);
      if (end == nullptr) {
        // Signs, tensors and Args are kept: the plain reader finds the same.
        names_.go_back(start);
        refused_ = p;
        break;
      }
      done = end;
    }
    in.resume(done);
    return done != rest.data();
  }

 private:
  static constexpr std::uint32_t depth = 8;  // of a tag's number inside a node
  static constexpr std::ptrdiff_t sample = 1 << 16;

  // ---- The model. All functions return what follows, or null.

  const char* node(const char* p) {
    ark::node n;
    n.offset = static_cast<std::uint64_t>(p - begin_);
    unsigned seen = 0;
    p = object(
        node_slots, node_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0: return id(v, n.id);
            case 1: return ids(v, n.producers);
            case 2: return ids(v, n.consumers);
            default: return operations(v, n.ops, key == 4);
          }
        },
        [&](const char* key, const char* v) { return member(key, v, n.members); });
    if (p == nullptr || (seen != 0b01111 && seen != 0b10111)) return nullptr;
    model_.nodes.push_back(n);
    return p;
  }
  const char* ids(const char* p, range& out) {
    out.first = names_.index(model_.integers.size());
    return array(ids_space_, p, out.count, [this](const char* v) {
      std::int64_t n = 0;
      if ((v = id(v, n)) != nullptr) model_.integers.push_back(n);
      return v;
    });
  }
  const char* dimensions(const char* p, std::int64_t (&out)[max_rank], std::uint32_t& count) {
    std::size_t at = 0;
    return array(dimensions_space_, p, count, [&](const char* v) {
      return at < max_rank ? integer(v, out[at++], INT64_MIN) : nullptr;
    });
  }
  const char* operations(const char* p, range& out, bool many) {
    if (signs_.holds_ops == !many) return nullptr;
    signs_.holds_ops = many;
    out = {names_.index(model_.ops.size()), 1};
    if (!many) return operation(p);
    p = array(ops_space_, p, out.count, [this](const char* v) { return operation(v); });
    return out.count == 0 ? nullptr : p;
  }
  const char* operation(const char* p) {
    ark::op o;
    unsigned seen = 0;
    p = object(
        op_member_slots, op_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0:
              return string(v, [&](std::string_view text) {
                const std::size_t type = op_slots.find(text);
                o.type = type < std::size(op_table) ? static_cast<op_type>(type) : op_type::unknown;
                if (o.type == op_type::unknown) o.unknown_type = names_.characters(text);
              });
            case 1:
              return string(v, [&](std::string_view text) { o.name = names_.characters(text); });
            case 2: return boolean(v, o.is_virtual);
            case 6: return arguments(v, o);
            default: {
              pool<std::uint32_t>& list = uses_[key - 3];
              std::uint32_t count = 0;
              list.clear();
              return array(tensors_space_, v, count, [&](const char* t) {
                std::uint32_t use = 0;
                if ((t = tensor(t, use)) != nullptr) list.push_back(use);
                return t;
              });
            }
          }
        },
        [&](const char* key, const char* v) { return member(key, v, o.members); });
    if (p == nullptr || seen != 0b1111111) return nullptr;
    o.first_use = names_.index(model_.uses.size());
    o.reads = names_.index(uses_[0].size());
    o.writes = names_.index(uses_[1].size());
    o.results = names_.index(uses_[2].size());
    for (const pool<std::uint32_t>& list : uses_) model_.uses.append(list.data(), list.size());
    if (o.type == op_type::matmul) signs_.matmul(model_, o);
    model_.ops.push_back(o);
    return p;
  }

  /// A member that isn't of the format's, added to a list of them.
  const char* member(const char* quote, const char* p, std::uint32_t& first);

  // ---- Args

  /// Args that were read, and where they are in model::arguments.
  struct known_arguments {
    const char* text;
    std::uint32_t size, first, count;
  };
  static constexpr std::size_t argument_sets = 64, ways = 4;

  const char* arguments(const char* const p, op& o) {
    range& out = o.arguments;
    out = {names_.index(model_.arguments.size()), 0};
    if (end_ - p < 32 || *p != '{') return plain_arguments(p, o);
    if (p[1] == '}') return p + 2;
    const std::uint64_t hash = mixed(0, p, 32);
    if (known_arguments_.empty()) known_arguments_.resize(argument_sets * ways);
    known_arguments* const set = &known_arguments_[to_size(hash >> 58) * ways];
    for (std::size_t i = 0; i < ways; ++i)
      if (set[i].text != nullptr && is(p, set[i].text, set[i].size)) {
        out.count = set[i].count;
        repeat(set[i]);
        return p + set[i].size;
      }
    const interner::mark start = names_.inner_mark();
    unsigned seen = 0;
    const char* const end = object(
        argument_slots, argument_links_, p, seen,
        [&](std::size_t name, const char* v) {
          argument a;
          a.name = static_cast<argument_name>(name);
          if ((v = argument_value(v, a)) != nullptr) model_.arguments.push_back(a);
          return v;
        },
        not_read);
    if (end == nullptr) {
      names_.go_back(start);
      return plain_arguments(p, o);
    }
    out.count = names_.index(model_.arguments.size() - out.first);
    if (out.count > limit_.max_items) return nullptr;
    if (end - p <= 4096)
      set[next_way_++ % ways] = {p, static_cast<std::uint32_t>(end - p), out.first, out.count};
    return end;
  }
  const char* plain_arguments(const char* p, op& o);
  void repeat(const known_arguments& k) {
    for (std::uint32_t i = k.first; i < k.first + k.count; ++i) {
      argument a = model_.arguments[i];
      if (a.type == argument_type::float32) a.token = names_.characters(text_of(model_, a.token));
      if (a.type == argument_type::dims) {
        const std::uint32_t from = a.integers.first;
        a.integers.first = names_.index(model_.integers.size());
        model_.integers.append(model_.integers.data() + from, a.integers.count);
      }
      model_.arguments.push_back(a);
    }
  }
  /// {"TYPE": value}
  const char* argument_value(const char* p, argument& a) {
    unsigned seen = 0;
    p = object(
        argument_type_slots, argument_type_links_, p, seen,
        [&](std::size_t type, const char* v) -> const char* {
          a.type = static_cast<argument_type>(type);
          switch (a.type) {
            case argument_type::int32: return integer(v, a.integer, INT32_MIN, INT32_MAX);
            case argument_type::int64: return integer(v, a.integer, INT64_MIN);
            case argument_type::uint32: return integer(v, a.integer, 0, UINT32_MAX);
            case argument_type::uint64: return integer(v, a.integer, 0);
            case argument_type::boolean: {
              bool value = false;
              v = boolean(v, value);
              a.integer = value ? 1 : 0;
              return v;
            }
            case argument_type::float32: {
              const std::string_view rest(v, static_cast<std::size_t>(end_ - v));
              json::reader in(rest), again(rest);
              a.real = in.float32();
              const std::string_view token = again.number().token;
              if (in.failed()) return nullptr;
              a.token = names_.characters(token);
              return v + token.size();
            }
            case argument_type::dims: {
              std::int64_t dims[max_rank] = {};
              a.integers.first = names_.index(model_.integers.size());
              v = dimensions(v, dims, a.integers.count);
              if (v != nullptr) model_.integers.append(dims, a.integers.count);
              return v;
            }
            default: return nullptr;
          }
        },
        not_read);
    return std::has_single_bit(seen) ? p : nullptr;
  }

  // ---- Tensors

  /// Text of a tensor in three parts, between and around its Id and its buffer's, and what it says.
  struct pattern {
    const char* text;         // of the first part; null: there is none
    std::uint32_t sizes[3];   // of the parts
    std::uint32_t starts[3];  // after `text`
    std::uint32_t layout;
    std::int32_t rank;
    range send_tags, recv_tags;  // in model::tags
    data_type type;
    ark::external external;
    bool buffer_first, recv_first;  // of two Ids, of two lists of tags
  };

  const char* tensor(const char* p, std::uint32_t& out) {
    if (patterns_.empty()) {
      patterns_.resize((std::size_t{1} << table_bits_ >> 2) + 1);
      after_path_.resize(std::size_t{1} << table_bits_);
      after_two_.resize(std::size_t{1} << table_bits_);
      after_id_.resize(std::size_t{1} << table_bits_);
    }
    if (replaced_layouts_ != names_.replaced_layouts()) {
      replaced_layouts_ = names_.replaced_layouts();
      for (pattern& t : patterns_) t.text = nullptr;
    }
    std::uint16_t met = static_cast<std::uint16_t>(two_);
    const char* end = known(p, met, out);
    if (end == nullptr) {
      std::uint16_t& by_path = after_path_[slot(path_)];
      std::uint16_t& by_two = after_two_[slot(two_)];
      end = follows(p, met = by_path, out);
      if (end == nullptr && by_two != by_path) end = follows(p, met = by_two, out);
      if (end == nullptr) end = alike(p, met, out);
      if (end == nullptr) end = spelled(p, met, out);
      by_path = by_two = met;
    }
    path_ = path_ << 4 ^ std::uint64_t{met} * 0x9e3779b1u;  // of the last 16, and less of each
    two_ = two_ << 16 | met;
    return end;
  }
  /// A tensor of the pattern that its first Id had before, if it begins as `which` does.
  const char* known(const char* p, std::uint16_t& which, std::uint32_t& out) {
    const pattern& t = patterns_[which];
    std::int64_t ids[2];
    if (t.text == nullptr || !is(p, t.text, t.sizes[0])) return nullptr;
    p = id(p + t.sizes[0], ids[0]);
    if (p == nullptr) return nullptr;
    const std::uint32_t entry =
        t.buffer_first ? names_.find_buffer(ids[0]) : names_.find_tensor(ids[0]);
    const pool<std::uint16_t>& had = had_[t.buffer_first ? 1 : 0];
    if (entry >= had.size()) return nullptr;
    const pattern& u = patterns_[had[entry]];
    if (u.text == nullptr || u.sizes[0] != t.sizes[0] || !equal(t.text, u.text, t.sizes[0]))
      return nullptr;
    p = second_half(u, p, ids[1]);
    if (p != nullptr) out = intern(u, which = had[entry], ids);
    return p;
  }
  /// A hash with the whole words of a text in it, too.
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t hash, const char* p,
                                           std::size_t size) noexcept {
    for (std::size_t i = 0; i + 8 <= size; i += 8)
      hash = std::rotl(hash ^ word(p + i), 23) * 0x9e3779b97f4a7c15u;
    return hash;
  }
  [[nodiscard]] std::size_t slot(std::uint64_t hash) const noexcept {
    return to_size(hash * 0x9e3779b97f4a7c15u >> (64 - table_bits_));
  }
  /// Where the pattern is that goes on like this after its first Id; null when the text ends.
  [[nodiscard]] std::uint16_t* with_text(const char* p) noexcept {
    constexpr std::size_t enough = 64;
    if (static_cast<std::size_t>(end_ - p) < enough) return nullptr;
    return &after_id_[slot(mixed(0, p, enough))];
  }
  /// A tensor that begins as the latest that was spelled, and goes on like another one.
  const char* alike(const char* p, std::uint16_t& which, std::uint32_t& out) {
    const pattern& t = patterns_[latest_];
    if (t.text == nullptr || !is(p, t.text, t.sizes[0])) return nullptr;
    std::int64_t ignored = 0;
    const char* const q = id(p + t.sizes[0], ignored);
    const std::uint16_t* const found = q == nullptr ? nullptr : with_text(q);
    return found == nullptr ? nullptr : follows(p, which = *found, out);
  }
  /// A tensor of this pattern.
  const char* follows(const char* p, std::uint16_t which, std::uint32_t& out) {
    const pattern& t = patterns_[which];
    std::int64_t ids[2];
    if (t.text == nullptr || !is(p, t.text, t.sizes[0])) return nullptr;
    p = id(p + t.sizes[0], ids[0]);
    if (p != nullptr) p = second_half(t, p, ids[1]);
    if (p != nullptr) out = intern(t, which, ids);
    return p;
  }
  [[gnu::always_inline]] const char* second_half(const pattern& t, const char* p,
                                                 std::int64_t& out) const noexcept {
    if (!is(p, t.text + t.starts[1], t.sizes[1])) return nullptr;
    p = id(p + t.sizes[1], out);
    return p != nullptr && is(p, t.text + t.starts[2], t.sizes[2]) ? p + t.sizes[2] : nullptr;
  }
  std::uint32_t intern(const pattern& t, std::uint16_t which, const std::int64_t (&ids)[2]) {
    const std::int64_t id = ids[t.buffer_first ? 1 : 0], buffer_id = ids[t.buffer_first ? 0 : 1];
    const std::uint32_t before = names_.find_tensor(id);
    if (before != none && is_of(model_.tensors[before], t) &&
        model_.tensors[before].buffer == names_.find_buffer(buffer_id)) {
      remember(t.buffer_first, t.buffer_first ? model_.tensors[before].buffer : before, which);
      return before;
    }
    ark::buffer b;
    b.id = buffer_id;
    b.rank = t.rank;
    b.external = t.external;
    const std::size_t first = model_.tags.size();
    if (t.recv_first) b.recv_tags = tags_again(t.recv_tags);
    b.send_tags = tags_again(t.send_tags);
    if (!t.recv_first) b.recv_tags = tags_again(t.recv_tags);
    const std::uint32_t buffer = names_.buffer(b, first);
    const std::uint32_t tensor = names_.tensor({id, t.layout, buffer, none, t.type});
    remember(t.buffer_first, t.buffer_first ? buffer : tensor, which);
    return tensor;
  }
  /// Whether that is all that the pattern says of it. Tags are left to the interner.
  [[nodiscard]] bool is_of(const ark::tensor& k, const pattern& t) const noexcept {
    const ark::buffer& b = model_.buffers[k.buffer];
    return k.layout == t.layout && k.type == t.type && k.members == none && b.rank == t.rank &&
           b.external == t.external && b.members == none &&
           (b.send_tags.count | b.recv_tags.count | t.send_tags.count | t.recv_tags.count) == 0;
  }
  range tags_again(range r) {
    const std::uint32_t first = names_.index(model_.tags.size());
    if (r.count != 0) model_.tags.append(model_.tags.data() + r.first, r.count);
    return {first, r.count};
  }
  /// The pattern that a tensor, or a buffer, had.
  void remember(bool is_buffer, std::uint32_t entry, std::uint16_t which) {
    pool<std::uint16_t>& had = had_[is_buffer ? 1 : 0];
    if (entry >= had.size()) had.resize(std::size_t{entry} + 1);
    had[entry] = which;
  }

  /// Reads a tensor member by member, and keeps its pattern if it has one.
  const char* spelled(const char* const p, std::uint16_t& which, std::uint32_t& out) {
    which = 0;
    const interner::mark start = names_.inner_mark();
    if (const char* const end = usual(p, which, out)) return end;
    names_.go_back(start);
    return plain_tensor(p, out);
  }
  const char* plain_tensor(const char* p, std::uint32_t& out);

  const char* usual(const char* const p, std::uint16_t& which, std::uint32_t& out) {
    ark::tensor t;
    ark::layout l;
    const char *id_at[2][2] = {}, *end = nullptr;  // [1]: the buffer's
    bool recv_first = false;
    std::uint32_t counts[4] = {};
    unsigned seen = 0;
    end = object(
        tensor_slots, tensor_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0: id_at[0][0] = v; return id_at[0][1] = id(v, t.id);
            case 1: {
              std::string_view name;
              if ((v = quoted(v, name)) == nullptr) return v;
              const std::size_t type = data_type_slots.find(name);
              t.type = static_cast<data_type>(type);
              return type < std::size(data_type_table) ? v : nullptr;
            }
            case 2: return dimensions(v, l.shape, counts[0]);
            case 3: return dimensions(v, l.strides, counts[1]);
            case 4: return dimensions(v, l.offsets, counts[2]);
            case 5: return dimensions(v, l.padded_shape, counts[3]);
            case 7: return v = nullptr;  // of the dialect that has no padded shape
            default:
              if (!signs_.buffer_third.known()) signs_.buffer_third = (seen & 1u << 2) == 0;
              return buffer(v, t.buffer, id_at[1], recv_first);
          }
        },
        [&](const char* key, const char* v) { return member(key, v, t.members); });
    if (end == nullptr || seen != 0b1111111 || counts[1] != counts[0] || counts[2] != counts[0] ||
        counts[3] != counts[0])
      return nullptr;
    l.rank = counts[0];
    t.layout = names_.layout(l);
    out = names_.tensor(t);
    const ark::buffer& b = model_.buffers[t.buffer];
    if (end - p > 8192 || t.members != none || b.members != none) return end;

    const bool buffer_first = id_at[1][0] < id_at[0][0];
    const char* const(&one)[2] = id_at[buffer_first ? 1 : 0];
    const char* const(&two)[2] = id_at[buffer_first ? 0 : 1];
    const auto size = [](const char* from, const char* to) {
      return static_cast<std::uint32_t>(to - from);
    };
    const pattern made{p,
                       {size(p, one[0]), size(one[1], two[0]), size(two[1], end)},
                       {0, size(p, one[1]), size(p, two[1])},
                       t.layout,
                       b.rank,
                       b.send_tags,
                       b.recv_tags,
                       t.type,
                       b.external,
                       buffer_first,
                       recv_first};
    which = latest_ = place(made);
    if (std::uint16_t* const found = with_text(one[1])) *found = which;
    remember(buffer_first, buffer_first ? t.buffer : out, which);
    return end;
  }
  /// Where the pattern of the same text is, or goes; never 0.
  std::uint16_t place(const pattern& made) {
    std::uint64_t hash = 0;
    for (std::size_t part = 0; part < 3; ++part)
      hash = mixed(hash, made.text + made.starts[part], made.sizes[part]);
    hash = (hash ^ made.sizes[1]) * 0x9e3779b97f4a7c15u;
    const std::size_t set = 1 + to_size(hash >> (64 - table_bits_ + 4)) * ways;  // 0: no pattern
    std::size_t at = set + next_way_++ % ways;
    for (std::size_t i = set; i < set + ways; ++i) {
      const pattern& t = patterns_[i];
      bool same = t.text != nullptr;
      for (std::size_t part = 0; part < 3 && same; ++part)
        same = t.sizes[part] == made.sizes[part] &&
               equal(t.text + t.starts[part], made.text + made.starts[part], made.sizes[part]);
      if (same) return static_cast<std::uint16_t>(i);
      if (t.text == nullptr) at = i;
    }
    patterns_[at] = made;
    return static_cast<std::uint16_t>(at);
  }
  const char* buffer(const char* p, std::uint32_t& out, const char* (&id_at)[2], bool& recv_first) {
    ark::buffer b;
    const std::size_t first_tag = model_.tags.size();
    unsigned seen = 0;
    p = object(
        buffer_slots, buffer_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0: id_at[0] = v; return id_at[1] = id(v, b.id);
            case 1: {
              std::int64_t rank = 0;
              v = integer(v, rank, INT32_MIN, INT32_MAX);
              b.rank = static_cast<std::int32_t>(rank);
              return v;
            }
            case 2: return tags(v, b.send_tags);
            case 3: recv_first = (seen & 1u << 2) == 0; return tags(v, b.recv_tags);
            default: {
              bool external = false;
              v = boolean(v, external);
              b.external = external ? external::yes : external::no;
              signs_.external = true;
              signs_.external_last = signs_.external_last || (seen & 0b1100) != 0;
              return v;
            }
          }
        },
        [&](const char* key, const char* v) { return member(key, v, b.members); });
    if (p == nullptr || (seen & 0b1111) != 0b1111) return nullptr;
    out = names_.buffer(b, first_tag);
    return p;
  }
  const char* tags(const char* p, range& out) {
    out.first = names_.index(model_.tags.size());
    return array(tags_space_, p, out.count, [this](const char* v) -> const char* {
      std::int64_t pair[2] = {};
      std::uint32_t count = 0, at = 0;
      v = array(tag_space_, v, count, [&](const char* n) {
        return at < 2 ? integer(n, pair[at++], INT32_MIN, INT32_MAX) : nullptr;
      });
      if (v == nullptr || count != 2) return nullptr;
      model_.tags.push_back(
          {static_cast<std::int32_t>(pair[0]), static_cast<std::int32_t>(pair[1])});
      return v;
    });
  }

  /// Reserves pools for the nodes from `p` on, assuming that they resemble the earlier ones.
  void reserve(const char* p) {
    reserved_ = true;
    const double more = 1.06 * static_cast<double>(end_ - begin_) / static_cast<double>(p - begin_);
    const auto scale = [more](auto& list) {
      list.reserve(static_cast<std::size_t>(static_cast<double>(list.size()) * more));
    };
    scale(model_.nodes);
    scale(model_.ops);
    scale(model_.uses);
    scale(model_.arguments);
    scale(model_.tensors);
    scale(model_.buffers);
    scale(model_.integers);
  }

  static constexpr auto not_read = [](const char*, const char*) -> const char* { return nullptr; };

  graph_reader& plain_;
  ark::model& model_;
  interner& names_;
  dialect_signs& signs_;
  const char* refused_ = nullptr;  // the node that was left last
  bool reserved_ = false;
  unsigned table_bits_ = 0;  // of tables of the past; they grow with the text

  expected between_nodes_;
  array_space ids_space_, ops_space_, tensors_space_, dimensions_space_, tags_space_, tag_space_;
  links<std::size(node_keys)> node_links_;
  links<std::size(op_keys)> op_links_;
  links<std::size(tensor_keys)> tensor_links_;
  links<std::size(buffer_keys)> buffer_links_;
  links<std::size(argument_names)> argument_links_;
  links<std::size(argument_type_names)> argument_type_links_;

  pool<std::uint32_t> uses_[3];
  pool<known_arguments> known_arguments_;
  pool<pattern> patterns_;                      // by their hash
  pool<std::uint16_t> after_path_, after_two_;  // patterns that followed on others
  pool<std::uint16_t> after_id_;                // patterns by the text after their first Id
  pool<std::uint16_t> had_[2];                  // patterns of tensors, and of buffers
  std::uint64_t path_ = 0;                      // the latest patterns, mixed
  std::uint16_t latest_ = 0;                    // the latest pattern that was spelled
  std::uint32_t two_ = 0;                       // the latest two
  std::uint32_t replaced_layouts_ = 0, next_way_ = 0;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_READ_FAST_HPP
