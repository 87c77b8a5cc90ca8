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
  /// Ends the texts of the latest diagnostic, which lose their end where there is no memory.
  ~findings() { close_or_cut(); }
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// Writes the texts of the latest diagnostic: the message first, then, each at most once and in any
  /// order, a path, a note and a fix. One pointer, null without a report or where the diagnostic isn't
  /// kept; whoever adds the next finding ends its texts, so a call costs its caller the least.
  class writer {
   public:
    explicit writer(findings* to = nullptr) noexcept : to_(to) {}

    [[gnu::cold]] friend writer operator<<(writer w, std::string_view part) { return w.put(part); }
    [[gnu::cold]] friend writer operator<<(writer w, const char* part) {
      return w << std::string_view(part);
    }
    [[gnu::cold]] friend writer operator<<(writer w, const text& part) { return w << part.view(); }
    [[gnu::cold]] friend writer operator<<(writer w, char part) {
      return w << std::string_view(&part, 1);
    }
    template <class Int>
      requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
    friend writer operator<<(writer w, Int part) {
      if constexpr (std::is_signed_v<Int>)
        return w.put_signed(part);
      else
        return w.put_unsigned(part);
    }
    /// Whatever else can be written into a text, as it is.
    template <class Part>
      requires(std::is_class_v<Part> && !std::is_convertible_v<const Part&, std::string_view> &&
               !std::is_same_v<Part, text>)
    friend writer operator<<(writer w, const Part& part) {
      if (w.to_ != nullptr) w.characters() << part;
      return w;
    }
    /// What follows is the path, written as it is.
    const writer& path() const { return start_path(), *this; }
    /// What follows is the note, about `related`.
    const writer& note(place related = {}) const { return start_note(related), *this; }
    /// What follows replaces `range`, as it is.
    const writer& fix(place range) const { return start_fix(range), *this; }

   private:
    [[nodiscard]] text& characters() const noexcept { return to_->to_->characters; }
    [[gnu::cold]] writer put(std::string_view part) const;
    [[gnu::cold]] void start_path() const;
    [[gnu::cold]] void start_note(const place& related) const;
    [[gnu::cold]] void start_fix(const place& range) const;
    [[gnu::cold]] writer put_signed(std::int64_t part) const;
    [[gnu::cold]] writer put_unsigned(std::uint64_t part) const;

    findings* to_;
  };

  /// Adds a finding, whose texts are written into the result. `rule` is the id of the rule where that
  /// isn't the code's name; a path that is known already can be given here.
  [[gnu::cold]] writer add(errc code, severity s, place where, std::string_view rule = {},
                           std::string_view path = {});
  writer error(errc code, place where) { return add(code, severity::error, where); }
  writer warning(errc code, place where) { return add(code, severity::warning, where); }
  writer note(errc code, place where) { return add(code, severity::note, where); }
  /// Adds an error with its general message.
  [[gnu::cold]] void error(const tessera::error& e) { error(e.code, {0, e.offset, 0, e.index}); }

  [[nodiscard]] bool failed() const noexcept { return first_.code != errc::ok; }
  [[nodiscard]] const tessera::error& first_error() const noexcept { return first_; }
  /// The number of errors.
  [[nodiscard]] std::uint64_t errors() const noexcept { return errors_; }
  /// Ends the texts of the latest diagnostic. Needed only to look at them while this lives.
  [[gnu::cold]] void close();

 protected:
  report* to_;
  std::uint64_t max_;
  std::uint64_t errors_ = 0;
  tessera::error first_;
  ending ending_;

 private:
  [[nodiscard]] diagnostic& last() const noexcept { return to_->diagnostics.back(); }
  void open(text_range& range) noexcept;
  [[gnu::cold]] void close_or_cut() noexcept;

  text_range* range_ = nullptr;  // the one that is written now, of the latest diagnostic
  bool is_verbatim_ = false;
  text end_, path_;  // of its message; its path, written after that
};

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/findings.hpp"
#endif

#endif  // TESSERA_CORE_FINDINGS_HPP
