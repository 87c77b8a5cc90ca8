// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Names that would move a terminal's cursor, turn its text around or pretend to be lines of the tool:
// in files of every format, in paths and on the command line. No verb prints them as they are.

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <tessera/core/text.hpp>

#include "pt2/samples.hpp"
#include "support/catch.hpp"
#include "support/evil_names.hpp"

namespace {

namespace fs = std::filesystem;

/// Controls of C0 and C1, DEL, what turns text around, what has no width, and ends of lines.
const std::string hostile =
    "\x1b]0;t\x07\x7f\xc2\x85\xc2\x9b"
    "31m\xd8\x9c\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa0\xe2\x80\xa8"
    "\xef\xbb\xbf\r\nFORGED\tz";
/// The same with bytes that aren't UTF-8, of which one is a control of C1 for some terminals.
const std::string bytes_too = hostile + "\x9b\xff";

[[nodiscard]] std::string load(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void save(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

[[nodiscard]] std::string replaced(std::string s, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = s.find(what, at)) != s.npos; at += by.size())
    s.replace(at, what.size(), by);
  return s;
}
[[nodiscard]] std::string hex(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {digits[byte >> 4], digits[byte & 15]};
}
[[nodiscard]] std::string quoted_for_shell(const std::string& s) {
  return '\'' + replaced(s, "'", "'\\''") + '\'';
}
/// Inside of a string of JSON, and of one of NAC assembly.
[[nodiscard]] std::string in_json(std::string_view s) {
  std::string out;
  for (const char c : s)
    out += static_cast<unsigned char>(c) < 0x20 ? "\\u00" + hex(c) : std::string(1, c);
  return out;
}
[[nodiscard]] std::string in_assembly(std::string_view s) {
  std::string out;
  for (const char c : s) out += c < ' ' || c == 0x7f ? "\\x" + hex(c) : std::string(1, c);
  return out;
}

/// Likewise with quotes and backslashes.
[[nodiscard]] std::string in_json_string(std::string_view s) {
  return in_json(replaced(replaced(std::string(s), "\\", "\\\\"), "\"", "\\\""));
}

/// Where a text holds what a terminal must not get, with what follows; empty where it doesn't.
[[nodiscard]] std::string unsafe_part(const std::string& s) {
  const auto show = [&s](std::size_t at) {
    std::string out = "at " + std::to_string(at) + ":";
    for (const char c : s.substr(at, 8)) out += ' ' + hex(c);
    return out + " after " +
           s.substr(at - std::min<std::size_t>(at, 40), std::min<std::size_t>(at, 40));
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto byte = [&](std::size_t k) {
      return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u;
    };
    const bool line_start = i == 0 || s[i - 1] == '\n';
    if ((byte(0) < 0x20 && s[i] != '\n' && s[i] != '\t') || byte(0) == 0x7f ||
        (byte(0) == 0xc2 && byte(1) < 0xa0) || (byte(0) == 0xd8 && byte(1) == 0x9c) ||
        (byte(0) == 0xe2 && byte(1) == 0x80 && byte(2) >= 0x8b && byte(2) <= 0x8f) ||
        (byte(0) == 0xe2 && byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
        (byte(0) == 0xe2 && byte(1) == 0x81 && byte(2) >= 0xa0 && byte(2) <= 0xaf) ||
        (byte(0) == 0xef && byte(1) == 0xbb && byte(2) == 0xbf) ||
        (line_start && s.compare(i, 6, "FORGED") == 0))
      return show(i);
  }
  return tessera::is_utf8(s) ? std::string() : "not UTF-8: " + show(0);
}

class names {
 public:
  names() : folder_(TESSERA_TESTS_CLI_SCRATCH "/names") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  [[nodiscard]] fs::path operator/(const std::string& name) const { return folder_ / name; }

  /// Runs the tool: `@` in `arguments` is the path, `%` the hostile name.
  void check(const std::string& arguments, const std::string& path = {}) {
    std::string words = replaced(arguments, "%", quoted_for_shell(bytes_too));
    words = replaced(words, "@", quoted_for_shell(path));
    save(folder_ / "command", std::string("cd '") + folder_.string() + "' || exit 125\nPATH='" +
                                  fs::path(TESSERA_TESTS_CLI_TOOL).parent_path().string() +
                                  "':$PATH\ntessera " + words + '\n');
    const std::string shell =
        "cd '" + folder_.string() + "' && LC_ALL=C sh command </dev/null >stdout 2>stderr";
    const int status = std::system(shell.c_str());
    INFO("tessera " << arguments << " with " << unsafe_part(path));
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) <= 3);
    for (const char* const stream : {"stdout", "stderr"}) {
      const std::string printed = load(folder_ / stream);
      CHECK(unsafe_part(printed) == "");
      if (printed.find("u{202e}") != printed.npos || printed.find("\\u202e") != printed.npos ||
          printed.find("\\xe2\\x80\\xae") != printed.npos)
        ++shown_;
    }
    ++commands_;
  }
  /// What the last command printed.
  [[nodiscard]] std::string printed() const { return load(folder_ / "stdout"); }
  [[nodiscard]] int commands() const noexcept { return commands_; }
  [[nodiscard]] int shown() const noexcept { return shown_; }

