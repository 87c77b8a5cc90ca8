// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of NEM: their ids, which part of reading or verifying checks them, and how severe what
// breaks them is.
//
//   for (const tessera::diagnostic& d : found.diagnostics)
//     if (nem::phase_of(d.code) == nem::phase::hazard)
//       std::cout << nem::rule(d.code).id() << ' ' << found.text_of(d.text) << '\n';
//   // HAZ-001 …
//
//   profile     standard   severities of core/error_table_nem.hpp
//               strict     warnings that mark extensions are errors
//               upstream   FAM-004 and SHP-004 are warnings, as the format's own examples need
//
// Lifetime:   rules own their ids.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_RULE_HPP
#define TESSERA_NEM_RULE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/findings.hpp"
#include "../core/report.hpp"
#include "../version.hpp"
#include "detail/keyed_rows.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Which part of reading or verifying finds something.
enum class phase : std::uint8_t {
  lex,        ///< LEX: tokens
  parse,      ///< SYN: the grammar
  include,    ///< INC: files
  config,     ///< FDL: type families
  device,     ///< DEV, CAP: devices, and what a program asks of its target
  names,      ///< NAM: declarations of names
  const_,     ///< CON: constants
  eval,       ///< EXP: expressions
  buffer,     ///< BUF: buffers
  region,     ///< REG, QNT: regions and their descriptors
  decorator,  ///< DEC, RES: decorators, and the units that they name
  opcode,     ///< OPC: operands and attributes of compute tasks
  shape,      ///< SHP: shapes of compute tasks
  type,       ///< FAM, QNT, TYP: types and descriptors of compute tasks
  transfer,   ///< XFR: transfers and stores
  token,      ///< TOK: tokens
  place,      ///< PLC: engines of tasks
  loop,       ///< LOP: loops
  hazard,     ///< HAZ: tasks that nothing orders
  run         ///< RT: runs, not verification
};
/// How severe some findings are: the table above has the differences.
enum class profile : std::uint8_t { standard, strict, upstream };

/// The rule of a code.
class rule {
 public:
  /// The rule of any code; those of other formats have an empty id.
  explicit rule(errc code) noexcept;
  /// "CON-001"; empty for codes of other formats.
  [[nodiscard]] std::string_view id() const noexcept { return {id_, size_}; }

 private:
  char id_[14] = {};
  std::size_t size_ = 0;
};

/// A row of the table of rules.
struct rule_row {
  errc code;                   ///< of findings that break it
  nem::phase phase;            ///< the part that finds them
  tessera::severity severity;  ///< in the profile `standard`
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
/// How many rules there are.
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

namespace detail {

/// Collects findings: each rule once for a place, however many iterations find it.
class findings : public tessera::detail::findings {
 public:
  using tessera::detail::findings::ending;

  findings(tessera::report* to, nem::profile p, std::uint64_t max_diagnostics) noexcept
      : tessera::detail::findings(to != nullptr ? to : &own_, to != nullptr ? max_diagnostics : 0),
        profile_(p) {}

  /// Adds a finding, as severe as the profile has it; what is written into the result is its text.
  writer add(errc code, place where);
  /// What each message ends with from now on.
  void end_with(ending e) noexcept { ending_ = e; }
  /// Says of all findings in file 0 that their places are nodes of a model that was built in code.
  void mark_nodes() noexcept;

  [[nodiscard]] nem::profile profile() const noexcept { return profile_; }
  [[nodiscard]] tessera::report& report() noexcept { return *to_; }

 private:
  /// There are fewer than 2^16 files and codes.
  [[nodiscard]] bool first_time(errc code, const place& where);

  tessera::report own_;
  nem::profile profile_;
  struct seen {
    std::uint64_t key = 0;
  };
  keyed_rows<seen> seen_;
};

/// The place of a node of the model in `file`.
[[nodiscard]] inline place place_of(const node& n, std::uint32_t file = 0) noexcept {
  return {file, n.offset, n.length};
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/errors.hpp"
#include "detail/rule.hpp"
#endif

#endif  // TESSERA_NEM_RULE_HPP
