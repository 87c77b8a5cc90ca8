// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "preload.hpp"

#include <system_error>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

preloader::~preloader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  more_.notify_one();
  thread_.join();
}

void preloader::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return stops_ || next_ != queue_.size(); });
    if (stops_) return;
    job& j = jobs_[queue_[next_++]];
    if (next_ == queue_.size()) {
      queue_.clear();
      next_ = 0;
    }
    if (j.is != state::waiting) continue;  // somebody else took it
    j.is = state::filling;
    lock.unlock();
    j.from = clock::now();
    j.fill();
    j.to = clock::now();
    lock.lock();
    j.is = state::filled;
    filled_.notify_one();
  }
}

bool preloader::begin(std::uint32_t key, const filling& fill) {
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {
      return false;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(key);
    jobs_[key].fill = fill;
    jobs_[key].is = state::waiting;
  }
  more_.notify_one();
  return true;
}

preloader::times preloader::finish(std::uint32_t key) {
  std::unique_lock lock(mutex_);
  job& j = jobs_[key];
  if (j.is == state::waiting) {
    j.is = state::idle;
    lock.unlock();
    j.fill();
    return {};
  }
  const bool ready = j.is == state::filled;
  filled_.wait(lock, [&] { return j.is == state::filled; });
  j.is = state::idle;
  return {true, ready, j.from, j.to};
}

bool preloader::forget(std::uint32_t key) {
  std::unique_lock lock(mutex_);
  job& j = jobs_[key];
  filled_.wait(lock, [&] { return j.is != state::filling; });
  const bool filled = j.is == state::filled;
  j.is = state::idle;
  return filled;
}

void preloader::forget_waiting() {
  const std::lock_guard lock(mutex_);
  for (; next_ != queue_.size(); ++next_)
    if (job& j = jobs_[queue_[next_]]; j.is == state::waiting) j.is = state::idle;
  queue_.clear();
  next_ = 0;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
