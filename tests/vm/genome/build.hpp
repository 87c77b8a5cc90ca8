// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of the v1.2 machine share: programs written node by node, and runs of them.
//
//   graph g;
//   g.input();                                                        // 0
//   g.op("aten.mul.Tensor:node_args(1):kwargs()", "in0", g.constant("int", "3"), {0});
//   g.output({1});
//   CHECK(g.run({1, 2}) == "f32 [2] 3 6");       // DATA_INPUTs: float32 of rank 1

#ifndef TESSERA_TESTS_VM_GENOME_BUILD_HPP
#define TESSERA_TESTS_VM_GENOME_BUILD_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/genome.hpp"
#include "vm/genome/interpreter.hpp"
#include "vm/nac/calls.hpp"

namespace vm_genome_tests {

namespace genome = tessera::genome;
namespace vm = tessera::vm::genome;
namespace nac = tessera::vm::nac;
using nac::data_type;
using tessera::errc;
using inputs = std::vector<std::int32_t>;
using reals = std::vector<double>;

/// Notes the nodes that a machine runs.
struct trail {
  std::string text;
  void begin(const vm::event& at) {
    text += "(" + std::to_string(at.node);
    if (at.pattern != vm::event::none)
      text += ":" + std::to_string(at.pattern) + "." + std::to_string(at.pattern_node);
  }
  void end(const vm::event&) { text += ")"; }
};

/// A program with its library and its machine.
class running {
 public:
  running(const genome::registry& r, const genome::stream& s,
          const vm::interpreter_options& how = {})
      : library_(take(genome::verify(genome::registry(r)))),
        program_(take(genome::verify(genome::stream(s), library_))),
        machine_(program_, how) {}

  [[nodiscard]] const genome::program& program() const { return program_; }
  [[nodiscard]] vm::interpreter& operator*() { return machine_; }
  [[nodiscard]] vm::interpreter* operator->() { return &machine_; }

  [[nodiscard]] nac::tensor f32(const reals& values) {
    nac::tensor t = nac::make_tensor(machine_.arena(), data_type::float32,
                                     {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
      t.as<float>()[i] = static_cast<float>(values[i]);
    return t;
  }
  /// Outputs, by semicolons; or what went wrong, and where.
  [[nodiscard]] std::string run(std::uint64_t max_steps = 1000000) {
    const vm::outcome done = machine_.run({.max_steps = max_steps});
    nodes = done.nodes;
    steps = done.steps;
    if (!done) {
      std::string out(tessera::error{done.code, 0}.name());
      out += " at " + std::to_string(done.node) + " (" + std::to_string(done.offset) + ")";
      if (done.pattern != vm::outcome::none)
        out += " in " + std::to_string(done.pattern) + "." + std::to_string(done.pattern_node);
      return out;
    }
    std::string out;
    for (const nac::value& v : machine_.outputs())
      out += (out.empty() ? "" : "; ") + vm_nac_tests::text(v);
    return out;
  }
  std::uint64_t nodes = 0, steps = 0;

 private:
  template <class T>
  [[nodiscard]] static T take(tessera::result<T> r) {
    if (!r) FAIL(r.error().name() << " at " << r.error().offset);
    return *std::move(r);
  }
  genome::library library_;
  genome::program program_;
  vm::interpreter machine_;
};

class graph {
 public:
  genome::registry registry;
  genome::stream stream;

  // ---- ids, each made when it is asked for first

  [[nodiscard]] std::uint8_t operation(const std::string& name) {
    const auto known = operations_.find(name);
    if (known != operations_.end()) return known->second;
    const auto id = static_cast<std::uint8_t>(10 + operations_.size());
    registry.add_operation(id, name);
    return operations_[name] = id;
  }
  [[nodiscard]] std::uint8_t variation(const std::string& text) {
    if (text.empty()) return genome::no_variation;
    const auto known = variations_.find(text);
    if (known != variations_.end()) return known->second;
    const auto id = static_cast<std::uint8_t>(10 + variations_.size());
    registry.add_variation(id, text);
    return variations_[text] = id;
  }
  /// What C holds.
  [[nodiscard]] std::int16_t constant(std::string_view type, std::string_view json) {
    const auto id = static_cast<std::uint32_t>(10 + registry.constants.size());
    registry.add_constant(id, type, json);
    return static_cast<std::int16_t>(id);
  }
  [[nodiscard]] std::int16_t group(const std::vector<std::pair<std::string, std::int16_t>>& parts) {
    std::string text;
    for (const auto& [key, id] : parts)
      text += (text.empty() ? "" : ";") + key + "=" + std::to_string(id);
    const auto id = static_cast<std::uint32_t>(10 + registry.groups.size());
    registry.add_group(id, text);
    return static_cast<std::int16_t>(-static_cast<std::int32_t>(id) - 1);
  }
  [[nodiscard]] std::int16_t parameter(const std::string& name) {
    const auto id = static_cast<std::uint32_t>(10 + registry.parameters.size());
    registry.add_parameter(id, name);
    return static_cast<std::int16_t>(id);
  }

  // ---- nodes, to the stream; their indices

  std::int32_t add(genome::node n, const inputs& d) {
    stream.add(n, {d.data(), d.size()});
    return static_cast<std::int32_t>(stream.size()) - 1;
  }
  std::int32_t input() { return add({.a = 2, .b = 1}, {}); }
  std::int32_t parameter_node(std::int16_t id) { return add({.a = 5, .b = 1, .c = id}, {}); }
  std::int32_t output(const inputs& d) { return add({.a = 4, .b = 1}, d); }
  std::int32_t op(const std::string& name, const std::string& order, std::int16_t c,
                  const inputs& d) {
    return add({.a = operation(name), .b = variation(order), .c = c}, d);
  }
  std::int32_t call(std::uint8_t pattern, const inputs& d = {}) {
    return add({.a = 6, .b = pattern}, d);
  }
  std::int32_t branch(std::int32_t then_size, std::int32_t else_size, inputs d) {
    d.insert(d.begin(), {then_size, else_size});
    return add({.a = 8, .b = genome::if_else}, d);
  }
  std::int32_t loop(std::int32_t condition, std::int32_t body, inputs d) {
    d.insert(d.begin(), {condition, body});
    return add({.a = 8, .b = genome::while_loop}, d);
  }

  [[nodiscard]] running interpreter(const vm::interpreter_options& how = {}) const {
    return running(registry, stream, how);
  }
  /// With float32 tensors of rank 1 as inputs, in their order.
  [[nodiscard]] std::string run(const std::vector<reals>& given,
                                std::uint64_t max_steps = 1000000) const {
    running m(registry, stream);
    for (std::size_t i = 0; i < given.size(); ++i) m->set_input(i, m.f32(given[i]));
    return m.run(max_steps);
  }

 private:
  std::map<std::string, std::uint8_t> operations_, variations_;
};

}  // namespace vm_genome_tests

#endif  // TESSERA_TESTS_VM_GENOME_BUILD_HPP
