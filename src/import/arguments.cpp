// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an argument of a node is in a container, which has no names of parameters and no lists with
// results among their elements.

#include <charconv>

#include "formats/real_from_chars.hpp"
#include "import/importer.hpp"
#include "tessera/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using pt2::argument_kind;

/// PyTorch's name of an element type, of its short one: "float32".
[[nodiscard]] std::string torch_name(pt2::element_type t) {
  const std::string_view s = info(t).name;
  if (s == "bool") return "bool";
  if (s.starts_with("bf")) return "bfloat" + std::string(s.substr(2));
  if (s.starts_with("f8")) return "float8_" + std::string(s.substr(2));
  const std::string_view kind = s[0] == 'u'   ? "uint"
                                : s[0] == 'i' ? "int"
                                : s[0] == 'c' ? "complex"
                                              : "float";
  return std::string(kind) + std::string(s.substr(1));
}
[[nodiscard]] std::string_view memory_format_name(std::int64_t code) noexcept {
  constexpr std::string_view names[] = {"", "contiguous_format", "channels_last",
                                        "channels_last_3d", "preserve_format"};
  return code >= 1 && code <= 4 ? names[code] : names[0];
}
[[nodiscard]] std::string_view layout_name(std::int64_t code) noexcept {
  constexpr std::string_view names[] = {"",           "sparse_coo", "sparse_csr", "sparse_csc",
                                        "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
  return code >= 1 && code <= 7 ? names[code] : names[0];
}

/// Whether a parameter of an operation takes numbers in a row, and not only as one argument.
[[nodiscard]] bool takes_a_row(std::string_view target, std::string_view parameter) {
  const nac::operation_row& row =
      nac::operations[static_cast<std::size_t>(nac::find_operation(target))];
  std::string_view names = row.parameters;
  for (const char letter : row.pattern) {
    if (letter == '?' || letter == '*') continue;
    const std::size_t space = names.find(' ');
    if (names.substr(0, space) == parameter) return letter == 'v' || letter == 'V';
    names.remove_prefix(space == names.npos ? names.size() : space + 1);
  }
  return false;
}
/// Whether autocast changes an operand's type.
[[nodiscard]] bool is_cast(pt2::element_type from, pt2::element_type to) noexcept {
  return from != to && (from == pt2::element_type::float32 || from == pt2::element_type::float16 ||
                        from == pt2::element_type::bfloat16);
}
/// Lists of numbers of which some are results.
[[nodiscard]] bool is_computed_list(argument_kind k) noexcept {
  return k == argument_kind::sym_ints || k == argument_kind::sym_floats ||
         k == argument_kind::sym_bools;
}

}  // namespace

importer::operand importer::list_of(const std::vector<std::uint32_t>& values) {
  return {'S', none, list(nac::constant_type::int32_list, values)};
}
importer::operand importer::name_of(pt2::element_type t) {
  return {'c', none, string(torch_name(t))};
}

std::uint32_t importer::instruction_of(const operand& o) {
  if (o.result != none) return o.result;
  const pt2::element_type type = o.letter == 'f'   ? pt2::element_type::float64
                                 : o.letter == 'b' ? pt2::element_type::boolean
                                                   : pt2::element_type::int64;
  return call("aten.scalar_tensor.default", {o, name_of(type)});
}

importer::operand importer::number_of(const pt2::argument& a) {
  if (a.is_named) return {};
  switch (a.kind) {
    case argument_kind::integer:
    case argument_kind::sym_int: return whole(a.integer);
    case argument_kind::real:
    case argument_kind::sym_float: return {'f', none, real(a.real)};
    case argument_kind::boolean:
    case argument_kind::sym_bool: return {'b', none, boolean(a.boolean)};
    default: return {};
  }
}

/// Numbers as one argument: a tensor of rank 1.
importer::operand importer::stacked(const operands& numbers) {
  operands all;
  for (const operand& o : numbers) all.push_back({'T', instruction_of(o), 0});
  all.push_back(whole(0));
  return {'T', call("aten.stack.default", all), 0};
}

