// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Inputs, parameters, and buffers that keep their value for later runs. Containers have no complex
// elements: such tensors are pairs of real numbers there, in a last dimension of two.

#include <algorithm>

#include "import/importer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

/// The type that a container has for elements, or for the parts of complex ones.
[[nodiscard]] bool type_in_container(pt2::element_type from, nac::data_type& to) noexcept {
  const std::string_view name = info(parts_type(from)).name;
  for (std::size_t i = 0; i < nac::data_type_count; ++i)
    if (nac::data_types[i].name == name) {
      to = static_cast<nac::data_type>(i);
      return true;
    }
  return false;
}

}  // namespace

void importer::inputs() {
  for (std::uint32_t i = 0; i < m_.inputs.size(); ++i) {
    const pt2::input_spec& s = m_.inputs[i];
    const std::uint32_t v = p_.value_of(s.argument);
    switch (s.kind) {
      case pt2::input_kind::user_input:
        if (v != none) user_input(v);
        break;
      case pt2::input_kind::parameter:
      case pt2::input_kind::buffer:
      case pt2::input_kind::tensor_constant:
        if (v != none && is_used(v)) parameter(i, s, v);
        break;
      case pt2::input_kind::custom_object:
      case pt2::input_kind::token:
      case pt2::input_kind::constant_input: break;  // refused where a node takes one
    }
  }
}

std::uint32_t importer::complex_of_pairs(std::uint32_t pairs, pt2::element_type type) {
  return is_complex(type) ? call("aten.view_as_complex.default", {{'T', pairs, 0}}) : pairs;
}
std::uint32_t importer::pairs_of_complex(std::uint32_t value, pt2::element_type type) {
  return is_complex(type) ? call("aten.view_as_real.default", {{'T', value, 0}}) : value;
}

void importer::user_input(std::uint32_t v) {
  const std::uint32_t at = add(nac::op_input, static_cast<std::uint8_t>(nac::input::user));
  ++parts.inputs;
  parts.add_name(parts.input_names, static_cast<std::uint16_t>(at), text_of(m_, m_.values[v].name));
  at_[v] = complex_of_pairs(at, type_of_value(v));
}

void importer::parameter(std::uint32_t input, const pt2::input_spec& s, std::uint32_t v) {
  const std::uint32_t index = p_.stored_of(input);
  if (index == none) return;
  const pt2::stored_tensor& stored = m_.stored[index];
  // Tied weights are one parameter, and one tensor where a program changes them.
  const std::string key = views_->key(stored);
  if (const auto same = parameters_.find(key); same != parameters_.end()) {
    at_[v] = same->second;
    return;
  }
  const pt2::element_type type = m_.tensors[stored.meta].type;
  nac::tensor_part t;
  if (!type_in_container(type, t.type)) {
    found_.error(errc::pt2_import_type, {0, stored.offset})
        << text_of(m_, stored.name) << " is " << info(type).name << ", which NAC has no code for";
    return;
  }
  if (parts.parameters.size() >= nac::max_id) return refuse_count("parameters", nac::max_id);
  t.id = static_cast<std::uint16_t>(parts.parameters.size() + 1);
  std::vector<std::uint32_t> shape;
  if (!shape_of(stored, shape)) return;
  if (is_complex(type)) shape.push_back(2);
  t.shape = parts.add_numbers({shape.data(), shape.size()});
  t.data = views_->payload_of(stored);
  parts.tensors.push_back(t);
  parts.add_name(parts.parameters, t.id, text_of(m_, stored.name));
  std::uint32_t value =
      add(nac::op_input, static_cast<std::uint8_t>(nac::input::parameter), {t.id});
  if (options_.states && s.kind == pt2::input_kind::buffer &&
      changed_.count(text_of(m_, s.target)) != 0 &&
      std::find(shape.begin(), shape.end(), 0u) == shape.end())
    value = state(v, value, text_of(m_, s.target), shape);
  at_[v] = complex_of_pairs(value, type);
  parameters_.emplace(key, at_[v]);
}

// ---- states: 32-bit floats of shape [1, 1, n, 1], for all that NAC says about one before the first
// run is that it is empty in dimension 2

