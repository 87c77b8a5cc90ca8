// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The command line as tables: verbs, their options with the formats that each applies to, and what
// help says. The parser, `--help`, `tessera completion`, `tessera man` and the refusal of options that
// don't apply to a file all read these rows; a new option is a row here and a `bind` in its verb.
//
// Help texts: a verb and a flag say what they do ("Check files", "Show every note"); an option with a
// value names the value, with its default at the end ("Number of runs (1)"). The first line of a help
// text is enough where there is room for one line only.

#ifndef TESSERA_CLI_COMMANDS_HPP
#define TESSERA_CLI_COMMANDS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// Sets of formats.
enum family : unsigned {
  in_alir = 1,
  in_ark = 2,
  in_nac = 4,
  in_nem = 8,
  in_genome = 16,
  in_pt2 = 32,
  everywhere = ~0u  ///< whatever the format
};
struct family_row {
  family which;
  std::string_view word;  ///< in `--help WORD`
  std::string_view name;
};
inline constexpr family_row family_table[] = {{in_alir, "alir", "ALIR"},
                                              {in_ark, "ark", "ARK"},
                                              {in_nac, "nac", "NAC"},
                                              {in_nem, "nem", "NEM"},
                                              {in_genome, "genome", "NAC v1.2"},
                                              {in_pt2, "pt2", "PT2"}};
/// "ALIR", "ARK and NAC".
[[nodiscard]] std::string names_of(unsigned families);

struct verb_row {
  std::string_view name;  ///< "run", "genome mine"
  std::string_view about;
  unsigned families;  ///< that it has actions for
  std::string_view exit_codes;

  /// The last word of its name.
  [[nodiscard]] std::string_view word() const noexcept {
    const std::size_t space = name.rfind(' ');
    return name.substr(space == name.npos ? 0 : space + 1);
  }
};
struct option_row {
  std::string_view verbs;  ///< commas between them
  std::string_view names;  ///< "FILE", "FILE..." or "-o,--output"; and '!' if required
  std::string_view
      value;  ///< in help texts; empty: a flag, or a positional with the name of a file
  unsigned families;
  std::string_view help;
  std::string_view choices = {};  ///< blanks between them
  double low = 0, high = 0;       ///< of numbers, if low < high

  [[nodiscard]] bool is_of(std::string_view verb) const noexcept;
  [[nodiscard]] bool is_positional() const noexcept { return names[0] != '-'; }
  /// Whether a positional one takes several words.
  [[nodiscard]] bool is_list() const noexcept { return names.find("...") != names.npos; }
  [[nodiscard]] bool is_required() const noexcept { return names.back() == '!'; }
  /// "--output", "FILE".
  [[nodiscard]] std::string_view name() const noexcept;
  /// "-o"; empty without one.
  [[nodiscard]] std::string_view short_name() const noexcept;
};
/// A paragraph of help, or an example: a command.
struct help_row {
  std::string_view verb;
  unsigned families;
  std::string_view text;
};

[[nodiscard]] std::span<const verb_row> verb_table() noexcept;
[[nodiscard]] std::span<const option_row> option_table() noexcept;
[[nodiscard]] std::span<const help_row> note_table() noexcept;
[[nodiscard]] std::span<const help_row> example_table() noexcept;
/// What the tool does.
inline constexpr std::string_view about_tool =
    "Reads, verifies, writes, prints and runs neural-network programs.";

/// Null for other words. The verb "" is the tool itself.
[[nodiscard]] const verb_row* find_verb(std::string_view name) noexcept;
/// The verbs of one more word.
[[nodiscard]] std::vector<const verb_row*> verbs_below(std::string_view name);
[[nodiscard]] std::vector<const option_row*> options_of(std::string_view verb);
[[nodiscard]] const option_row* find_option(std::string_view verb, std::string_view name) noexcept;

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_COMMANDS_HPP