 private:
  fs::path folder_;
  int commands_ = 0, shown_ = 0;
};

[[nodiscard]] std::string data(const std::string& name) {
  const std::string out = load(TESSERA_TESTS_CLI_DATA "/" + name);
  REQUIRE(!out.empty());
  return out;
}

constexpr const char* of_any_file[] = {"info @",           "info --json @",
                                       "check @",          "check --json @",
                                       "check --all @",    "print @",
                                       "print --json @",   "graph @",
                                       "run --random 1 @", "run --random 1 --json @",
                                       "diff @ @",         "convert @ missing/%",
                                       "genome profile @", "genome mine @",
                                       "trace @ -o -",     "assemble @ out",
                                       "fmt --check @",    "view @",
                                       "graph --svg @",    "check --format sarif @"};

}  // namespace

TEST_CASE("no name reaches a terminal as it is", "[cli]") {
  names to;
  const std::string path = "p" + bytes_too;

  // The path alone, and text that breaks where names stand.
  save(to / path, data("alir/ok/mul.v2.json"));
  for (const char* const verb : of_any_file) to.check(verb, path);
  for (const std::string& broken :
       {"{\"" + in_json(hostile) + "\": 1, \"model\": {\"" + in_json(hostile) + "\": x",
        "{\"model\": \"" + hostile, "const A = 1 " + hostile + "\nlet", bytes_too}) {
    save(to / path, broken);
    for (const char* const verb : {"check @", "check --json @", "info @", "print @", "run @"})
      to.check(verb, path);
  }

  // ARK: models and plans.
  for (const std::string name : {"mlp", "unknown", "broken", "mlp.plan", "broken.plan"}) {
    std::string model = data("ark/cli/" + name + ".json");
    model = replaced(model, "\"Name\": \"", "\"Name\": \"" + in_json(hostile));
    model = replaced(model, "\"Type\": \"Relu", "\"Type\": \"" + in_json(hostile));
    model = replaced(model, "\"Args\": {}",
                     "\"Args\": {\"" + in_json(hostile) + "\": {\"" + in_json(hostile) + "\":\"" +
                         hostile.substr(2, 0) + in_json(hostile) + "\"}}");
    model = replaced(model, "\"Architecture\": \"", "\"Architecture\": \"" + in_json(hostile));
    model.insert(1, "\"" + in_json(hostile) + "\":\n[1,\n\"FORGED\"],");
    save(to / path, model);
    for (const char* const verb : of_any_file) to.check(verb, path);
    to.check("check --lenient --all @", path);
    to.check("run --random 1 -o %=x @", path);
    save(to / "plain.json", data("ark/cli/mlp.json"));
    to.check("diff @ plain.json", path);
    to.check("diff --json plain.json @", path);
    to.check("check --model plain.json @", path);
  }

  // NAC: a program, its text, and a plan.
  const std::string name = in_assembly(bytes_too);
  const std::string program =
      "operations:\n  200 = \"" + name + "\"\nconstants:\n  1 = \"" + name +
      "\"\nparameters:\n  1 = \"" + name + "\"\ninput_names:\n  0 = \"" + name +
      "\"\ntensors:\n  1 = f32 [2] hex { 00000000 00000000 }\ncode:\n  v0 = input\n"
      "  v1 = parameter 1\n  v2 = nac.add(v0, v1)\n  v3 = \"" +
      name + "\"(v2, \"" + name + "\")\n  v4 = output(v2)\nresources:\n  \"" + name +
      "\" = hex { 00 }\n";
  save(to / "program.txt", program);
  to.check("assemble program.txt program.nac");
  REQUIRE(fs::exists(to / "program.nac"));
  fs::rename(to / "program.nac", to / path);
  for (const char* const verb : of_any_file) to.check(verb, path);
  to.check("run --shape 2 @", path);
  to.check("run --shape %=2 @", path);
  to.check("run -i %=x.npy @", path);
  to.check("run -i % @", path);
  save(to / "plain.nac", data("nac/mini_v16.nac"));
  to.check("diff @ plain.nac", path);
  to.check("diff --json plain.nac @", path);
  to.check("convert @ slim.nac --weights-out slim.safetensors", path);
  to.check("check --strict slim.nac");
  to.check("print slim.safetensors");
  to.check("info slim.safetensors --json");
  // What is printed is the same container when it is read.
  to.check("print @ >again.txt; tessera assemble again.txt again.nac", path);
  CHECK(load(to / "again.nac") == load(to / path));

  // What a plan prints may have lines, so its texts have none of their own.
  save(to / "plan.txt",
       "code:\n  v0 = input\n  v1 = output(v0)\nplan_constants:\n  0 = \"" +
           replaced(name, "\\x0a", "") +
           "\"\n  1 = \"out\"\nplan:\n    src_constant $1, #0\n    src_user_prompt $0, string, #0\n"
           "    io_write $1, stdout, $0, line\n    io_write $1, stderr, $0, line\n"
           "    io_write $1, file, $1, line\n    exec_halt\nend\n");
  to.check("assemble plan.txt plan.nac");
  REQUIRE(fs::exists(to / "plan.nac"));
  to.check("run plan.nac --answer x");
  to.check("run plan.nac --json --answer x");
  to.check("run plan.nac");
  to.check("print plan.nac");
  for (const std::string& broken :
       {"code:\n  v0 = input\n  v1 = " + bytes_too, "code: \"" + bytes_too, "code:\n  \"" + name,
        "tensors:\n  1 = u8 [4] file \"" + name +
            "\" 0 4\ncode:\n  y = parameter 1\n  output(y)\n"}) {
    save(to / "broken.txt", broken);
    to.check("assemble broken.txt out.nac");
  }

  // NEM. `print` and `fmt` write the program's own text, which is a file.
  save(to / path, "# " + hostile +
                      "\nprogram p:\nbuffer a : DDR (size=16)\nbuffer y : DDR (size=16)\n"
                      "transfer.async(dst=region(y, 0, 16), src=region(a, 0, 16))\n");
  for (const char* const verb :
       {"info @", "info --json @", "check @", "print --tree @", "print --json @", "graph @",
        "run --random 1 @", "run --random 1 --json @", "trace @", "trace @ -o -", "fmt --check @",
        "run -i %=x @", "check --device % @", "trace --timing % @"})
    to.check(verb, path);
  for (const std::string& broken :
       {"include \"" + replaced(hostile, "\n", "\\n") + "\"\n", "let x = \"" + hostile + "\"\n",
        "program p:\nbuffer a : DDR (size=\"" + replaced(hostile, "\n", "\\n") + "\")\n",
        "buffer a : DDR (" + hostile + ")\n", "program p:\nlet a = " + bytes_too + "\n"}) {
    save(to / path, broken);
    for (const char* const verb : {"check @", "check --json @", "info @", "print --tree @",
                                   "print --json @", "run @", "fmt --check @", "trace @"})
      to.check(verb, path);
  }

  // PT2: members, names and stack traces of a program, programs that are invalid or refused.
  constexpr const char* of_archives[] = {"info @",
                                         "info --json @",
                                         "check @",
                                         "check --json @",
                                         "check --all @",
                                         "check --format sarif @",
                                         "check --program % @",
                                         "print @",
                                         "print --json @",
                                         "import @ out.nac",
                                         "import @ missing/%",
                                         "convert @ missing/%"};
  const auto check_archive = [&](pt2_samples::archive& a) {
    save(to / path, a.zip());
    for (const char* const verb : of_archives) to.check(verb, path);
  };
  for (const std::string sample : {"two", "branches", "refused/unsigned"})
    for (const std::string_view text : {"\"x\"", "\"torch.ops.aten.", "File \\\"networks", "\"2.13",
                                        "\"u\"", "as_tensor\": {\"name\": \""}) {
      pt2_samples::archive a = pt2_samples::open(sample);
      for (pt2_samples::entry& e : a.entries)
        if (e.name.ends_with(".json"))
          e.content = replaced(e.content, text, std::string(text) + in_json(hostile));
      check_archive(a);
    }
  for (const std::string& part : {bytes_too, "../../" + hostile})
    for (const std::string_view member :
         {"two/", "two/models/model", "two/data/weights/weight_0", "two/data/sample_inputs/"}) {
      pt2_samples::archive a = pt2_samples::open("two");
      for (pt2_samples::entry& e : a.entries)
        e.name = replaced(e.name, member, std::string(member) + part);
      check_archive(a);
    }

  // NAC v1.2: of models with such names, and by hand.
  fs::create_directory(to / "models");
  for (const std::string model : {"1", "2"})
    save(to / ("models/" + model + bytes_too + ".json"),
         replaced(data("ark/cli/mlp.json"), "\"Relu\"", '"' + in_json(hostile) + '"'));
  for (const char* const verb :
       {"genome mine models", "genome mine models --json",
        "genome mine models --min-nodes 2 --min-score 1 -o registry.json --signatures all.json",
        "genome profile models", "genome profile models --json", "genome compare models",
        "genome compare models --csv", "genome compare models --json", "genome tree models",
        "genome tree models --form dot", "genome tree models --form svg", "genome rules models",
        "genome rules models --json"})
    to.check(verb);
  std::string registry = data("genome/networks/registry.json");
  registry = replaced(registry, "\"aten.", "\"" + in_json(hostile) + "aten.");
  save(to / "models/registry.json", registry);
  save(to / "models/perceptron.b64", data("genome/networks/perceptron.b64"));
  for (const char* const verb :
       {"check models/registry.json", "info models/registry.json", "print models/registry.json",
        "print --json models/registry.json", "info models/perceptron.b64",
        "print models/perceptron.b64", "print --json models/perceptron.b64",
        "run models/perceptron.b64 --shape 3x4", "check registry.json all.json",
        "print registry.json", "print all.json", "info all.json", "info all.json --json",
        "run all.json", "run all.json --stream %"})
    to.check(verb);

  // Arguments, and files of numbers.
  save(to / "model.json", data("alir/ok/mul.v2.json"));
  save(to / "x.csv", bytes_too + "\n" + bytes_too + ",1\n");
  save(to / "x.npy", "\x93NUMPY\1" + std::string(1, '\0') + "v" + std::string(1, '\0') +
                         "{'descr': '" + bytes_too + "'");
  for (const char* const verb :
       {"%", "check --%", "check %", "check --json %", "run model.json -i %",
        "run model.json -i %=a", "run model.json -i x.csv", "run model.json -i x.npy",
        "run model.json --input-format %", "run model.json --random %",
        "run model.json --random 1 -o missing/%", "convert model.json % --to %", "genome % x",
        "genome mine %", "genome compress % --result %"})
    to.check(verb);

  CHECK(to.commands() > 200);
  CHECK(to.shown() > 150);  // so that the names were there to be printed
}

