// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The language server as a function: sessions of scripted messages, sound and malformed ones.

#include "cli/lsp.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <tessera/core/json_path.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace tessera;

namespace {

[[nodiscard]] std::string framed(std::string_view content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}
[[nodiscard]] std::string as_json(std::string_view s) {
  text out;
  json::append_quoted(out, s);
  return std::string(out.view());
}
/// A value of an answer as JSON, "" where there is none.
[[nodiscard]] std::string value(std::string_view answer, std::string_view path) {
  const std::uint64_t at = json::find(answer, path);
  if (at == json::no_offset) return {};
  const std::string_view rest = answer.substr(static_cast<std::size_t>(at));
  json::reader in(rest);
  return std::string(in.skip());
}

/// Bytes that come in pieces: between pieces none are waiting.
class pieces final : public cli::lsp_input {
 public:
  explicit pieces(std::deque<std::string> all) : all_(std::move(all)) {}
  std::size_t read(char* to, std::size_t size) override {
    while (!all_.empty() && all_.front().empty()) all_.pop_front();
    if (all_.empty()) return 0;
    const std::size_t n = std::min(size, all_.front().size());
    all_.front().copy(to, n);
    all_.front().erase(0, n);
    return n;
  }
  bool is_waiting() override { return !all_.empty() && !all_.front().empty(); }

 private:
  std::deque<std::string> all_;
};
class collected final : public cli::lsp_output {
 public:
  bool write(std::string_view bytes) override { return all += bytes, true; }
  std::string all;
};

struct session {
  explicit session(cli::lsp_options how = {}) : options(std::move(how)) {}

  session& raw(std::string bytes) { return script.back() += bytes, *this; }
  session& send(std::string_view content) { return raw(framed(content)); }
  session& ask(int id, std::string_view method, std::string_view params = "{}") {
    return send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" +
                std::string(method) + R"(","params":)" + std::string(params) + "}");
  }
  session& tell(std::string_view method, std::string_view params = "{}") {
    return send(R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"(","params":)" +
                std::string(params) + "}");
  }
  session& pause() { return script.emplace_back(), *this; }
  session& begin(std::string_view capabilities = "{}", std::string_view more = "") {
    return ask(0, "initialize",
               R"({"capabilities":)" + std::string(capabilities) + std::string(more) + "}")
        .tell("initialized");
  }
  session& open(std::string_view source, std::string_view uri = "file:///no/a.nem") {
    return tell("textDocument/didOpen", R"({"textDocument":{"uri":)" + as_json(uri) +
                                            R"(,"languageId":"nem","version":1,"text":)" +
                                            as_json(source) + "}}");
  }
  session& at(int id, std::string_view method, int line, int character, std::string_view more = "",
              std::string_view uri = "file:///no/a.nem") {
    return ask(id, method,
               R"({"textDocument":{"uri":)" + as_json(uri) + R"(},"position":{"line":)" +
                   std::to_string(line) + R"(,"character":)" + std::to_string(character) + "}" +
                   std::string(more) + "}");
  }
  session& whole(int id, std::string_view method, std::string_view more = "",
                 std::string_view uri = "file:///no/a.nem") {
    return ask(id, method,
               R"({"textDocument":{"uri":)" + as_json(uri) + "}" + std::string(more) + "}");
  }
  session& end() { return ask(999, "shutdown").tell("exit"); }

  /// Runs it; each answer is one JSON text.
  const std::vector<std::string>& run() {
    pieces in(script);
    collected out;
    code = cli::serve_lsp(in, out, options);
    answers.clear();
    std::string_view rest = out.all;
    while (!rest.empty()) {
      constexpr std::string_view header = "Content-Length: ";
      REQUIRE(rest.starts_with(header));
      const std::size_t blank = rest.find("\r\n\r\n");
      REQUIRE(blank != rest.npos);
      const std::size_t size =
          std::stoul(std::string(rest.substr(header.size(), blank - header.size())));
      answers.emplace_back(rest.substr(blank + 4, size));
      REQUIRE(answers.back().size() == size);
      json::reader whole(answers.back());
      whole.skip();
      REQUIRE(whole.finish() == error());
      rest.remove_prefix(blank + 4 + size);
    }
    return answers;
  }
  /// The answer to a request.
  [[nodiscard]] std::string to(int id) const {
    for (const std::string& a : answers)
      if (value(a, "$.id") == std::to_string(id)) return a;
    return {};
  }
  [[nodiscard]] std::string result(int id) const { return value(to(id), "$.result"); }
  [[nodiscard]] std::string error_of(int id) const { return value(to(id), "$.error.code"); }
  /// The last findings of a document.
  [[nodiscard]] std::string findings(std::string_view uri = "file:///no/a.nem") const {
    for (std::size_t i = answers.size(); i-- != 0;)
      if (value(answers[i], "$.params.uri") == as_json(uri))
        return value(answers[i], "$.params.diagnostics");
    return "none";
  }

  cli::lsp_options options;
  std::deque<std::string> script = {""};
  std::vector<std::string> answers;
  int code = -1;
};

[[nodiscard]] bool has(std::string_view s, std::string_view part) { return s.find(part) != s.npos; }

const std::string_view tiles = R"(program tiles:
const n = 8
buffer A : L2 (size=n * 64) @readonly
buffer B : L1[0] (size=512)
let x = region(B, 0, 256)
    elem=f32, shape=[8, 8], layout=HW
let y = region(B, 256, 256)
    elem=f32, shape=[8, 8], layout=HW
loop i in [0..1]:
  t = transfer.async(dst=x, src=region(A, i * 256, 256))
  r = relu.async
      in  x
      out y
      deps=[t]
endloop
)";

/// A folder with a device and a program that includes it.
struct folder {
  explicit folder(const std::string& name)
      : path(std::filesystem::absolute("lsp_" + name).lexically_normal()) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~folder() { std::filesystem::remove_all(path); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string uri(const std::string& name) const {
    return "file://" + (path / name).string();
  }
  std::filesystem::path path;
};

const std::string_view devices =
    "include \"npm_baseline_1.0.nem\"\n"
    "device small extends npm_baseline_1_0 {\n"
    "  topology { num_engines = 1 l2_size_bytes = 4096 device_units { sDMA = 1 } per_engine {\n"
    "    NMU = 1 CSTL = 2 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 1024 } }\n"
    "  unit_characteristics { NMU { int8_macs = 8 } }\n"
    "}\n"
    "device tiny extends small {\n"
    "  topology { num_engines = 1 l2_size_bytes = 64 device_units { sDMA = 1 } per_engine {\n"
    "    NMU = 1 CSTL = 1 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 64 } }\n"
    "}\n";
const std::string_view program =
    "include \"devices.nem\"\n"
    "device small\n"
    "program p:\n"
    "buffer A : L2 (size=2048)\n";

}  // namespace

