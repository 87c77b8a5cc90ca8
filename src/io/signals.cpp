// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "tessera/core/text.hpp"
#include "unnamed_file.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};

// ---- temporary files

struct temporary_file {
  ::pid_t owner;  // 0: free. A process that was forked leaves those of its parent alone.
  char path[4096];
};
temporary_file temporaries[64];
std::atomic_flag temporaries_locked = ATOMIC_FLAG_INIT;

/// While it lives, no other thread has the table and no handler interrupts this one: a handler that
/// waited for the thread below it would wait for ever.
class table_lock {
 public:
  table_lock() noexcept {
    ::sigset_t all;
    ::sigemptyset(&all);
    for (const int s : ending_signals) ::sigaddset(&all, s);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    while (temporaries_locked.test_and_set(std::memory_order_acquire)) ::sched_yield();
  }
  table_lock(const table_lock&) = delete;
  table_lock& operator=(const table_lock&) = delete;
  ~table_lock() {
    temporaries_locked.clear(std::memory_order_release);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  ::sigset_t before_;
};

/// For handlers. The lock is kept: until the process ends no thread makes another temporary file. One
/// that hangs in open() isn't waited for longer than two seconds.
void remove_temporaries() noexcept {
  for (int waits = 0; temporaries_locked.test_and_set(std::memory_order_acquire) && waits < 2000;
       ++waits)
    ::poll(nullptr, 0, 1);
  const ::pid_t self = ::getpid();
  for (const temporary_file& t : temporaries)
    if (t.owner == self) ::unlink(t.path);
}

/// The signal's own action, once the handler returns.
void end_by(int signal) noexcept {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void on_ending_signal(int signal) noexcept {
  remove_temporaries();
  end_by(signal);
}

// ---- mapped files

struct mapping {
  // Null: free. Set last, so that a handler sees the rest.
  std::atomic<const std::byte*> first = nullptr;
  std::size_t size = 0;
  std::size_t message_size = 0;
  char message[256] = {};
};
constinit mapping mappings[1024];
std::mutex mappings_changing;
std::atomic<int> exit_status{0};

void on_bus_error(int signal, ::siginfo_t* why, void*) noexcept {
  const auto* const at = static_cast<const std::byte*>(why->si_addr);
  for (const mapping& m : mappings) {
    const std::byte* const first = m.first.load(std::memory_order_acquire);
    // What another process sends has no address.
    if (why->si_code <= 0 || first == nullptr || at < first || at >= first + m.size) continue;
    remove_temporaries();
    (void)!::write(STDERR_FILENO, m.message, m.message_size);
    ::_exit(exit_status.load());
  }
  end_by(signal);
}

/// "NAME: error: the file shrank while it was read" and a line's end; of a long name the end.
void compose(mapping& m, std::string_view name) noexcept {
  constexpr std::string_view what = ": error: the file shrank while it was read\n";
  text shown;
  append_shown(shown, name);
  std::string_view tail = shown.view();
  tail.remove_prefix(tail.size() - std::min(tail.size(), sizeof m.message - what.size()));
  while (!tail.empty() && (static_cast<unsigned char>(tail[0]) & 0xc0u) == 0x80u)
    tail.remove_prefix(1);  // of a character that was cut
  std::memcpy(m.message, tail.data(), tail.size());
  std::memcpy(m.message + tail.size(), what.data(), what.size());
  m.message_size = tail.size() + what.size();
}

}  // namespace

void handle_signals(int status) noexcept {
  exit_status = status;
  struct ::sigaction how = {};
  ::sigemptyset(&how.sa_mask);
  for (const int s : ending_signals) ::sigaddset(&how.sa_mask, s);
  how.sa_handler = on_ending_signal;
  for (const int s : ending_signals) {
    struct ::sigaction before;
    if (::sigaction(s, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(s, &how, nullptr);
  }
  how.sa_flags = SA_SIGINFO;
  how.sa_sigaction = on_bus_error;
  ::sigaction(SIGBUS, &how, nullptr);
}

int create_temporary(const std::string& path, unsigned mode) noexcept {
  const table_lock lock;
  temporary_file* const free = std::find_if(std::begin(temporaries), std::end(temporaries),
                                            [](const temporary_file& t) { return t.owner == 0; });
  if (free == std::end(temporaries) || path.size() >= sizeof free->path) {
    errno = free == std::end(temporaries) ? EMFILE : ENAMETOOLONG;
    return -1;
  }
  int number = -1;
  do number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  while (number < 0 && errno == EINTR);
  if (number >= 0) {
    std::memcpy(free->path, path.c_str(), path.size() + 1);
    free->owner = ::getpid();
  }
  return number;
}

void forget_temporary(const std::string& path) noexcept {
  const table_lock lock;
  const ::pid_t self = ::getpid();
  for (temporary_file& t : temporaries)
    if (t.owner == self && path == t.path) t.owner = 0;
}

bool replace_by_unnamed(int descriptor, const std::string& path,
                        const std::string& target) noexcept {
  const table_lock lock;
  if (!link_unnamed(descriptor, path)) return false;
  if (::rename(path.c_str(), target.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(path.c_str());
  errno = why;
  return false;
}

bool watch_mapping(const void* first, std::size_t size, std::string_view name) noexcept {
  const std::lock_guard lock(mappings_changing);
  for (mapping& m : mappings) {
    if (m.first.load(std::memory_order_relaxed) != nullptr) continue;
    m.size = size;
    compose(m, name);
    m.first.store(static_cast<const std::byte*>(first), std::memory_order_release);
    return true;
  }
  return false;
}

void forget_mapping(const void* first) noexcept {
  const std::lock_guard lock(mappings_changing);
  for (mapping& m : mappings)
    if (m.first.load(std::memory_order_relaxed) == first)
      m.first.store(nullptr, std::memory_order_release);
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