namespace {

[[nodiscard]] std::size_t count(std::string_view in, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = in.find(what); at != in.npos; at = in.find(what, at + what.size())) ++n;
  return n;
}
/// Whether a text is JSON values, one after the other.
[[nodiscard]] bool is_json(std::string_view s) {
  while (!s.empty()) {
    const std::size_t end = s.find("\n{", 1);
    tessera::json::reader in(s.substr(0, end));
    (void)in.skip();
    if (in.finish().code != tessera::errc::ok) return false;
    s.remove_prefix(end == s.npos ? s.size() : end + 1);
  }
  return true;
}
[[nodiscard]] bool has_markup(std::string_view s) {
  for (const std::string_view word :
       {"<img", "<b>evil", "<svg onload", "<!--", "<script>window.evil", "<evil", "</title><b"})
    if (s.find(word) != s.npos) return true;
  return false;
}

struct report {
  const char* arguments;
  enum class kind { text, json, picture, page } is;
};
constexpr report of_evil_files[] = {
    {"info --json @", report::kind::json},  {"check @", report::kind::text},
    {"check --json @", report::kind::json}, {"check --format sarif @", report::kind::json},
    {"print --json @", report::kind::json}, {"diff --json other @", report::kind::json},
    {"graph @", report::kind::picture},     {"graph --svg @", report::kind::picture},
    {"view @", report::kind::page},         {"view other @", report::kind::page},
};

