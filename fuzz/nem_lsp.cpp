// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The language server: a session, where the input begins with '{' or "Content-": each line that begins
// with '{' is a message, others are bytes as they are. Any other input is a document, about which all is
// asked at one place, after a change.
//
// Answers are JSON in frames; each request has one; a document that was changed is answered about as one
// that was opened as it is then. No file is opened.

#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <tessera/core/json_path.hpp>
#include <vector>

#include "cli/lsp.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

class input final : public cli::lsp_input {
 public:
  explicit input(std::string_view all) : all_(all) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t n = all_.copy(to, size);
    all_.remove_prefix(n);
    return n;
  }
  bool is_waiting() override {
    // Now and then nothing waits, so that findings are published.
    return !all_.empty() && ++calls_ % 4 != 0;
  }

 private:
  std::string_view all_;
  unsigned calls_ = 0;
};
class output final : public cli::lsp_output {
 public:
  bool write(std::string_view bytes) override {
    all.append(bytes);
    return true;
  }
  std::string all;
};

[[nodiscard]] std::string framed(std::string_view content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

/// The answers of a session, each one JSON text.
[[nodiscard]] std::vector<std::string> serve(std::string_view script) {
  cli::lsp_options options;
  options.reads_files = false;
  options.max_message = std::uint64_t{1} << 20;
  options.max_document = std::uint64_t{1} << 18;
  options.max_documents = 4;
  input in(script);
  output out;
  const int code = cli::serve_lsp(in, out, options);
  fuzz::require(code == 0 || code == 1, "an exit code is 0 or 1");
  std::vector<std::string> answers;
  for (std::string_view rest = out.all; !rest.empty();) {
    constexpr std::string_view header = "Content-Length: ";
    const std::size_t end = rest.find("\r\n\r\n");
    fuzz::require(rest.starts_with(header) && end != rest.npos, "an answer has a header");
    const std::size_t size =
        std::stoul(std::string(rest.substr(header.size(), end - header.size())));
    fuzz::require(size <= rest.size() - end - 4, "an answer has its length");
    answers.emplace_back(rest.substr(end + 4, size));
    json::reader whole(answers.back());
    whole.skip();
    fuzz::require(whole.finish().code == errc::ok, "an answer is JSON");
    rest.remove_prefix(end + 4 + size);
  }
  return answers;
}

void run_session(std::string_view source) {
  std::string script;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size() - 1) + 1;
    const std::string_view line = source.substr(0, end);
    script += line.starts_with('{') ? framed(line) : std::string(line);
    source.remove_prefix(end);
  }
  (void)serve(script);
}

constexpr std::string_view methods[] = {
    "hover",      "definition", "references", "documentHighlight",   "documentSymbol",
    "completion", "formatting", "codeAction", "semanticTokens/full", "inlayHint"};

/// A position whose character counts bytes, or whatever the encoding makes of it.
[[nodiscard]] std::string position(std::string_view source, std::size_t offset) {
  const line_column at = locate(source, offset);
  return R"({"line":)" + std::to_string(at.line - 1) + R"(,"character":)" +
         std::to_string(at.column - 1) + "}";
}

struct script {
  void ask(std::string_view method, std::string_view params) {
    text += framed(R"({"jsonrpc":"2.0","id":)" + std::to_string(++requests) + R"(,"method":")" +
                   std::string(method) + R"(","params":)" + std::string(params) + "}");
  }
  void tell(std::string_view method, std::string_view params) {
    text += framed(R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"(","params":)" +
                   std::string(params) + "}");
  }
  void open(std::string_view source) {
    tessera::text quoted;
    json::append_quoted(quoted, source);
    tell("textDocument/didOpen",
         R"({"textDocument":{"uri":"file:///a.nem","text":)" + std::string(quoted.view()) + "}}");
  }
  /// About one place, by some of the methods.
  void ask_all(std::string_view source, std::size_t seed, unsigned which) {
    const std::string at = position(source, source.size() * (seed % 100) / 100);
    for (const std::string_view m : methods) {
      const bool is_asked = (which & 1u) != 0;
      which >>= 1;
      if (!is_asked) continue;
      ask("textDocument/" + std::string(m),
          R"({"textDocument":{"uri":"file:///a.nem"},"position":)" + at +
              R"(,"range":{"start":{"line":0,"character":0},"end":)" + at +
              R"(},"context":{"includeDeclaration":true}})");
    }
  }
  std::string text;
  std::size_t requests = 0;
};

