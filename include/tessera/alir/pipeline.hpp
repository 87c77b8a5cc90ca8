// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pipelines: ALIR programs one after the other, with registers between them.
//
//   tessera::result<alir::pipeline> p = alir::read_pipeline(source);
//   if (!p) return fail(describe(p.error(), source));
//   tessera::result<alir::staged> s = alir::verify(std::move(*p));   // what a VM takes
//
//   form     written by          text
//   fsm      alkaid 0.8          {"meta":"ALIRFSM","spec_version":4,
//                                 "fsm":{"logic":{name:BLOCK,...},"conns":[CONNECTION,...],
//                                        "signal_order":[name,...]}}
//   nested   alkaid 0.7          [[BLOCK,...]], a Pipeline as its JSON encoder writes it
//   list     alkaid 0.7          [BLOCK,...], the stages of one
//
//   BLOCK        the array of a model (read_json.hpp); in fsm version 4, else the rows show which
//   CONNECTION   {"src":SIGNAL,"dst":SIGNAL,"enable_if":null,"alt_src":null}
//   SIGNAL       [name,exposed,[[signed,integers,fractionals],...],rst_if,rst_to,reg,schedule,mode,
//                 attributes,[first,end],index]
//
// The blocks' ports are the signals INTERNAL_name_inp and INTERNAL_name_outp. The state machine of an
// fsm is read when it is a pipeline: the connections are one chain from an exposed signal of mode "r"
// through every block to one of mode "w", with a register between two blocks, and perhaps one before the
// first and one at the output. Other state machines (resets, enables, parts of signals) are refused.
// A signal's types are those of the port that it carries the values of, and the schedule of the output
// is [[n],1], n registers after the input's. Names of signals and blocks are not kept: they are written
// as alkaid's to_pipeline gives them.
//
// Values pass from block to block as they are: a block's inputs wrap them to their own types. So a
// pipeline computes what its blocks compute one after the other, latency() cycles later.
//
// Lifetime:   a pipeline owns everything.
// Errors:     reading: json_*, alir_pipeline_form to alir_fsm_schedule, and those of read_json();
//             verifying: alir_pipeline_stages, alir_stage_inputs, and those of verify(model).
// Limits:     as read_json; max_items blocks and connections.
// Allocation: at most 64 × input + 64 KiB to read.

#ifndef TESSERA_ALIR_PIPELINE_HPP
#define TESSERA_ALIR_PIPELINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "print.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// Values of a type that can't be copied as bytes, in a row.
template <class T>
class sequence {
 public:
  sequence() noexcept = default;
  /// Copies each element, or takes all of them.
  ///@{
  // Delegates, so that what was copied goes away when a copy throws.
  sequence(const sequence& other) : sequence() {
    reserve(other.size_);
    for (const T& v : other) push_back(T(v));
  }
  sequence(sequence&& other) noexcept { *this = std::move(other); }
  sequence& operator=(const sequence& other) { return *this = sequence(other); }
  sequence& operator=(sequence&& other) noexcept {
    ///@}
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~sequence() {
    for (std::size_t i = 0; i < size_; ++i) data_[i].~T();
    ::operator delete(data_);
  }

  /// Appends a value; references to elements become invalid where it grows.
  void push_back(T&& v) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 4 : 2 * capacity_);
    ::new (static_cast<void*>(data_ + size_)) T(std::move(v));
    ++size_;
  }
  /// Allocates for so many elements in all.
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    T* const data = static_cast<T*>(::operator new(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void*>(data + i)) T(std::move(data_[i]));
      data_[i].~T();
    }
    ::operator delete(data_);
    data_ = data;
    capacity_ = capacity;
  }
  /// How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Element i, which must exist.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// The elements in their order.
  ///@{
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  ///@}

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// How a file holds its blocks: members of a state machine, nested models, or an array.
enum class pipeline_form : std::uint8_t { fsm, nested, list };

/// A pipeline as read from a file, not yet verified.
struct pipeline {
  pipeline_form form = pipeline_form::fsm;             ///< of the file it came from
  bool input_register = true, output_register = true;  ///< only an fsm can lack them
  sequence<model> blocks;                              ///< in the order in which values pass
};
/// Equal in everything but versions and places in the source.
[[nodiscard]] bool operator==(const pipeline& a, const pipeline& b);

/// Cycles from a sample at the input to its result: the number of registers.
[[nodiscard]] inline std::uint64_t latency(const pipeline& p) noexcept {
  return p.blocks.size() - (p.blocks.empty() ? 0u : 1u) + (p.input_register ? 1u : 0u) +
         (p.output_register ? 1u : 0u);
}

/// The type of a register for the values of an interval. Unlike type_of() it counts ranges of more than
/// 2^24 codes exactly, as the tools do that write state machines.
[[nodiscard]] fixed_type register_type(const interval& q) noexcept;

/// Bits of all registers of a pipeline, each as wide as the type of what it holds.
[[nodiscard]] std::uint64_t register_bits(const pipeline& p);

/// Whether JSON text starts as a pipeline does: with a member "fsm" or the meta "ALIRFSM" early on,
/// or with an array of blocks. A look at the first bytes: the reader has the last word.
[[nodiscard]] bool starts_pipeline(std::string_view source) noexcept;

/// Reads a pipeline of any form.
[[nodiscard]] result<pipeline> read_pipeline(std::string_view source, const limits& limit = {});

class staged;
/// Verifies every block, and that they fit together. In a report, the faults of all blocks.
[[nodiscard]] result<staged> verify(pipeline p, const verify_options& options = {},
                                    report* found = nullptr);

/// A verified pipeline.
class staged {
 public:
  /// How the file held its blocks.
  [[nodiscard]] pipeline_form form() const noexcept { return form_; }
  /// Whether a sample is kept in a register before the first block.
  [[nodiscard]] bool input_register() const noexcept { return input_register_; }
  /// Whether the result is kept in a register after the last block.
  [[nodiscard]] bool output_register() const noexcept { return output_register_; }
  /// How many blocks there are.
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  /// Block i, which must exist.
  [[nodiscard]] const program& block(std::size_t i) const& noexcept { return blocks_[i]; }
  const program& block(std::size_t i) const&& = delete;
  /// Cycles from a sample at the input to its result.
  [[nodiscard]] std::uint64_t latency() const noexcept {
    return blocks_.size() - 1 + (input_register_ ? 1u : 0u) + (output_register_ ? 1u : 0u);
  }
  /// Releases the pipeline, to be changed: without its source maps.
  [[nodiscard]] pipeline release() && noexcept;

 private:
  friend result<staged> verify(pipeline p, const verify_options& options, report* found);
  staged() noexcept = default;

  pipeline_form form_ = pipeline_form::fsm;
  bool input_register_ = true, output_register_ = true;
  sequence<program> blocks_;
};

/// The pipeline in its form, byte for byte as alkaid writes it. `version` is that of the rows, for
/// arrays of blocks: 2, 3 or 4, and 0 for each block's own. An fsm has version 4 only.
/// Errors: alir_fsm_version, alir_pipeline_stages, and those of write_json().
[[nodiscard]] result<text> write_pipeline(const pipeline& p, std::int32_t version = 0);

/// The listing of a pipeline: that of each block after a line that says which registers are before it.
[[nodiscard]] text print(const pipeline& p, const print_options& options = {});

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/pipeline.hpp"
#endif

#endif  // TESSERA_ALIR_PIPELINE_HPP
