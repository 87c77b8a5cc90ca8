// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What watches a run: every machine's run() takes an observer, after the budget.
//
//   const auto count = [&](const vm::nac::event& at) { bytes = std::max(bytes, at.live); };
//   vm.run({}, count);                                      // called after each instruction
//
//   struct stopwatch {                                      // begin(), end(), or both
//     void begin(const vm::ark::event&) { start = clock::now(); }
//     void end(const vm::ark::event& at) { seconds[at.op] += clock::now() - start; }
//   };
//
// An event is where the machine is: an operation, a node, a task. Each machine has its own type.
// begin() is called before an event's work. end(), or the function, is called after it; not after the
// one at which the run fails, and for one that contains others (a branch, a pattern) after those.
// Observing changes no result, and costs nothing where there is no observer.
//
// Lifetime:   a run borrows its observer. An event's spans and pointers last until the call returns.
// Errors:     none; observers throw nothing.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_OBSERVER_HPP
#define TESSERA_VM_OBSERVER_HPP

#include <concepts>
#include <memory>
#include <type_traits>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm {

/// Sees nothing. A base for observers that need only one of the two.
struct no_observer {
  /// Before an event's work.
  template <class Event>
  void begin(const Event&) noexcept {}
  /// After an event's work.
  template <class Event>
  void end(const Event&) noexcept {}
};

/// Has begin().
template <class Observer, class Event>
concept sees_begin = requires(Observer& o, const Event& at) {
  o.begin(at);
};
/// Has end().
template <class Observer, class Event>
concept sees_end = requires(Observer& o, const Event& at) {
  o.end(at);
};
/// Has begin(), end() or both, or is a function.
template <class Observer, class Event>
concept observer_of = sees_begin<Observer, Event> || sees_end<Observer, Event> ||
    std::invocable<Observer&, const Event&>;

/// An observer of any type, as machines hold it: borrowed; none by default.
template <class Event>
class observer_ref {
 public:
  /// No observer.
  observer_ref() noexcept = default;
  /// Borrows an observer.
  template <class Observer>
    requires(observer_of<Observer, Event> &&
             !std::same_as<std::remove_cv_t<Observer>, observer_ref>)
  explicit observer_ref(Observer& o) noexcept
      // The observer may be constant; the functions restore its type.
      : self_(const_cast<void*>(static_cast<const void*>(std::addressof(o)))) {
    if constexpr (std::same_as<std::remove_cv_t<Observer>, no_observer>) {
      self_ = nullptr;
    } else {
      if constexpr (sees_begin<Observer, Event>)
        begin_ = [](void* self, const Event& at) { static_cast<Observer*>(self)->begin(at); };
      if constexpr (sees_end<Observer, Event>)
        end_ = [](void* self, const Event& at) { static_cast<Observer*>(self)->end(at); };
      else if constexpr (std::invocable<Observer&, const Event&>)
        end_ = [](void* self, const Event& at) { (*static_cast<Observer*>(self))(at); };
    }
  }

  /// Whether there is one.
  [[nodiscard]] explicit operator bool() const noexcept { return self_ != nullptr; }
  /// Calls the observer's begin(), if it has one.
  void begin(const Event& at) const {
    if (begin_ != nullptr) begin_(self_, at);
  }
  /// Calls the observer's end(), or the function, if there is one.
  void end(const Event& at) const {
    if (end_ != nullptr) end_(self_, at);
  }

 private:
  void* self_ = nullptr;
  void (*begin_)(void* self, const Event& at) = nullptr;
  void (*end_)(void* self, const Event& at) = nullptr;
};

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_OBSERVER_HPP