/// Gives how many files had no page, as their bytes aren't a file of the format.
[[nodiscard]] int check_reports(names& to, const std::string& file, std::string_view name) {
  int refused = 0;
  for (const report& r : of_evil_files) {
    to.check(r.arguments, file);
    const std::string printed = to.printed();
    CAPTURE(r.arguments, name, printed.substr(0, 4000));
    switch (r.is) {
      case report::kind::text: break;
      case report::kind::json: CHECK(is_json(printed)); break;
      case report::kind::picture: CHECK_FALSE(has_markup(printed)); break;
      case report::kind::page:
        if (printed.empty()) {
          ++refused;
          break;
        }
        CHECK(count(printed, "<script") == 2);
        CHECK(count(printed, "</script>") == 2);
        CHECK(count(printed, "</title>") == 1);
        CHECK_FALSE(has_markup(printed.substr(0, printed.find("</script>"))));
        break;
    }
  }
  return refused;
}

}  // namespace

TEST_CASE("an evil name is text in every report", "[cli]") {
  names to;
  int number = 0, refused = 0;
  for (const std::string_view name : tests::evil_names) {
    // As the name of an operation and of its Type, and of a file.
    const std::string path = replaced(std::string(name), "/", "|") + ".json";
    for (const std::string model : {"mlp", "broken"}) {
      std::string changed =
          replaced(data("ark/cli/" + model + ".json"), "\"fc1\"", '"' + in_json_string(name) + '"');
      changed = replaced(changed, "\"Relu\"", '"' + in_json_string(name) + '"');
      save(to / path, changed);
      save(to / "other", data("ark/cli/mlp.json"));
      refused += check_reports(to, path, name);
    }
    // As the name of a parameter, an operation, a constant and an input.
    const std::string written =
        in_assembly(replaced(replaced(std::string(name), "\\", "\\\\"), "\"", "\\\""));
    save(to / "program.txt",
         "operations:\n  200 = \"" + written + "\"\nparameters:\n  1 = \"" + written +
             "\"\ninput_names:\n  0 = \"" + written +
             "\"\ntensors:\n  1 = f32 [2] hex { 00000000 00000000 }\ncode:\n  v0 = input\n"
             "  v1 = parameter 1\n  v2 = nac.add(v0, v1)\n  v3 = \"" +
             written + "\"(v2)\n  v4 = output(v3)\n");
    const std::string container = "c" + std::to_string(number++) + ".nac";
    to.check("assemble program.txt " + container);
    save(to / "other", data("nac/mini_v18.nac"));
    refused += check_reports(to, container, name);
    // In a text, where it isn't a name.
    save(to / "program.nem", "program p:\nbuffer a : DDR (size=16) @debug(\"" +
                                 replaced(replaced(std::string(name), "\\", "\\\\"), "\"", "\\\"") +
                                 "\")\n");
    save(to / "other", "program p:\n");
    fs::rename(to / "program.nem", to / (path + ".nem"));
    refused += check_reports(to, path + ".nem", name);
  }
  CHECK(number == static_cast<int>(std::size(tests::evil_names)));
  CHECK(to.commands() > 500);
  CHECK(refused <= 8);  // what isn't UTF-8, in JSON; ends of lines in a text of NEM
}
