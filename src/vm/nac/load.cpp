// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "load.hpp"

#include <bit>
#include <cstring>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "preload.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

template <class List>
[[nodiscard]] shape shape_of(const List& dims) {
  shape out;
  for (std::uint32_t i = 0; i < dims.size(); ++i) out.push_back(dims[i]);
  return out;
}

/// Little-endian elements in the order of this processor.
void copy_elements(data_type type, const std::byte* from, std::byte* to, std::size_t n) noexcept {
  if (type == data_type::boolean) {  // any byte but 0 is true
    for (std::size_t i = 0; i < n; ++i)
      to[i] = from[i] != std::byte{0} ? std::byte{1} : std::byte{0};
  } else if (n != 0) {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(to, from, n * model::size_of(type));
    } else {
      visit(type, [&]<class T>(of<T>) {
        T* const out = static_cast<T*>(static_cast<void*>(to));
        for (std::size_t i = 0; i < n; ++i)
          if constexpr (is_half<T>)
            out[i].bits = load_le<std::uint16_t>(from + i * sizeof(T));
          else if constexpr (!std::is_same_v<T, bool>)
            out[i] = load_le<T>(from + i * sizeof(T));
      });
    }
  }
}

}  // namespace

tensor load(memory& arena, data_type type, const shape& dims, bytes from) {
  tensor out = make_tensor(arena, type, dims);
  if (out.bytes() > from.size()) fail(errc::nac_tensor_range);
  copy_elements(type, from.data(), out.data, out.size());
  return out;
}

tensor prepare(memory& arena, const model::tensor& from, bool widen, filling& fill) {
  const result<model::tensor_values> values = model::tensor_values::of(from);
  if (!values) fail(values.error().code);
  fill.values_are_floats_ =
      from.quantization != model::quantization::none || (widen && from.type == data_type::float16);
  fill.type_ = fill.values_are_floats_ ? data_type::float32 : from.type;
  tensor out = make_tensor(arena, fill.type_, shape_of(from.value_shape()));
  fill.values_ = *values;
  fill.from_ = from.data;
  fill.to_ = out.data;
  fill.size_ = out.size();
  return out;
}

void filling::operator()() const noexcept {
  if (values_are_floats_)
    values_.read(0, static_cast<float*>(static_cast<void*>(to_)), size_);
  else
    copy_elements(type_, from_.data(), to_, size_);
}

void store(const tensor& t, std::byte* to) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    if (t.size() != 0) std::memcpy(to, t.data, t.bytes());
  } else {
    visit(t.type, [&]<class T>(of<T>) {
      for (std::size_t i = 0; i < t.size(); ++i)
        if constexpr (is_half<T>)
          store_le(to + i * sizeof(T), t.as<T>()[i].bits);
        else if constexpr (std::is_same_v<T, bool>)
          to[i] = static_cast<std::byte>(t.as<bool>()[i] ? 1 : 0);
        else
          store_le(to + i * sizeof(T), t.as<T>()[i]);
    });
  }
}

tensor load(memory& arena, const model::tensor& from) {
  filling fill;
  tensor out = prepare(arena, from, false, fill);
  fill();
  return out;
}

tensor load(memory& arena, const model::array& from) {
  return load(arena, from.type, shape_of(from.shape), from.data);
}

value load(memory& arena, const model::constant& from) {
  switch (from.type) {
    case model::constant_type::null: break;
    case model::constant_type::boolean: return make_number(arena, from.boolean());
    case model::constant_type::int64: return make_number(arena, from.int64());
    case model::constant_type::float64: return make_number(arena, from.float64());
    case model::constant_type::string: return value::string(from.string());
    case model::constant_type::int32_list: {
      std::vector<std::int64_t> list;
      const model::packed<std::int32_t> all = from.int32_list();
      for (std::uint32_t i = 0; i < all.size(); ++i) list.push_back(all[i]);
      return value::int_list(std::move(list));
    }
    case model::constant_type::float32_list: {
      std::vector<double> list;
      std::vector<std::int64_t> whole;
      const model::packed<float> all = from.float32_list();
      for (std::uint32_t i = 0; i < all.size(); ++i) {
        list.push_back(static_cast<double>(all[i]));
        whole.push_back(convert<std::int64_t>(all[i]));
      }
      // What verification took for whole numbers is a list of those.
      if (model::form_of(from) == model::argument_form::int_list)
        return value::int_list(std::move(whole));
      return value::numbers(std::move(list));
    }
  }
  return {};
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