// ---- the session

TEST_CASE("lsp: a session begins with initialize and ends with exit", "[lsp]") {
  session s;
  s.ask(1, "textDocument/hover").tell("textDocument/didOpen").begin().ask(2, "initialize");
  s.ask(3, "shutdown").ask(4, "shutdown").ask(5, "textDocument/hover").tell("exit").ask(6, "x");
  s.run();
  CHECK(s.code == 0);
  CHECK(s.error_of(1) == "-32002");
  CHECK(has(s.result(0), R"("positionEncoding":"utf-16")"));
  CHECK(s.error_of(2) == "-32600");
  CHECK(s.result(3) == "null");
  CHECK(s.error_of(4) == "-32600");
  CHECK(s.error_of(5) == "-32600");
  CHECK(s.to(6).empty());
  CHECK(s.answers.size() == 6);
}

TEST_CASE("lsp: without shutdown the exit code is 1", "[lsp]") {
  session s;
  s.begin().tell("exit").run();
  CHECK(s.code == 1);
  session before;
  before.tell("exit").run();
  CHECK(before.code == 1);
  session cut;
  cut.begin().run();
  CHECK(cut.code == 1);
  session gone;  // after shutdown, where exit is lost
  gone.begin().ask(1, "shutdown").run();
  CHECK(gone.code == 0);
}

TEST_CASE("lsp: positions are in the first encoding that both have", "[lsp]") {
  for (const auto& [offered, chosen] : {std::pair{R"(["utf-8","utf-16"])", "utf-8"},
                                        {R"(["utf-16","utf-8"])", "utf-16"},
                                        {R"(["utf-7","utf-32"])", "utf-32"},
                                        {"[]", "utf-16"},
                                        {"3", "utf-16"}}) {
    session s;
    s.begin(R"({"general":{"positionEncodings":)" + std::string(offered) + "}}").end().run();
    CHECK(value(s.to(0), "$.result.capabilities.positionEncoding") == as_json(chosen));
  }
}

TEST_CASE("lsp: requests that wait can be cancelled", "[lsp]") {
  session s;
  s.begin().open(tiles).at(1, "textDocument/hover", 2, 7).at(2, "textDocument/hover", 2, 7);
  s.tell("$/cancelRequest", R"({"id":1})").tell("$/cancelRequest", R"({"id":77})");
  s.tell("$/cancelRequest", R"({})").tell("$/cancelRequest", R"({"id":"2"})").end().run();
  CHECK(s.error_of(1) == "-32800");
  CHECK(has(s.result(2), "512 bytes in L2"));
  CHECK(s.code == 0);
}

TEST_CASE("lsp: a request that was answered can't be cancelled", "[lsp]") {
  session s;
  s.begin().open(tiles).at(1, "textDocument/hover", 2, 7).pause();
  s.tell("$/cancelRequest", R"({"id":1})").end().run();
  CHECK(has(s.result(1), "512 bytes"));
  CHECK(s.error_of(1).empty());
}

// ---- frames

TEST_CASE("lsp: headers in all their forms", "[lsp]") {
  const std::string content = R"({"jsonrpc":"2.0","id":"a\"b","method":"nothing"})";
  const std::string size = std::to_string(content.size());
  for (const std::string& header :
       {"Content-Length: " + size + "\r\n\r\n", "content-length:" + size + "\n\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH: \t" + size +
            "\r\n\r\n",
        "Content-Length: " + size + "\r\nContent-Type: a; charset=\"utf8\"; b=c\r\n\r\n",
        "\r\n\r\nX-Other: 7\r\nContent-Length: 000" + size + " \r\n\r\n"}) {
    INFO(header);
    session s;
    s.begin().raw(header + content).end().run();
    REQUIRE(s.answers.size() == 3);
    CHECK(value(s.answers[1], "$.id") == R"("a\"b")");
    CHECK(value(s.answers[1], "$.error.code") == "-32601");
    CHECK(s.code == 0);
  }
}

TEST_CASE("lsp: malformed headers are answered, and the session goes on", "[lsp]") {
  const std::string content = R"({"jsonrpc":"2.0","id":1,"method":"x"})";
  const std::string size = std::to_string(content.size());
  for (const auto& [bytes, message] : {
           std::pair<std::string, std::string>{"X-Other: 7\r\n\r\n", "missing Content-Length"},
           {"no header at all\r\n\r\n", "expected a header NAME: VALUE"},
           {"Content-Length: -5\r\n\r\n", "expected a number as Content-Length"},
           {"Content-Length: \r\n\r\n", "expected a number as Content-Length"},
           {"Content-Length: 0\r\nContent-Length: 0\r\n\r\n", "duplicate Content-Length"},
           {"Content-Length: " + size + "\r\nContent-Type: a; charset=latin1\r\n\r\n" + content,
            "expected the charset utf-8"},
           {"Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'),
            "a message has 1001 bytes; expected at most 1000"},
           {"Content-Length: 0\r\nX: " + std::string(5000, 'x') + "\r\n\r\n",
            "the header is too long"},
       }) {
    INFO(bytes);
    session s;
    s.options.max_message = 1000;
    s.begin().raw(bytes).end().run();
    REQUIRE(s.answers.size() == 3);
    CHECK(value(s.answers[0], "$.id") == "null");
    CHECK(value(s.answers[0], "$.error.code") == "-32700");
    CHECK(value(s.answers[0], "$.error.message") == as_json(message));
    CHECK(s.code == 0);
  }
}

TEST_CASE("lsp: a message of the limit's size is read", "[lsp]") {
  std::string content = R"({"jsonrpc":"2.0","id":1,"method":"x"})";
  content.insert(content.size() - 1, 1000 - content.size(), ' ');
  session s;
  s.options.max_message = 1000;
  s.begin().send(content).end().run();
  CHECK(s.error_of(1) == "-32601");
  session more;
  more.options.max_message = 999;
  more.begin().send(content).end().run();
  CHECK(more.error_of(1).empty());
}

