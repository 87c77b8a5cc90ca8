// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "constants.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <utility>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

namespace {

using nac::value;
using tessera::nac::argument_form;

[[noreturn]] void refuse(std::string_view type, std::string_view json) {
  nac::fail(errc::genome_run_constant, "type is ", type, " and value ", json.substr(0, 64));
}

[[nodiscard]] bool is_whole(double v) noexcept {
  return v >= -0x1p63 && v < 0x1p63 && v == std::trunc(v);
}
[[nodiscard]] argument_form form_of(double v) noexcept {
  return is_whole(v) ? argument_form::integer : argument_form::number;
}

/// A float: a number, or what JSON has no number for.
[[nodiscard]] double real(json::reader& in) {
  if (in.peek() != json::kind::string) return in.number().value;
  const std::string_view word = in.string();
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (word == "inf") return inf;
  if (word == "-inf") return -inf;
  if (word != "nan") in.fail(errc::json_expected_number, 0);
  return std::numeric_limits<double>::quiet_NaN();
}

/// A list of numbers. Whole ones are exact; a list that has others is one of floats.
[[nodiscard]] loaded_constant list(json::reader& in, std::string_view type, std::string_view json) {
  std::vector<std::int64_t> ints;
  std::vector<double> numbers;
  bool all_whole = true;
  for (in.array(); in.element();) {
    std::int64_t whole = 0;
    double number = 0;
    if (in.peek() == json::kind::boolean) {
      whole = in.boolean() ? 1 : 0;
      number = static_cast<double>(whole);
    } else if (in.peek() == json::kind::number) {
      const json::number n = in.number();
      number = n.value;
      if (n.integral) {
        json::reader again(n.token);
        whole = again.int64();
        if (again.failed()) refuse(type, json);
      } else if (is_whole(number)) {
        whole = static_cast<std::int64_t>(number);
      } else {
        all_whole = false;
      }
    } else if (in.peek() == json::kind::string) {
      number = real(in);
      all_whole = false;
    } else {
      refuse(type, json);  // null, and lists of lists
    }
    ints.push_back(whole);
    numbers.push_back(number);
  }
  if (all_whole) return {value::int_list(std::move(ints)), argument_form::int_list};
  return {value::numbers(std::move(numbers)), argument_form::number_list};
}

/// Start, end and step, each a number or null.
[[nodiscard]] loaded_constant slice(nac::memory& arena, json::reader& in) {
  std::vector<value> parts;
  for (in.array(); in.element();)
    if (in.peek() == json::kind::null) {
      in.null();
      parts.emplace_back();
    } else {
      parts.emplace_back(nac::make_number(arena, in.int64()));
    }
  const bool three = parts.size() == 3;
  if (!three) in.fail(errc::json_missing_element, 0);
  return {value(std::move(parts)), argument_form::null, true};
}

}  // namespace

loaded_constant load(nac::memory& arena, const model::library& from, std::uint32_t id) {
  const model::registry& r = from.registry();
  const model::constant& c = *from.constant(id);
  const std::string_view type = r.name_of(c.type), json = r.name_of(c.value);
  json::reader in(json);
  loaded_constant out;
  if (type == "int") {
    out = {nac::make_number(arena, in.int64()), argument_form::integer};
  } else if (type == "float") {
    const double v = real(in);
    out = {nac::make_number(arena, v), form_of(v)};
  } else if (type == "bool") {
    out = {nac::make_number(arena, in.boolean()), argument_form::integer};
  } else if (type == "NoneType") {
    in.null();
  } else if (type == "str" || type.substr(0, 6) == "torch.") {
    out = {value::string(in.string()), argument_form::string};
  } else if (type == "list" || type == "tuple" || type == "immutable_list") {
    out = list(in, type, json);
  } else if (type == "slice") {
    out = slice(arena, in);
  } else {
    refuse(type, json);
  }
  if (in.finish().code != errc::ok) refuse(type, json);
  return out;
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI
