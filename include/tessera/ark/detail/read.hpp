// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/read.hpp.

#ifndef TESSERA_ARK_DETAIL_READ_HPP
#define TESSERA_ARK_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../read.hpp"
#include "dialect_signs.hpp"
#include "read_fast.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class plan_reader;

/// Reads the objects of a model into a model. Plans hold the same operations and use it too.
class graph_reader {
 public:
  graph_reader(model& g, const limits& limit) : model_(g), names_(g), limit_(limit) {}

  [[gnu::cold]] void root(json::reader& in, read_path path) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s01_root)) return;
    bool rank = false, world = false, nodes = false;
    std::uint64_t rank_at = at;
    member_list unknown{model_.own_members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Rank") {
        rank = true;
        rank_at = in.offset();
        model_.rank = small_integer(in, errc::ark_s03_world);
      } else if (key == "WorldSize") {
        world = true;
        model_.world_size = small_integer(in, errc::ark_s03_world);
      } else if (key == "Nodes") {
        nodes = true;
        if (!expect(in, json::kind::array, errc::ark_s04_nodes)) return;
        fast_nodes fast(*this);
        for (in.array(); in.element();)
          if (path == read_path::plain || !fast.read(in)) node(in);
        too_many(in, model_.nodes.size());
      } else {
        member(in, key, unknown);
      }
    }
    if (!in.failed() && !(rank && world && nodes)) in.fail(errc::ark_s02_root_member, at);
    if (!in.failed() && model_.rank >= model_.world_size) in.fail(errc::ark_s03_world, rank_at);
    model_.form = signs_.form();
  }

  void node(json::reader& in) {
    ark::node n;
    n.offset = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s04_nodes)) return;
    bool id = false, producers = false, consumers = false, op = false, ops = false;
    member_list unknown{n.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Id") {
        id = true;
        n.id = integer(in, errc::ark_s05_node_member);
      } else if (key == "ProducerNodeIds") {
        producers = true;
        n.producers = ids(in);
      } else if (key == "ConsumerNodeIds") {
        consumers = true;
        n.consumers = ids(in);
      } else if (key == "Op" || key == "Ops") {
        const bool many = key == "Ops";
        (many ? ops : op) = true;
        if ((op && ops) || signs_.holds_ops == !many)
          return in.fail(errc::ark_s06_op_or_ops, n.offset);
        signs_.holds_ops = many;
        n.ops = many ? operations(in) : one_operation(in);
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(id && producers && consumers)) return in.fail(errc::ark_s05_node_member, n.offset);
    if (!(op || ops)) return in.fail(errc::ark_s06_op_or_ops, n.offset);
    model_.nodes.push_back(n);
  }

  /// An operation, appended to the model's. `config` gets the text of a plan's member "Config".
  void operation(json::reader& in, std::string_view* config = nullptr) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s08_op_member)) return;
    ark::op o;
    bool type = false, name = false, is_virtual = false, args = false;
    bool listed[3] = {};
    pool<std::uint32_t>(&uses)[3] = uses_;
    member_list unknown{o.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Type") {
        type = true;
        if (!expect(in, json::kind::string, errc::ark_s08_op_member)) return;
        const std::string_view text = in.string();
        o.type = find_op_type(text);
        if (o.type == op_type::unknown) o.unknown_type = names_.characters(text);
      } else if (key == "Name") {
        name = true;
        if (!expect(in, json::kind::string, errc::ark_s08_op_member)) return;
        o.name = names_.characters(in.string());
      } else if (key == "IsVirtual") {
        is_virtual = true;
        if (!expect(in, json::kind::boolean, errc::ark_s08_op_member)) return;
        o.is_virtual = in.boolean();
      } else if (key == "Args") {
        args = true;
        arguments(in, o);
      } else if (key == "ReadTensors" || key == "WriteTensors" || key == "ResultTensors") {
        const std::size_t list = key[0] == 'W' ? 1 : key[2] == 'a' ? 0 : 2;
        listed[list] = true;
        if (!expect(in, json::kind::array, errc::ark_s08_op_member)) return;
        uses[list].clear();
        for (in.array(); in.element();) uses[list].push_back(tensor(in));
        too_many(in, uses[list].size());
      } else if (config != nullptr && key == "Config") {
        *config = in.skip();
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(type && name && is_virtual && args && listed[0] && listed[1] && listed[2]))
      return in.fail(errc::ark_s08_op_member, at);
    o.first_use = names_.index(model_.uses.size());
    o.reads = names_.index(uses[0].size());
    o.writes = names_.index(uses[1].size());
    o.results = names_.index(uses[2].size());
    for (const pool<std::uint32_t>& list : uses) model_.uses.append(list.data(), list.size());
    if (o.type == op_type::matmul) signs_.matmul(model_, o);
    model_.ops.push_back(o);
  }

  /// The dialect of a plan, which has no nodes: whatever its operations show.
  [[nodiscard]] dialect plan_form() const noexcept { return signs_.plan_form(); }
  /// Fails when an index of 32 bits no longer reaches.
  void finish(json::reader& in) {
    if (names_.overflown()) in.fail(errc::ark_too_large, 0);
  }
  [[nodiscard]] interner& names() noexcept { return names_; }

 private:
  friend class plan_reader;
  friend class fast_nodes;

  /// False, after failing with `code`, when another kind of value comes next. Text that is no JSON
  /// is left to the reader.
  static bool expect(json::reader& in, json::kind kind, errc code) {
    const json::kind found = in.peek();
    if (found == kind || found == json::kind::none) return true;
    in.fail(code, in.offset());
    return false;
  }
  /// An integer from `low` on: `kind` when there is none, `value` when it doesn't fit.
  static std::int64_t integer(json::reader& in, errc kind, std::int64_t low = 0,
                              std::int64_t high = INT64_MAX, errc value = errc::ark_s13_integer) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::number, kind)) return 0;
    const json::number n = in.number();
    if (in.failed()) return 0;
    json::reader digits(n.token);
    const std::int64_t v = digits.int64();
    if (digits.failed() || v < low || v > high) return in.fail(value, at), 0;
    return v;
  }
  /// Rank or WorldSize; one that is 0 there fails as 0 <= Rank < WorldSize does.
  static std::int32_t small_integer(json::reader& in, errc code) {
    return static_cast<std::int32_t>(integer(in, code, 0, INT32_MAX, code));
  }
  void too_many(json::reader& in, std::size_t count) const {
    if (count > limit_.max_items) in.fail(errc::too_many_items, in.offset());
  }

  /// The unknown members of an object: the first, which the object keeps, and the last.
  struct member_list {
    std::uint32_t& first;
    std::uint32_t last = none;
  };
  void member(json::reader& in, std::string_view key, member_list& to) {
    ark::member m;
    m.key = names_.characters(key);
    m.value = compact(in);
    const std::uint32_t at = names_.index(model_.members.size());
    (to.last == none ? to.first : model_.members[to.last].next) = at;
    to.last = at;
    model_.members.push_back(m);
  }
  /// The next value as compact JSON.
  string compact(json::reader& in) {
    string out{names_.index(model_.characters.size()), 0};
    json::writer w(model_.characters);
    json::copy(in, w);
    out.size = names_.index(model_.characters.size() - out.first);
    return out;
  }

  range ids(json::reader& in) {
    range out{names_.index(model_.integers.size()), 0};
    if (!expect(in, json::kind::array, errc::ark_s05_node_member)) return out;
    for (in.array(); in.element();)
      model_.integers.push_back(integer(in, errc::ark_s05_node_member));
    out.count = names_.index(model_.integers.size() - out.first);
    too_many(in, out.count);
    return out;
  }

  range one_operation(json::reader& in) {
    const range out{names_.index(model_.ops.size()), 1};
    if (expect(in, json::kind::object, errc::ark_s06_op_or_ops)) operation(in);
    return out;
  }
  range operations(json::reader& in) {
    range out{names_.index(model_.ops.size()), 0};
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::array, errc::ark_s06_op_or_ops)) return out;
    for (in.array(); in.element();) operation(in);
    out.count = names_.index(model_.ops.size() - out.first);
    too_many(in, out.count);
    if (!in.failed() && out.count == 0) in.fail(errc::ark_s07_no_ops, at);
    return out;
  }

  /// A list of up to four numbers; any more are counted, not stored.
  std::size_t dimensions(json::reader& in, std::int64_t (&out)[max_rank], errc kind) {
    std::size_t count = 0;
    if (!expect(in, json::kind::array, kind)) return 0;
    for (in.array(); in.element(); ++count) {
      const std::int64_t v = integer(in, errc::ark_s13_integer, INT64_MIN);
      if (count < max_rank) out[count] = v;
    }
    return count;
  }

  std::uint32_t tensor(json::reader& in) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s09_tensor_member)) return 0;
    ark::tensor t;
    ark::layout l;
    bool id = false, type = false, has_buffer = false;
    std::int64_t pads[max_rank] = {};
    std::int64_t(*const lists[])[max_rank] = {&l.shape, &l.strides, &l.offsets, &l.padded_shape,
                                              &pads};
    constexpr std::string_view keys[] = {"Shape", "Strides", "Offsets", "PaddedShape", "Pads"};
    std::size_t counts[5] = {}, offsets[5] = {};
    bool seen[5] = {};
    member_list unknown{t.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      std::size_t list = 0;
      while (list < 5 && key != keys[list]) ++list;
      if (list < 5) {
        seen[list] = true;
        offsets[list] = to_size(in.offset());
        counts[list] = dimensions(in, *lists[list], errc::ark_s09_tensor_member);
        if (!in.failed() && counts[list] > max_rank)
          return in.fail(errc::ark_t01_rank, offsets[list]), 0;
      } else if (key == "Id") {
        id = true;
        t.id = integer(in, errc::ark_s09_tensor_member);
      } else if (key == "DataType") {
        type = true;
        if (!expect(in, json::kind::string, errc::ark_s09_tensor_member)) return 0;
        const std::uint64_t name_at = in.offset();
        if (const std::string_view name = in.string(); !in.failed())
          if (!find_data_type(name, t.type)) return in.fail(errc::ark_t06_data_type, name_at), 0;
      } else if (key == "Buffer") {
        has_buffer = true;
        if (!signs_.buffer_third.known()) signs_.buffer_third = !seen[0];
        t.buffer = buffer(in);
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return 0;
    if (!(id && type && has_buffer && seen[0] && seen[1] && seen[2] && seen[3] != seen[4]))
      return in.fail(errc::ark_s09_tensor_member, at), 0;
    for (std::size_t list = 1; list < 5; ++list)
      if (seen[list] && counts[list] != counts[0])
        return in.fail(errc::ark_t01_rank, offsets[list]), 0;
    l.rank = static_cast<std::uint32_t>(counts[0]);
    if (seen[4]) {  // no padded region exists; the value is kept for writing
      for (std::size_t d = 0; d < max_rank; ++d) l.padded_shape[d] = l.shape[d];
      l.pads = names_.index(model_.integers.size());
      model_.integers.append(pads, counts[4]);
      signs_.pads = true;
    }
    t.layout = names_.layout(l);
    return names_.tensor(t);
  }

  std::uint32_t buffer(json::reader& in) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s09_tensor_member)) return 0;
    ark::buffer b;
    bool id = false, rank = false, send = false, recv = false;
    const std::size_t first_tag = model_.tags.size();
    member_list unknown{b.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Id") {
        id = true;
        b.id = integer(in, errc::ark_s10_buffer_member);
      } else if (key == "Rank") {
        rank = true;
        b.rank = static_cast<std::int32_t>(
            integer(in, errc::ark_s10_buffer_member, INT32_MIN, INT32_MAX));
      } else if (key == "SendTags") {
        send = true;
        b.send_tags = tags(in);
      } else if (key == "RecvTags") {
        recv = true;
        b.recv_tags = tags(in);
      } else if (key == "IsExternal") {
        if (!expect(in, json::kind::boolean, errc::ark_s10_buffer_member)) return 0;
        b.external = in.boolean() ? external::yes : external::no;
        signs_.external = true;
        signs_.external_last = signs_.external_last || send || recv;
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return 0;
    if (!(id && rank && send && recv)) return in.fail(errc::ark_s10_buffer_member, at), 0;
    return names_.buffer(b, first_tag);
  }
  range tags(json::reader& in) {
    range out{names_.index(model_.tags.size()), 0};
    if (!expect(in, json::kind::array, errc::ark_s10_buffer_member)) return out;
    for (in.array(); in.element();) {
      if (!expect(in, json::kind::array, errc::ark_b03_tags)) return out;
      const std::uint64_t at = in.offset();
      std::int64_t pair[2] = {};
      std::size_t count = 0;
      for (in.array(); in.element(); ++count) {
        const std::int64_t v =
            integer(in, errc::ark_b03_tags, INT32_MIN, INT32_MAX, errc::ark_b03_tags);
        if (count < 2) pair[count] = v;
      }
      if (!in.failed() && count != 2) return in.fail(errc::ark_b03_tags, at), out;
      model_.tags.push_back(
          {static_cast<std::int32_t>(pair[0]), static_cast<std::int32_t>(pair[1])});
    }
    out.count = names_.index(model_.tags.size() - out.first);
    too_many(in, out.count);
    return out;
  }

  void arguments(json::reader& in, ark::op& o) {
    o.arguments = {names_.index(model_.arguments.size()), 0};
    const std::uint64_t at = in.offset();
    if (in.peek() == json::kind::null) {
      o.args = args_form::null;
      return in.null();
    }
    if (in.peek() == json::kind::array) {
      o.args = args_form::array;
      in.array();
      if (in.element()) in.fail(errc::ark_s08_op_member, at);
      return;
    }
    if (!expect(in, json::kind::object, errc::ark_s08_op_member)) return;
    std::string_view key;
    for (in.object(); in.key(key);) {
      argument a;
      a.name = find_argument_name(key);
      if (a.name == argument_name::other) a.other_name = names_.characters(key);
      const std::string_view value = in.skip();
      if (in.failed()) return;
      json::reader known(value, limit_);
      if (!argument_value(known, a)) {
        json::reader again(value, limit_);
        a.type = argument_type::other;
        a.integers = {};
        a.token = compact(again);
      }
      model_.arguments.push_back(a);
    }
    o.arguments.count = names_.index(model_.arguments.size() - o.arguments.first);
    too_many(in, o.arguments.count);
  }
  /// {"TYPE": value} of a known TYPE with a value in its range; false for anything else.
  bool argument_value(json::reader& in, argument& a) {
    std::string_view key;
    if (in.peek() != json::kind::object) return false;
    in.object();
    if (!in.key(key)) return false;
    a.type = find_argument_type(key);
    switch (a.type) {
      case argument_type::int32: a.integer = in.int32(); break;
      case argument_type::int64: a.integer = in.int64(); break;
      case argument_type::uint32:
        a.integer = in.integer<std::int64_t>(0, std::int64_t{UINT32_MAX});
        break;
      case argument_type::uint64: a.integer = static_cast<std::int64_t>(in.uint64()); break;
      case argument_type::boolean: a.integer = in.boolean() ? 1 : 0; break;
      case argument_type::float32: {
        if (in.peek() != json::kind::number) return false;
        json::reader token(in.rest(), limit_);
        const std::string_view number = token.number().token;
        a.real = in.float32();
        if (!in.failed()) a.token = names_.characters(number);
        break;
      }
      case argument_type::dims: {
        std::int64_t dims[max_rank] = {};
        const std::size_t count = dimensions(in, dims, errc::ark_o05_argument_form);
        if (in.failed() || count > max_rank) return false;
        a.integers = {names_.index(model_.integers.size()), static_cast<std::uint32_t>(count)};
        model_.integers.append(dims, count);
        break;
      }
      case argument_type::tensor: a.integer = tensor(in); break;
      case argument_type::offset: offset(in, a); break;
      case argument_type::other: return false;
    }
    return !in.key(key) && in.finish().code == errc::ok;
  }
  /// {"BufferId": …, "Value": …}; in place of it the value alone.
  void offset(json::reader& in, argument& a) {
    a.integers.first = names_.index(model_.integers.size());
    std::int64_t parts[2] = {};
    bool seen[2] = {};
    if (in.peek() == json::kind::number) {
      model_.integers.push_back(in.integer<std::int64_t>(0, INT64_MAX));
      a.integers.count = 1;
      return;
    }
    std::string_view key;
    for (in.object(); in.key(key);) {
      const std::size_t part = key == "BufferId" ? 0 : key == "Value" ? 1 : 2;
      if (part == 2) return in.fail(errc::ark_o05_argument_form, in.offset());
      parts[part] = in.integer<std::int64_t>(0, INT64_MAX);
      seen[part] = true;
    }
    if (!(seen[0] && seen[1])) in.fail(errc::ark_o05_argument_form, 0);
    model_.integers.append(parts, 2);
    a.integers.count = 2;
  }

  ark::model& model_;
  interner names_;
  limits limit_;
  pool<std::uint32_t> uses_[3];
  dialect_signs signs_;
};