// Archives have arguments by name and leave those out that equal the default, wherever they are.
bool importer::append_all(const pt2::node& n, operands& to) {
  const std::string_view target = short_target(m_, n);
  const view<pt2::argument> given = arguments(m_, n.inputs);
  const pt2::operator_row* const row = pt2::find_operator(target);
  if (row == nullptr) {
    for (const pt2::argument& a : given)
      if (!append_positioned(n, a, &a == given.end() - 1, to)) return false;
    return true;
  }
  std::size_t left = given.size();
  // It says nothing about values, and could be taken for the end of a list of sizes.
  for (const pt2::argument& a : given) left -= text_of(m_, a.name) == "pin_memory" ? 1u : 0u;
  pt2::signature s(*row);
  for (pt2::parameter p; left != 0 && s.next(p);) {
    if (p.name == "pin_memory") continue;
    const pt2::argument* found = nullptr;
    for (const pt2::argument& a : given)
      if (text_of(m_, a.name) == p.name) found = &a;
    if (found == nullptr)
      append_default(p, to);
    else if (!append_positioned(n, *found, --left == 0, to))
      return false;
  }
  return true;
}

// A row of numbers ends where another number doesn't follow.
bool importer::append_positioned(const pt2::node& n, const pt2::argument& a, bool is_last,
                                 operands& to) {
  if (text_of(m_, a.name) == "pin_memory") return true;
  if (!is_computed_list(a.kind) ||
      (is_last && takes_a_row(short_target(m_, n), text_of(m_, a.name))))
    return append(n, a, to);
  operands numbers;
  if (!append(n, a, numbers)) return false;
  to.push_back(stacked(numbers));
  return true;
}

void importer::append_default(const pt2::parameter& p, operands& to) {
  const std::string_view text = p.default_value;
  const char* const end = text.data() + text.size();
  std::int64_t number = 0;
  double fraction = 0;
  if (text == "True" || text == "False")
    to.push_back({'b', none, boolean(text == "True")});
  else if (p.type == pt2::parameter_type::string && text != "None")
    to.push_back({'s', none, string(text)});
  else if (std::from_chars(text.data(), end, number).ptr == end)
    to.push_back(whole(number));
  else if (chars::real_from_chars(text.data(), end, fraction).ptr == end)
    to.push_back({'f', none, real(fraction)});
  else if (text == "[]")
    to.push_back(list_of({}));
  else
    to.push_back({'c', none, null()});
}

bool importer::append_result(const pt2::node& n, const pt2::argument& a, operands& to) {
  const std::uint32_t v = p_.value_of(a);
  if (v != none && at_[v] != none) {
    std::uint32_t at = at_[v];
    if (cast_ != pt2::element_type::unknown && is_cast(type_of_value(v), cast_))
      at = call("aten.to.dtype", {{'T', at, 0}, name_of(cast_)});
    to.push_back({'T', at, 0});
    return true;
  }
  refuse(errc::pt2_import_argument, n)
      << text_of(m_, a.text) << " is no tensor or number that a container can hold";
  return false;
}

