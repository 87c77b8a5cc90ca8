// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// alir::read_json against simdjson's On-Demand and nlohmann's DOM, all filling the same model. The
// peers trust the text: they check no schema, and keep neither spellings nor places.

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tessera/alir.hpp>

#include "generate.hpp"
#include "ratios.hpp"
#if defined(TESSERA_BENCH_NLOHMANN)
#include <nlohmann/json.hpp>
#endif

namespace {

using namespace tessera;

/// The 64-bit data of version 2, taken apart.
void set_data(alir::operation& o, std::int64_t data) {
  const auto low = static_cast<std::int32_t>(data), high = static_cast<std::int32_t>(data >> 32);
  if (o.code == alir::opcode::mux || o.code == alir::opcode::add_constant)
    o.data = low, o.shift = high;
  else if (o.code == alir::opcode::bit_binary)
    o.data = static_cast<std::uint32_t>(high), o.shift = low;
  else
    o.data = data;
}

void set_hash(alir::model& m, alir::lookup_table& t, std::string_view hash) {
  t.hash_first = m.hashes.size();
  t.hash_size = hash.size();
  m.hashes << hash;
}

namespace ondemand = simdjson::ondemand;

/// The elements of an array of known order, one after the other. Errors end up in thrown
/// exceptions.
class elements {
 public:
  explicit elements(ondemand::array a) : array_(a), at_(array_.begin().value()) {}
  ondemand::value next() {
    if (started_) ++at_;
    started_ = true;
    return (*at_).value();
  }

 private:
  ondemand::array array_;
  ondemand::array_iterator at_;
  bool started_ = false;
};

[[nodiscard]] alir::model read_on_demand(ondemand::parser& parser,
                                         const simdjson::padded_string& source) {
  alir::model m;
  m.ops.reserve(source.size() / 48);
  const auto int32 = [](ondemand::value v) {
    return static_cast<std::int32_t>(v.get_int64().value());
  };
  const auto integers = [&int32](ondemand::value list, auto& out) {
    for (auto v : list.get_array()) out.push_back(int32(v.value()));
  };
  ondemand::document document = parser.iterate(source);
  elements model(document["model"].get_array().value());
  {
    elements shape(model.next().get_array().value());
    m.n_inputs = shape.next().get_int64();
    m.n_outputs = shape.next().get_int64();
  }
  integers(model.next(), m.inp_shifts);
  integers(model.next(), m.out_idxs);
  integers(model.next(), m.out_shifts);
  for (auto v : model.next().get_array())
    m.out_negs.push_back(static_cast<std::uint8_t>(v.get_bool().value()));
  for (auto row : model.next().get_array()) {
    elements fields(row.get_array().value());
    alir::operation o;
    o.id0 = int32(fields.next());
    o.id1 = int32(fields.next());
    o.code = static_cast<alir::opcode>(int32(fields.next()));
    set_data(o, fields.next().get_int64());
    elements qint(fields.next().get_array().value());
    o.qint.min = qint.next().get_double();
    o.qint.max = qint.next().get_double();
    o.qint.step = qint.next().get_double();
    o.latency = fields.next().get_double();
    o.cost = fields.next().get_double();
    m.ops.push_back(o);
  }
  m.carry_size = model.next().get_int64();
  m.adder_size = model.next().get_int64();
  ondemand::value tables = model.next();
  if (tables.is_null()) return m;
  for (auto record : tables.get_array()) {
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
    integers(record["table"].value(), m.table_data);
    t.count = m.table_data.size() - t.first;
    m.tables.push_back(std::move(t));
  }
  return m;
}

#if defined(TESSERA_BENCH_NLOHMANN)
[[nodiscard]] alir::model read_nlohmann(std::string_view source) {
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

/// Registers one contender, which reads `source`.
template <class Read>
void add(const std::string& name, std::size_t size, Read read) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) {
      alir::model m = read();
      benchmark::DoNotOptimize(m.ops.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
  });
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const mix m : {mix::dense, mix::mixed})
    for (const std::size_t operations : {1000u, 10000u, 100000u})
      for (const decimals d : {decimals::shortened, decimals::full}) {
        if (quick && operations > 1000) continue;
        const recipe r{.mix = m, .operations = operations, .decimals = d};
        const result<text> written = alir::write_json(generate(r));
        require(static_cast<bool>(written), name(r) + ": can't be written");
        const auto source = std::make_shared<std::string>(written->view());
        const auto padded = std::make_shared<simdjson::padded_string>(*source);
        const auto parser = std::make_shared<ondemand::parser>();
        const auto ours = [source] {
          result<alir::model> read = alir::read_json(*source);
          return *std::move(read);
        };
        const auto on_demand = [padded, parser] { return read_on_demand(*parser, *padded); };
        const alir::model expected = ours();
        require(on_demand() == expected, name(r) + ": On-Demand reads another model");
        if (!quick) {
          add(name(r) + "/tessera", source->size(), ours);
          add(name(r) + "/simdjson", source->size(), on_demand);
        }
#if defined(TESSERA_BENCH_NLOHMANN)
        const auto nlohmann = [source] { return read_nlohmann(*source); };
        require(nlohmann() == expected, name(r) + ": nlohmann reads another model");
        if (!quick) add(name(r) + "/nlohmann", source->size(), nlohmann);
#endif
      }
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
