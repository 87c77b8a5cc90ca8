// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A registry of v1.2 with operations that run, and a mutator of streams over it.
//
// Ids count from 10 in the order of the tables. New rows go to the end: kept inputs name ids.

#ifndef TESSERA_FUZZ_GENOME_NAMES_HPP
#define TESSERA_FUZZ_GENOME_NAMES_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/genome.hpp>
#include <utility>

#include "mutate.hpp"

namespace fuzz {

struct genome_operation {
  std::string_view target;
  std::uint32_t tensors;
};
inline constexpr genome_operation genome_operations[] = {
    {"aten.relu.default", 1},
    {"aten.add.Tensor", 2},
    {"aten.mul.Tensor", 2},
    {"aten.sub.Tensor", 2},
    {"aten.div.Tensor", 2},
    {"aten.linear.default", 2},
    {"aten.linear.default", 3},
    {"aten.matmul.default", 2},
    {"aten.tanh.default", 1},
    {"aten.softmax.int", 1},
    {"aten.mean.dim", 1},
    {"aten.sum.default", 1},
    {"aten.sum.dim_IntList", 1},
    {"aten.view.default", 1},
    {"aten.permute.default", 1},
    {"aten.transpose.int", 1},
    {"aten.unsqueeze.default", 1},
    {"aten.squeeze.dim", 1},
    {"aten.select.int", 1},
    {"aten.slice.Tensor", 1},
    {"aten.expand.default", 1},
    {"aten.cat.default", 2},
    {"aten.stack.default", 2},
    {"aten.split.Tensor", 1},
    {"<built-in function getitem>", 1},
    {"aten.gt.Scalar", 1},
    {"aten.where.self", 3},
    {"aten.where.ScalarOther", 2},
    {"aten.lt.Tensor", 2},
    {"aten.cumsum.default", 1},
    {"aten.max.dim", 1},
    {"aten.topk.default", 1},
    {"aten.sort.default", 1},
    {"aten.argmax.default", 1},
    {"aten.clamp.default", 1},
    {"aten.pow.Tensor_Scalar", 1},
    {"aten.remainder.Scalar", 1},
    {"aten.full.default", 0},
    {"aten.arange.default", 0},
    {"aten.zeros_like.default", 1},
    {"aten.flip.default", 1},
    {"aten.repeat.default", 1},
    {"aten.tril.default", 1},
    {"aten.gather.default", 2},
    {"aten.index_select.default", 2},
    {"aten.index.Tensor", 2},
    {"aten.embedding.default", 2},
    {"aten.conv2d.default", 2},
    {"aten.conv1d.default", 2},
    {"aten.max_pool2d.default", 1},
    {"aten.layer_norm.default", 3},
    {"aten.group_norm.default", 1},
    {"aten.gelu.default", 1},
    {"aten.exp.default", 1},
    {"aten.bmm.default", 2},
    {"aten.outer.default", 2},
    {"aten.masked_fill.Scalar", 2},
    {"aten.var_mean.correction", 1},
    {"aten.pad.default", 1},
    {"aten.einsum.default", 2},
    {"aten.scaled_dot_product_attention.default", 3},
};
inline constexpr std::string_view genome_variations[] = {
    "in0", "in0,in1", "in1,in0", "in0,in0", "in0,in1,in2", "in2,in0,in1", "in1"};
inline constexpr std::pair<std::string_view, std::string_view> genome_constants[] = {
    {"int", "0"},
    {"int", "1"},
    {"int", "-1"},
    {"int", "2"},
    {"int", "3"},
    {"float", "0.5"},
    {"float", "1e-05"},
    {"bool", "true"},
    {"NoneType", "null"},
    {"list", "[]"},
    {"list", "[1]"},
    {"list", "[-1]"},
    {"list", "[1, 0]"},
    {"list", "[2, 3]"},
    {"list", "[3, -1]"},
    {"list", "[1, 1]"},
    {"list", "[0, 2, 1]"},
    {"list", "[1, 3, 1]"},
    {"str", "i,j->ji"},
    {"slice", "[1, null, null]"},
    {"torch.dtype", "torch.int32"}};
inline constexpr std::string_view genome_groups[] = {
    "arg1=11;arg2=10", "arg1=10;arg2=11", "arg1=12;arg2=17", "arg1=11;arg2=10;arg3=13",
    "arg1=10;arg2=12", "arg0=23;arg1=15", "arg1=20;arg2=10", "arg1=14;arg2=12",
    "arg1=13;arg2=15", "arg3=25;arg4=25", "arg1=20;arg4=16"};

[[nodiscard]] inline tessera::genome::registry genome_names() {
  tessera::genome::registry r;
  std::uint32_t id = 10;
  for (const genome_operation& o : genome_operations)
    r.add_operation(
        id++, std::string(o.target) + ":node_args(" + std::to_string(o.tensors) + "):kwargs()");
  id = 10;
  for (const std::string_view v : genome_variations) r.add_variation(id++, v);
  id = 10;
  for (const auto& [type, value] : genome_constants)
    r.add_constant(id++, type,
                   type == "str" || type == "torch.dtype" ? '"' + std::string(value) + '"'
                                                          : std::string(value));
  id = 10;
  for (const std::string_view g : genome_groups) r.add_group(id++, g);
  for (id = 10; id < 14; ++id) r.add_parameter(id, "p" + std::to_string(id));
  return r;
}

/// Of an operation: constants that suit it now and then.
[[nodiscard]] inline std::int16_t any_constant(generator& draw) {
  if (draw.one_in(2)) return 0;
  if (draw.one_in(3))
    return static_cast<std::int16_t>(-11 - static_cast<int>(draw.below(std::size(genome_groups))));
  return static_cast<std::int16_t>(10 + draw.below(std::size(genome_constants)));
}

/// A node for the end of a stream of `size` nodes.
inline void add_node(tessera::genome::stream& s, generator& draw) {
  const auto size = static_cast<std::int32_t>(s.size());
  if (size == 0 || draw.one_in(8)) {
    if (draw.one_in(2)) return s.add({.a = 2, .b = 1}, {});
    return s.add({.a = 5, .b = 1, .c = static_cast<std::int16_t>(10 + draw.below(4))}, {});
  }
  const std::size_t which = draw.below(std::size(genome_operations));
  const std::uint32_t tensors = genome_operations[which].tensors;
  std::int32_t inputs[3] = {};
  for (std::int32_t& d : inputs)  // near ones more often
    d = size - 1 -
        static_cast<std::int32_t>(draw.below(draw.below(static_cast<std::size_t>(size)) + 1));
  constexpr std::uint8_t plain[] = {1, 10, 11, 14};
  const std::uint8_t b =
      draw.one_in(6) ? static_cast<std::uint8_t>(10 + draw.below(std::size(genome_variations)))
                     : plain[tensors];
  s.add({.a = static_cast<std::uint8_t>(10 + which), .b = b, .c = any_constant(draw)},
        {inputs, tensors});
}

/// Changes a stream by nodes: one more, one less at the end, another operation, constant or input.
[[nodiscard]] inline bool mutate_genome(std::string& bytes_of, generator& draw) {
  namespace genome = tessera::genome;
  tessera::result<genome::stream> read = genome::read(tessera::as_bytes(std::string_view(bytes_of)),
                                                      {.encoding = genome::encoding::bytes});
  if (!read) return false;
  genome::stream s = *std::move(read);
  if (s.size() == 0) draw.below(2);
  const std::size_t at = draw.below(s.size());
  switch (s.size() == 0 ? 0 : draw.below(6)) {
    case 0:
    case 1: add_node(s, draw); break;
    case 2:
      s.inputs.resize(s.nodes[s.size() - 1].first);
      s.nodes.pop_back();
      break;
    case 3:
      if (s.nodes[at].what() == genome::command::operation) s.nodes[at].c = any_constant(draw);
      break;
    case 4:
      if (s.nodes[at].what() == genome::command::operation)
        s.nodes[at].a = static_cast<std::uint8_t>(10 + draw.below(std::size(genome_operations)));
      break;
    default:
      if (s.nodes[at].count == 0) return false;
      s.inputs[s.nodes[at].first + draw.below(s.nodes[at].count)] =
          static_cast<std::int32_t>(draw.below(at + 1));
  }
  const auto written = genome::write(s);
  if (!written) return false;
  bytes_of.assign(tessera::as_text({written->data(), written->size()}));
  return true;
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_GENOME_NAMES_HPP
