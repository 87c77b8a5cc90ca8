// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How one reads an ALIR model with simdjson's On-Demand and with nlohmann's DOM: what ours is measured
// against. Both trust the text: they check no schema, and keep neither spellings nor places.

#ifndef TESSERA_BENCH_JSON_PEERS_HPP
#define TESSERA_BENCH_JSON_PEERS_HPP

#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <tessera/alir.hpp>
#include <utility>
#if defined(TESSERA_BENCH_NLOHMANN)
#include <nlohmann/json.hpp>
#endif

namespace bench {

namespace alir = tessera::alir;
namespace ondemand = simdjson::ondemand;

/// The 64-bit data of version 2, taken apart.
inline void set_data(alir::operation& o, std::int64_t data) {
  const auto low = static_cast<std::int32_t>(data), high = static_cast<std::int32_t>(data >> 32);
  if (o.code == alir::opcode::mux || o.code == alir::opcode::add_constant)
    o.data = low, o.shift = high;
  else if (o.code == alir::opcode::bit_binary)
    o.data = static_cast<std::uint32_t>(high), o.shift = low;
  else
    o.data = data;
}

inline void set_hash(alir::model& m, alir::lookup_table& t, std::string_view hash) {
  t.hash_first = m.hashes.size();
  t.hash_size = hash.size();
  m.hashes << hash;
}

/// Reads the element that comes next of an array of known order. What goes wrong is kept in one
/// flag, which costs On-Demand less than throwing, and stepping by hand less than a loop.
template <class T>
[[gnu::always_inline]] inline T take(ondemand::array_iterator& at, int& failed) {
  T value{};
  failed |= (*at).get(value);
  ++at;
  return value;
}
[[gnu::always_inline]] inline std::int32_t take_int32(ondemand::array_iterator& at, int& failed) {
  return static_cast<std::int32_t>(take<std::int64_t>(at, failed));
}

/// [min,max,step],latency,cost
[[gnu::always_inline]] inline void take_numbers(alir::operation& o, ondemand::array_iterator& at,
                                                int& failed) {
  ondemand::array qint;
  failed |= (*at).get(qint);
  ondemand::array_iterator inner;
  failed |= qint.begin().get(inner);
  o.qint.min = take<double>(inner, failed);
  o.qint.max = take<double>(inner, failed);
  o.qint.step = take<double>(inner, failed);
  ++at;
  o.latency = take<double>(at, failed);
  o.cost = take<double>(at, failed);
}

/// A row of version 2: [id0,id1,opcode,data,[min,max,step],latency,cost].
[[nodiscard]] inline alir::operation read_row(ondemand::array row, int& failed) {
  alir::operation o;
  ondemand::array_iterator at;
  failed |= row.begin().get(at);
  o.id0 = take_int32(at, failed);
  o.id1 = take_int32(at, failed);
  o.code = static_cast<alir::opcode>(take_int32(at, failed));
  set_data(o, take<std::int64_t>(at, failed));
  take_numbers(o, at, failed);
  return o;
}

/// A row of versions 3 and 4: [[id,...],opcode,[data,...],[min,max,step],latency,cost].
[[nodiscard]] inline alir::operation read_variadic_row(ondemand::array row, int& failed) {
  alir::operation o;
  std::int64_t ids[3] = {}, data[2] = {};
  const auto list = [&failed](ondemand::array values, std::int64_t* to, unsigned most) {
    unsigned count = 0;
    for (auto v : values) {
      if (count == most) return failed |= 1, count;
      failed |= v.get(to[count++]);
    }
    return count;
  };
  ondemand::array_iterator at;
  failed |= row.begin().get(at);
  ondemand::array inner;
  failed |= (*at).get(inner);
  const unsigned id_count = list(inner, ids, 3);
  ++at;
  o.code = static_cast<alir::opcode>(take_int32(at, failed));
  failed |= (*at).get(inner);
  list(inner, data, 2);
  ++at;
  take_numbers(o, at, failed);
  if (id_count > 0) o.id0 = static_cast<std::int32_t>(ids[0]);
  if (id_count > 1) o.id1 = static_cast<std::int32_t>(ids[1]);
  o.data = data[0];
  switch (o.code) {
    case alir::opcode::input:
      o.data = 0;
      o.id0 = static_cast<std::int32_t>(data[0]);
      break;
    case alir::opcode::quantize:
      o.data = 0;
      o.shift = static_cast<std::int32_t>(data[0]);
      break;
    case alir::opcode::add_constant: o.shift = static_cast<std::int32_t>(data[1]); break;
    case alir::opcode::mux:
      o.data = ids[2];
      o.shift = static_cast<std::int32_t>(data[0]);
      break;
    case alir::opcode::bit_binary:
      o.data = data[1] << 24;
      o.shift = static_cast<std::int32_t>(data[0]);
      break;
    default: break;
  }
  return o;
}

[[nodiscard]] inline alir::model read_on_demand(ondemand::parser& parser,
                                                const simdjson::padded_string& source,
                                                bool variadic = false) {
  alir::model m;
  m.ops.reserve(source.size() / 48);
  int failed = 0;
  const auto integers = [&failed](ondemand::array list, auto& out) {
    for (auto v : list) {
      std::int64_t value = 0;
      failed |= v.get(value);
      out.push_back(static_cast<std::int32_t>(value));
    }
  };
  ondemand::document document = parser.iterate(source);
  int index = 0;
  for (auto field : document["model"].get_array()) {
    switch (index++) {
      case 0: {
        ondemand::array_iterator at = field.get_array().begin();
        m.n_inputs = take<std::int64_t>(at, failed);
        m.n_outputs = take<std::int64_t>(at, failed);
        break;
      }
      case 1: integers(field.get_array(), m.inp_shifts); break;
      case 2: integers(field.get_array(), m.out_idxs); break;
      case 3: integers(field.get_array(), m.out_shifts); break;
      case 4:
        for (auto v : field.get_array()) m.out_negs.push_back(v.get_bool() ? 1 : 0);
        break;
      case 5:
        if (variadic)
          for (auto row : field.get_array())
            m.ops.push_back(read_variadic_row(row.get_array(), failed));
        else
          for (auto row : field.get_array()) m.ops.push_back(read_row(row.get_array(), failed));
        break;
      case 6: m.carry_size = field.get_int64(); break;
      case 7: m.adder_size = field.get_int64(); break;
      default:
        if (field.is_null()) break;
        for (auto record : field.get_array()) {
          alir::lookup_table t;
          t.first = m.table_data.size();
          t.has_spec = true;
          ondemand::object spec = record["spec"].get_object();
          set_hash(m, t, spec["hash"].get_string());
          ondemand::object q = spec["out_qint"].get_object();
          t.out_qint.min = q["min"].get_double();
          t.out_qint.max = q["max"].get_double();
          t.out_qint.step = q["step"].get_double();
          t.inp_width = spec["inp_width"].get_int64();
          integers(record["table"].get_array(), m.table_data);
          t.count = m.table_data.size() - t.first;
          m.tables.push_back(std::move(t));
        }
    }
  }
  if (failed != 0) throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
  return m;
}

#if defined(TESSERA_BENCH_NLOHMANN)
[[nodiscard]] inline alir::model read_nlohmann(std::string_view source) {
  const nlohmann::json document = nlohmann::json::parse(source);
  const nlohmann::json& model = document.at("model");
  alir::model m;
  const auto integers = [](const nlohmann::json& list, auto& out) {
    for (const nlohmann::json& v : list) out.push_back(v.get<std::int32_t>());
  };
  m.n_inputs = model[0][0].get<std::int64_t>();
  m.n_outputs = model[0][1].get<std::int64_t>();
  integers(model[1], m.inp_shifts);
  integers(model[2], m.out_idxs);
  integers(model[3], m.out_shifts);
  for (const nlohmann::json& v : model[4]) m.out_negs.push_back(v.get<bool>() ? 1 : 0);
  m.ops.reserve(model[5].size());
  for (const nlohmann::json& row : model[5]) {
    alir::operation o;
    o.id0 = row[0].get<std::int32_t>();
    o.id1 = row[1].get<std::int32_t>();
    o.code = static_cast<alir::opcode>(row[2].get<int>());
    set_data(o, row[3].get<std::int64_t>());
    o.qint = {row[4][0].get<double>(), row[4][1].get<double>(), row[4][2].get<double>()};
    o.latency = row[5].get<double>();
    o.cost = row[6].get<double>();
    m.ops.push_back(o);
  }
  m.carry_size = model[6].get<std::int64_t>();
  m.adder_size = model[7].get<std::int64_t>();
  if (model[8].is_null()) return m;
  for (const nlohmann::json& record : model[8]) {
    alir::lookup_table t;
    t.first = m.table_data.size();
    t.has_spec = true;
    const nlohmann::json& spec = record.at("spec");
    const nlohmann::json& q = spec.at("out_qint");
    set_hash(m, t, spec.at("hash").get_ref<const std::string&>());
    t.out_qint = {q.at("min").get<double>(), q.at("max").get<double>(), q.at("step").get<double>()};
    t.inp_width = spec.at("inp_width").get<std::int64_t>();
    integers(record.at("table"), m.table_data);
    t.count = m.table_data.size() - t.first;
    m.tables.push_back(std::move(t));
  }
  return m;
}
#endif

}  // namespace bench

#endif  // TESSERA_BENCH_JSON_PEERS_HPP
