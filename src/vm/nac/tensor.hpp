// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Values of the NAC machine: tensors in counted, reused memory, and lists of them.
//
//   memory arena(1 << 30);                                       // at most so many bytes
//   tensor x = make_tensor(arena, data_type::float32, {2, 3});   // not set to anything
//   x.as<float>()[4] = 1;
//   tensor y = x;                                               // the same elements
//   value v = y;
//
// Tensors are dense, in C order, and one that has other owners is never changed. One that shares the
// elements of another, or a part of them, costs no memory.
//
//   type      in memory        floats of 16 bits: half and bfloat, which convert to float and back
//   boolean   bool, 0 or 1     the others: the integer or float of that size
//
// A number is what Python would have as one: a tensor of rank 0 that gives way to others' types as
// constants do.
//
// What takes memory is going to write it: each element of a tensor, and every eight bytes of the rest,
// is charged to the run's steps.
//
// Lifetime:   a memory outlives its tensors. Neither serves two threads at a time.
// Errors:     make_tensor and memory::take throw a fault: budget_memory, budget_steps, nac_run_rank.
// Limits:     16 dimensions.
// Allocation: memory keeps what was given back, within its limit, for what comes next.

#ifndef TESSERA_VM_NAC_TENSOR_HPP
#define TESSERA_VM_NAC_TENSOR_HPP

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/element_type.hpp"
#include "tessera/nac/all.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace model = tessera::nac;
using model::data_type;
using tensors::half;
using bfloat = tensors::bfloat16;

/// An operation's failure, thrown only inside the machine: run() returns it as an outcome.
struct fault {
  errc code = errc::ok;
  std::string text = {};  ///< what was found
};
class shape;
/// A part of a message: text, a number, a shape, the name of a type or an operation.
struct message_part {
  std::string text;

  message_part(std::string part) noexcept : text(std::move(part)) {}
  message_part(std::string_view part) : text(part) {}
  message_part(const char* part) : text(part) {}
  message_part(char part) : text(1, part) {}
  template <class Number>
    requires std::is_arithmetic_v<Number> message_part(Number n) : text(std::to_string(n)) {}
    message_part(data_type type) : text(model::name(type)) {}
    message_part(model::operation op) : text(model::name(op)) {}
    message_part(const shape& dims);
};
[[noreturn]] void fail_with(errc code, std::initializer_list<message_part> parts);
/// Not inlined: operations are fast when nothing is wrong.
template <class... Parts>
[[noreturn, gnu::noinline]] void fail(errc code, const Parts&... parts) {
  fail_with(code, {message_part(parts)...});
}

// ---- memory

class memory;

/// The head of a piece of memory, in front of its bytes.
struct alignas(64) block {
  memory* owner = nullptr;
  block* next = nullptr;    ///< while it is unused
  std::uint64_t bytes = 0;  ///< that can be used
  std::uint64_t asked = 0;  ///< that were asked for
  std::uint32_t uses = 0;
  std::uint32_t size_class = 0;
  [[nodiscard]] std::byte* data() noexcept {
    return static_cast<std::byte*>(static_cast<void*>(this)) + sizeof(block);
  }
};

/// A share of a piece of memory; the last one gives it back.
class storage {
 public:
  storage() noexcept = default;
  explicit storage(block* b) noexcept : block_(b) {}
  storage(const storage& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) ++block_->uses;
  }
  storage(storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  storage& operator=(storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~storage() { release(); }
  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  [[nodiscard]] std::byte* data() const noexcept { return block_->data(); }
  /// Bytes that were asked for; 0 without memory.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return block_ != nullptr ? block_->asked : 0;
  }
  /// Whether it has no other owner.
  [[nodiscard]] bool unique() const noexcept { return block_ != nullptr && block_->uses == 1; }
  [[nodiscard]] const block* identity() const noexcept { return block_; }

 private:
  void release() noexcept;
  block* block_ = nullptr;
};

/// Gives out memory, aligned to 64 bytes, and counts it.
class memory {
 public:
  explicit memory(std::uint64_t limit) noexcept : limit_(limit) {}
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory();

