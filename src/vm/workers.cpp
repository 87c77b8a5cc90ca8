// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "workers.hpp"

#include <atomic>
#include <cstdint>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm {

namespace {

/// Waits until `what` isn't `old`. Waking from sleep takes some 50 µs, so it begins awake.
void wait_for_change(const std::atomic<std::uint32_t>& what, std::uint32_t old) noexcept {
  for (int spins = 0; spins < 2048; ++spins) {
    if (what.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  what.wait(old, std::memory_order_acquire);
}

}  // namespace

struct workers::crew {
  void (*work)(void*, unsigned) = nullptr;  // null: go home
  void* self = nullptr;
  std::atomic<std::uint32_t> round{0};  // counts what has been given out
  std::atomic<std::uint32_t> busy{0};   // how many haven't finished it
  std::vector<std::thread> threads;

  explicit crew(unsigned count) {
    try {
      threads.reserve(count);
      for (unsigned t = 1; t <= count; ++t) threads.emplace_back([this, t] { serve(t); });
    } catch (const std::system_error&) {
      // No more threads than these.
    } catch (const std::bad_alloc&) {
      // No memory for more.
    }
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() {
    start(nullptr, nullptr);
    for (std::thread& t : threads) t.join();
  }

  void start(void (*function)(void*, unsigned), void* argument) {
    work = function;
    self = argument;
    busy.store(static_cast<std::uint32_t>(threads.size()), std::memory_order_relaxed);
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
  }
  void finish() const noexcept {
    for (std::uint32_t n; (n = busy.load(std::memory_order_acquire)) != 0;)
      wait_for_change(busy, n);
  }
  void serve(unsigned t) {
    for (std::uint32_t seen = 0;; ++seen) {
      wait_for_change(round, seen);
      if (work == nullptr) return;
      work(self, t);
      if (busy.fetch_sub(1, std::memory_order_release) == 1) busy.notify_one();
    }
  }
};

workers::workers(unsigned count) noexcept : count_(count) {}
workers::workers(const workers& other) noexcept : count_(other.count_) {}
workers& workers::operator=(const workers& other) noexcept {
  if (this != &other) {
    count_ = other.count_;
    crew_.reset();
  }
  return *this;
}
workers::~workers() = default;

void workers::call(void (*work)(void*, unsigned), void* self) {
  if (!crew_) crew_.reset(new (std::nothrow) crew(count_));
  if (!crew_) return work(self, 0);
  crew_->start(work, self);
  work(self, 0);
  crew_->finish();
}

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI
