// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The `tessera` tool: one verb, files, options.

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/file.hpp"
#include "io/signals.hpp"
#include "tessera/core/suggest.hpp"
#include "tool.hpp"

namespace {

using namespace tessera;

/// What is wrong with a command line, for people.
[[nodiscard]] std::string message_of(const cli::command_line::outcome& line) {
  std::string out = line.message;
  if (!line.unknown.empty()) {
    const bool is_option = line.unknown[0] == '-';
    out = is_option            ? "unknown option "
          : line.known.empty() ? "unexpected argument "
                               : "unknown verb ";
    out += "'" + cli::shown_name(line.unknown) + "'";
    suggestion nearest(line.unknown);
    for (const std::string& word : line.known) nearest.offer(word);
    if (!nearest.word().empty())
      return out.append("; did you mean ").append(nearest.word()).append("?");
    if (is_option || line.known.empty()) return out;
  } else if (line.known.empty()) {
    return cli::shown_text(out);
  } else {
    out = "missing verb";
  }
  for (std::size_t i = 0; i < line.known.size(); ++i)
    out.append(i == 0                      ? "; expected "
               : i + 1 < line.known.size() ? ", "
                                           : " or ")
        .append(line.known[i]);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  io::occupy_standard_streams();
  io::handle_signals(cli::io_error);
  if (const std::optional<cli::exit_code> code = cli::show_help(argc, argv)) return *code;
  cli::command_line line("tessera " TESSERA_VERSION_STRING TESSERA_FEATURES);
  cli::action chosen;
  const cli::command root = line.root();
  for (const auto add :
       {cli::add_info,   cli::add_check,    cli::add_print,        cli::add_run,
        cli::add_trace,  cli::add_convert,  cli::add_import,       cli::add_optimize,
        cli::add_lower,  cli::add_assemble, cli::add_canonicalise, cli::add_diff,
        cli::add_graph,  cli::add_view,     cli::add_fmt,          cli::add_lsp,
        cli::add_genome, cli::add_tokens,   cli::add_completion,   cli::add_man})
    add(root, chosen);
  try {
    const cli::command_line::outcome parsed = line.parse(argc, argv);
    switch (parsed.status) {
      case cli::command_line::outcome::parsed: {
        // A person who types the input sees what they type.
        const bool types = std::find(argv, argv + argc, std::string_view("-")) != argv + argc;
        const std::unique_ptr<cli::busy_line> busy =
            types ? nullptr : std::make_unique<cli::busy_line>("tessera");
        return chosen();
      }
      case cli::command_line::outcome::wrong: break;
      case cli::command_line::outcome::printed:
        if (std::cout.flush()) return cli::success;
        cli::show_error("<stdout>: cannot write");
        return cli::io_error;
    }
    cli::show_error("tessera" + parsed.verb + ": " + message_of(parsed) + "\nTry 'tessera" +
                    parsed.verb + " --help'.");
    return cli::wrong_usage;
  } catch (const std::bad_alloc&) {
    cli::show_error("not enough memory");
    return cli::io_error;
  } catch (const std::length_error&) {  // more than 2^32 nodes, names or constants
    cli::show_error(
        "the inputs are too large to be mined together; expected fewer than 2^32 - 1 different "
        "nodes, names or constants");
    return cli::bad_input;
  }
}
