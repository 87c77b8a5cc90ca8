// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<std::uint64_t> count_of_all, total_of_all;
std::atomic<std::int64_t> live_of_all, peak_of_all;

// Which call fails, counted like count_of_all, and whether the later ones do.
std::atomic<std::uint64_t> failing_call{UINT64_MAX};
std::atomic<bool> fails_after;

[[nodiscard]] bool fails() noexcept {
  const std::uint64_t call = count_of_all.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t failing = failing_call.load(std::memory_order_relaxed);
  return call >= failing && (call == failing || fails_after.load(std::memory_order_relaxed));
}

// The size of each block precedes it.
constexpr std::size_t header = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
static_assert(header >= sizeof(std::size_t));

void* take(std::size_t size) noexcept {
  if (fails() || size > SIZE_MAX - header) return nullptr;
  auto* const block = static_cast<std::byte*>(std::malloc(size + header));
  if (block == nullptr) return nullptr;
  std::memcpy(block, &size, sizeof size);
  total_of_all.fetch_add(size, std::memory_order_relaxed);
  const auto bytes = static_cast<std::int64_t>(size);
  const std::int64_t live = live_of_all.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = peak_of_all.load(std::memory_order_relaxed);
  while (live > peak && !peak_of_all.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return block + header;
}

void give_back(void* at) noexcept {
  if (at == nullptr) return;
  auto* const block = static_cast<std::byte*>(at) - header;
  std::size_t size = 0;
  std::memcpy(&size, block, sizeof size);
  live_of_all.fetch_sub(static_cast<std::int64_t>(size), std::memory_order_relaxed);
  std::free(block);
}

void* take_or_throw(std::size_t size) {
  if (void* const at = take(size)) return at;
  throw std::bad_alloc();
}

}  // namespace

#ifdef TESSERA_TESTS_WRAP_MALLOC
// What the linker calls instead of calloc and realloc (--wrap), in the objects of the program.
extern "C" {
// Weak, for programs that the linker makes without that.
__attribute__((weak)) void* __real_calloc(std::size_t count, std::size_t size);
__attribute__((weak)) void* __real_realloc(void* at, std::size_t size);
void* __wrap_calloc(std::size_t count, std::size_t size);
void* __wrap_realloc(void* at, std::size_t size);
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __real_calloc(count, size);
}
void* __wrap_realloc(void* at, std::size_t size) {
  return fails() ? nullptr : __real_realloc(at, size);
}
}
#endif

void* operator new(std::size_t size) { return take_or_throw(size); }
void* operator new[](std::size_t size) { return take_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* at) noexcept { give_back(at); }
void operator delete[](void* at) noexcept { give_back(at); }
void operator delete(void* at, std::size_t) noexcept { give_back(at); }
void operator delete[](void* at, std::size_t) noexcept { give_back(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { give_back(at); }
void operator delete[](void* at, const std::nothrow_t&) noexcept { give_back(at); }

namespace tessera_tests {

allocations::allocations() noexcept
    : count_(count_of_all), total_(total_of_all), live_(live_of_all) {
  peak_of_all = live_;
}
std::uint64_t allocations::count() const noexcept { return count_of_all - count_; }
std::uint64_t allocations::total() const noexcept { return total_of_all - total_; }
std::uint64_t allocations::peak() const noexcept {
  return static_cast<std::uint64_t>(peak_of_all - live_);
}
std::int64_t allocations::live() const noexcept { return live_of_all - live_; }

failing_allocations::failing_allocations(std::uint64_t at, bool all_after) noexcept {
  fails_after = all_after;
  failing_call = count_of_all + at;
}
failing_allocations::~failing_allocations() { failing_call = UINT64_MAX; }

}  // namespace tessera_tests
