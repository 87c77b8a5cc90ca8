// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The `tessera` tool: one verb, files, options.

#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "io/signals.hpp"
#include "tool.hpp"

int main(int argc, char** argv) {
  using namespace tessera;
  io::handle_signals(cli::io_error);
  cli::command_line line(
      "tessera", "Reads, verifies, writes, prints and runs neural-network programs.",
      "tessera " TESSERA_VERSION_STRING,
      std::string("Formats are told by content, never by name; .gz and .zst are read everywhere.\n"
                  "A file named - is standard input or output. Every verb has its own --help.\n\n"
                  "Examples:\n"
                  "  tessera check model.json.gz\n"
                  "  tessera print model.json | less\n"
                  "  tessera run model.json.gz --input x.csv > y.csv\n"
                  "  tessera run model.nac --shape 1x3x224x224 --random 1\n"
                  "  tessera convert model.json --output model.bc\n"
                  "  tessera diff before.json after.json\n"
                  "  tessera graph --fold ark.json | dot -Tsvg > ark.svg\n"
                  "  tessera assemble patched.txt patched.nac\n"
                  "  tessera fmt --check kernels/*.nem\n"
                  "  tessera genome tree models/ -o family.svg\n\n") +
          cli::exit_codes_help);

  cli::action chosen;
  const cli::command root = line.root();
  for (const auto add : {cli::add_info, cli::add_check, cli::add_print, cli::add_run,
                         cli::add_trace, cli::add_convert, cli::add_assemble, cli::add_canonicalise,
                         cli::add_diff, cli::add_graph, cli::add_fmt, cli::add_genome})
    add(root, chosen);
  try {
    cli::command_line::outcome parsed = line.parse(argc, argv);
    if (parsed.what == cli::command_line::outcome::parsed) return chosen();
    if (parsed.what == cli::command_line::outcome::asked) {
      if (std::cout.flush()) return cli::success;
      cli::show_error("<stdout>: cannot write");
      return cli::io_error;
    }
    const std::string& verb = parsed.verb;
    if (verb.empty()) {
      parsed.message =
          "expected info, check, print, run, trace, convert, assemble, canonicalise, diff, graph, "
          "fmt or genome";
      if (argc > 1) parsed.message += ", found '" + cli::shown_name(argv[1]) + "'";
    }
    if (verb == " genome")
      parsed.message = "expected mine, compress, expand, rules, profile, compare or tree";
    cli::show_error("tessera" + verb + ": " + cli::shown_text(parsed.message) + "\nTry 'tessera" +
                    verb + " --help'.");
    return cli::wrong_usage;
  } catch (const std::bad_alloc&) {
    cli::show_error("not enough memory");
    return cli::io_error;
  } catch (const std::length_error&) {  // of a corpus beyond 2^32 of something
    cli::show_error("the inputs are too many for one corpus");
    return cli::bad_input;
  }
}
