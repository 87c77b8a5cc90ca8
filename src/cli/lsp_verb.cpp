// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera lsp`: the language server on standard input and output.

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "lsp.hpp"
#include "nem_includes.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

class standard_input final : public lsp_input {
 public:
  [[nodiscard]] std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(STDIN_FILENO, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return 0;
    }
  }
  [[nodiscard]] bool is_waiting() override {
    pollfd in{STDIN_FILENO, POLLIN, 0};
    return ::poll(&in, 1, 0) > 0;
  }
};

class standard_output final : public lsp_output {
 public:
  [[nodiscard]] bool write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
      if (put < 0 && errno != EINTR) return false;
      if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }
};

[[nodiscard]] exit_code serve(const lsp_options& o) {
  if (!o.devices.empty() && !is_folder(o.devices)) {
    show_error(shown_name(o.devices) + ": expected a folder of devices");
    return io_error;
  }
  busy_line::stop();
  if (::isatty(STDIN_FILENO) != 0)
    show_note(
        "a client of the Language Server Protocol is expected at the other end of standard input; "
        "`tessera lsp --help` says how editors start it");
  standard_input in;
  standard_output out;
  return serve_lsp(in, out, o) == 0 ? success : bad_input;
}

}  // namespace

void add_lsp(const command& app, action& run) {
  const auto o = std::make_shared<lsp_options>();
  const command verb = app.verb("lsp");
  verb.bind("--profile", o->profile);
  verb.bind("--device", o->device);
  verb.bind("--devices", o->devices);
  verb.bind("--include", o->include_folders);
  verb.bind("--allow-includes-anywhere", o->includes_anywhere);
  verb.bind("--stdio", [] {});
  verb.callback([o, &run] { run = [o] { return serve(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