TEST_CASE("lsp: lengths that nobody can send and inputs that end early end the session", "[lsp]") {
  for (const std::string bytes :
       {"Content-Length: 99999999999999999999999\r\n\r\nabc", "Content-Length: 7\r\n\r\n{",
        "Content-Length: 99999999999999\r\n\r\nabc", "Content-Le", "Content-Length: 7\r\n"}) {
    session s;
    s.begin().raw(bytes).run();
    CHECK(s.code == 1);
    CHECK(s.answers.size() == 1);
  }
}

// ---- JSON-RPC

TEST_CASE("lsp: what isn't JSON-RPC has the codes of JSON-RPC", "[lsp]") {
  for (const auto& [content, id, code] : {
           std::tuple{R"({"jsonrpc":"2.0")", "null", "-32700"},
           {"", "null", "-32700"},
           {"{} {}", "null", "-32700"},
           {"\"\xff\"", "null", "-32700"},
           {R"({"a":1,"a":2})", "null", "-32700"},
           {"[]", "null", "-32600"},
           {"[{}]", "null", "-32600"},
           {"7", "null", "-32600"},
           {"{}", "null", "-32600"},
           {R"({"jsonrpc":"2.0","method":7})", "null", "-32600"},
           {R"({"jsonrpc":"2.0","id":5,"method":7})", "5", "-32600"},
           {R"({"jsonrpc":"2.0","id":{},"method":"x"})", "null", "-32600"},
           {R"({"jsonrpc":"1.0","id":5,"method":"x"})", "5", "-32600"},
           {R"({"id":5,"method":"x"})", "5", "-32600"},
           {R"({"jsonrpc":"2.0","id":5,"method":"x"})", "5", "-32601"},
           {R"({"jsonrpc":"2.0","id":5,"method":"exit"})", "5", "-32601"},
           {R"({"jsonrpc":"2.0","id":5,"method":"$/x"})", "5", "-32601"},
           {R"({"jsonrpc":"2.0","id":5,"method":"textDocument/hover"})", "5", "-32602"},
           {R"({"jsonrpc":"2.0","id":5,"method":"textDocument/hover","params":[1]})", "5",
            "-32602"},
       }) {
    INFO(content);
    session s;
    s.begin().send(content).end().run();
    REQUIRE(s.answers.size() == 3);
    CHECK(value(s.answers[1], "$.id") == id);
    CHECK(value(s.answers[1], "$.error.code") == code);
    CHECK(s.code == 0);
  }
}

TEST_CASE("lsp: deep JSON is an error", "[lsp]") {
  session s;
  s.begin().send(std::string(100000, '[')).send(std::string(1000, '[') + std::string(1000, ']'));
  s.end().run();
  REQUIRE(s.answers.size() == 4);
  CHECK(value(s.answers[1], "$.error.code") == "-32700");
  CHECK(value(s.answers[2], "$.error.code") == "-32700");
}