// ---- What the fast path leaves to the plain one.

inline fast_nodes::fast_nodes(graph_reader& plain) noexcept
    : repeated_text(plain.limit_),
      plain_(plain),
      model_(plain.model_),
      names_(plain.names_),
      signs_(plain.signs_) {}

inline const char* fast_nodes::member(const char* quote, const char* p, std::uint32_t& first) {
  std::string_view key;
  if (quoted(quote, key) == nullptr) return nullptr;
  constexpr unsigned few = 8;
  unsigned count = 0;
  graph_reader::member_list list{first};
  for (std::uint32_t i = first; i != none; i = model_.members[i].next) {
    if (++count > few || text_of(model_, model_.members[i].key) == key) return nullptr;
    list.last = i;
  }
  return by_reader(p, [&](json::reader& in) { plain_.member(in, key, list); });
}
inline const char* fast_nodes::plain_arguments(const char* p, op& o) {
  return by_reader(p, [&](json::reader& in) { plain_.arguments(in, o); });
}
inline const char* fast_nodes::plain_tensor(const char* p, std::uint32_t& out) {
  return by_reader(p, [&](json::reader& in) { out = plain_.tensor(in); });
}

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<model> read(std::string_view source, const read_options& options) {
  model m;
  json::reader in(source, options.limit);
  detail::graph_reader reader(m, options.limit);
  reader.root(in, options.path);
  reader.finish(in);
  if (const error e = in.finish(); e.code != errc::ok) return e;
  return m;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_READ_HPP