  /// Bytes that hold anything. Throws budget_memory where they would exceed the limit.
  [[nodiscard]] storage take(std::uint64_t bytes) { return take(bytes, bytes / 8); }
  /// The same for `elements`, each as many steps as the operation's results take.
  [[nodiscard]] storage take(std::uint64_t bytes, std::uint64_t elements) {
    // Most are small, and of a size that was given back before.
    if (bytes <= max_small && bytes <= limit_ && live_ <= limit_ - bytes) {
      block*& first = free_[bytes == 0 ? 0 : (bytes - 1) / small_step];
      if (block* const b = first; b != nullptr) {
        charge(elements * weight_);
        first = b->next;
        kept_ -= b->bytes;
        return begin_use(b, bytes);
      }
    }
    return take_any(bytes, elements);
  }
  /// Bytes in use, and the most there were since reset_peak().
  [[nodiscard]] std::uint64_t live() const noexcept { return live_; }
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }
  void reset_peak() noexcept { peak_ = live_; }
  [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }
  /// A limit for a while, in place of the one that it returns, which is to be given back.
  std::uint64_t exchange_limit(std::uint64_t bytes) noexcept {
    return std::exchange(limit_, bytes);
  }

  /// What work is charged to; outside of runs it only counts.
  [[nodiscard]] vm::meter& steps() noexcept { return steps_; }
  /// Throws budget_steps where the run has fewer left.
  void charge(std::uint64_t steps) {
    if (!steps_.charge(steps)) [[unlikely]]
      refuse();
  }
  /// A run's meter in place of the one before, which is to be given back at its end.
  vm::meter exchange(const vm::meter& other) noexcept {
    weight_ = 1;
    return std::exchange(steps_, other);
  }
  /// Steps of an element from here on.
  void set_weight(std::uint64_t steps) noexcept { weight_ = steps; }

 private:
  friend class storage;
  // Pieces are multiples of 64 bytes up to 4 KiB, then four sizes to a power of two.
  static constexpr std::uint32_t small_classes = 64, classes = small_classes + 4 * 52;
  static constexpr std::uint64_t small_step = 64, max_small = small_classes * small_step;

  [[noreturn]] void refuse() const;
  [[nodiscard]] storage take_any(std::uint64_t bytes, std::uint64_t elements);
  [[nodiscard]] storage begin_use(block* b, std::uint64_t bytes) noexcept {
    b->asked = bytes;
    b->uses = 1;
    live_ += bytes;
    if (live_ > peak_) peak_ = live_;
    return storage(b);
  }
  void give_back(block* b) noexcept {
    live_ -= b->asked;
    kept_ += b->bytes;
    b->next = free_[b->size_class];
    free_[b->size_class] = b;
  }
  void release_all() noexcept;

  std::uint64_t limit_, live_ = 0, peak_ = 0, kept_ = 0, weight_ = 1;
  vm::meter steps_;
  block* free_[classes] = {};
};

inline void storage::release() noexcept {
  if (block_ != nullptr && --block_->uses == 0) block_->owner->give_back(block_);
}

// ---- tensors

inline constexpr std::size_t max_rank = 16;

