// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The `tessera` tool: one verb, files, options.

#include <CLI/CLI.hpp>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "io/signals.hpp"
#include "tool.hpp"

int main(int argc, char** argv) {
  using namespace tessera;
  io::handle_signals(cli::io_error);
  CLI::App app{"Reads, verifies, writes, prints and runs neural-network programs."};
  app.name("tessera");
  app.set_version_flag("-V,--version", "tessera " TESSERA_VERSION_STRING);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
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
  cli::add_info(app, chosen);
  cli::add_check(app, chosen);
  cli::add_print(app, chosen);
  cli::add_run(app, chosen);
  cli::add_trace(app, chosen);
  cli::add_convert(app, chosen);
  cli::add_assemble(app, chosen);
  cli::add_canonicalise(app, chosen);
  cli::add_diff(app, chosen);
  cli::add_graph(app, chosen);
  cli::add_fmt(app, chosen);
  cli::add_genome(app, chosen);
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    if (std::cout.flush()) return cli::success;
    cli::show_error("<stdout>: cannot write");
    return cli::io_error;
  } catch (const CLI::ParseError& wrong) {
    std::string verb, message = wrong.what();
    for (const CLI::App* sub = &app; !sub->get_subcommands().empty(); verb += ' ' + sub->get_name())
      sub = sub->get_subcommands().front();
    if (verb.empty()) {
      message =
          "expected info, check, print, run, trace, convert, assemble, canonicalise, diff, graph, "
          "fmt or genome";
      if (argc > 1) message += ", found '" + cli::shown_name(argv[1]) + "'";
    }
    if (verb == " genome")
      message = "expected mine, compress, expand, rules, profile, compare or tree";
    cli::show_error("tessera" + verb + ": " + cli::shown_text(message) + "\nTry 'tessera" + verb +
                    " --help'.");
    return cli::wrong_usage;
  } catch (const std::bad_alloc&) {
    cli::show_error("not enough memory");
    return cli::io_error;
  } catch (const std::length_error&) {  // of a corpus beyond 2^32 of something
    cli::show_error("the inputs are too many for one corpus");
    return cli::bad_input;
  }
}