std::uint32_t importer::state(std::uint32_t v, std::uint32_t initial, std::string_view buffer,
                              const std::vector<std::uint32_t>& shape) {
  const pt2::element_type type = parts_type(type_of_value(v));
  std::uint64_t count = 1;
  for (const std::uint32_t size : shape) count *= size;
  const std::uint64_t length = info(type).bytes == 8 ? 2 * count : count;
  if (length > 0x7fffffff) {
    refuse_count("elements of a state", 0x7fffffff);
    return initial;
  }
  const std::uint32_t kept =
      add(nac::op_input, static_cast<std::uint8_t>(nac::input::state), {++last_state_});
  const std::uint32_t size = call("aten.sym_size.int", {{'T', kept, 0}, whole(2)});
  const std::uint32_t is_first = call("aten.eq.Scalar", {{'T', size, 0}, whole(0)});
  const std::uint16_t to_predicate = back_to(is_first);
  const std::uint32_t chosen = add(nac::op_control_flow, 0, {1, 0}, {to_predicate});
  call("nac.pass", {{'T', initial, 0}});
  std::uint32_t value = kept;
  if (info(type).bytes >= 4 && type != pt2::element_type::float32) {
    value = call("nac.view", {{'T', value, 0}, list_of({static_cast<std::uint32_t>(length)})});
    value = call("aten.view.dtype", {{'T', value, 0}, name_of(type)});
  } else if (type != pt2::element_type::float32) {
    value = call("aten.to.dtype", {{'T', value, 0}, name_of(type)});
  }
  call("nac.view", {{'T', value, 0}, list_of(shape)});
  parts.words[parts.instructions[chosen].c.first + 1] =
      static_cast<std::uint16_t>(next() - chosen - 2);
  states_.push_back({v, kept, buffer, type, static_cast<std::uint32_t>(length)});
  return call("nac.clone", {{'T', chosen, 0}});
}

void importer::keep_states() {
  std::map<std::string_view, std::uint32_t> last;  // by buffer, where the signature says so
  for (const pt2::output_spec& o : m_.outputs)
    if (const std::uint32_t v = p_.value_of(o.argument);
        o.kind == pt2::output_kind::buffer_mutation && v != none && at_[v] != none)
      last[text_of(m_, o.target)] = at_[v];
  for (const changed_state& s : states_) {
    const auto said = last.find(s.buffer);
    std::uint32_t value =
        pairs_of_complex(said != last.end() ? said->second : at_[s.value], type_of_value(s.value));
    const bool has_bits = info(s.type).bytes >= 4;
    if (!has_bits)
      value = call("aten.to.dtype", {{'T', value, 0}, name_of(pt2::element_type::float32)});
    if (has_bits && s.type != pt2::element_type::float32) {
      const std::uint32_t count = info(s.type).bytes == 8 ? s.length / 2 : s.length;
      value = call("nac.view", {{'T', value, 0}, list_of({count})});
      value = call("aten.view.dtype", {{'T', value, 0}, name_of(pt2::element_type::float32)});
    }
    value = call("nac.view", {{'T', value, 0}, list_of({1, 1, s.length, 1})});
    call("aten.copy.default", {{'T', s.instruction, 0}, {'T', value, 0}});
  }
}

bool importer::shape_of(const pt2::stored_tensor& stored, std::vector<std::uint32_t>& shape) {
  const pt2::tensor_meta& meta = m_.tensors[stored.meta];
  const std::uint64_t most =
      std::max<std::uint64_t>(limits{}.max_bytes, payload(m_, stored).size()) /
      std::max<std::uint64_t>(info(meta.type).bytes, 1);
  std::uint64_t count = 1;
  bool is_empty = false, fits = true;
  for (const pt2::scalar& s : scalars(m_, meta.sizes)) {
    const auto size = static_cast<std::uint64_t>(s.integer);
    is_empty = is_empty || size == 0;
    fits = fits && size <= most && (count <= most / std::max<std::uint64_t>(size, 1));
    count *= std::max<std::uint64_t>(size, 1);
    shape.push_back(static_cast<std::uint32_t>(size));
    fits = fits && size <= 0xffffffff;
  }
  if (fits || (is_empty && count <= most)) return true;
  found_.error(errc::pt2_import_limit, {0, stored.offset})
      << text_of(m_, stored.name) << " repeats its storage to more than " << most << " elements";
  return false;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