void begin(script& s, std::string_view encoding) {
  s.ask("initialize", R"({"capabilities":{"general":{"positionEncodings":[")" +
                          std::string(encoding) +
                          R"("]},"textDocument":{"codeAction":{"codeActionLiteralSupport":{}},)"
                          R"("publishDiagnostics":{"relatedInformation":true},)"
                          R"("documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}})");
}
void end(script& s) {
  s.ask("shutdown", "null");
  s.tell("exit", "null");
}

/// The answers to requests, those to the last `count` of them before the last.
[[nodiscard]] std::vector<std::string> last_results(const std::vector<std::string>& all,
                                                    std::size_t requests, std::size_t count) {
  std::vector<std::string> out(requests + 1);
  for (const std::string& a : all) {
    const std::uint64_t at = json::find(a, "$.id");
    if (at == json::no_offset) continue;
    const std::string_view rest = std::string_view(a).substr(static_cast<std::size_t>(at));
    json::reader in(rest);
    const std::uint64_t id = in.uint64();
    fuzz::require(id >= 1 && id <= requests && out[id].empty(), "each request has one answer");
    out[id] = a.substr(a.find(",\"result\":") == a.npos ? 0 : a.find(",\"result\":"));
  }
  for (std::size_t i = 1; i <= requests; ++i)
    fuzz::require(!out[i].empty(), "each request has an answer");
  return {out.end() - 1 - static_cast<std::ptrdiff_t>(count), out.end() - 1};
}

void run_document(std::string_view source) {
  if (source.size() > 20000 || !is_utf8(source)) return;
  // Positions in bytes, so that the change is the one that is made here.
  const std::size_t seed = fuzz::below(source, 1000);
  const std::size_t first = source.size() * (seed % 10) / 10;
  const std::size_t last = first + (source.size() - first) * (seed % 3) / 8;
  const bool is_between = is_utf8(source.substr(0, first)) && is_utf8(source.substr(0, last)) &&
                          source.find('\r') == source.npos;
  const std::string inserted = seed % 2 == 0 ? "" : "\nconst q = 1 # \xf0\x9f\x98\x80\n";
  std::string changed(source);
  if (is_between) changed.replace(first, last - first, inserted);

  fuzz::turns turn(source);
  unsigned which = 0;
  for (std::size_t i = 0; i < std::size(methods); ++i) which = which << 1 | turn.one_in(5);
  script incremental, whole;
  begin(incremental, "utf-8");
  incremental.open(source);
  incremental.ask("textDocument/semanticTokens/full",
                  R"({"textDocument":{"uri":"file:///a.nem"}})");
  if (is_between) {
    tessera::text quoted;
    json::append_quoted(quoted, inserted);
    incremental.tell(
        "textDocument/didChange",
        R"({"textDocument":{"uri":"file:///a.nem"},"contentChanges":[{"range":{"start":)" +
            position(source, first) + R"(,"end":)" + position(source, last) + R"(},"text":)" +
            std::string(quoted.view()) + "}]}");
  }
  const std::size_t before = incremental.requests;
  incremental.ask_all(changed, seed, which);
  const std::size_t count = incremental.requests - before;
  end(incremental);
  const auto answers = last_results(serve(incremental.text), incremental.requests, count);
  if (!turn.one_in(4)) return;
  begin(whole, "utf-8");
  whole.open(changed);
  whole.ask_all(changed, seed, which);
  end(whole);
  fuzz::require(answers == last_results(serve(whole.text), whole.requests, count),
                "a changed document is one that was opened so");

  if (!turn.one_in(16)) return;
  script utf16;
  begin(utf16, "utf-16");
  utf16.open(source);
  utf16.ask_all(source, seed, ~0u);
  end(utf16);
  (void)last_results(serve(utf16.text), utf16.requests, 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  if (source.starts_with('{') || source.starts_with("Content-"))
    run_session(source);
  else
    run_document(source);
  return 0;
}
