// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs what must not return in a process of its own.
//
//   CHECK(traps([] { (void)*wrong; }));

#ifndef TESSERA_TESTS_SUPPORT_CHILD_HPP
#define TESSERA_TESTS_SUPPORT_CHILD_HPP

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#define TESSERA_TESTS_CHILD 1
#else
#define TESSERA_TESTS_CHILD 0
#endif

#if TESSERA_TESTS_CHILD
namespace tessera_tests {

/// True when `action` is ended by a signal.
template <class Action>
[[nodiscard]] bool traps(const Action& action) {
  const pid_t child = fork();
  if (child == 0) {
    // The handlers of Catch and of the sanitizers would report a failure.
    for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT}) std::signal(s, SIG_DFL);
    action();
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

}  // namespace tessera_tests
#endif

#endif  // TESSERA_TESTS_SUPPORT_CHILD_HPP
