// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of single operations share: calls without a program around them.
//
//   bench b;
//   const vm::value y = b.run("aten.cat.default", {b.f32({2}, {1, 2}), b.f32({1}, {3}), b.i(0)});
//   CHECK(text(y) == "f32 [3] 1 2 3");
//   CHECK(b.numbers("nac.add", {b.of<std::int8_t>({1}, {127}), b.i(1)}) == reals{-128});
//   CHECK(b.fault("aten.select.int", {b.f32({1}, {1}), b.i(0), b.i(1)}) == errc::nac_run_index);

#ifndef TESSERA_TESTS_VM_NAC_CALLS_HPP
#define TESSERA_TESTS_VM_NAC_CALLS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nac/all.hpp"
#include "vm/nac/operations.hpp"

namespace vm_nac_tests {

namespace nac = tessera::nac;
namespace vm = tessera::vm::nac;
using nac::data_type;
using tessera::errc;
using arguments = std::vector<vm::value>;
using reals = std::vector<double>;

template <class T>
inline constexpr data_type type_for = std::is_same_v<T, float>          ? data_type::float32
                                      : std::is_same_v<T, double>       ? data_type::float64
                                      : std::is_same_v<T, vm::half>     ? data_type::float16
                                      : std::is_same_v<T, vm::bfloat>   ? data_type::bfloat16
                                      : std::is_same_v<T, std::int32_t> ? data_type::int32
                                      : std::is_same_v<T, std::int64_t> ? data_type::int64
                                      : std::is_same_v<T, std::int16_t> ? data_type::int16
                                      : std::is_same_v<T, std::int8_t>  ? data_type::int8
                                      : std::is_same_v<T, std::uint8_t> ? data_type::uint8
                                                                        : data_type::boolean;

/// The elements of a tensor as numbers.
[[nodiscard]] inline reals numbers(const vm::tensor& t) {
  reals out(t.size());
  vm::visit(t.type, [&]<class T>(vm::of<T>) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = vm::convert<double>(t.template as<T>()[i]);
  });
  return out;
}
[[nodiscard]] inline reals numbers(const vm::value& v) {
  REQUIRE(v.is_tensor());
  return numbers(v.as_tensor());
}

/// "f32 [3] 1 2 3"; lists in braces, by semicolons.
[[nodiscard]] inline std::string text(const vm::value& v) {
  if (v.is_list()) {
    std::string out = "{";
    for (const vm::value& one : v.as_list()) out += (out.size() == 1 ? "" : "; ") + text(one);
    return out + "}";
  }
  if (!v.is_tensor()) return "no tensor";
  std::ostringstream out;
  out << nac::name(v.as_tensor().type) << ' ' << v.as_tensor().dims.text();
  for (const double d : numbers(v.as_tensor())) {
    if (std::isnan(d))
      out << " nan";
    else
      out << ' ' << d;
  }
  return out.str();
}

class bench {
 public:
  explicit bench(std::uint64_t limit = std::uint64_t{64} << 20) : arena(limit) {}
  vm::memory arena;

  // ---- arguments

  [[nodiscard]] vm::value make(data_type type, const vm::shape& dims, const reals& values) {
    vm::tensor t = vm::make_tensor(arena, type, dims);
    REQUIRE(t.size() == values.size());
    vm::visit(type, [&]<class T>(vm::of<T>) {
      for (std::size_t i = 0; i < values.size(); ++i)
        t.template as<T>()[i] = vm::convert<T>(values[i]);
    });
    return t;
  }
  [[nodiscard]] vm::value f32(const vm::shape& dims, const reals& values) {
    return make(data_type::float32, dims, values);
  }
  [[nodiscard]] vm::value i64(const vm::shape& dims, const reals& values) {
    return make(data_type::int64, dims, values);
  }
  [[nodiscard]] vm::value truths(const vm::shape& dims, const reals& values) {
    return make(data_type::boolean, dims, values);
  }
  template <class T>
  [[nodiscard]] vm::value of(const vm::shape& dims, const reals& values) {
    return make(type_for<T>, dims, values);
  }
  /// 0, 1, 2 …
  [[nodiscard]] vm::value counted(const vm::shape& dims, data_type type = data_type::float32) {
    reals values(static_cast<std::size_t>(dims.elements()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    return make(type, dims, values);
  }
  [[nodiscard]] vm::value i(std::int64_t v) { return vm::make_number(arena, v); }
  [[nodiscard]] vm::value f(double v) { return vm::make_number(arena, v); }
  [[nodiscard]] vm::value b(bool v) { return vm::make_number(arena, v); }
  [[nodiscard]] static vm::value l(std::vector<std::int64_t> v) {
    return vm::value::int_list(std::move(v));
  }
  [[nodiscard]] static vm::value s(std::string_view v) { return vm::value::string(v); }
  [[nodiscard]] static vm::value none() { return {}; }

  // ---- calls

  /// Throws the fault that it ends with; nac_argument_type where the pattern doesn't take these.
  [[nodiscard]] vm::value run(nac::operation operation, const arguments& given) {
    std::vector<nac::argument_form> forms;
    std::vector<const vm::value*> at;
    for (const vm::value& v : given) {
      forms.push_back(form_of(v));
      at.push_back(&v);
    }
    nac::binding binding;
    const nac::match m = nac::bind(nac::pattern(operation), {forms.data(), forms.size()}, binding);
    if (m.what != nac::match::kind::fits) throw vm::fault{errc::nac_argument_type};
    vm::call c(arena, shared_, operation, binding, at);
    return vm::run(c);
  }
  [[nodiscard]] vm::value run(std::string_view name, const arguments& given) {
    const nac::operation operation = nac::find_operation(name);
    INFO(name);
    REQUIRE(operation != nac::operation::unknown);
    return run(operation, given);
  }
  [[nodiscard]] vm::tensor tensor(std::string_view name, const arguments& given) {
    return run(name, given).as_tensor();
  }
  [[nodiscard]] reals numbers(std::string_view name, const arguments& given) {
    return vm_nac_tests::numbers(run(name, given));
  }
  /// The error of a call that is refused; ok for others.
  template <class Operation>
  [[nodiscard]] errc fault(const Operation& operation, const arguments& given) {
    try {
      (void)run(operation, given);
    } catch (const vm::fault& f) {
      return f.code;
    }
    return errc::ok;
  }

 private:
  [[nodiscard]] static nac::argument_form form_of(const vm::value& v) {
    using form = nac::argument_form;
    switch (v.what()) {
      case vm::value::form::none: return form::null;
      case vm::value::form::string: return form::string;
      case vm::value::form::int_list: return form::int_list;
      case vm::value::form::numbers: return form::number_list;
      default: break;
    }
    if (!v.is_tensor() || !v.as_tensor().is_number) return form::result;
    const vm::tensor& t = v.as_tensor();
    if (!nac::is_floating(t.type)) return form::integer;
    const double number = *t.as<double>();
    return std::floor(number) == number && std::fabs(number) < 0x1p63 ? form::integer
                                                                      : form::number;
  }

  vm::workspaces shared_;
};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_CALLS_HPP