TEST_CASE("lsp: unknown notifications and answers are ignored", "[lsp]") {
  session s;
  s.begin().tell("$/unknown").tell("workspace/unknown").tell("textDocument/hover");
  s.send(R"({"jsonrpc":"2.0","id":1,"result":null})")
      .send(R"({"jsonrpc":"2.0","id":1,"error":{}})");
  s.tell("textDocument/didOpen", "7").tell("textDocument/didChange", "{}");
  s.tell("textDocument/didClose", R"({"textDocument":{"uri":"file:///other"}})").end().run();
  CHECK(s.answers.size() == 2);
  CHECK(s.code == 0);
}

TEST_CASE("lsp: requests about documents that aren't open have invalid parameters", "[lsp]") {
  session s;
  s.begin();
  int id = 1;
  for (const std::string_view method :
       {"textDocument/hover", "textDocument/definition", "textDocument/references",
        "textDocument/documentHighlight", "textDocument/documentSymbol", "textDocument/completion",
        "textDocument/formatting", "textDocument/codeAction", "textDocument/inlayHint",
        "textDocument/semanticTokens/full", "textDocument/semanticTokens/range"})
    s.at(id++, method, 0, 0);
  s.open("").whole(100, "textDocument/hover").whole(101, "textDocument/hover", R"(,"position":[])");
  s.whole(102, "textDocument/hover", R"(,"position":{"line":-1,"character":0})").end().run();
  for (int i = 1; i < id; ++i) CHECK(s.error_of(i) == "-32602");
  for (int i = 100; i <= 102; ++i) CHECK(s.error_of(i) == "-32602");
}

// ---- documents

TEST_CASE("lsp: findings come when no message is waiting", "[lsp]") {
  session s;
  s.begin(R"({"textDocument":{"publishDiagnostics":{"relatedInformation":true}}})");
  s.open("const A = 1\nconst A = 2\n").pause().end().run();
  REQUIRE(s.answers.size() == 3);
  CHECK(s.answers[1] ==
        R"({"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{)"
        R"("uri":"file:///no/a.nem","version":1,"diagnostics":[{"range":{)"
        R"("start":{"line":1,"character":0},"end":{"line":1,"character":7}},"severity":1,)"
        R"("code":"CON-001","source":"tessera","message":"duplicate constant declaration A",)"
        R"("relatedInformation":[{"location":{"uri":"file:///no/a.nem","range":{)"
        R"("start":{"line":0,"character":0},"end":{"line":0,"character":7}}},)"
        R"("message":"declared here before"}]}]}})");
}

TEST_CASE("lsp: without related information notes are part of the message", "[lsp]") {
  session s;
  s.begin().open("const A = 1\nconst A = 2\n").pause().end().run();
  CHECK(value(s.findings(), "$[0].message") ==
        R"("duplicate constant declaration A\ndeclared here before")");
}

TEST_CASE("lsp: changes apply in their order, in units of the encoding", "[lsp]") {
  struct row {
    std::string_view encodings;
    int character;
  };
  // 'const A' after a comment's line; the comment holds characters of 1 to 4 bytes.
  for (const row& r : {row{R"(["utf-8"])", 12}, {R"(["utf-16"])", 7}, {R"(["utf-32"])", 6}}) {
    session s;
    s.begin(R"({"general":{"positionEncodings":)" + std::string(r.encodings) + "}}");
    s.open("# \u00e9\u4e2d\U0001f600x\nconst A = 1\n");
    const std::string at = std::to_string(r.character);
    // Removes 'x' and inserts a line after it, then changes that line.
    s.tell(
        "textDocument/didChange",
        R"({"textDocument":{"uri":"file:///no/a.nem","version":2},"contentChanges":[)"
        R"({"range":{"start":{"line":0,"character":)" +
            at +
            R"(},"end":{"line":0,"character":99}},"text":"\r\nconst B = A"},)"
            R"({"range":{"start":{"line":1,"character":10},"end":{"line":1,"character":11}},"text":"2"}]})");
    s.at(1, "textDocument/hover", 1, 6).pause().end().run();
    INFO(r.encodings);
    CHECK(has(s.result(1), R"(```nem\nconst B = 2\n```\n\nB = 2)"));
    CHECK(s.findings() == "[]");
  }
}

TEST_CASE("lsp: columns of findings are in units of the encoding", "[lsp]") {
  for (const auto& [encodings, column] :
       {std::pair{R"(["utf-8"])", "20"}, {R"(["utf-16"])", "15"}, {R"(["utf-32"])", "14"}}) {
    session s;
    s.begin(R"({"general":{"positionEncodings":)" + std::string(encodings) + "}}");
    s.open("include \"\u00e9\u4e2d\U0001f600\" ?").pause().end().run();
    CHECK(value(s.findings(), "$[0].range.start.character") == column);
  }
}

TEST_CASE("lsp: positions past the end are at the end", "[lsp]") {
  session s;
  s.begin().open("const A = 1");
  const auto change = [&s](std::string_view range, std::string_view text) {
    s.tell("textDocument/didChange",
           R"({"textDocument":{"uri":"file:///no/a.nem"},"contentChanges":[{"range":)" +
               std::string(range) + R"(,"text":)" + as_json(text) + "}]}");
  };
  change(R"({"start":{"line":0,"character":99999999999},"end":{"line":7,"character":3}})", "2\n");
  change(R"({"start":{"line":4294967296,"character":0},"end":{"line":1,"character":0}})",
         "const B = A\n");
  s.at(1, "textDocument/hover", 0, 7).at(2, "textDocument/hover", 1, 6).end().run();
  CHECK(has(s.result(1), "A = 12"));
  CHECK(has(s.result(2), "B = 12"));
}

TEST_CASE("lsp: malformed changes leave a document as it was", "[lsp]") {
  session s;
  s.begin().open("const A = 1");
  for (const std::string_view changes :
       {"7", "[7]", "[{}]", R"([{"text":7}])", R"([{"text":"","range":{}}])",
        R"([{"text":"","range":{"start":{"line":0},"end":{"line":0,"character":0}}}])",
        R"([{"text":"","range":7}])"})
    s.tell("textDocument/didChange",
           R"({"textDocument":{"uri":"file:///no/a.nem"},"contentChanges":)" +
               std::string(changes) + "}");
  s.at(1, "textDocument/hover", 0, 6).end().run();
  CHECK(has(s.result(1), "A = 1"));
}

TEST_CASE("lsp: documents beyond the limits aren't kept", "[lsp]") {
  session s;
  s.options.max_document = 20;
  s.options.max_documents = 1;
  s.begin().open("const ABCDEFGH = 111").open("const A = 1", "file:///no/b.nem");
  s.at(1, "textDocument/hover", 0, 6);
  s.tell(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"file:///no/a.nem"},"contentChanges":[{"text":"const ABCDEFGH = 1112"}]})");
  s.at(2, "textDocument/hover", 0, 6);
  s.tell(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"file:///no/a.nem"},"contentChanges":[{"text":"const B = 1"}]})");
  s.at(3, "textDocument/hover", 0, 6).at(4, "textDocument/hover", 0, 6, "", "file:///no/b.nem");
  s.open("const ABCDEFGH = 1112", "file:///no/c.nem").end().run();
  CHECK(has(s.result(1), "ABCDEFGH = 111"));
  CHECK(s.result(2) == "null");
  CHECK(has(s.result(3), "B = 1"));
  CHECK(s.error_of(4) == "-32602");
  CHECK(std::count_if(s.answers.begin(), s.answers.end(),
                      [](const std::string& a) { return has(a, "window/showMessage"); }) == 3);
}

TEST_CASE("lsp: documents and included files have limits together", "[lsp]") {
  session s;
  s.options.max_open = 20;
  s.begin().open("const A = 1").open("const B = 1", "file:///no/b.nem");
  s.open("const C = 1").open("const D=1", "file:///no/d.nem");
  s.at(1, "textDocument/hover", 0, 6).at(2, "textDocument/hover", 0, 6, "", "file:///no/b.nem");
  s.at(3, "textDocument/hover", 0, 6, "", "file:///no/d.nem").end().run();
  CHECK(has(s.result(1), "C = 1"));
  CHECK(s.error_of(2) == "-32602");
  CHECK(has(s.result(3), "D = 1"));
  const folder f("limits");
  f.write("devices.nem", devices);
  for (const std::uint64_t room : {devices.size(), devices.size() - 1}) {
    session included;
    included.options.max_included = room;
    included.begin().open(program, f.uri("a.nem")).pause().end().run();
    CHECK(has(included.findings(f.uri("a.nem")), "too long together") == (room < devices.size()));
  }
}

TEST_CASE("lsp: names of families and variants in included files", "[lsp]") {
  const folder f("families");
  f.write("families.nem",
          "type_family my.own<T: {i8, f16}> { A: T variants:\n"
          "  plain: { } conformance: { MUST <i8> MAY <f16> } }\n");
  const std::string source =
      "include \"families.nem\"\n"
      "device d { spec_version = \"NEM-1.0\" opcode.mandatory { my.own<i8>.plain } }\n";
  session s;
  s.begin().open(source, f.uri("d.nem"));
  s.at(1, "textDocument/definition", 1, 60, "", f.uri("d.nem"));
  s.at(2, "textDocument/definition", 1, 70, "", f.uri("d.nem"));
  s.at(3, "textDocument/hover", 1, 60, "", f.uri("d.nem"));
  s.at(4, "textDocument/references", 1, 60, R"(,"context":{"includeDeclaration":true})",
       f.uri("d.nem"));
  s.end().run();
  CHECK(value(s.to(1), "$.result[0].uri") == as_json(f.uri("families.nem")));
  CHECK(value(s.to(1), "$.result[0].range.start") == R"({"line":0,"character":12})");
  CHECK(value(s.to(2), "$.result[0].range.start") == R"({"line":1,"character":2})");
  CHECK(has(s.result(3), "T: i8, f16"));
  CHECK(value(s.to(4), "$.result[1].range.start.line") == "0");
  CHECK(value(s.to(4), "$.result[2]").empty());
}