/// Dimensions, the outermost first.
class shape {
 public:
  shape() noexcept {
    for (std::size_t i = 0; i < few; ++i) dims_[i] = 0;
  }
  shape(std::initializer_list<std::int64_t> dims) : shape(std::span(dims.begin(), dims.size())) {}
  /// Throws nac_run_rank for more than max_rank, nac_run_shape for negative ones.
  explicit shape(std::span<const std::int64_t> dims);
  shape(const shape& other) noexcept { *this = other; }
  shape& operator=(const shape& other) noexcept {
    rank_ = other.rank_;
    // Few have more: no loop for them. These always hold something.
    for (std::size_t i = 0; i < few; ++i) dims_[i] = other.dims_[i];
    for (std::size_t i = few; i < rank_; ++i) dims_[i] = other.dims_[i];
    return *this;
  }

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept { return dims_[i]; }
  [[nodiscard]] std::int64_t& operator[](std::size_t i) noexcept { return dims_[i]; }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return dims_; }
  [[nodiscard]] const std::int64_t* end() const noexcept { return dims_ + rank_; }
  [[nodiscard]] std::span<const std::int64_t> dims() const noexcept { return {dims_, rank_}; }
  [[nodiscard]] friend bool operator==(const shape& a, const shape& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t i = 0; i < a.rank_; ++i)
      if (a.dims_[i] != b.dims_[i]) return false;
    return true;
  }
  /// Throws nac_run_rank beyond max_rank.
  void push_back(std::int64_t dim) {
    if (rank_ == max_rank || dim < 0) return insert(rank_, dim);
    dims_[rank_++] = dim;
  }
  void insert(std::size_t at, std::int64_t dim);
  void erase(std::size_t at) noexcept;
  /// The product of the dimensions [first, last). Tensors have none that overflows.
  [[nodiscard]] std::int64_t product(std::size_t first, std::size_t last) const noexcept {
    std::int64_t n = 1;
    for (std::size_t i = first; i < last; ++i) n *= dims_[i];
    return n;
  }
  /// Elements of a tensor of this shape. Throws budget_memory where that overflows 2^48.
  [[nodiscard]] std::int64_t elements() const {
    std::int64_t n = 1;
    for (std::size_t i = 0; i < rank_; ++i)
      if (__builtin_mul_overflow(n, dims_[i], &n) || n == 0 || n > max_elements)
        return elements_of_many();
    return n;
  }
  /// What going through a tensor of this shape may take: its elements, where there are none the product
  /// of its other dimensions.
  [[nodiscard]] std::uint64_t touched() const noexcept {
    const auto n = static_cast<std::uint64_t>(product(0, rank_));
    return n != 0 ? n : touched_if_empty();
  }
  /// "[2, 3]", as messages show it.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::size_t few = 4;
  static constexpr std::int64_t max_elements = std::int64_t{1} << 48;
  [[nodiscard]] std::int64_t elements_of_many() const;
  [[nodiscard]] std::uint64_t touched_if_empty() const noexcept;

  std::size_t rank_ = 0;
  std::int64_t dims_[max_rank];
};

/// Elements of one type in C order.
struct tensor {
  data_type type = data_type::float32;
  bool is_number = false;  ///< of rank 0, and as Python has it
  storage owner;
  std::byte* data = nullptr;  ///< the first element, in `owner`
  shape dims;                 ///< last: most of it isn't used

  [[nodiscard]] std::size_t rank() const noexcept { return dims.rank(); }
  [[nodiscard]] std::int64_t dim(std::size_t i) const noexcept { return dims[i]; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(dims.product(0, dims.rank()));
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return size() * model::size_of(type); }
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return static_cast<T*>(static_cast<void*>(data));
  }
  template <class T>
  [[nodiscard]] std::span<T> elements() const noexcept {
    return {as<T>(), size()};
  }
  /// The same elements in another shape of as many.
  [[nodiscard]] tensor with_shape(const shape& to) const {
    tensor t;
    t.type = type;
    t.dims = to;
    t.owner = owner;
    t.data = data;
    return t;
  }
};

/// A tensor whose elements hold anything.
[[nodiscard]] inline tensor make_tensor(memory& arena, data_type type, const shape& dims) {
  const auto n = static_cast<std::uint64_t>(dims.elements());
  tensor t;
  t.type = type;
  t.dims = dims;
  t.owner = arena.take(n * model::size_of(type), n != 0 ? n : dims.touched());
  t.data = t.owner.data();
  return t;
}
/// Numbers as Python has them.
[[nodiscard]] tensor make_number(memory& arena, bool v);
[[nodiscard]] tensor make_number(memory& arena, std::int64_t v);
[[nodiscard]] tensor make_number(memory& arena, double v);

// ---- values

