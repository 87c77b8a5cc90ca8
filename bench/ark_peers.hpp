// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How one reads an ARK model graph of one Op a node with simdjson's On-Demand and with nlohmann's
// DOM: what ours is measured against. Both fill the same pools through the same interner. They
// trust the text: they check no schema, keep no places, and know no unknown members.

#ifndef TESSERA_BENCH_ARK_PEERS_HPP
#define TESSERA_BENCH_ARK_PEERS_HPP

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tessera/ark.hpp>
#include <utility>
#if defined(TESSERA_BENCH_NLOHMANN)
#include <nlohmann/json.hpp>
#endif

namespace bench {

namespace ark = tessera::ark;
namespace ondemand = simdjson::ondemand;

/// Finds the names of a table by a hash.
class ark_names {
 public:
  template <class Rows, class Name>
  ark_names(const Rows& rows, Name name) {
    for (const auto& row : rows) {
      const std::string_view text = name(row);
      std::size_t at = slot(text);
      while (used_[at]) at = (at + 1) % size;
      used_[at] = true;
      names_[at] = text;
      rows_[at] = static_cast<std::uint8_t>(&row - &rows[0]);
    }
  }
  template <class Row>
  [[nodiscard]] Row find(std::string_view name) const {
    std::size_t at = slot(name);
    while (used_[at] && names_[at] != name) at = (at + 1) % size;
    return static_cast<Row>(rows_[at]);
  }

 private:
  static constexpr std::size_t size = 256;
  [[nodiscard]] static std::size_t slot(std::string_view s) {
    if (s.empty()) return 0;
    const auto at = [s](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    return (s.size() * 31 + at(0) * 7u + at(s.size() / 2) * 131u + at(s.size() - 1) * 17u) % size;
  }
  std::string_view names_[size];
  std::uint8_t rows_[size] = {};
  bool used_[size] = {};
};
inline const ark_names ark_op_names(ark::op_table, [](const auto& row) { return row.name; });
inline const ark_names ark_data_names(ark::data_type_table,
                                      [](const auto& row) { return row.name; });
inline const ark_names ark_argument_names(ark::argument_names, [](const auto& s) { return s; });
inline const ark_names ark_type_names(ark::argument_type_names, [](const auto& s) { return s; });

/// Fills a graph by On-Demand. `Ordered` asks for members in the order in which ARK writes them,
/// which is the fastest as long as they come in it; without it each member is recognized by its
/// key, in any order.
template <bool Ordered>
class on_demand_reader {
 public:
  explicit on_demand_reader(ark::model& g) : graph_(g), names_(g) {}

  void read(ondemand::parser& parser, const simdjson::padded_string& source) {
    graph_.nodes.reserve(source.size() / 1000);
    graph_.ops.reserve(source.size() / 1000);
    graph_.uses.reserve(source.size() / 250);
    graph_.tensors.reserve(source.size() / 400);
    graph_.buffers.reserve(source.size() / 800);
    ondemand::document document = parser.iterate(source);
    for (auto field : document.get_object()) {
      const ondemand::raw_json_string key = field.key();
      if (key == "Rank")
        graph_.rank = static_cast<std::int32_t>(integer(field.value()));
      else if (key == "WorldSize")
        graph_.world_size = static_cast<std::int32_t>(integer(field.value()));
      else
        for (auto element : field.value().get_array()) node(element.value_unsafe());
    }
    if (failed_ != 0) throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
  }

