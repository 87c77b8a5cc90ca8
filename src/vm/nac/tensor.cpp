// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

message_part::message_part(const shape& dims) : text(dims.text()) {}
void fail_with(errc code, std::initializer_list<message_part> parts) {
  fault found{code};
  for (const message_part& part : parts) found.text += part.text;
  throw found;
}

// ---- memory

namespace {

/// The class of pieces of memory that holds so many bytes, and how many those hold.
struct piece {
  std::uint32_t size_class;
  std::uint64_t bytes;
};
[[nodiscard]] piece piece_for(std::uint64_t bytes) noexcept {
  if (bytes <= 4096) {
    const std::uint64_t steps = bytes == 0 ? 1 : (bytes + 63) / 64;
    return {static_cast<std::uint32_t>(steps - 1), steps * 64};
  }
  const auto log = static_cast<std::uint32_t>(std::bit_width(bytes - 1) - 1);  // 12 and up
  const std::uint64_t step = std::uint64_t{1} << (log - 2);
  const std::uint64_t quarter = (bytes - (std::uint64_t{1} << log) + step - 1) / step;  // 1 … 4
  return {64 + 4 * (log - 12) + static_cast<std::uint32_t>(quarter - 1),
          (std::uint64_t{1} << log) + quarter * step};
}

}  // namespace

memory::~memory() { release_all(); }

void memory::refuse() const { fail(errc::budget_steps, steps_.refusal()); }

storage memory::take_any(std::uint64_t bytes, std::uint64_t elements) {
  if (bytes > limit_ || live_ > limit_ - bytes)
    fail(errc::budget_memory, bytes, " bytes are needed, and ", live_, " of ", limit_,
         " are in use");
  charge(product_of_steps(elements, weight_));
  const piece p = piece_for(bytes);
  block* b = free_[p.size_class];
  if (b != nullptr) {
    free_[p.size_class] = b->next;
    kept_ -= b->bytes;
  } else {
    if (kept_ > limit_ - live_ - bytes) release_all();
    // A larger size, rounded up, may be another one that the system has.
    constexpr std::uint64_t addressable = PTRDIFF_MAX - sizeof(block);
    void* const at =
        bytes > addressable || p.bytes > addressable
            ? nullptr
            : std::aligned_alloc(alignof(block), static_cast<std::size_t>(sizeof(block) + p.bytes));
    if (at == nullptr) fail(errc::budget_memory, "the system is out of memory");
    b = new (at) block;
    b->owner = this;
    b->bytes = p.bytes;
    b->size_class = p.size_class;
  }
  return begin_use(b, bytes);
}

void memory::release_all() noexcept {
  for (block*& first : free_)
    while (first != nullptr) std::free(std::exchange(first, first->next));
  kept_ = 0;
}

// ---- shapes

shape::shape(std::span<const std::int64_t> dims) {
  for (const std::int64_t d : dims) push_back(d);
}

void shape::insert(std::size_t at, std::int64_t dim) {
  if (rank_ == max_rank) fail(errc::nac_run_rank);
  if (dim < 0) fail(errc::nac_run_shape, "dimension is ", dim, "; expected at least 0");
  for (std::size_t i = rank_; i > at; --i) dims_[i] = dims_[i - 1];
  dims_[at] = dim;
  ++rank_;
}

void shape::erase(std::size_t at) noexcept {
  for (std::size_t i = at + 1; i < rank_; ++i) dims_[i - 1] = dims_[i];
  --rank_;
}

std::int64_t shape::elements_of_many() const {
  // Without its zeros, so that the strides of empty tensors don't overflow either.
  std::int64_t n = 1;
  bool empty = false;
  for (const std::int64_t d : dims()) {
    if (d == 0) {
      empty = true;
      continue;
    }
    if (d > max_elements / n)
      fail(errc::budget_memory, "shape ", text(), " has too many elements; expected at most ",
           max_elements);
    n *= d;
  }
  return empty ? 0 : n;
}

std::uint64_t shape::touched_if_empty() const noexcept {
  std::uint64_t n = 1;
  for (const std::int64_t d : dims())
    if (d != 0) n *= static_cast<std::uint64_t>(d);
  return n;
}

std::string shape::text() const {
  std::string out = "[";
  for (std::size_t i = 0; i < rank_; ++i) {
    if (i != 0) out += ", ";
    out += std::to_string(dims_[i]);
  }
  return out + "]";
}

// ---- tensors

namespace {
template <class T>
[[nodiscard]] tensor number_of(memory& arena, data_type type, T v) {
  tensor t = make_tensor(arena, type, {});
  *t.as<T>() = v;
  t.is_number = true;
  return t;
}
}  // namespace

tensor make_number(memory& arena, bool v) { return number_of(arena, data_type::boolean, v); }
tensor make_number(memory& arena, std::int64_t v) { return number_of(arena, data_type::int64, v); }
tensor make_number(memory& arena, double v) { return number_of(arena, data_type::float64, v); }

// ---- values

value::value(form f, others&& of) : form_(f), others_(new others(std::move(of))) {}
void value::share() const noexcept { ++others_->uses; }
void value::release(others* of) noexcept {
  if (--of->uses == 0) delete of;
}

value::value(std::vector<value> list, storage counted)
    : value(form::list, {std::move(list), {}, {}, {}, std::move(counted)}) {}
value value::string(std::string_view v) { return {form::string, {{}, std::string(v), {}, {}, {}}}; }
value value::int_list(std::vector<std::int64_t> v) {
  return {form::int_list, {{}, {}, std::move(v), {}, {}}};
}
value value::numbers(std::vector<double> v) {
  return {form::numbers, {{}, {}, {}, std::move(v), {}}};
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