/// What an instruction results in, or a constant.
class value {
 public:
  /// A complex tensor is one with a last axis of two, real and imaginary parts, which only operations
  /// that know of complex numbers take.
  enum class form : std::uint8_t { none, tensor, list, string, int_list, numbers, complex };
  static constexpr std::size_t form_count = static_cast<std::size_t>(form::complex) + 1;

  value() noexcept = default;
  value(const value& other) noexcept
      : form_(other.form_), others_(other.others_), tensor_(other.tensor_) {
    if (others_ != nullptr) share();
  }
  value(value&& other) noexcept
      : form_(other.form_),
        others_(std::exchange(other.others_, nullptr)),
        tensor_(std::move(other.tensor_)) {}
  value& operator=(const value& other) noexcept { return *this = value(other); }
  value& operator=(value&& other) noexcept {
    if (this == &other) return *this;
    form_ = other.form_;
    others* const before = std::exchange(others_, std::exchange(other.others_, nullptr));
    tensor_ = std::move(other.tensor_);
    if (before != nullptr) release(before);  // which may hold `other`
    return *this;
  }
  ~value() {
    if (others_ != nullptr) release(others_);
  }
  value(nac::tensor t) noexcept : form_(form::tensor), tensor_(std::move(t)) {}
  /// The results of an operation that has several; `counted` is kept with them: their memory.
  explicit value(std::vector<value> list, storage counted = {});
  [[nodiscard]] static value string(std::string_view v);
  [[nodiscard]] static value int_list(std::vector<std::int64_t> v);
  [[nodiscard]] static value numbers(std::vector<double> v);
  [[nodiscard]] static value complex(nac::tensor pairs) noexcept {
    value v(std::move(pairs));
    v.form_ = form::complex;
    return v;
  }

  /// Becomes what f() gives, which is made in place. It must be as one that was never set.
  template <class F>
  void emplace(F&& f) {
    void* const at = this;
    try {
      ::new (at) value(f());
    } catch (...) {
      ::new (at) value();
      throw;
    }
  }
  /// As one that was never set.
  void clear() noexcept {
    form_ = form::none;
    tensor_.owner = {};
    if (others_ != nullptr) release(std::exchange(others_, nullptr));
  }

  [[nodiscard]] form what() const noexcept { return form_; }
  [[nodiscard]] bool is_none() const noexcept { return form_ == form::none; }
  [[nodiscard]] bool is_tensor() const noexcept { return form_ == form::tensor; }
  [[nodiscard]] bool is_list() const noexcept { return form_ == form::list; }
  [[nodiscard]] bool is_complex() const noexcept { return form_ == form::complex; }
  /// Of a tensor, or of a complex one its pairs.
  [[nodiscard]] const nac::tensor& as_tensor() const noexcept {
    assert(is_tensor() || is_complex());
    return tensor_;
  }
  [[nodiscard]] nac::tensor& as_tensor() noexcept {
    assert(is_tensor() || is_complex());
    return tensor_;
  }
  [[nodiscard]] std::span<const value> as_list() const noexcept;
  [[nodiscard]] std::string_view as_string() const noexcept;
  [[nodiscard]] std::span<const std::int64_t> as_int_list() const noexcept;
  [[nodiscard]] std::span<const double> as_numbers() const noexcept;

 private:
  struct others;
  value(form f, others&& of);
  void share() const noexcept;
  static void release(others* of) noexcept;

  form form_ = form::none;
  others* others_ = nullptr;  // of all but tensors; counts who shares it
  nac::tensor tensor_;
};

/// The values that aren't tensors.
struct value::others {
  std::vector<value> list;
  std::string string;
  std::vector<std::int64_t> ints;
  std::vector<double> numbers;
  storage counted;
  std::uint32_t uses = 1;
};
inline std::span<const value> value::as_list() const noexcept { return others_->list; }
inline std::string_view value::as_string() const noexcept { return others_->string; }
inline std::span<const std::int64_t> value::as_int_list() const noexcept { return others_->ints; }
inline std::span<const double> value::as_numbers() const noexcept { return others_->numbers; }
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_TENSOR_HPP