TEST_CASE("lsp: long loops are checked in part while they are typed, and fully when saved",
          "[lsp]") {
  // Wrong where i is 25,000 to 29,999 only.
  const std::string_view source =
      "buffer A : L2 (size=50000)\n"
      "buffer B : L2 (size=50000)\n"
      "loop i in [0..49999]:\n"
      "  transfer.sync(dst=region(A, 0, 1),\n"
      "                src=region(B, i + (i / 25000) * (1 - i / 30000) * 50000, 1))\n"
      "endloop\n";
  session s;
  s.begin().open(source).pause();
  s.tell(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"file:///no/a.nem"},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":" "}]})");
  s.pause();
  s.tell("textDocument/didSave", R"({"textDocument":{"uri":"file:///no/a.nem"}})").pause();
  s.end().run();
  std::vector<std::string> found;
  for (const std::string& a : s.answers)
    if (!value(a, "$.params.diagnostics").empty())
      found.push_back(value(a, "$.params.diagnostics"));
  REQUIRE(found.size() == 3);
  CHECK(has(found[0], "REG-003"));
  CHECK(!has(found[1], "REG-003"));
  CHECK(!has(found[1], "HAZ-005"));
  CHECK(has(found[2], "REG-003"));
}

TEST_CASE("lsp: what is closed has no findings", "[lsp]") {
  session s;
  s.begin().open("const").pause().tell("textDocument/didClose",
                                       R"({"textDocument":{"uri":"file:///no/a.nem"}})");
  s.at(1, "textDocument/hover", 0, 0).pause().end().run();
  CHECK(s.findings() == "[]");
  CHECK(s.error_of(1) == "-32602");
}

// ---- hover

TEST_CASE("lsp: hover shows what things evaluate to", "[lsp]") {
  struct row {
    int line, character;
    std::string_view part;
  };
  const row rows[] = {
      {0, 9, "4 tasks"},
      {1, 6, "n = 8"},
      {2, 7, "512 bytes in L2, read only"},
      {2, 20, "n = 8"},
      {2, 12, "L2: memory that all engines share"},
      {2, 30, "applies to buffers, regions, operands"},
      {4, 4, "bytes [0, 256) of B in L1[0]; f32 [8, 8]"},
      {5, 9, "f32: 32 bits"},
      {8, 5, "from 0 to 1: 2 iterations, 1 in flight"},
      {9, 2, "moves 256 bytes"},
      {9, 6, "src: untyped, bytes [0, 256) of A in L2 where i=0"},
      {9, 42, "from 0 to 1"},
      {10, 6, "about 2 cycles on CSTL[0] of engine 0"},
      {10, 11, "async: what follows is issued at once"},
      {13, 12, "moves 256 bytes"},
  };
  session s;
  s.begin().open(tiles);
  for (int i = 0; const row& r : rows) s.at(100 + i++, "textDocument/hover", r.line, r.character);
  s.at(1, "textDocument/hover", 12, 0).at(2, "textDocument/hover", 99, 0).end().run();
  for (int i = 0; const row& r : rows) {
    INFO(r.part);
    CHECK(has(s.result(100 + i), r.part));
    ++i;
  }
  CHECK(s.result(1) == "null");
  CHECK(s.result(2) == "null");
  CHECK(value(s.to(101), "$.result.range") ==
        R"({"start":{"line":1,"character":6},"end":{"line":1,"character":7}})");
}

TEST_CASE("lsp: hover is plain text for clients that want that", "[lsp]") {
  session s;
  s.begin(R"({"textDocument":{"hover":{"contentFormat":["plaintext"]}}})").open(tiles);
  s.at(1, "textDocument/hover", 1, 6).end().run();
  CHECK(value(s.to(1), "$.result.contents") ==
        R"({"kind":"plaintext","value":"const n = 8\nn = 8"})");
}

TEST_CASE("lsp: MACs and cycles of products, with races too", "[lsp]") {
  const std::string source =
      "buffer A : L1[0] (size=1536)\n"
      "let x = region(A, 0, 512) elem=f32, shape=[8, 16], layout=MK\n"
      "let w = region(A, 512, 512) elem=f32, shape=[16, 8], layout=KN\n"
      "let y = region(A, 1024, 256) elem=f32, shape=[8, 8], layout=MN\n"
      "matmul.async in x, w out y accum_type=f32\n"
      "matmul.async in x, w out y accum_type=f32\n";
  session s;
  s.begin().open(source).at(1, "textDocument/hover", 4, 3).pause().end().run();
  CHECK(has(s.findings(), "HAZ-001"));
  CHECK(has(s.result(1), "MACs: 1,024"));
  CHECK(has(s.result(1), "about 3 cycles on NMU[0] of engine 0"));
  CHECK(has(s.result(1), "A: f32 [8, 16], layout MK, bytes [0, 512) of A in L1[0]"));
}

// ---- names

TEST_CASE("lsp: definition, references and highlights follow scopes", "[lsp]") {
  const std::string source =
      "const n = 2\n"
      "buffer A : L2 (size=n * 8)\n"
      "buffer B : L2 (size=16)\n"
      "loop i in [0..n]:\n"
      "  t = transfer.async(dst=region(B, 0, 8), src=region(A, 0, 8))\n"
      "  wait(t)\n"
      "endloop\n"
      "t = transfer.async(dst=region(B, 8, 8), src=region(A, 8, 8))\n"
      "wait(t)\n";
  session s;
  s.begin().open(source);
  s.at(1, "textDocument/definition", 5, 7).at(2, "textDocument/definition", 8, 6);
  s.at(3, "textDocument/references", 0, 7, R"(,"context":{"includeDeclaration":false})");
  s.at(4, "textDocument/references", 0, 7, R"(,"context":{"includeDeclaration":true})");
  s.at(5, "textDocument/documentHighlight", 4, 2).at(6, "textDocument/definition", 6, 2);
  s.end().run();
  CHECK(value(s.to(1), "$.result[0].range.start") == R"({"line":4,"character":2})");
  CHECK(value(s.to(2), "$.result[0].range.start") == R"({"line":7,"character":0})");
  CHECK(value(s.to(3), "$.result[0].range") ==
        R"({"start":{"line":1,"character":20},"end":{"line":1,"character":21}})");
  CHECK(value(s.to(3), "$.result[1].range.start") == R"({"line":3,"character":14})");
  CHECK(value(s.to(3), "$.result[2]").empty());
  CHECK(value(s.to(4), "$.result[0].range.start") == R"({"line":0,"character":6})");
  CHECK(value(s.to(4), "$.result[2].range.start") == R"({"line":3,"character":14})");
  CHECK(s.result(5) ==
        R"([{"range":{"start":{"line":4,"character":2},"end":{"line":4,"character":3}},"kind":3},)"
        R"({"range":{"start":{"line":5,"character":7},"end":{"line":5,"character":8}},"kind":2}])");
  CHECK(s.result(6) == "[]");
}

TEST_CASE("lsp: names of included files", "[lsp]") {
  const folder f("included");
  f.write("devices.nem", devices);
  f.write("a.nem", program);
  session s;
  s.begin().open(program, f.uri("a.nem"));
  s.at(1, "textDocument/definition", 1, 8, "", f.uri("a.nem"));
  s.at(2, "textDocument/definition", 0, 12, "", f.uri("a.nem"));
  s.at(3, "textDocument/references", 1, 8, R"(,"context":{"includeDeclaration":true})",
       f.uri("a.nem"));
  s.at(4, "textDocument/hover", 1, 8, "", f.uri("a.nem"));
  s.at(5, "textDocument/hover", 3, 7, "", f.uri("a.nem")).pause().end().run();
  CHECK(s.findings(f.uri("a.nem")) == "[]");
  CHECK(value(s.to(1), "$.result[0].uri") == as_json(f.uri("devices.nem")));
  CHECK(value(s.to(1), "$.result[0].range") ==
        R"({"start":{"line":1,"character":7},"end":{"line":1,"character":12}})");
  CHECK(value(s.to(2), "$.result[0].uri") == as_json(f.uri("devices.nem")));
  CHECK(value(s.to(3), "$.result[0].range.start") == R"({"line":1,"character":7})");
  CHECK(value(s.to(3), "$.result[1].range.start") == R"({"line":1,"character":7})");
  CHECK(value(s.to(3), "$.result[2].range.start") == R"({"line":6,"character":20})");
  CHECK(has(s.result(4), "extends npm_baseline_1_0"));
  CHECK(has(s.result(4), "1 engine; L2 4,096 bytes; L1 1,024 bytes in each engine"));
  CHECK(has(s.result(5), "small has 4,096 bytes of L2"));
}

TEST_CASE("lsp: what the editor has open comes before what is on the disk", "[lsp]") {
  const folder f("open");
  f.write("devices.nem", devices);
  f.write("a.nem", program);
  session s;
  s.begin().open(program, f.uri("a.nem")).pause();
  std::string smaller(devices);
  smaller.replace(smaller.find("4096"), 4, "1024");
  s.open(smaller, f.uri("devices.nem")).pause().end().run();
  CHECK(has(s.findings(f.uri("a.nem")), "CAP-002"));
  session changed;
  changed.begin().open(program, f.uri("a.nem")).open(devices, f.uri("devices.nem")).pause();
  changed.tell("textDocument/didChange",
               R"({"textDocument":{"uri":)" + as_json(f.uri("devices.nem")) +
                   R"(},"contentChanges":[{"text":)" + as_json(smaller) + "}]}");
  changed.pause().end().run();
  CHECK(has(changed.findings(f.uri("a.nem")), "CAP-002"));
}

TEST_CASE("lsp: files that change on the disk are read again", "[lsp]") {
  const folder f("disk");
  f.write("a.nem", program);
  session s;
  s.begin().open(program, f.uri("a.nem")).pause().end().run();
  CHECK(has(s.findings(f.uri("a.nem")), "INC-001"));
  f.write("devices.nem", "device small { x }");
  session broken;
  broken.begin(R"({"textDocument":{"publishDiagnostics":{"relatedInformation":true}}})");
  broken.open(program, f.uri("a.nem")).pause().end().run();
  CHECK(has(broken.findings(f.uri("a.nem")), "INC-003"));
  CHECK(value(broken.findings(f.uri("a.nem")), "$[0].relatedInformation[0].location.uri") ==
        as_json(f.uri("devices.nem")));
}

TEST_CASE("lsp: findings in included files are at the include", "[lsp]") {
  const folder f("elsewhere");
  f.write("devices.nem", std::string(devices) + "device tiny extends small { }\n");
  session s;
  s.begin(R"({"textDocument":{"publishDiagnostics":{"relatedInformation":true}}})");
  s.open("# first\n" + std::string(program), f.uri("a.nem")).pause().end().run();
  const std::string found = s.findings(f.uri("a.nem"));
  CHECK(value(found, "$[0].code") == R"("DEV-015")");
  CHECK(value(found, "$[0].range") ==
        R"({"start":{"line":1,"character":0},"end":{"line":1,"character":21}})");
  CHECK(value(found, "$[0].relatedInformation[0].location.range.start.line") == "10");
}

TEST_CASE("lsp: the device is an option, of the command line or of the client", "[lsp]") {
  const folder f("device");
  f.write("devices.nem", devices);
  const std::string device = (f.path / "devices.nem").string() + ":tiny";
  session s;
  s.options.device = device;
  s.begin().open("buffer A : L2 (size=65)\n").pause().end().run();
  CHECK(has(s.findings(), "CAP-002"));
  session by_client;
  by_client.begin("{}", R"(,"initializationOptions":{"device":)" + as_json(device) + "}");
  by_client.open("buffer A : L2 (size=65)\n").pause().end().run();
  CHECK(has(by_client.findings(), "CAP-002"));
  session missing;
  missing.options.device = "no/such.nem";
  missing.begin().open("buffer A : L2 (size=65)\n").pause().end().run();
  CHECK(has(missing.findings(), "can't read the device no/such.nem"));
}

TEST_CASE("lsp: a folder of devices shows which of them can run a program", "[lsp]") {
  const folder f("devices");
  f.write("devices.nem", devices);
  session s;
  s.options.devices = f.path.string();
  s.begin().open("program p:\nbuffer A : L2 (size=65)\n");
  s.at(1, "textDocument/hover", 0, 9).end().run();
  CHECK(has(s.result(1), "- small: runs\\n- tiny: CAP-002"));
}

TEST_CASE("lsp: files outside of the folders aren't included", "[lsp]") {
  const folder f("outside");
  f.write("devices.nem", devices);
  std::filesystem::create_directories(f.path / "deep");
  const std::string source = "include \"../devices.nem\"\ndevice small\nprogram p:\n";
  session s;
  s.begin().open(source, f.uri("deep/a.nem")).pause().end().run();
  CHECK(has(s.findings(f.uri("deep/a.nem")), "it is outside the file's folder"));
  session in_workspace;
  in_workspace.begin("{}", R"(,"rootUri":)" + as_json("file://" + f.path.string()));
  in_workspace.open(source, f.uri("deep/a.nem")).pause().end().run();
  CHECK(in_workspace.findings(f.uri("deep/a.nem")) == "[]");
}

// ---- symbols, formatting, fixes, hints, tokens

TEST_CASE("lsp: symbols are nested in loops", "[lsp]") {
  session s;
  s.begin(R"({"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}})");
  s.open(tiles).whole(1, "textDocument/documentSymbol").end().run();
  const std::string all = s.result(1);
  CHECK(value(all, "$[0].name") == R"("tiles")");
  CHECK(value(all, "$[2].detail") == R"("buffer in L2")");
  CHECK(value(all, "$[6].name") == R"("loop i")");
  CHECK(value(all, "$[6].range") ==
        R"({"start":{"line":8,"character":0},"end":{"line":14,"character":7}})");
  CHECK(value(all, "$[6].selectionRange.start") == R"({"line":8,"character":5})");
  CHECK(value(all, "$[6].children[1].name") == R"("r")");
  CHECK(value(all, "$[6].children[1].detail") == R"("relu.async")");
  CHECK(value(all, "$[7]").empty());
  session flat;
  flat.begin().open(tiles).whole(1, "textDocument/documentSymbol").end().run();
  CHECK(value(flat.result(1), "$[8].name") == R"("r")");
  CHECK(value(flat.result(1), "$[8].containerName") == R"("loop i")");
}

