// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sessions of the language server about texts of size n: tests/support/linear.cmake runs it under
// callgrind and looks at the instructions of each function measure_*. At 4000 a text has 5,000 lines.
//
//   tessera_lsp_linear            the names of the texts
//   tessera_lsp_linear NAME N
//   tessera_lsp_linear NAME N -   writes the text

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tessera/core/json_write.hpp>

#include "cli/lsp.hpp"

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

namespace {

using namespace tessera;

std::string source;
std::string position;  ///< of a line in the middle
std::size_t made = 0;

void head() {
  source =
      "buffer A : L2 (size=1048576)\nbuffer B : L1[0] (size=65536)\n"
      "let x = region(B, 0, 4096) elem=f16, shape=[32, 64], layout=HW\n";
}
void tasks(std::size_t lines) {
  head();
  for (std::size_t i = 0; i < lines / 5; ++i) {
    const std::string n = std::to_string(i);
    source += "let r" + n + " = region(A, " + std::to_string(i % 256 * 4096) + ", 4096)\n";
    if (i != 0) source += "wait(q" + std::to_string(i - 1) + ")\n";
    source += "t" + n + " = transfer.async(dst=x, src=r" + n + ")\n";
    source += "q" + n + " = relu.async in x out x\n    deps=[t" + n + "]\n";
  }
}
void loops(std::size_t lines) {
  head();
  for (std::size_t i = 0; i < lines / 5; ++i) {
    const std::string n = std::to_string(i);
    source += "loop k" + n + " in [0..3]:\n  let y = region(B, k" + n +
              " * 4096, 4096) elem=f16, shape=[32, 64], layout=HW\n  t = transfer.sync(dst=y, "
              "src=region(A, k" +
              n + " * 4096, 4096))\n  relu.sync in y out y\nendloop\n";
  }
}
void broken(std::size_t lines) {
  head();
  for (std::size_t i = 0; i < lines / 2; ++i)
    source += i % 10 == 0 ? "t = relu.async in x out\nconst = 1\n" : "const n = \nlet y = x + 1\n";
}
void one_line(std::size_t lines) {
  head();
  for (std::size_t i = 0; i < lines; ++i)
    source += "let s" + std::to_string(i) + " = \"\xc3\xa9\xf0\x9f\x98\x80\" ";
}
void nested(std::size_t lines) {
  head();
  for (std::size_t i = 0; i < lines / 200; ++i) {
    for (int k = 0; k < 100; ++k) source += "loop k" + std::to_string(k) + " in [0..0]:\n";
    for (int k = 0; k < 100; ++k) source += "endloop\n";
  }
}
void variants(std::size_t lines) {
  source = "device d { spec_version = \"NEM-1.0\" opcode.mandatory {\n";
  for (std::size_t i = 0; i < lines; ++i) source += "eltwise<i8>.default\n";
  source += "} }\n";
}

struct generator {
  std::string_view name;
  void (*write)(std::size_t lines);
};
constexpr generator generators[] = {{"tasks", tasks},   {"loops", loops},
                                    {"broken", broken}, {"one_line", one_line},
                                    {"nested", nested}, {"variants", variants}};

class input final : public cli::lsp_input {
 public:
  explicit input(std::string_view all) : all_(all) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t n = all_.copy(to, size);
    all_.remove_prefix(n);
    return n;
  }
  bool is_waiting() override { return false; }

 private:
  std::string_view all_;
};
class output final : public cli::lsp_output {
 public:
  bool write(std::string_view bytes) override {
    made += bytes.size();
    return true;
  }
};

[[nodiscard]] std::string framed(std::string_view content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}
std::string opening;  ///< of a session with the text

void prepare() {
  text quoted;
  json::append_quoted(quoted, source);
  opening = framed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") +
            framed(R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":)"
                   R"({"uri":"file:///a.nem","text":)" +
                   std::string(quoted.view()) + "}}}");
  // Of the same kind in all sizes.
  const std::uint64_t line = locate(source, source.size() / 2).line / 20 * 20;
  position = R"({"line":)" + std::to_string(line) + R"(,"character":0})";
}
/// Opens the text, and asks once.
void ask(std::string_view method) {
  std::string script = opening;
  if (!method.empty())
    script +=
        framed(R"({"jsonrpc":"2.0","id":2,"method":"textDocument/)" + std::string(method) +
               R"(","params":{"textDocument":{"uri":"file:///a.nem"},"position":)" + position +
               R"(,"range":{"start":{"line":0,"character":0},"end":{"line":9999999,)"
               R"("character":0}},"context":{"includeDeclaration":true}}})");
  cli::lsp_options options;
  options.reads_files = false;
  input in(script);
  output out;
  made += static_cast<std::size_t>(cli::serve_lsp(in, out, options));
}

}  // namespace

/// From the text to its findings.
TESSERA_MEASURED void measure_read() { ask(""); }
TESSERA_MEASURED void measure_symbols() { ask("documentSymbol"); }
TESSERA_MEASURED void measure_tokens() { ask("semanticTokens/full"); }
TESSERA_MEASURED void measure_hints() { ask("inlayHint"); }
TESSERA_MEASURED void measure_hover() { ask("hover"); }
TESSERA_MEASURED void measure_completion() { ask("completion"); }
TESSERA_MEASURED void measure_references() { ask("references"); }
TESSERA_MEASURED void measure_formatting() { ask("formatting"); }
TESSERA_MEASURED void measure_actions() { ask("codeAction"); }

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const generator& g : generators) {
    if (argc < 3) std::printf("%.*s\n", static_cast<int>(g.name.size()), g.name.data());
    if (g.name != name || argc < 3) continue;
    g.write(std::strtoul(argv[2], nullptr, 10) * 5 / 4);
    if (argc > 3) {
      std::fwrite(source.data(), 1, source.size(), stdout);
      return 0;
    }
    prepare();
    measure_read();
    measure_symbols();
    measure_tokens();
    measure_hints();
    measure_hover();
    measure_completion();
    measure_references();
    measure_formatting();
    measure_actions();
  }
  return made == ~std::size_t{0} ? 1 : 0;
}
