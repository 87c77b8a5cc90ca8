// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What tests of single operations share: calls without a program around them.
//
//   bench b;
//   const vm::value y = b.run("aten.cat.default", {b.f32({2}, {1, 2}), b.f32({1}, {3}), b.i(0)});
//   CHECK(text(y) == "f32 [3] 1 2 3");
//   CHECK(b.fault("aten.select.int", {b.f32({1}, {1}), b.i(0), b.i(1)}) == errc::nac_run_index);

#ifndef TESSERA_TESTS_VM_NAC_CALLS_HPP
#define TESSERA_TESTS_VM_NAC_CALLS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nac.hpp"
#include "vm/nac/operations.hpp"

namespace vm_nac_tests {

namespace vm = tessera::vm::nac;
using tessera::errc;
using tessera::nac::data_type;
using arguments = std::vector<vm::value>;

/// The elements of a tensor as numbers.
[[nodiscard]] inline std::vector<double> numbers(const vm::tensor& t) {
  std::vector<double> out(t.size());
  vm::visit(t.type, [&]<class T>(vm::of<T>) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = vm::convert<double>(t.template as<T>()[i]);
  });
  return out;
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
  out << tessera::nac::name(v.as_tensor().type) << ' ' << v.as_tensor().dims.text();
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
  explicit bench(std::uint64_t limit = std::uint64_t{64} << 20) : room(limit) {}
  vm::memory room;

  // ---- arguments

  [[nodiscard]] vm::value make(data_type type, const vm::shape& dims,
                               const std::vector<double>& values) {
    vm::tensor t = vm::make_tensor(room, type, dims);
    REQUIRE(t.size() == values.size());
    vm::visit(type, [&]<class T>(vm::of<T>) {
      for (std::size_t i = 0; i < values.size(); ++i)
        t.template as<T>()[i] = vm::convert<T>(values[i]);
    });
    return t;
  }
  [[nodiscard]] vm::value f32(const vm::shape& dims, const std::vector<double>& values) {
    return make(data_type::float32, dims, values);
  }
  [[nodiscard]] vm::value i64(const vm::shape& dims, const std::vector<double>& values) {
    return make(data_type::int64, dims, values);
  }
  [[nodiscard]] vm::value truths(const vm::shape& dims, const std::vector<double>& values) {
    return make(data_type::boolean, dims, values);
  }
  /// 0, 1, 2 …
  [[nodiscard]] vm::value counted(const vm::shape& dims, data_type type = data_type::float32) {
    std::vector<double> values(static_cast<std::size_t>(dims.elements()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    return make(type, dims, values);
  }
  [[nodiscard]] vm::value i(std::int64_t v) { return vm::make_number(room, v); }
  [[nodiscard]] vm::value f(double v) { return vm::make_number(room, v); }
  [[nodiscard]] vm::value b(bool v) { return vm::make_number(room, v); }
  [[nodiscard]] static vm::value l(std::vector<std::int64_t> v) {
    return vm::value::wholes(std::move(v));
  }
  [[nodiscard]] static vm::value s(std::string_view v) { return vm::value::string(v); }
  [[nodiscard]] static vm::value none() { return {}; }

  // ---- calls

  [[nodiscard]] vm::value run(std::string_view name, const arguments& given) {
    const auto operation = tessera::nac::find_operation(name);
    REQUIRE(operation != tessera::nac::operation::unknown);
    tessera::nac::binding binding;
    const bool fits = bind(operation, given, binding);
    INFO(name);
    REQUIRE(fits);
    return run(operation, given, binding);
  }
  /// The error of a call that is refused; ok for others.
  [[nodiscard]] errc fault(std::string_view name, const arguments& given) {
    try {
      (void)run(name, given);
    } catch (const vm::fault& f) {
      return f.code;
    }
    return errc::ok;
  }
  [[nodiscard]] vm::value run(tessera::nac::operation operation, const arguments& given,
                              const tessera::nac::binding& binding) {
    std::vector<const vm::value*> at;
    for (const vm::value& v : given) at.push_back(&v);
    vm::call c(room, shared_, operation, binding, at.data());
    return vm::run(c);
  }
  /// Whether the operation's pattern takes these.
  [[nodiscard]] static bool bind(tessera::nac::operation operation, const arguments& given,
                                 tessera::nac::binding& out) {
    std::vector<tessera::nac::argument_form> forms;
    for (const vm::value& v : given) forms.push_back(form_of(v));
    return tessera::nac::bind(tessera::nac::pattern(operation), {forms.data(), forms.size()}, out)
               .what == tessera::nac::match::kind::fits;
  }

 private:
  [[nodiscard]] static tessera::nac::argument_form form_of(const vm::value& v) {
    using form = tessera::nac::argument_form;
    switch (v.what()) {
      case vm::value::form::none: return form::null;
      case vm::value::form::string: return form::string;
      case vm::value::form::wholes: return form::wholes;
      case vm::value::form::numbers: return form::numbers;
      default: break;
    }
    if (!v.is_tensor() || !v.as_tensor().is_number) return form::result;
    const double number = numbers(v.as_tensor())[0];
    return number == std::floor(number) && std::isfinite(number) ? form::whole : form::number;
  }

  vm::workspaces shared_;
};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_CALLS_HPP