TEST_CASE("lsp: symbols and definitions of a text that doesn't read", "[lsp]") {
  std::string source(tiles);
  source.replace(source.find("endloop"), 7, "  u = relu.async in x out\n  v = ");
  session s;
  s.begin().open(source).whole(1, "textDocument/documentSymbol");
  s.at(2, "textDocument/definition", 13, 12).at(3, "textDocument/hover", 2, 7).end().run();
  CHECK(has(s.result(1), R"("name":"r")"));
  CHECK(value(s.to(2), "$.result[0].range.start") == R"({"line":9,"character":2})");
  CHECK(has(s.result(3), "512 bytes in L2"));
}

TEST_CASE("lsp: formatting changes the lines that differ", "[lsp]") {
  session s;
  s.begin()
      .open("const  A=1\nconst B = 2\n")
      .whole(1, "textDocument/formatting", R"(,"options":{})");
  s.open("const A = 1\n", "file:///no/b.nem");
  s.whole(2, "textDocument/formatting", "", "file:///no/b.nem");
  s.open("const A =\n", "file:///no/c.nem");
  s.whole(3, "textDocument/formatting", "", "file:///no/c.nem").end().run();
  CHECK(s.result(1) ==
        R"([{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},)"
        R"("newText":"const A = 1\n"}])");
  CHECK(s.result(2) == "[]");
  CHECK(s.result(3) == "null");
}