 private:
  /// Calls take(i, value) for the members of an object, of which `keys` gives the i-th.
  template <class Take, std::size_t... I, class... Keys>
  [[gnu::always_inline]] void ordered(ondemand::object& o, Take take, std::index_sequence<I...>,
                                      Keys... keys) {
    const auto one = [&](auto i, std::string_view key) {
      ondemand::value v;
      failed_ |= o.find_field_unordered(key).get(v);
      take(i, v);
    };
    (one(std::integral_constant<std::size_t, I>(), keys), ...);
  }
  template <class Take, class... Keys>
  [[gnu::always_inline]] void members(ondemand::value from, Take take, Keys... keys) {
    ondemand::object o;
    failed_ |= from.get_object().get(o);
    if constexpr (Ordered) {
      ordered(o, take, std::index_sequence_for<Keys...>(), keys...);
    } else {
      for (auto field : o) {
        const ondemand::raw_json_string key = field.key().value_unsafe();
        ondemand::value v = std::move(field).value().value_unsafe();
        std::size_t i = 0;
        (void)((key.unsafe_is_equal(keys) ? true : (++i, false)) || ...);
        take(i, v);
      }
    }
  }
  template <class Value>
  [[gnu::always_inline]] std::int64_t integer(Value v) {
    std::int64_t out = 0;
    failed_ |= v.get_int64().get(out);
    return out;
  }
  std::string_view string(ondemand::value& v) {
    std::string_view out;
    failed_ |= v.get_string().get(out);
    return out;
  }
  bool boolean(ondemand::value& v) {
    bool out = false;
    failed_ |= v.get_bool().get(out);
    return out;
  }
  [[nodiscard]] static std::uint32_t index(std::size_t size) {
    return static_cast<std::uint32_t>(size);
  }
  template <class Take>
  [[gnu::always_inline]] std::uint32_t each(ondemand::value& v, Take take) {
    ondemand::array list;
    failed_ |= v.get_array().get(list);
    std::uint32_t count = 0;
    for (auto element : list) {
      take(element.value_unsafe());
      ++count;
    }
    return count;
  }

