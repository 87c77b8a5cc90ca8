// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations of the NAC machine without a program around them.
//
//   direct d;
//   const auto y = d("aten.add.Tensor", {d.of<float>({2}, {1, 2}), d.whole(3)});   // a value
//   CHECK(d.error("aten.add.Tensor", {…}) == tessera::errc::nac_run_shape);

#ifndef TESSERA_TESTS_VM_NAC_DIRECT_HPP
#define TESSERA_TESTS_VM_NAC_DIRECT_HPP

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "vm/nac/operations.hpp"

namespace vm_nac_tests {

namespace nac = tessera::nac;
namespace vm = tessera::vm::nac;

template <class T>
inline constexpr nac::data_type type_for =
    std::is_same_v<T, float>          ? nac::data_type::float32
    : std::is_same_v<T, double>       ? nac::data_type::float64
    : std::is_same_v<T, vm::half>     ? nac::data_type::float16
    : std::is_same_v<T, vm::bfloat>   ? nac::data_type::bfloat16
    : std::is_same_v<T, std::int32_t> ? nac::data_type::int32
    : std::is_same_v<T, std::int64_t> ? nac::data_type::int64
    : std::is_same_v<T, std::int16_t> ? nac::data_type::int16
    : std::is_same_v<T, std::int8_t>  ? nac::data_type::int8
    : std::is_same_v<T, std::uint8_t> ? nac::data_type::uint8
                                      : nac::data_type::boolean;

class direct {
 public:
  explicit direct(std::uint64_t memory = std::uint64_t{1} << 28) : room(memory) {}

  vm::memory room;

  // ---- arguments

  template <class T>
  [[nodiscard]] vm::value of(const vm::shape& dims, std::initializer_list<double> elements) {
    vm::tensor t = vm::make_tensor(room, type_for<T>, dims);
    std::size_t i = 0;
    for (const double e : elements) t.as<T>()[i++] = vm::convert<T>(e);
    return t;
  }
  [[nodiscard]] vm::value truth(bool v) { return vm::make_number(room, v); }
  [[nodiscard]] vm::value whole(std::int64_t v) { return vm::make_number(room, v); }
  [[nodiscard]] vm::value real(double v) { return vm::make_number(room, v); }
  [[nodiscard]] static vm::value string(std::string_view v) { return vm::value::string(v); }
  [[nodiscard]] static vm::value list(std::vector<std::int64_t> v) {
    return vm::value::wholes(std::move(v));
  }

  // ---- calls

  [[nodiscard]] vm::value operator()(std::string_view name, std::vector<vm::value> arguments) {
    std::vector<nac::argument_form> forms;
    std::vector<const vm::value*> places;
    for (const vm::value& v : arguments) {
      forms.push_back(form_of(v));
      places.push_back(&v);
    }
    const nac::operation o = nac::find_operation(name);
    nac::binding b;
    const nac::match m = nac::bind(nac::pattern(o), {forms.data(), forms.size()}, b);
    if (m.what != nac::match::kind::fits) throw vm::fault{tessera::errc::nac_argument_type};
    vm::call c(room, shared_, o, b, places.data());
    return vm::run(c);
  }
  [[nodiscard]] vm::tensor tensor(std::string_view name, std::vector<vm::value> arguments) {
    return (*this)(name, std::move(arguments)).as_tensor();
  }
  /// The elements of a result, as doubles.
  [[nodiscard]] std::vector<double> elements(std::string_view name,
                                             std::vector<vm::value> arguments) {
    return elements(tensor(name, std::move(arguments)));
  }
  [[nodiscard]] static std::vector<double> elements(const vm::tensor& t) {
    std::vector<double> out;
    vm::visit(t.type, [&]<class T>(vm::of<T>) {
      for (const T v : t.elements<T>()) out.push_back(vm::convert<double>(v));
    });
    return out;
  }
  /// What it fails with; ok where it doesn't.
  [[nodiscard]] tessera::errc error(std::string_view name, std::vector<vm::value> arguments) {
    try {
      (void)(*this)(name, std::move(arguments));
    } catch (const vm::fault& f) {
      return f.code;
    }
    return tessera::errc::ok;
  }

 private:
  [[nodiscard]] static nac::argument_form form_of(const vm::value& v) {
    using form = nac::argument_form;
    switch (v.what()) {
      case vm::value::form::none: return form::null;
      case vm::value::form::string: return form::string;
      case vm::value::form::wholes: return form::wholes;
      case vm::value::form::numbers: return form::numbers;
      case vm::value::form::list: return form::result;
      case vm::value::form::tensor: break;
    }
    const vm::tensor& t = v.as_tensor();
    if (!t.is_number) return form::result;
    if (!nac::is_floating(t.type)) return form::whole;
    const double number = elements(t)[0];
    return std::floor(number) == number && std::fabs(number) < 0x1p63 ? form::whole : form::number;
  }

  vm::workspaces shared_;
};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_DIRECT_HPP
