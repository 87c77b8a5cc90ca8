// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "call.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

constexpr std::string_view forms[value::form_count] = {"null",
                                                       "a tensor",
                                                       "a list",
                                                       "a string",
                                                       "a list of numbers",
                                                       "a list of numbers",
                                                       "a complex tensor"};
[[nodiscard]] std::string named(const value& v) {
  return std::string(forms[static_cast<std::size_t>(v.what())]);
}

[[nodiscard]] scalar element(const tensor& t) {
  return visit(t.type, [&]<class T>(of<T>) -> scalar {
    const T v = *t.as<T>();
    scalar s;
    s.type = is_float<T>               ? data_type::float64
             : std::is_same_v<T, bool> ? data_type::boolean
                                       : data_type::int64;
    s.whole = is_float<T> ? 0 : convert<std::int64_t>(v);
    s.real = convert<double>(v);
    return s;
  });
}

[[nodiscard]] std::uint64_t elements_of(std::span<const value> list) noexcept {
  std::uint64_t all = list.size();
  for (const value& v : list)
    if (v.is_tensor()) all += v.as_tensor().dims.touched();
  return all;
}

}  // namespace

const tensor& call::first_of(const value& v) const {
  const value& one = decayed(v);
  if (!one.is_tensor()) fail(errc::nac_run_kind, named(one), "; expected a tensor");
  return one.as_tensor();
}

void call::charge_operands(std::uint64_t steps) {
  std::uint64_t all = 0;
  for (const value* const v : arguments_)
    if (v->is_tensor() || v->is_complex())
      all += v->as_tensor().dims.touched();
    else if (v->is_list())
      all += elements_of(v->as_list());
  arena.charge(product_of_steps(all, steps));
}

scalar call::number_of(const value& v) {
  const value& one = decayed(v);
  if (!one.is_tensor()) fail(errc::nac_run_kind, named(one), "; expected a number");
  const tensor& t = one.as_tensor();
  if (t.size() != 1)
    fail(errc::nac_run_argument, "a tensor of shape ", t.dims, "; expected a number");
  return element(t);
}

std::int64_t call::computed_whole(const value& v) {
  const scalar s = number_of(v);
  if (s.type != data_type::float64) return s.whole;
  const auto whole = convert<std::int64_t>(s.real);
  if (static_cast<double>(whole) != s.real)
    fail(errc::nac_run_argument, s.real, "; expected an integer");
  return whole;
}

template <class T>
T* call::keep(std::size_t count, T* all, std::size_t& used) {
  if (count > max_kept - used)
    fail(errc::nac_run_argument, "a computed list of ", count, " numbers; expected at most ",
         max_kept, " in all lists of an operation");
  T* const first = all + used;
  used += count;
  return first;
}

std::span<const std::int64_t> call::computed_int_list(std::size_t letter) {
  if (!has(letter)) return {};
  const value& v = at(letter);
  if (count(letter) == 1 && v.is_list()) {
    const std::span<const value> list = v.as_list();
    std::int64_t* const out = keep(list.size(), ints_, ints_used_);
    for (std::size_t i = 0; i < list.size(); ++i) out[i] = whole_of(list[i]);
    return {out, list.size()};
  }
  if (count(letter) == 1 && v.is_tensor() && v.as_tensor().rank() == 1 &&
      !is_floating(v.as_tensor().type)) {
    const tensor& t = v.as_tensor();
    std::int64_t* const out = keep(t.size(), ints_, ints_used_);
    cast(t.type, t.data, data_type::int64, static_cast<std::byte*>(static_cast<void*>(out)),
         t.size());
    return {out, t.size()};
  }
  std::int64_t* const out = keep(count(letter), ints_, ints_used_);
  for (std::size_t k = 0; k < count(letter); ++k) out[k] = whole_of(at(letter, k));
  return {out, count(letter)};
}

std::span<const double> call::numbers(std::size_t letter) {
  if (!has(letter)) return {};
  const value& v = at(letter);
  if (v.what() == value::form::numbers) return v.as_numbers();
  if (v.what() == value::form::int_list) {
    const std::span<const std::int64_t> list = v.as_int_list();
    double* const out = keep(list.size(), numbers_, numbers_used_);
    for (std::size_t i = 0; i < list.size(); ++i) out[i] = static_cast<double>(list[i]);
    return {out, list.size()};
  }
  if (v.is_list()) {
    const std::span<const value> list = v.as_list();
    double* const out = keep(list.size(), numbers_, numbers_used_);
    for (std::size_t i = 0; i < list.size(); ++i) out[i] = number_of(list[i]).real;
    return {out, list.size()};
  }
  if (v.is_tensor() && v.as_tensor().rank() == 1) {
    const tensor& t = v.as_tensor();
    double* const out = keep(t.size(), numbers_, numbers_used_);
    cast(t.type, t.data, data_type::float64, static_cast<std::byte*>(static_cast<void*>(out)),
         t.size());
    return {out, t.size()};
  }
  double* const out = keep(1, numbers_, numbers_used_);
  *out = number_of(v).real;
  return {out, 1};
}

data_type call::type_or(std::size_t letter, data_type otherwise) const {
  for (std::size_t k = 0; k < count(letter); ++k) {
    const value& v = at(letter, k);
    if (v.what() != value::form::string) continue;
    if (const std::optional<data_type> t = type_named(v.as_string())) return *t;
    if (const std::optional<data_type> t = parts_named(v.as_string())) {
      makes_complex_ = true;
      return *t;
    }
  }
  return otherwise;
}

std::optional<data_type> parts_named(std::string_view name) noexcept {
  if (name.substr(0, 6) == "torch.") name.remove_prefix(6);
  if (name == "complex64") return data_type::float32;
  if (name == "complex128") return data_type::float64;
  return std::nullopt;
}

std::optional<data_type> type_named(std::string_view name) noexcept {
  if (name.substr(0, 6) == "torch.") name.remove_prefix(6);
  constexpr struct {
    std::string_view name;
    data_type type;
  } others[] = {{"float", data_type::float32},   {"double", data_type::float64},
                {"half", data_type::float16},    {"int", data_type::int32},
                {"long", data_type::int64},      {"short", data_type::int16},
                {"float32", data_type::float32}, {"float64", data_type::float64},
                {"float16", data_type::float16}, {"bfloat16", data_type::bfloat16},
                {"int32", data_type::int32},     {"int64", data_type::int64},
                {"int16", data_type::int16},     {"int8", data_type::int8},
                {"uint8", data_type::uint8},     {"bool", data_type::boolean}};
  for (const auto& row : others)
    if (row.name == name) return row.type;
  for (std::size_t i = 0; i < model::data_type_count; ++i)
    if (model::name(static_cast<data_type>(i)) == name) return static_cast<data_type>(i);
  return std::nullopt;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
