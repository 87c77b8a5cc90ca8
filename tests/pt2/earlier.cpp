// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The archives of PyTorch 2.5 to 2.8: what they hold, and the archives that are written of them.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>

#include "support/guard_page.hpp"

using namespace tessera;

namespace {

constexpr const char* names[] = {
    "flat_two",    "flat_conv_bn",     "flat_lengths",   "flat_recurrent", "flat_choice",
    "flat_tree",   "flat_storages",    "flat_counter",   "flat_8_7_two",   "flat_8_7_storages",
    "pickled_two", "pickled_storages", "pickled_lengths"};

[[nodiscard]] std::string source_of(const std::string& name) {
  return pt2_samples::source_of("earlier/" + name);
}
[[nodiscard]] std::string written(const pt2::model& m) {
  const auto out = pt2::write(m);
  if (!out) FAIL("write: " << std::string(out.error().name()) << " at " << out.error().offset);
  return std::string(pt2_samples::text_of({out->data(), out->size()}));
}
/// The listing without its first line, which has the schema's version, and the names of payloads.
[[nodiscard]] std::string printed(const pt2::model& m) {
  const text all = pt2::print(m);
  std::string out(all.view().substr(all.view().find('\n')));
  for (std::size_t at = out.find("\" ("); at != out.npos; at = out.find("\" (", at + 1))
    out.erase(at + 3, out.find(',', at) - at - 3);
  return out;
}
[[nodiscard]] const pt2::stored_tensor& stored(const pt2::model& m, std::string_view name) {
  for (const pt2::stored_tensor& t : m.stored)
    if (text_of(m, t.name) == name) return t;
  FAIL("no tensor " << name);
  return m.stored[0];
}

}  // namespace

TEST_CASE("pt2/earlier: what they hold is verified", "[pt2]") {
  for (const std::string name : names) {
    INFO(name);
    const std::string source = source_of(name);
    pt2::model m = pt2_samples::model(source, {.checksums = true});
    const bool is_flat = name.starts_with("flat");
    CHECK(m.container == (is_flat ? pt2::container_kind::flat : pt2::container_kind::pickled));
    CHECK(m.schema_major == (name.starts_with("flat_8") || !is_flat ? 8 : 7));
    CHECK(text_of(m, m.name) == "model");
    CHECK(m.programs == 1);
    CHECK(m.has_byte_order);
    report found;
    CHECK(pt2::verify(std::move(m), {}, &found));
    for (const diagnostic& d : found.diagnostics) CHECK(d.code == errc::pt2_weight_unused);
  }
}

TEST_CASE("pt2/earlier: one program in both containers", "[pt2]") {
  for (const std::string name : {"two", "storages"}) {
    const std::string a_source = source_of("flat_8_7_" + name);
    const std::string b_source = source_of("pickled_" + name);
    const pt2::model a = pt2_samples::model(a_source), b = pt2_samples::model(b_source);
    CHECK(printed(a) == printed(b));
    REQUIRE(a.stored.size() == b.stored.size());
    for (std::size_t i = 0; i < a.stored.size(); ++i) {
      CHECK(text_of(a, a.stored[i].name) == text_of(b, b.stored[i].name));
      CHECK(pt2_samples::text_of(payload(a, a.stored[i])) ==
            pt2_samples::text_of(payload(b, b.stored[i])));
    }
  }
}

TEST_CASE("pt2/earlier: storages that names share are shared", "[pt2]") {
  const std::string source = source_of("flat_storages");
  const pt2::model m = pt2_samples::model(source);
  const pt2::stored_tensor &a = stored(m, "a"), &b = stored(m, "b");
  CHECK(a.is_parameter);
  CHECK(m.tensors[a.meta].requires_grad);
  CHECK(b.is_parameter);
  CHECK_FALSE(m.tensors[b.meta].requires_grad);
  CHECK(a.member == b.member);
  CHECK(stored(m, "tied").member == a.member);
  CHECK(payload(m, a).size() == 48);
  const pt2::tensor_meta& view = m.tensors[b.meta];
  CHECK(m.scalars[view.storage_offset].integer == 3);
  CHECK(scalars(m, view.strides)[0].integer == 1);
  CHECK(scalars(m, view.strides)[1].integer == 2);
  CHECK(load_le<float>(payload(m, a).data() + 4 * 11) == 11.0f);
  // In place, but for what is no multiple of its size.
  for (const pt2::stored_tensor& t : m.stored) {
    const bytes of = payload(m, t);
    if (of.empty()) continue;
    CHECK(of.data() >= as_bytes(source).data());
    CHECK(of.data() + of.size() <= as_bytes(source).data() + source.size());
  }
}

