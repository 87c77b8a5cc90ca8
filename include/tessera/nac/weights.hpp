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
//                kept, those of another are read as floats first (see quantization.hpp)
//   dequantize   quantized tensors, float16 and bfloat16 to float32; float64 on request
//
// Moving out and in again gives the same container where tensors have the order of their ids,
// one for each. Of records with the same id, the last counts.
//
// Lifetime:   what is returned borrows the payloads that the parts borrow, and nothing else of
//             them. External weights borrow from the model beside them. A conversion has to be
//             there while its model, or a copy of it, is written; the model's own_bytes must not
//             grow.
// Errors:     nac_weights_*, nac_tensor_*, nac_quantize_*, those of check(). The offset is the
//             index of the tensor, or of the row of parameters that has none.
// Limits:     a safetensors header holds about two million scales.
// Allocation: the parts again; scales and metadata; 4 to 8 bytes for each id up to the largest.

#ifndef TESSERA_NAC_WEIGHTS_HPP
#define TESSERA_NAC_WEIGHTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "quantization.hpp"
#include "read.hpp"
#include "safetensors.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A container without its weights, and the file that they go to.
struct external_weights {
  parts model;             ///< its header says that weights are outside
  external_parts weights;  ///< the safetensors file, whose payloads are borrowed
};

namespace detail {
struct conversion_maker;

}  // namespace detail

/// A container whose tensors are stored in another form. The elements are made while it is written.
class conversion {
 public:
  parts model;  ///< to be written while the conversion lasts

  conversion() = default;
  /// The payloads of `model` stay valid when the conversion moves.
  conversion(conversion&&) noexcept = default;
  /// The payloads of `model` stay valid when the conversion moves.
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

  // What payloads point to is in pools of one, which stay in place when this is moved.
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

// ---- The tensors of a NAC container, without its weights: for files that are large, or far away.
//
//   const auto pread_at = [](void* file, std::uint64_t offset, std::byte* to, std::size_t count) {
//     return pread(*static_cast<int*>(file), to, count, off_t(offset)) == ssize_t(count);
//   };
//   auto index = nac::index_tensors({&descriptor, pread_at, size});
//   const nac::indexed_tensor* t = index->find("model.norm.weight");
//   pread(descriptor, to, t->data_size, t->data_offset);
//
// It reads the header, the tags of the sections, DATA's names in pieces, and 64 bytes of each
// tensor's record; more where its metadata are longer. What follows the names or the metadata
// in such a piece is not looked at. A piece of names is 4 KB, or 16 bytes for each name that is
// left.
//
// Lifetime:   owns; what it returns lasts as long as it does.
// Errors:     nac_source_read with the offset of what could not be read; else those of `read` for
//             the header and DATA, with the same offsets. Other sections are not looked at.
// Limits:     max_items names and tensors; max_bytes is not limited by default.
// Allocation: at most 24 × the names and records that were read.

/// Bytes that are read on demand. `read_at` fills `to` or returns false; it is asked only for bytes
/// below `size`.
struct source {
  void* context;  ///< passed to `read_at`
  /// Copies `count` bytes from byte `offset` on to `to`; false where that fails.
  bool (*read_at)(void* context, std::uint64_t offset, std::byte* to, std::size_t count);
  std::uint64_t size;  ///< bytes of the container
};

/// What the metadata of a tensor say, and where its elements are.
struct indexed_tensor {
  std::uint64_t offset = 0;  ///< of the record
  /// Where its elements begin in the container; how many bytes they are.
  std::uint64_t data_offset = 0, data_size = 0;
  std::uint64_t scales_offset = 0;      ///< of `scales` float32 values
  std::uint32_t scales = 0;             ///< how many; 0 where the method has none
  std::uint32_t dimensions = 0;         ///< of the first one of the shape in the index's dimensions
  std::uint16_t id = 0;                 ///< of its parameter
  std::uint16_t block = 0;              ///< block_fp8: elements of one scale
  data_type type = data_type::float32;  ///< of the elements as they are stored
  /// The tensor's own method, whatever the header says.
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;  ///< int8_channel: the axis that scales run along
  /// How many dimensions the shape has, and block_fp8's original one.
  std::uint8_t rank = 0, original_rank = 0;
};

namespace detail {
struct index_maker;
}

/// The parameters of a container, and those of them that have tensors in it.
class tensor_index {
 public:
  /// A row of DATA's block 1.
  struct parameter {
    std::uint16_t id = 0, size = 0;  ///< of its name
    std::uint32_t first = 0;         ///< of its name's characters
  };

