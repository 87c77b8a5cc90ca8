// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What reading and verifying NEM find: a list of diagnostics, each with its rule.
//
//   nem::report found;
//   auto model = nem::read(source, {}, &found);
//   for (const nem::diagnostic& d : found.diagnostics)
//     std::cout << nem::rule(d.code).id() << ' ' << found.text_of(d.text) << '\n';
//   // CON-001 duplicate constant declaration X
//
// A diagnostic names a range of the source, may point to a related place (the earlier declaration,
// the other task of a race) and may carry a fix: text that replaces a range. nem/describe.hpp shows
// them as compilers do.
//
//   profile     standard   severities of core/error_table_nem.hpp
//               strict     warnings that mark extensions are errors
//               upstream   FAM-004 and SHP-004 are warnings, as the format's own examples need
//
// Lifetime:   a report owns its texts.
// Errors:     none.
// Limits:     a report keeps the first `max_diagnostics`, and counts all; names of more than 200 bytes
//             are cut in its texts, so that some long one doesn't fill it.
// Allocation: 72 bytes and its texts for each diagnostic that is kept.

#ifndef TESSERA_NEM_DIAGNOSTIC_HPP
#define TESSERA_NEM_DIAGNOSTIC_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "detail/keyed_rows.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

enum class severity : std::uint8_t { error, warning, note };
[[nodiscard]] constexpr std::string_view name(severity s) noexcept {
  return s == severity::error ? "error" : s == severity::warning ? "warning" : "note";
}
/// Which part of reading or verifying finds something.
enum class phase : std::uint8_t {
  lex,
  parse,
  include,
  config,
  device,
  names,
  const_,
  eval,
  buffer,
  region,
  decorator,
  opcode,
  shape,
  type,
  transfer,
  token,
  place,
  loop,
  hazard,
  run
};
enum class profile : std::uint8_t { standard, strict, upstream };

/// The rule behind a code.
class rule {
 public:
  explicit rule(errc code) noexcept;
  /// "CON-001"; empty for codes of other formats.
  [[nodiscard]] std::string_view id() const noexcept { return {id_, size_}; }

 private:
  char id_[14] = {};
  std::size_t size_ = 0;
};

/// A row of the table of rules.
struct rule_row {
  errc code;
  nem::phase phase;
  nem::severity severity;  ///< in the profile `standard`
};
namespace detail {
/// Phases as the table spells them.
struct rule_phases {
  using enum phase;
};
}  // namespace detail
/// All rules, in the order of their codes.
inline constexpr rule_row rule_table[] = {
#define TESSERA_X(name, value, text, phase, severity_)                                             \
  {errc::name, detail::rule_phases::phase, severity::severity_},
    TESSERA_NEM_RULES(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::size_t rule_count = sizeof rule_table / sizeof rule_table[0];

/// Which part of verifying finds what breaks a rule.
[[nodiscard]] constexpr phase phase_of(errc code) noexcept {
  const std::size_t i =
      static_cast<std::size_t>(code) - static_cast<std::size_t>(rule_table[0].code);
  return i < rule_count ? rule_table[i].phase : phase::parse;
}
/// How severe a rule's findings are in a profile.
[[nodiscard]] constexpr severity severity_of(errc code, profile p) noexcept {
  switch (code) {
    case errc::nem_syn_017_line_operator:
    case errc::nem_syn_019_trailing_comma:
    case errc::nem_syn_020_inner_type:
    case errc::nem_typ_002_extension:
      return p == profile::strict ? severity::error : severity::warning;
    case errc::nem_fam_004_quant:
    case errc::nem_shp_004_output:
      return p == profile::upstream ? severity::warning : severity::error;
    default: break;
  }
  const std::size_t first = static_cast<std::size_t>(rule_table[0].code);
  const std::size_t i = static_cast<std::size_t>(code) - first;
  return i < rule_count ? rule_table[i].severity : severity::error;
}

/// A range of a source. File 0 is the one that was read or verified, file n is
/// report::files[n - 1], which an include or a device directive named.
struct place {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// One finding.
struct diagnostic {
  errc code = errc::ok;
  nem::severity severity = nem::severity::error;
  bool has_note = false, has_fix = false;
  place where;
  string text;    ///< one sentence, in report::characters
  place related;  ///< what the note is about; length 0 for a note about no place
  string note;
  place fix;  ///< the range that `replacement` replaces, empty where it is inserted
  string replacement;
};

/// What was found, in the order in which it was found.
struct report {
  pool<diagnostic> diagnostics;
  text characters;
  pool<string> files;  ///< those behind file 0, as the resolver calls them
  std::uint64_t errors = 0, warnings = 0, notes = 0;  ///< also those that were not kept
  /// Whether file 0 is a model that was built in code: its places are indices of nodes.
  bool is_built = false;

  [[nodiscard]] std::string_view text_of(string s) const& noexcept {
    return {characters.data() + s.first, s.size};
  }
  std::string_view text_of(string) const&& = delete;
};

namespace detail {

/// Collects diagnostics: each rule once for a place, however many iterations find it.
class findings {
 public:
  findings(nem::report* to, nem::profile p, std::size_t most) noexcept
      : to_(to != nullptr ? to : &own_), profile_(p), most_(most) {}
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// Writes one diagnostic's texts, in this order: its own by <<, then at most one note and one fix.
  class writer {
   public:
    explicit writer(findings& f, diagnostic* d) noexcept : f_(f), d_(d) {
      if (d_ != nullptr) d_->text.first = f_.at();
    }
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer() { close(); }

    template <class Part>
    writer& operator<<(const Part& part) {
      if (d_ == nullptr) return *this;
      if constexpr (requires { std::string_view(part); })
        put(std::string_view(part));
      else
        f_.to_->characters << part;
      return *this;
    }
    /// What follows is the note, about `related`.
    writer& note(place related = {});
    /// What follows replaces `range`.
    writer& fix(place range);

   private:
    void put(std::string_view part);
    writer& start();
    void close();
    findings& f_;
    diagnostic* d_;
    string* open_ = nullptr;
  };

  /// Writes what each text ends with: the iteration that it is about.
  struct ending {
    void (*write)(const void* context, const diagnostic& d, text& to) = nullptr;
    const void* context = nullptr;
  };
  ending tail = {};

  /// Adds a finding; what is written into the result is its text.
  writer add(errc code, place where);

  [[nodiscard]] bool failed() const noexcept { return first_error_.code != errc::ok; }
  [[nodiscard]] std::uint64_t errors() const noexcept { return to_->errors; }
  /// The first error.
  [[nodiscard]] tessera::error error() const noexcept { return first_error_; }
  [[nodiscard]] nem::profile profile() const noexcept { return profile_; }
  [[nodiscard]] nem::report& report() noexcept { return *to_; }

 private:
  [[nodiscard]] std::uint32_t at() const noexcept {
    return static_cast<std::uint32_t>(to_->characters.size());
  }
  /// There are fewer than 2^16 files and codes.
  [[nodiscard]] bool first_time(errc code, place where);

  nem::report own_;
  nem::report* to_;
  nem::profile profile_;
  std::size_t most_;
  tessera::error first_error_;
  struct seen {
    std::uint64_t key = 0;
  };
  keyed_rows<seen> seen_;
};

/// Where a node of the model in `file` stands.
[[nodiscard]] inline place place_of(const node& n, std::uint32_t file = 0) noexcept {
  return {file, n.offset, n.length};
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/diagnostic.hpp"
#include "detail/errors.hpp"
#endif

#endif  // TESSERA_NEM_DIAGNOSTIC_HPP