  void node(ondemand::value from) {
    ark::node n;
    members(
        from,
        [&](std::size_t i, ondemand::value& v) {
          switch (i) {
            case 0: n.id = integer(v); break;
            case 1: n.producers = integers(v); break;
            case 2: n.consumers = integers(v); break;
            default: n.ops = {index(graph_.ops.size()), 1}; operation(v);
          }
        },
        "Id", "ProducerNodeIds", "ConsumerNodeIds", "Op");
    graph_.nodes.push_back(n);
  }
  ark::range integers(ondemand::value& v) {
    const std::uint32_t first = index(graph_.integers.size());
    return {first, each(v, [&](ondemand::value e) { graph_.integers.push_back(integer(e)); })};
  }
  void operation(ondemand::value from) {
    ark::op o;
    members(
        from,
        [&](std::size_t i, ondemand::value& v) {
          switch (i) {
            case 0: o.type = ark_op_names.find<ark::op_type>(string(v)); break;
            case 1: o.name = names_.characters(string(v)); break;
            case 2: o.is_virtual = boolean(v); break;
            case 6: arguments(v, o.arguments); break;
            default: {
              tessera::pool<std::uint32_t>& list = uses_[i - 3];
              list.clear();
              each(v, [&](ondemand::value e) { list.push_back(tensor(e)); });
            }
          }
        },
        "Type", "Name", "IsVirtual", "ReadTensors", "WriteTensors", "ResultTensors", "Args");
    o.first_use = index(graph_.uses.size());
    o.reads = index(uses_[0].size());
    o.writes = index(uses_[1].size());
    o.results = index(uses_[2].size());
    for (const auto& list : uses_) graph_.uses.append(list.data(), list.size());
    graph_.ops.push_back(o);
  }
  void arguments(ondemand::value& from, ark::range& out) {
    out.first = index(graph_.arguments.size());
    ondemand::object o;
    failed_ |= from.get_object().get(o);
    for (auto field : o) {
      ark::argument a;
      std::string_view key;
      failed_ |= field.unescaped_key().get(key);
      a.name = ark_argument_names.find<ark::argument_name>(key);
      ondemand::object typed;
      failed_ |= field.value().get_object().get(typed);
      for (auto inner : typed) {
        failed_ |= inner.unescaped_key().get(key);
        a.type = ark_type_names.find<ark::argument_type>(key);
        ondemand::value v = inner.value().value_unsafe();
        switch (a.type) {
          case ark::argument_type::boolean: a.integer = boolean(v) ? 1 : 0; break;
          case ark::argument_type::dims: a.integers = integers(v); break;
          case ark::argument_type::float32: {
            std::string_view token = v.raw_json_token();
            while (token.back() <= ' ') token.remove_suffix(1);
            double real = 0;
            failed_ |= v.get_double().get(real);
            a.real = static_cast<float>(real);
            a.token = names_.characters(token);
            break;
          }
          default: a.integer = integer(v);
        }
      }
      graph_.arguments.push_back(a);
      ++out.count;
    }
  }
  std::uint32_t dimensions(ondemand::value& v, std::int64_t (&out)[ark::max_rank]) {
    std::size_t at = 0;
    return each(v, [&](ondemand::value e) {
      if (at < ark::max_rank) out[at++] = integer(e);
    });
  }
  std::uint32_t tensor(ondemand::value from) {
    ark::tensor t;
    ark::layout l;
    members(
        from,
        [&](std::size_t i, ondemand::value& v) {
          switch (i) {
            case 0: t.id = integer(v); break;
            case 1: t.type = ark_data_names.find<ark::data_type>(string(v)); break;
            case 2: l.rank = dimensions(v, l.shape); break;
            case 3: dimensions(v, l.strides); break;
            case 4: dimensions(v, l.offsets); break;
            case 5: dimensions(v, l.padded_shape); break;
            default: t.buffer = buffer(v);
          }
        },
        "Id", "DataType", "Shape", "Strides", "Offsets", "PaddedShape", "Buffer");
    t.layout = names_.layout(l);
    return names_.tensor(t);
  }
  std::uint32_t buffer(ondemand::value& from) {
    ark::buffer b;
    const std::size_t first = graph_.tags.size();
    members(
        from,
        [&](std::size_t i, ondemand::value& v) {
          switch (i) {
            case 0: b.id = integer(v); break;
            case 1: b.rank = static_cast<std::int32_t>(integer(v)); break;
            case 2: b.send_tags = tags(v); break;
            default: b.recv_tags = tags(v);
          }
        },
        "Id", "Rank", "SendTags", "RecvTags");
    return names_.buffer(b, first);
  }
  ark::range tags(ondemand::value& v) {
    const std::uint32_t first = index(graph_.tags.size());
    return {first, each(v, [&](ondemand::value e) {
              std::int32_t pair[2] = {};
              std::size_t at = 0;
              each(e, [&](ondemand::value n) {
                if (at < 2) pair[at++] = static_cast<std::int32_t>(integer(n));
              });
              graph_.tags.push_back({pair[0], pair[1]});
            })};
  }