  /// The form of the header, hence the version.
  [[nodiscard]] nac::header header() const noexcept { return header_; }
  /// Bit 7 of byte 4: the header says that the weights are in the file.
  [[nodiscard]] bool has_internal_weights() const noexcept { return internal_weights_; }
  /// In the order of the file.
  [[nodiscard]] view<indexed_tensor> tensors() const& noexcept { return tensors_; }
  view<indexed_tensor> tensors() const&& = delete;
  /// The names of parameters, in the order of the file.
  [[nodiscard]] view<parameter> parameters() const& noexcept { return parameters_; }
  view<parameter> parameters() const&& = delete;

  /// The name of a parameter. Borrows.
  [[nodiscard]] std::string_view name(const parameter& p) const noexcept {
    return names_.view().substr(p.first, p.size);
  }
  /// Empty where its id names no parameter.
  [[nodiscard]] std::string_view name(const indexed_tensor& t) const noexcept;
  /// As it is stored: block_fp8 stores the padded count.
  [[nodiscard]] view<std::uint32_t> shape(const indexed_tensor& t) const noexcept {
    return {dimensions_.data() + t.dimensions, t.rank};
  }
  /// block_fp8: the shape that it is read as.
  [[nodiscard]] view<std::uint32_t> original_shape(const indexed_tensor& t) const noexcept {
    return {dimensions_.data() + t.dimensions + t.rank, t.original_rank};
  }
  /// The tensor of a parameter, the last one where there are more; null: it has none.
  [[nodiscard]] const indexed_tensor* find(std::uint16_t id) const& noexcept;
  const indexed_tensor* find(std::uint16_t id) const&& = delete;
  /// That of the first parameter with this name that has one.
  [[nodiscard]] const indexed_tensor* find(std::string_view name) const& noexcept;
  const indexed_tensor* find(std::string_view name) const&& = delete;

 private:
  friend struct detail::index_maker;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The last record with an id; `order` has their indices by id.
  template <class T>
  [[nodiscard]] static std::uint32_t last_of(const pool<T>& records,
                                             const pool<std::uint32_t>& order,
                                             std::uint16_t id) noexcept {
    const std::size_t count = first_not_below(order.data(), order.size(),
                                              [&](std::uint32_t i) { return records[i].id <= id; });
    if (count == 0 || records[order[count - 1]].id != id) return none;
    return order[count - 1];
  }
  template <class T>
  static void order_by_id(const pool<T>& records, pool<std::uint32_t>& order) {
    order.reserve(records.size());
    for (std::uint32_t i = 0; i < records.size(); ++i) order.push_back(i);
    sort(order.data(), order.size(),
         [&records](std::uint32_t a, std::uint32_t b) { return records[a].id < records[b].id; });
  }

  nac::header header_ = nac::header::v1_6;
  bool internal_weights_ = false;
  pool<indexed_tensor> tensors_;
  pool<parameter> parameters_;
  text names_;
  pool<std::uint32_t> dimensions_;
  pool<std::uint32_t> tensors_by_id_, parameters_by_id_;
  pool<std::uint32_t> by_name_;  // parameters, equal names in their order
};

namespace detail {
struct index_maker;

}  // namespace detail

/// The tensors of a container.
[[nodiscard]] result<tensor_index> index_tensors(const source& from,
                                                 const read_options& options = {});

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/tensor_index.hpp"
#include "detail/weights.hpp"
#endif

#endif  // TESSERA_NAC_WEIGHTS_HPP