bool importer::append(const pt2::node& n, const pt2::argument& a, operands& to) {
  const auto put = [&to](char letter, std::uint16_t id) {
    to.push_back({letter, none, id});
    return true;
  };
  const auto put_name = [&](std::string_view name) {
    return name.empty() ? cannot(n, a) : put('c', string(name));
  };
  switch (a.kind) {
    case argument_kind::none: return put('c', null());
    case argument_kind::tensor: return append_result(n, a, to);
    case argument_kind::integer: return put('i', integer(a.integer));
    case argument_kind::real: return put('f', real(a.real));
    case argument_kind::boolean: return put('b', boolean(a.boolean));
    case argument_kind::string: return put('s', string(text_of(m_, a.text)));
    case argument_kind::integers: append_integers(a, to); return true;
    case argument_kind::reals: append_reals(a, to); return true;
    case argument_kind::booleans: append_booleans(a, to); return true;
    case argument_kind::complex: append_complex(n, a, to); return true;
    case argument_kind::scalar_type:
      return put('c', string(torch_name(pt2::info_of_element(a.integer).type)));
    case argument_kind::memory_format: return put_name(memory_format_name(a.integer));
    case argument_kind::layout: return put_name(layout_name(a.integer));
    case argument_kind::device: return put('c', string(text_of(m_, a.text)));
    case argument_kind::sym_int:
      return a.is_named ? append_result(n, a, to) : put('i', integer(a.integer));
    case argument_kind::sym_float:
      return a.is_named ? append_result(n, a, to) : put('f', real(a.real));
    case argument_kind::sym_bool:
      return a.is_named ? append_result(n, a, to) : put('b', boolean(a.boolean));
    case argument_kind::optional_tensor:
      return a.is_named ? append_result(n, a, to) : put('c', null());
    case argument_kind::tensors:
    case argument_kind::optional_tensors:
    case argument_kind::sym_ints:
    case argument_kind::sym_floats:
    case argument_kind::sym_bools:
      for (const pt2::argument& item : arguments(m_, a.items))
        if (!append(n, item, to)) return false;
      return true;
    case argument_kind::strings:
    case argument_kind::graph:
    case argument_kind::custom_object:
    case argument_kind::operation:
    case argument_kind::nested_tensors:
    case argument_kind::integer_lists:
    case argument_kind::named_arguments:
    case argument_kind::real_lists: return cannot(n, a);
  }
  return cannot(n, a);
}
bool importer::cannot(const pt2::node& n, const pt2::argument& a) {
  refuse(errc::pt2_import_argument, n) << "argument " << text_of(m_, a.name) << " is "
                                       << info(a.kind).variant << ", which NAC has no form for";
  return false;
}

// Lists of constants have 32 bits for a number; others are made of numbers.
void importer::append_integers(const pt2::argument& a, operands& to) {
  std::vector<std::uint32_t> words;
  operands numbers;
  bool fits = true;
  for (const std::int64_t v : rows(m_.integers, a.items)) {
    fits = fits && v == static_cast<std::int32_t>(v);
    words.push_back(static_cast<std::uint32_t>(v));
  }
  if (fits) return to.push_back(list_of(words));
  for (const std::int64_t v : rows(m_.integers, a.items)) numbers.push_back(whole(v));
  to.push_back(stacked(numbers));
}
void importer::append_reals(const pt2::argument& a, operands& to) {
  std::vector<std::uint32_t> words;
  operands numbers;
  bool fits = true;
  for (const double v : rows(m_.reals, a.items)) {
    const auto rounded = static_cast<float>(v);
    fits = fits && (static_cast<double>(rounded) == v || v != v);
    words.push_back(std::bit_cast<std::uint32_t>(rounded));
  }
  if (fits) return to.push_back({'S', none, list(nac::constant_type::float32_list, words)});
  for (const double v : rows(m_.reals, a.items)) numbers.push_back({'f', none, real(v)});
  to.push_back(stacked(numbers));
}
void importer::append_booleans(const pt2::argument& a, operands& to) {
  std::vector<std::uint32_t> words;
  for (const pt2::argument& item : arguments(m_, a.items)) words.push_back(item.boolean ? 1 : 0);
  to.push_back(list_of(words));
}
// A tensor of rank 0, whose parts have the type of the result's.
void importer::append_complex(const pt2::node& n, const pt2::argument& a, operands& to) {
  pt2::element_type type = pt2::element_type::float32;
  for (const pt2::argument& o : arguments(m_, n.outputs))
    if (const std::uint32_t v = p_.value_of(o);
        v != none && type_of_value(v) == pt2::element_type::complex128)
      type = pt2::element_type::float64;
  operands parts_of_it;
  for (const double part : rows(m_.reals, a.items))
    parts_of_it.push_back(
        {'T', call("aten.scalar_tensor.default", {{'f', none, real(part)}, name_of(type)}), 0});
  to.push_back({'T', call("aten.complex.default", parts_of_it), 0});
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