TEST_CASE("lsp: fixes of findings are quick fixes", "[lsp]") {
  const std::string source = "buffer B : L2 (size=8)\nlet x = region(B, 0, 8) elem=i8 shape=[8]\n";
  const std::string_view here =
      R"(,"range":{"start":{"line":1,"character":30},"end":{"line":1,"character":40}},"context":{"diagnostics":[]})";
  const std::string_view capabilities =
      R"({"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":[]}}}}})";
  session s;
  s.begin(capabilities).open(source).whole(1, "textDocument/codeAction", here);
  s.whole(
      2, "textDocument/codeAction",
      R"(,"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":4}},"context":{})");
  s.whole(
      3, "textDocument/codeAction",
      R"(,"range":{"start":{"line":1,"character":30},"end":{"line":1,"character":40}},"context":{"only":["refactor"]})");
  s.end().run();
  CHECK(value(s.to(1), "$.result[0].title") == R"("Insert ','")");
  CHECK(value(s.to(1), "$.result[0].diagnostics[0].code") == R"("SYN-009")");
  CHECK(has(
      s.result(1),
      R"("edit":{"changes":{"file:///no/a.nem":[{"range":{"start":{"line":1,"character":31},"end":{"line":1,"character":31}},"newText":","}]}})"));
  CHECK(s.result(2) == "[]");
  CHECK(s.result(3) == "[]");
  session old;  // such a client only knows commands
  old.begin().open(source).whole(1, "textDocument/codeAction", here).end().run();
  CHECK(old.result(1) == "[]");
}

TEST_CASE("lsp: hints show the bytes of regions", "[lsp]") {
  session s;
  s.begin().open(tiles);
  s.whole(1, "textDocument/inlayHint",
          R"(,"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":99}})");
  s.whole(2, "textDocument/inlayHint",
          R"(,"range":{"start":{"line":6,"character":0},"end":{"line":7,"character":0}})");
  s.end().run();
  CHECK(value(s.to(1), "$.result[0].label") == as_json("[0, 256)"));
  CHECK(value(s.to(1), "$.result[0].position") == R"({"line":4,"character":25})");
  CHECK(value(s.to(1), "$.result[2].label") == as_json("[0, 256) where i=0"));
  CHECK(value(s.to(1), "$.result[3]").empty());
  CHECK(value(s.to(2), "$.result[0].label") == as_json("[256, 512)"));
  CHECK(value(s.to(2), "$.result[1]").empty());
}

TEST_CASE("lsp: semantic tokens", "[lsp]") {
  session s;
  s.begin().open("const n = 1 # one\nbuffer A : L2 (size=n) @readonly\n");
  s.whole(1, "textDocument/semanticTokens/full");
  s.whole(2, "textDocument/semanticTokens/range",
          R"(,"range":{"start":{"line":1,"character":7},"end":{"line":1,"character":8}})");
  s.end().run();
  CHECK(value(s.to(1), "$.result.data") ==
        "[0,0,5,0,0,"   // const
        "0,6,1,10,3,"   // n, declared, a constant
        "0,4,1,3,0,"    // 1
        "0,2,5,1,0,"    // the comment
        "1,0,6,0,0,"    // buffer
        "0,7,1,10,1,"   // A, declared
        "0,4,2,9,0,"    // L2
        "0,4,4,7,0,"    // size
        "0,5,1,10,2,"   // n
        "0,3,1,6,0,"    // @
        "0,1,8,6,0]");  // readonly
  CHECK(value(s.to(2), "$.result.data") == "[1,7,1,10,1]");
  CHECK(value(s.to(0), "$.result.capabilities.semanticTokensProvider.legend.tokenTypes[10]") ==
        R"("variable")");
}

// ---- completion

TEST_CASE("lsp: completion by what is before the cursor", "[lsp]") {
  struct row {
    std::string_view line;  ///< the cursor is at its end
    std::string_view with, without;
  };
  const row rows[] = {
      {"", "buffer", "A"},
      {"rel", "relu", "A"},
      {"q = ", "conv2d", "endloop"},
      {"q = relu.", "async", "relu"},
      {"q = relu.async in ", "x", "A"},
      {"q = relu.async in x out ", "y", "i"},
      {"q = relu.async in x out y d", "deps", "pads"},
      {"q = conv2d.async in x out y pads=[0] ", "strides", "pads"},
      {"q = cast.async in x out y deps=[", "t", "x"},
      {"wait(t, ", "t", "x"},
      {"let z = region(", "B", "x"},
      {"let z = region(B, ", "n", "B"},
      {"let z = region(B, 0, 8) ", "elem", "pads"},
      {"let z = region(B, 0, 8) elem=i8, ", "shape", "elem"},
      {"let z = region(B, 0, 8) elem=", "bf16", "x"},
      {"let z = region(B, 0, 8) quant=", "per_channel", "x"},
      {"let z = region(B, 0, 8) quant=per_tensor(", "zero_point", "x"},
      {"buffer C : ", "L1", "x"},
      {"buffer C : L2 (", "align", "x"},
      {"buffer C : L1[0] (size=8, ", "align", "x"},
      {"buffer C : L2 (size=", "n", "x"},
      {"const m = ", "n", "x"},
      {"buffer C : L2 (size=8) @", "readonly", "x"},
      {"q = relu.async in x out y @resource(", "CSTL", "NMU"},
      {"transfer.async(", "dst", "x"},
      {"transfer.async(dst=", "y", "dst"},
      {"transfer.async(dst=x, ", "src", "dst"},
      {"pad.async in x out y mode=", "reflect", "x"},
      {"reduce_sum.async in x out y keepdims=", "true", "x"},
      {"loop j in [0..", "n", "x"},
      {"device ", "npm_baseline_1_0", "x"},
      {"# ", "", "buffer"},
      {"include \"", "npm_baseline_1.0.nem", "x"},
      {"let s = \"", "", "buffer"},
      {"const ", "", "buffer"},
      {"softmax.async in region(B, 0, 8) quant=per_channel(axis=0) out y ", "axis", "x"},
      {"device d { ", "topology", "x"},
      {"device d { topology { ", "num_engines", "topology"},
      {"{ ", "", "buffer"},
  };
  session s;
  s.begin(R"({"textDocument":{"completion":{"completionItem":{"snippetSupport":true}}}})");
  std::string base(tiles);
  base.replace(base.find("endloop"), std::string_view::npos, "");
  for (int i = 0; const row& r : rows) {
    const std::string uri = "file:///no/" + std::to_string(i) + ".nem";
    std::string source = base;
    if (r.line == "device ") source = "include \"npm_baseline_1.0.nem\"\n";
    const auto line = static_cast<int>(std::count(source.begin(), source.end(), '\n'));
    s.open(source + std::string(r.line) + "\n", uri);
    s.at(100 + i++, "textDocument/completion", line, static_cast<int>(r.line.size()), "", uri);
  }
  s.end().run();
  for (int i = 0; const row& r : rows) {
    const auto label = [](std::string_view word) { return "\"label\":" + as_json(word) + ","; };
    INFO(r.line << ": " << s.result(100 + i));
    CHECK((r.with.empty() || has(s.result(100 + i), label(r.with))));
    CHECK(!has(s.result(100 + i), label(r.without)));
    CHECK(has(s.result(100 + i), "\"isIncomplete\":false"));
    ++i;
  }
}

TEST_CASE("lsp: completion at the end of a long file", "[lsp]") {
  std::string source;
  for (int i = 0; i < 1500; ++i) source += "wait(t)\n";
  const std::string_view last = "q = softmax.async in x out y ";
  session s;
  s.begin().open(source + std::string(last));
  s.at(1, "textDocument/completion", 1500, static_cast<int>(last.size())).end().run();
  CHECK(has(s.result(1), R"("label":"axis")"));
}

TEST_CASE("lsp: completion inserts snippets where the client has them", "[lsp]") {
  session s;
  s.begin(R"({"textDocument":{"completion":{"completionItem":{"snippetSupport":true}}}})");
  s.open("q = ").at(1, "textDocument/completion", 0, 4).end().run();
  CHECK(has(
      s.result(1),
      R"("label":"softmax","kind":3,"detail":"in X out Y axis","insertText":"softmax.async\n    in ${1:X}\n    out ${2:Y}\n    axis=${3}","insertTextFormat":2})"));
  session plain;
  plain.begin().open("q = ").at(1, "textDocument/completion", 0, 4).end().run();
  CHECK(has(
      plain.result(1),
      R"("label":"softmax","kind":3,"detail":"in X out Y axis","insertText":"softmax.async"})"));
  CHECK(!has(plain.result(1), "insertTextFormat"));
}

TEST_CASE("lsp: types of the target come first", "[lsp]") {
  const folder f("types");
  f.write("devices.nem", devices);
  session s;
  s.options.device = (f.path / "devices.nem").string() + ":small";
  s.begin().open("buffer A : L2 (size=64)\nlet x = region(A, 0, 64) elem=");
  s.at(1, "textDocument/completion", 1, 30).end().run();
  CHECK(has(s.result(1), R"("label":"f16","kind":25,"detail":"16 bits","sortText":"0f16")"));
  CHECK(has(s.result(1), R"("sortText":"0i32")"));  // of a bias of gemm.int8
  CHECK(has(
      s.result(1),
      R"("label":"u8","kind":25,"detail":"8 bits; no variant of small has it","sortText":"1u8")"));
}
