// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How verifiers fill a report, and keep the first error even without one.
//
//   detail::findings found(report, options.max_diagnostics);
//   found.error(errc::nac_argument_count, {.offset = at})
//       << name << ": " << count << " arguments; expected " << least << " or " << most;
//   found.warning(errc::nac_id_repeated, {.offset = at}).path() << "instruction " << i;
//   if (found.failed()) return found.first_error();
//
// Without a message of its own, a finding has the general message of its code.
//
// Lifetime:   borrows the report.
// Errors:     none.
// Limits:     a report keeps `max_diagnostics` and a gibibyte of text, and counts all findings; a
//             text written into a message is cut to 200 bytes.
// Allocation: the report's.

#ifndef TESSERA_CORE_FINDINGS_HPP
#define TESSERA_CORE_FINDINGS_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../version.hpp"
#include "error.hpp"
#include "report.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

class findings {
 public:
  /// Appends to every message: which iteration of a loop it is about.
  struct ending {
    void (*append)(const void* context, const diagnostic& d, text& to) = nullptr;
    const void* context = nullptr;
  };

  findings(report* to, std::uint64_t max_diagnostics) noexcept : to_(to), max_(max_diagnostics) {}
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// Writes the texts of one diagnostic: the message first, then, each at most once and in any
  /// order, a path, a note and a fix.
  class writer {
   public:
    explicit writer(report* to, const ending* end = nullptr) noexcept : to_(to), ending_(end) {
      if (to != nullptr) open(last().text);
    }
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    [[gnu::cold]] ~writer();

    /// Each does nothing without a report, which it tests itself, so that a call costs little code.
    [[gnu::cold]] writer& operator<<(std::string_view part);
    writer& operator<<(const text& part) { return *this << part.view(); }
    writer& operator<<(const char* part) { return *this << std::string_view(part); }
    [[gnu::cold]] writer& operator<<(char part);
    template <class Int>
      requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
    writer& operator<<(Int part) {
      if constexpr (std::is_signed_v<Int>)
        return put_signed(part);
      else
        return put_unsigned(part);
    }
    /// Whatever else can be written into a text, as it is.
    template <class Part>
      requires(std::is_class_v<Part> && !std::is_convertible_v<const Part&, std::string_view> &&
               !std::is_same_v<Part, text>)
    writer& operator<<(const Part& part) {
      if (to_ != nullptr) to_->characters << part;
      return *this;
    }
    /// What follows is the path, written as it is.
    [[gnu::cold]] writer& path();
    /// What follows is the note, about `related`.
    [[gnu::cold]] writer& note(place related = {});
    /// What follows replaces `range`, as it is.
    [[gnu::cold]] writer& fix(place range);

   private:
    [[nodiscard]] diagnostic& last() const noexcept { return to_->diagnostics.back(); }
    [[gnu::cold]] writer& put_signed(std::int64_t part);
    [[gnu::cold]] writer& put_unsigned(std::uint64_t part);
    [[gnu::cold]] void open(text_range& range) noexcept;
    [[gnu::cold]] void close();

    report* to_;
    const ending* ending_;
    text_range* range_ = nullptr;
    bool is_verbatim_ = false;
  };

  /// Adds a finding, whose texts are written into the result. `rule` is the id of the rule where that
  /// isn't the code's name.
  [[gnu::cold]] writer add(errc code, severity s, place where, std::string_view rule = {});
  writer error(errc code, place where) { return add(code, severity::error, where); }
  writer warning(errc code, place where) { return add(code, severity::warning, where); }
  writer note(errc code, place where) { return add(code, severity::note, where); }
  /// Adds an error with its general message.
  [[gnu::cold]] void error(const tessera::error& e) { error(e.code, {0, e.offset, 0, e.index}); }

  [[nodiscard]] bool failed() const noexcept { return first_.code != errc::ok; }
  [[nodiscard]] const tessera::error& first_error() const noexcept { return first_; }
  /// The number of errors.
  [[nodiscard]] std::uint64_t errors() const noexcept { return errors_; }

 protected:
  report* to_;
  std::uint64_t max_;
  std::uint64_t errors_ = 0;
  tessera::error first_;
  ending ending_;
};

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/findings.hpp"
#endif

#endif  // TESSERA_CORE_FINDINGS_HPP
