// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs tests/data/nac/conformance.tsv, which explains its notation.

#include "nac/support.hpp"
// support.hpp comes first.
#include <algorithm>
#include <map>
#include <set>
#include <tessera/core/bytes.hpp>

using namespace tessera;
using namespace nac_tests;

namespace {

[[nodiscard]] std::vector<std::string> split(const std::string& s, char at) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : s) {
    if (c == '"' && at != '\t') quoted = !quoted;
    if (c == at && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

[[nodiscard]] std::string trimmed(const std::string& s) {
  const std::size_t first = s.find_first_not_of(' '), last = s.find_last_not_of(' ');
  return first == std::string::npos ? std::string() : s.substr(first, last - first + 1);
}

using data = std::vector<std::byte>;

void append(data& to, const data& more) { to.insert(to.end(), more.begin(), more.end()); }
void append_int(data& to, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) to.push_back(static_cast<std::byte>(value >> 8 * i & 0xff));
}

/// Hex digits, "text", and either of them with *N after it.
[[nodiscard]] data parse_bytes(const std::string& source) {
  data out;
  for (const std::string& word : split(source, ' ')) {
    if (word.empty()) continue;
    const bool quoted = word[0] == '"';
    const std::size_t star = word.find('*', quoted ? word.rfind('"') : 0);
    const std::string item = word.substr(0, star);
    data once;
    if (quoted)
      for (const char c : item.substr(1, item.size() - 2))
        once.push_back(static_cast<std::byte>(c));
    else
      once = from_hex(item);
    CHECK((quoted || once.size() * 2 == item.size()));
    const std::size_t times = star == std::string::npos ? 1 : std::stoul(word.substr(star + 1));
    for (std::size_t i = 0; i < times; ++i) append(out, once);
  }
  return out;
}

[[nodiscard]] std::uint64_t parse_number(const std::string& s) {
  return std::stoull(s, nullptr, 0);
}

/// A container as its header and its sections, in the order of their offsets.
struct container {
  struct part {
    std::size_t slot;
    std::string tag;
    data body;
  };
  data header;
  std::vector<part> parts;
  std::vector<std::pair<std::string, std::string>> late;  // edits of the finished bytes
  std::string weights;
  std::string focus;              // the section that the last thing was put into
  std::uint64_t focus_first = 0;  // and where in it

  static container of(const data& file) {
    container c;
    const std::size_t size = load_le<std::uint8_t>(file.data() + 12);
    c.header.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    std::vector<std::pair<std::uint64_t, std::size_t>> starts;
    for (std::size_t slot = 0; slot < (size - 12) / 8; ++slot)
      if (const auto at = load_le<std::uint64_t>(file.data() + 12 + 8 * slot); at != 0)
        starts.emplace_back(at, slot);
    std::sort(starts.begin(), starts.end());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const auto from = file.begin() + static_cast<std::ptrdiff_t>(starts[i].first);
      const auto to = i + 1 == starts.size()
                          ? file.end()
                          : file.begin() + static_cast<std::ptrdiff_t>(starts[i + 1].first);
      std::string tag;
      for (auto t = from; t != from + 4; ++t) tag += static_cast<char>(*t);
      c.parts.push_back({starts[i].second, tag, data(from + 4, to)});
    }
    return c;
  }

  void set(std::string tag, data body) {
    tag.resize(4, ' ');
    for (part& p : parts)
      if (p.tag == tag) {
        p.body = std::move(body);
        return;
      }
    const bool old = header.size() == 88;
    const std::size_t slot = tag == "PROC"   ? 6u
                             : tag == "TRNG" ? 8u
                             : tag == "RSRC" ? (old ? 8u : 9u)
                                             : 10u;
    parts.push_back({slot, tag, std::move(body)});
  }
  void remove(std::string tag) {
    tag.resize(4, ' ');
    parts.erase(
        std::remove_if(parts.begin(), parts.end(), [&](const part& p) { return p.tag == tag; }),
        parts.end());
  }

  [[nodiscard]] std::uint64_t start_of(std::string tag) const {
    tag.resize(4, ' ');
    std::uint64_t at = header.size();
    for (const part& p : parts) {
      if (p.tag == tag) return at;
      at += 4 + p.body.size();
    }
    FAIL("no section " << tag);
    return 0;
  }
  /// N, SECTION+N, or +N after the focus.
  [[nodiscard]] std::uint64_t place(const std::string& s) const {
    const std::size_t plus = s.find('+');
    if (plus == std::string::npos) return parse_number(s);
    const std::uint64_t distance = parse_number(s.substr(plus + 1));
    if (plus == 0) return start_of(focus) + focus_first + distance;
    return start_of(s.substr(0, plus)) + distance;
  }

  void instruction(const data& code) {
    data ops;
    const bool is_output = code.size() > 1 && code[0] == std::byte{3} && code[1] == std::byte{0};
    append_int(ops, is_output ? 7 : 15, 4);
    append(ops, parse_bytes("0200*6"));
    append(ops, code);
    if (!is_output) append(ops, parse_bytes("0200*7 0300 0200 0000 ffff"));
    set("OPS", ops);
    focus = "OPS";
    focus_first = 4 + 4 + 12;
  }
  void tensor(const data& record) {
    data body =
        parse_bytes("03000000 0100 0100 61 0200 0100 62 0300 0100 63 01000000 0000 0100 78");
    append_int(body, 1, 4);
    focus = "DATA";
    focus_first = 4 + body.size();
    append(body, record);
    set("DATA", body);
  }
  void plan(const std::string& source) {
    const std::size_t bar = split(source, '|').front().size();
    const data code = parse_bytes(source.substr(0, bar));
    data constants;
    std::uint64_t count = 0;
    if (bar != source.size())
      for (const std::string& word : split(source.substr(bar + 1), ' ')) {
        if (word.empty()) continue;
        append_int(constants, count++, 2);
        if (word[0] == '"') {
          append_int(constants, 4, 1);
          append_int(constants, word.size() - 2, 2);
          append(constants, parse_bytes(word));
        } else if (word[0] == '[') {
          const auto values = split(word.substr(1, word.size() - 2), ',');
          append_int(constants, 5, 1);
          append_int(constants, values.size(), 2);
          for (const std::string& v : values) append_int(constants, parse_number(v), 4);
        } else {
          append_int(constants, 2, 1);
          append_int(constants, 8, 2);
          append_int(constants, parse_number(word), 8);
        }
      }
    data body;
    append_int(body, code.size(), 4);
    append_int(body, count, 4);
    append(body, code);
    append(body, constants);
    set("ORCH", body);
    focus = "ORCH";
    focus_first = 12;
  }
  void manifest(const data& m) {
    data body;
    append_int(body, m.size(), 4);
    append(body, m);
    set("PROC", body);
    focus = "PROC";
    focus_first = 8;
  }

  void edit(const std::string& e) {
    if (e[0] == '-') return remove(e.substr(1));
    const std::size_t equals = e.find('=');
    REQUIRE(equals != std::string::npos);
    const std::string what = trimmed(e.substr(0, equals)), value = trimmed(e.substr(equals + 1));
    if (what == "instruction") return instruction(parse_bytes(value));
    if (what == "tensor") return tensor(parse_bytes(value));
    if (what == "plan") return plan(value);
    if (what == "manifest") return manifest(parse_bytes(value));
    if (what == "weights") return void(weights = value);
    if (what[0] == '@' || what == "cut" || what == "append")
      return void(late.emplace_back(what, value));
    focus = what;
    focus_first = 0;
    set(what, parse_bytes(value));
  }

  [[nodiscard]] data finished() const {
    data out = header;
    for (std::size_t i = 12; i < (header.size() == 88 ? 84 : header.size()); ++i)
      out[i] = std::byte{0};
    for (const part& p : parts) {
      store_le(out.data() + 12 + 8 * p.slot, std::uint64_t{out.size()});
      append(out, parse_bytes('"' + p.tag + '"'));
      append(out, p.body);
    }
    for (const auto& [what, value] : late) {
      if (what == "cut") {
        out.resize(static_cast<std::size_t>(place(value)));
      } else if (what == "append") {
        append(out, parse_bytes(value));
      } else {
        const data bytes_there = parse_bytes(value);
        const auto at = static_cast<std::size_t>(place(what.substr(1)));
        REQUIRE(at + bytes_there.size() <= out.size());
        std::copy(bytes_there.begin(), bytes_there.end(),
                  out.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    return out;
  }
  /// N:JSON, which is N bytes of elements after the header.
  [[nodiscard]] data safetensors() const {
    data out;
    const std::size_t colon = weights.find(':');
    const std::string json = weights.substr(colon + 1);
    append_int(out, json.size(), 8);
    for (const char c : json) out.push_back(static_cast<std::byte>(c));
    out.resize(out.size() + std::stoul(weights.substr(0, colon)));
    return out;
  }
};

struct row {
  std::string name, kind, verdict, code, offset, input;
};

[[nodiscard]] std::vector<row> rows_of_manifest() {
  std::vector<row> rows;
  std::istringstream lines(text_file("conformance.tsv"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split(line, '\t');
    INFO(line);
    REQUIRE(cells.size() == 6);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
  }
  return rows;
}

/// What a row's input is: the file of its base, edited.
[[nodiscard]] container build(const std::string& input, std::map<std::string, container>& bases) {
  const std::vector<std::string> edits = split(input, ';');
  const std::string base = trimmed(edits[0]);
  if (bases.count(base) == 0) bases.emplace(base, container::of(hex_file(base)));
  container c = bases.at(base);
  for (std::size_t i = 1; i < edits.size(); ++i) c.edit(trimmed(edits[i]));
  return c;
}

struct outcome {
  std::string verdict;
  error e;
  tessera::report found;
};

[[nodiscard]] outcome run(const container& c, const data& source) {
  outcome o;
  const auto file = nac::read(bytes(source));
  if (!file) return {"read", file.error(), {}};
  nac::verify_options options;
  result<nac::safetensors> weights{nac::safetensors()};
  const data outside = c.weights.empty() ? data() : c.safetensors();
  if (!c.weights.empty()) {
    weights = nac::read_safetensors(bytes(outside));
    REQUIRE(weights);
    options.weights = &*weights;
  }
  const auto program = nac::verify(*file, options, &o.found);
  CHECK(static_cast<bool>(program) == (o.found.errors == 0));
  // The first error is the report's; without a report it is the same.
  CHECK(nac::verify(*file, options).error() == program.error());
  for (const tessera::diagnostic& d : o.found.diagnostics) {
    CHECK(d.where.offset <= source.size());
    CHECK(is_described(o.found, d, source));
    if (d.severity != tessera::severity::error) continue;
    CHECK((d.code == program.error().code && d.where.offset == program.error().offset));
    break;
  }
  o.verdict = !program ? "verify" : o.found.warnings != 0 ? "warning" : "ok";
  o.e = program.error();
  if (o.verdict == "warning")
    o.e = {o.found.diagnostics[0].code, o.found.diagnostics[0].where.offset};
  return o;
}

}  // namespace

TEST_CASE("nac/conformance: every line of the manifest", "[nac]") {
  std::map<std::string, container> bases;
  std::set<std::string> names, codes;
  for (const row& r : rows_of_manifest()) {
    INFO(r.name << ": " << r.input);
    CHECK(names.insert(r.name).second);
    const container c = build(r.input, bases);
    if (r.kind == "base") {
      bases.emplace(r.name, c);
      continue;
    }
    const data source = c.finished();
    if (r.kind == "prefixes") {
      for (std::size_t size = 0; size < source.size(); ++size) {
        const outcome o = run(c, data(source.begin(), source.begin() + std::ptrdiff_t(size)));
        if (o.verdict != "read" || o.e.offset > size)
          FAIL_CHECK("cut at " << size << " " << o.verdict);
      }
      continue;
    }
    const outcome o = run(c, source);
    CHECK(o.verdict == r.verdict);
    CHECK((r.code == "-" ? "ok" : r.code) == o.e.name());
    CHECK((r.offset == "-" ? 0 : c.place(r.offset)) == o.e.offset);
    if (r.verdict != "ok") codes.insert(r.code);
  }

  // Every code of reading and verifying; those of texts and writers stand in other tests.
  for_each_errc([&](const errc_row& code) {
    const auto number = static_cast<unsigned>(code.code);
    const bool text_or_writer =
        (number >= 3330 && number < 3350) || number == 3362 || number == 3363 || number >= 3370;
    if (code.code == errc::nac_source_read) return;  // which bytes in memory don't cause
    if (number < 3000 || (number >= 3200 && number < 3300) || number >= 3400 || text_or_writer)
      return;
    INFO("no line for " << code.name);
    CHECK(codes.count(std::string(code.name)) == 1);
  });
}
