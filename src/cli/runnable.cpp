// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "runnable.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <tessera/core/bytes.hpp>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli {

io::array_format format_of(const std::string& option, const std::string& path) {
  if (option == "csv" || (option.empty() && path == "-")) return io::array_format::csv;
  if (option == "npy") return io::array_format::npy;
  return option == "raw" ? io::array_format::raw : io::array_format_of_name(path);
}

exit_code bind_words(std::string_view verb, std::span<const std::string> arguments,
                     const port_names& names, bool is_path, std::vector<bound_word>& out) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = equals == argument.npos ? "" : argument.substr(0, equals);
    std::string wrong;
    if (!name.empty()) {
      if (const std::optional<port> p = names.find(name, wrong)) {
        out.push_back({*p, argument.substr(equals + 1)});
        continue;
      }
      if (is_path && name.find_first_of("/.") == name.npos) return usage_error(verb, wrong);
    }
    const std::optional<port> p = names.next(argument, wrong);
    if (!p) return usage_error(verb, wrong);
    out.push_back({*p, argument});
  }
  return success;
}

std::function<std::optional<port>(const std::string&, std::string&)> in_order(
    std::vector<port> ports, std::string wrong) {
  struct queue {
    std::vector<port> ports;
    std::string wrong;
    std::size_t next = 0;
  };
  const auto q = std::make_shared<queue>(queue{std::move(ports), std::move(wrong)});
  return [q](const std::string&, std::string& why) -> std::optional<port> {
    if (q->next < q->ports.size()) return q->ports[q->next++];
    why = q->wrong;
    return std::nullopt;
  };
}

exit_code check_stdin(std::string_view verb, const run_options& o,
                      std::span<const bound_word> inputs) {
  const auto count = std::count(o.files.begin(), o.files.end(), "-") +
                     std::count_if(inputs.begin(), inputs.end(),
                                   [](const bound_word& b) { return b.word == "-"; });
  return count > 1 ? usage_error(verb, "standard input can be read only once") : success;
}

void show_values(text& out, const port_values& v) {
  out << v.what.name << ' ' << text_of(v.what.shape);
  element_summary(v.view, v.what.type).show(out, v.view, v.what);
}

void write_values(json::writer& w, const port_values& v) {
  w.key("data_type").string(v.what.name).key("shape").begin_array();
  for (const std::uint64_t d : v.what.shape) w.integer(d);
  w.end();
  element_summary(v.view, v.what.type).write(w);
}

exit_code output_paths::add(const std::string& path) {
  if (path != "-" && path != "/dev/null" && !paths_.insert(path).second)
    return usage_error("run", "two outputs for the file '" + shown_name(path) + "'");
  if (path != "-") return success;
  if (++to_stdout_ > 1)
    return usage_error("run", options_.json ? "--json goes to standard output; give outputs a file"
                                            : "only one output can go to standard output");
  if (isatty(STDOUT_FILENO) == 1 &&
      format_of(options_.output_format, path) != io::array_format::csv)
    return usage_error("run",
                       "binary numbers can't be written to a terminal; give a file or use a pipe");
  return success;
}

namespace {

class driver {
 public:
  driver(runnable& p, const run_options& o, const reporting& to, format what)
      : program_(p), options_(o), to_(to), what_(what) {}

  [[nodiscard]] exit_code run() {
    exit_code code = program_.bind_inputs();
    if (code == success) code = bind_outputs();
    if (code == success) code = program_.set();
    if (code == success) code = execute();
    if (code == success && program_.was_ended()) return success;
    if (code == success) code = write_outputs();
    if (code == success && (options_.json || targets_.empty())) code = summarise();
    return code;
  }

 private:
  [[nodiscard]] exit_code bind_outputs() {
    std::vector<std::string> arguments = options_.outputs;
    if (std::string path = program_.default_output();
        arguments.empty() && !options_.json && !path.empty())
      arguments.push_back(std::move(path));
    if (const exit_code code = bind_words("run", arguments, program_.outputs(), true, targets_);
        code != success)
      return code;
    output_paths paths(options_);
    for (const bound_word& t : targets_)
      if (const exit_code code = paths.add(t.word); code != success) return code;
    return success;
  }

  [[nodiscard]] exit_code execute() {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    const std::uint64_t runs = options_.steps.value_or(1);
    exit_code code = success;
    for (std::uint64_t i = 0; i < runs && code == success && !program_.was_ended(); ++i)
      code = program_.run_once(i + 1 == runs);
    seconds_ = std::chrono::duration<double>(clock::now() - start).count();
    return program_.finish(code);
  }

  [[nodiscard]] exit_code write_outputs() {
    for (const bound_word& t : targets_) {
      if (!program_.holds(t.of)) continue;
      const io::array_format as = format_of(options_.output_format, t.word);
      const std::optional<port_values> v = program_.get(t.of, as);
      if (!v) return wrong_usage;
      const text encoded = encode_elements(v->view, as, v->what);
      if (const exit_code code = write_result(t.word, as_bytes(encoded), to_); code != success)
        return code;
    }
    return success;
  }

  [[nodiscard]] exit_code summarise() {
    std::vector<port> shown;
    for (const bound_word& t : targets_) shown.push_back(t.of);
    if (targets_.empty() || program_.summarises_all()) shown = program_.results();
    const bool any = !shown.empty();
    std::erase_if(shown, [this](port p) { return !program_.holds(p); });
    text out;
    if (!options_.json) {
      for (const port p : shown) program_.show(out, p);
      if (!any) show_note(program_.no_results());
      return out.empty() ? success : print_result(out);
    }
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format");
    w.string(info(what_).name).key("ok").boolean(true);
    program_.write_figures(w, seconds_);
    if (program_.lists_outputs()) {
      w.key("outputs").begin_array();
      for (const port p : shown) {
        w.begin_object();
        program_.write(w, p);
        w.end();
      }
      w.end();
    }
    w.end();
    out << '\n';
    return print_result(out);
  }

  runnable& program_;
  const run_options& options_;
  const reporting& to_;
  format what_;
  std::vector<bound_word> targets_;
  double seconds_ = 0;
};

}  // namespace

exit_code run_program(runnable& p, const run_options& o, const reporting& to, format what) {
  return driver(p, o, to, what).run();
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
