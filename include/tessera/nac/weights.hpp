// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Weights of whole containers: moved out and in, quantized and back, in bounded memory.
//
//   auto out = nac::externalise(nac::parts_of(*file));       // write both: out->model, out->weights
//   auto in = nac::internalise(parts, *nac::read_safetensors(mapped));
//   auto small = nac::quantize(parts, nac::quantization::int8_tensor);
//   auto error = nac::write(small->model, sink);             // elements are made here
//
//   externalise  each parameter's tensor under its name; one where parameters of one name have
//                equal tensors. How they are quantized goes into the metadata, under each tensor's
//                name and, for all, under "nac_quant_meta" (see safetensors.hpp)
//   internalise  each parameter's tensor by its name, in the order of ids
//   quantize     tensors of floats and of rank 1 or more; those that are stored by the method are
//                left alone, those of another are read as floats first (see quantize.hpp)
//   dequantize   quantized tensors, float16 and bfloat16 to float32; float64 on request
//
// Moving out and in again gives the same container where tensors stand in the order of their ids,
// one for each. Where an id stands twice, the last record counts.
//
// Lifetime:   what is returned borrows the payloads that the parts borrow, and nothing else of them.
//             External weights borrow from the model beside them. A conversion has to be there while
//             its model, or a copy of it, is written; the model's own_bytes must not grow.
// Errors:     nac_weights_*, nac_tensor_*, nac_quantize_*, those of check.hpp. The offset is the
//             index of the tensor, or of the row of parameters that has none.
// Limits:     a safetensors file has no room for more scales than fit its header: about two million.
// Allocation: the parts again; scales and metadata; 4 to 8 bytes for each id up to the largest.

#ifndef TESSERA_NAC_WEIGHTS_HPP
#define TESSERA_NAC_WEIGHTS_HPP

#include <cstddef>
#include <cstdint>

#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "quantization.hpp"
#include "safetensors_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A container without its weights, and the file that they go to.
struct external_weights {
  parts model;
  external_parts weights;
};

namespace detail {
struct conversion_maker;

}  // namespace detail

/// A container whose tensors are stored in another form. The elements are made while it is written.
class conversion {
 public:
  parts model;

  conversion() = default;
  conversion(conversion&&) noexcept = default;
  conversion& operator=(conversion&&) noexcept = default;
  conversion(const conversion&) = delete;
  conversion& operator=(const conversion&) = delete;
  ~conversion() = default;

 private:
  friend struct detail::conversion_maker;
  struct item {
    tensor_values values;
    quantized_form form;
    std::uint64_t first_scale = 0;
  };
  struct state {
    const item* items = nullptr;
    const float* scales = nullptr;
  };

  static bool read(const void* context, std::uint64_t key, std::uint64_t first, std::byte* to,
                   std::size_t count);

  // What payloads point to stands in pools of one, for those stay in place when this is moved.
  pool<std::byte> numbers_;
  pool<item> items_;
  pool<float> scales_;
  pool<state> state_;
  pool<payload_source> source_;
};

namespace detail {
struct conversion_maker;

}  // namespace detail

/// Moves the weights out.
[[nodiscard]] result<external_weights> externalise(const parts& from);

/// Moves the weights in; they stay borrowed from the bytes of `weights`.
[[nodiscard]] result<parts> internalise(const parts& from, const safetensors& weights);

/// Stores the tensors by a method. All values are looked at once here, and once more when the parts
/// are written. nac_quantize_method for `none`.
[[nodiscard]] result<conversion> quantize(const parts& from, quantization method,
                                          std::uint16_t block = default_block);

/// Stores quantized tensors, float16 and bfloat16 as float32, and float64 too where that's wanted.
[[nodiscard]] result<conversion> dequantize(const parts& from, bool narrow_float64 = false);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/weights.hpp"
#endif

#endif  // TESSERA_NAC_WEIGHTS_HPP
