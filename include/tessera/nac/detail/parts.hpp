// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/parts.hpp.

#ifndef TESSERA_NAC_DETAIL_PARTS_HPP
#define TESSERA_NAC_DETAIL_PARTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE bytes parts::data_of(const payload& p) const noexcept {
  if (p.size == 0 || p.source != nullptr) return {};
  return {p.borrowed != nullptr ? p.borrowed : own_bytes.data() + p.first,
          static_cast<std::size_t>(p.size)};
}

TESSERA_INLINE range parts::add_string(std::string_view s) {
  const range r{static_cast<std::uint32_t>(characters.size()),
                static_cast<std::uint32_t>(s.size())};
  characters << s;
  return r;
}

TESSERA_INLINE range parts::add_numbers(view<std::uint32_t> values) {
  const range r{static_cast<std::uint32_t>(numbers.size()),
                static_cast<std::uint32_t>(values.size())};
  numbers.append(values.data(), values.size());
  return r;
}

TESSERA_INLINE range parts::add_words(view<std::uint16_t> values) {
  const range r{static_cast<std::uint32_t>(words.size()),
                static_cast<std::uint32_t>(values.size())};
  words.append(values.data(), values.size());
  return r;
}

TESSERA_INLINE payload parts::keep(bytes b) {
  const payload p{nullptr, own_bytes.size(), b.size(), nullptr};
  own_bytes.append(b.data(), b.size());
  return p;
}

}  // namespace nac
namespace nac::detail {

struct part_maker {
  parts& out;

  template <class T>
  [[nodiscard]] range numbers(packed<T> values) const {
    const range r{static_cast<std::uint32_t>(out.numbers.size()), values.size()};
    for (std::uint32_t i = 0; i < values.size(); ++i)
      out.numbers.push_back(load_le<std::uint32_t>(values.data() + std::size_t{i} * 4));
    return r;
  }
  template <class T>
  [[nodiscard]] range words(packed<T> values) const {
    const range r{static_cast<std::uint32_t>(out.words.size()), values.size()};
    for (std::uint32_t i = 0; i < values.size(); ++i)
      out.words.push_back(load_le<std::uint16_t>(values.data() + std::size_t{i} * 2));
    return r;
  }
  void code(const nac::instructions& from, pool<instruction_part>& to) const {
    to.reserve(from.size());
    for (const instruction& i : from) {
      const range c = words(i.c);
      to.push_back({i.a, i.b, c, words(i.d)});
    }
  }
  void constants(const nac::constants& from, pool<constant_part>& to) const {
    to.reserve(from.size());
    for (const constant& c : from) {
      constant_part p{c.id, c.type, 0, {}};
      switch (c.type) {
        case constant_type::null: break;
        case constant_type::boolean: p.bits = c.boolean() ? 1 : 0; break;
        case constant_type::int64:
        case constant_type::float64: p.bits = load_le<std::uint64_t>(c.payload); break;
        case constant_type::string: p.values = out.add_string(c.string()); break;
        case constant_type::int32_list: p.values = numbers(c.int32_list()); break;
        case constant_type::float32_list: p.values = numbers(c.float32_list()); break;
      }
      to.push_back(p);
    }
  }
  template <class Names>
  void names(const Names& from, pool<named_part>& to) const {
    to.reserve(from.size());
    for (const named& n : from) out.add_name(to, n.id, n.text);
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE parts parts_of(const model& f) {
  parts p;
  const detail::part_maker make{p};
  p.form = f.header();
  p.quantization = f.quantization();
  p.internal_weights = f.has_internal_weights();
  p.training_flag = f.has_training_flag();
  p.inputs = f.inputs();
  p.outputs = f.outputs();
  p.d_model = f.d_model();
  p.layout = layout_of(f);
  p.schedule.reserve(f.schedule().size());
  for (const tick& t : f.schedule()) {
    p.schedule.push_back(
        {t.instruction, {static_cast<std::uint32_t>(p.commands.size()), t.commands.size()}});
    for (const command& c : t.commands) p.commands.push_back({c.what, c.target});
  }
  make.code(f.instructions(), p.instructions);
  make.code(f.training(), p.training);
  make.names(f.operations(), p.operations);
  make.names(f.signatures(), p.signatures);
  make.names(f.parameters(), p.parameters);
  make.names(f.input_names(), p.input_names);
  make.constants(f.constants(), p.constants);
  make.constants(f.plan_constants(), p.plan_constants);
  p.tensors.reserve(f.tensors().size());
  for (const tensor& t : f.tensors()) {
    const range shape = make.numbers(t.shape), original = make.numbers(t.original_shape);
    p.tensors.push_back({t.id, t.type, t.quantization, t.axis, t.block, shape, original,
                         make.numbers(t.scales), parts::borrow(t.data)});
  }
  p.has_manifest = f.has(section::proc);
  p.manifest = parts::borrow(f.manifest());
  p.plan = parts::borrow(f.execution_plan());
  p.has_training = f.has(section::trng);
  p.has_resources = f.has(section::rsrc);
  p.resources.reserve(f.resources().size());
  for (const resource& r : f.resources())
    p.resources.push_back({p.add_string(r.name), parts::borrow(r.data)});
  p.arrays.reserve(f.arrays().size());
  for (const array& a : f.arrays()) {
    const range name = p.add_string(a.name);
    p.arrays.push_back({name, a.type, make.numbers(a.shape), parts::borrow(a.data)});
  }
  return p;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PARTS_HPP