  ark::model& graph_;
  ark::interner names_;
  tessera::pool<std::uint32_t> uses_[3];
  int failed_ = 0;
};

[[nodiscard]] inline ark::model read_on_demand(ondemand::parser& parser,
                                               const simdjson::padded_string& source,
                                               bool ordered) {
  ark::model g;
  if (ordered)
    on_demand_reader<true>(g).read(parser, source);
  else
    on_demand_reader<false>(g).read(parser, source);
  return g;
}

#if defined(TESSERA_BENCH_NLOHMANN)
[[nodiscard]] inline ark::model read_nlohmann_graph(std::string_view source) {
  const nlohmann::ordered_json document = nlohmann::ordered_json::parse(source);
  ark::model g;
  ark::interner names(g);
  const auto index = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  const auto integers = [&](const auto& list) {
    const ark::range out{index(g.integers.size()), index(list.size())};
    for (const auto& v : list) g.integers.push_back(v.template get<std::int64_t>());
    return out;
  };
  const auto tags = [&](const auto& list) {
    const ark::range out{index(g.tags.size()), index(list.size())};
    for (const auto& v : list)
      g.tags.push_back({v[0].template get<std::int32_t>(), v[1].template get<std::int32_t>()});
    return out;
  };
  const auto buffer = [&](const auto& from) {
    ark::buffer b;
    const std::size_t first = g.tags.size();
    for (const auto& [key, v] : from.items()) {
      if (key == "Id") b.id = v.template get<std::int64_t>();
      if (key == "Rank") b.rank = v.template get<std::int32_t>();
      if (key == "SendTags") b.send_tags = tags(v);
      if (key == "RecvTags") b.recv_tags = tags(v);
    }
    return names.buffer(b, first);
  };
  const auto tensor = [&](const auto& from) {
    ark::tensor t;
    ark::layout l;
    const auto dims = [&](const char* key, std::int64_t(&out)[ark::max_rank]) {
      const auto& list = from.at(key);
      for (std::size_t i = 0; i < list.size(); ++i) out[i] = list[i].template get<std::int64_t>();
      return index(list.size());
    };
    t.id = from.at("Id").template get<std::int64_t>();
    t.type = ark_data_names.find<ark::data_type>(
        from.at("DataType").template get_ref<const std::string&>());
    l.rank = dims("Shape", l.shape);
    dims("Strides", l.strides);
    dims("Offsets", l.offsets);
    dims("PaddedShape", l.padded_shape);
    t.buffer = buffer(from.at("Buffer"));
    t.layout = names.layout(l);
    return names.tensor(t);
  };
  const auto argument = [&](const std::string& name, const auto& typed) {
    ark::argument a;
    a.name = ark_argument_names.find<ark::argument_name>(name);
    const auto& first = typed.items().begin();
    a.type = ark_type_names.find<ark::argument_type>(first.key());
    const auto& v = first.value();
    if (a.type == ark::argument_type::boolean) {
      a.integer = v.template get<bool>() ? 1 : 0;
    } else if (a.type == ark::argument_type::dims) {
      a.integers = integers(v);
    } else if (a.type == ark::argument_type::float32) {
      a.real = static_cast<float>(v.template get<double>());
      a.token = names.characters(v.dump());
    } else {
      a.integer = v.template get<std::int64_t>();
    }
    g.arguments.push_back(a);
  };
  g.rank = document.at("Rank").get<std::int32_t>();
  g.world_size = document.at("WorldSize").get<std::int32_t>();
  for (const auto& from : document.at("Nodes")) {
    ark::node n;
    n.ops = {index(g.ops.size()), 1};
    for (const auto& [node_key, value] : from.items()) {
      if (node_key == "Id") n.id = value.get<std::int64_t>();
      if (node_key == "ProducerNodeIds") n.producers = integers(value);
      if (node_key == "ConsumerNodeIds") n.consumers = integers(value);
      if (node_key != "Op") continue;
      ark::op o;
      tessera::pool<std::uint32_t> uses[3];
      for (const auto& [key, v] : value.items()) {
        if (key == "Type")
          o.type = ark_op_names.find<ark::op_type>(v.get_ref<const std::string&>());
        if (key == "Name") o.name = names.characters(v.get_ref<const std::string&>());
        if (key == "IsVirtual") o.is_virtual = v.get<bool>();
        const std::size_t list = key == "ReadTensors"     ? 0
                                 : key == "WriteTensors"  ? 1
                                 : key == "ResultTensors" ? 2
                                                          : 3;
        if (list < 3)
          for (const auto& t : v) uses[list].push_back(tensor(t));
        if (key != "Args") continue;
        o.arguments = {index(g.arguments.size()), index(v.size())};
        for (const auto& [name, typed] : v.items()) argument(name, typed);
      }
      o.first_use = index(g.uses.size());
      o.reads = index(uses[0].size());
      o.writes = index(uses[1].size());
      o.results = index(uses[2].size());
      for (const auto& list : uses) g.uses.append(list.data(), list.size());
      g.ops.push_back(o);
    }
    g.nodes.push_back(n);
  }
  return g;
}
#endif

}  // namespace bench

#endif  // TESSERA_BENCH_ARK_PEERS_HPP