TEST_CASE("pt2/earlier: sizes of PyTorch 2.5 are infix expressions", "[pt2]") {
  const std::string source = source_of("flat_lengths");
  const pt2::model m = pt2_samples::model(source);
  CHECK(printed(m).find("f32[2,s0,4]") != std::string::npos);
  CHECK(printed(m).find("2*s0") != std::string::npos);
  const text json = pt2::write_program(m);
  CHECK(json.view().find(R"x("expr_str": "Symbol('s0', positive=True, integer=True)")x") !=
        std::string_view::npos);
  CHECK(json.view().find(R"("expr_str": "Mul(Integer(2), Symbol('s0', )") !=
        std::string_view::npos);
  CHECK(json.view().find(R"("schema_version": {"major": 8, "minor": 20})") !=
        std::string_view::npos);
  CHECK(json.view().find("-Infinity") != std::string_view::npos);
}

TEST_CASE("pt2/earlier: written in the container of later versions", "[pt2]") {
  for (const std::string name : names) {
    INFO(name);
    const std::string source = source_of(name);
    const pt2::model m = pt2_samples::model(source);
    const std::string out = written(m);
    const pt2::model again = pt2_samples::model(out, {.checksums = true});
    CHECK(again.container == pt2::container_kind::raw);
    CHECK(again.schema_major == 8);
    CHECK(text_of(again, again.root) == (name.starts_with("flat") ? "archive" : name) + "/");
    CHECK(written(again) == out);
    REQUIRE(again.stored.size() == m.stored.size());
    for (std::size_t i = 0; i < m.stored.size(); ++i) {
      CHECK(text_of(again, again.stored[i].name) == text_of(m, m.stored[i].name));
      CHECK(pt2_samples::text_of(payload(again, again.stored[i])) ==
            pt2_samples::text_of(payload(m, m.stored[i])));
      for (std::size_t k = 0; k < i; ++k)
        CHECK((m.stored[i].member == m.stored[k].member) ==
              (again.stored[i].member == again.stored[k].member));
    }
    if (name != "flat_choice") CHECK(printed(again) == printed(m));
    CHECK(find_member(again, "data/sample_inputs/model.pt") != pt2::none);
    CHECK(find_member(again, "data/weights/model.pt") == pt2::none);
    report found;
    CHECK(pt2::verify(pt2_samples::model(out), {}, &found));
  }
  // Files of users.
  for (const std::string name : {"flat_8_7_two", "pickled_two"}) {
    const std::string source = source_of(name);
    const std::string out = written(pt2_samples::model(source));
    const pt2::model m = pt2_samples::model(out);
    const std::uint32_t labels = find_member(m, "extra/labels.txt");
    REQUIRE(labels != pt2::none);
    CHECK(pt2_samples::text_of(content(m, m.members[labels])) == "a\nb\n");
  }
}

TEST_CASE("pt2/earlier: the results of control flow are one list in PyTorch 2.5", "[pt2]") {
  const std::string source = source_of("flat_choice");
  const pt2::model m = pt2_samples::model(source);
  const text json = pt2::write_program(m);
  CHECK(json.view().find(R"("outputs": [{"as_tensor": {"name": "getitem"}}], "metadata": )") !=
        std::string_view::npos);
  CHECK(json.view().find(R"("is_hop_single_tensor_return": false)") != std::string_view::npos);
}

TEST_CASE("pt2/earlier: what can't be written", "[pt2]") {
  pt2_samples::archive several = pt2_samples::open("earlier/pickled_two");
  several.entries.push_back({"pickled_two/models/other.json", "{}"});
  const std::string both = several.zip();
  CHECK(pt2::write(pt2_samples::model(both)).error() ==
        error(errc::pt2_write_programs, several.directory));
  pt2_samples::archive a = pt2_samples::open("earlier/flat_lengths");
  constexpr std::string_view program = "serialized_exported_program.json";
  a.replace(program, R"("expr_str": "s0")", R"x("expr_str": "s0)")x");
  const std::string wrong = a.zip();
  CHECK(pt2::write(pt2_samples::model(wrong)).error() ==
        error(errc::pt2_expression,
              a.data_of(program) +
                  a.at(program).content.find(R"x({"as_expr": {"expr_str": "s0)")x")));
}

TEST_CASE("pt2/earlier: every proper prefix is an error with an offset inside", "[pt2]") {
  for (const std::string name : {"flat_two", "pickled_two"}) {
    const std::string source = source_of(name);
    tessera_tests::guard_page memory(source.size());
    for (std::size_t size = 0; size < source.size(); ++size) {
      const std::string_view prefix = memory.place(std::string_view(source).substr(0, size));
      const auto m = pt2::read(prefix);
      if (m || m.error().code == errc::ok || m.error().offset > size) {
        INFO(name << " of " << size);
        REQUIRE_FALSE(m);
        REQUIRE(m.error().offset <= size);
      }
    }
  }
}

TEST_CASE("pt2/earlier: any one changed byte is refused, or the archive can be written", "[pt2]") {
  for (const std::string name : {"flat_two", "pickled_two"}) {
    const std::string source = source_of(name);
    for (std::size_t at = 0; at < source.size(); ++at)
      for (const char change : {'\x01', '\xff'}) {
        std::string s = source;
        s[at] ^= change;
        auto m = pt2::read(s);
        if (!m) {
          if (m.error().offset <= s.size() && m.error().code != errc::ok) continue;
          INFO("byte " << at);
          REQUIRE(m.error().offset <= s.size());
        }
        (void)pt2::print(*m);
        (void)pt2::write(*m);
        (void)pt2::verify(std::move(*m));
      }
  }
}

TEST_CASE("pt2/earlier: any one changed byte of a pickle is refused, or lists tensors", "[pt2]") {
  const pt2_samples::archive outer = pt2_samples::open("earlier/flat_storages");
  pt2_samples::archive a = outer;
  std::string& member = a.at("serialized_state_dict.pt").content;
  const pt2_samples::archive inner = pt2_samples::open_inner(member);
  const std::string pickle = inner.entries[0].content;
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < pickle.size(); ++at)
    for (const char byte : {'\0', '\1', 'K', '.', '\xff'}) {
      pt2_samples::archive changed = inner;
      changed.entries[0].content[at] = byte;
      member = changed.zip();
      const std::string source = a.zip();
      auto m = pt2::read(source);
      if (!m) {
        if (m.error().offset <= source.size()) continue;
        FAIL("byte " << at);
      }
      ++accepted;
      REQUIRE(check(*m).code == errc::ok);
      (void)pt2::write(*m);
      (void)pt2::verify(std::move(*m));
    }
  CHECK(accepted > 0);
  CHECK(accepted < pickle.size());
}
