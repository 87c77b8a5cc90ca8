// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tessera/nem/detail/device/load.hpp>
#include <tessera/nem/resolver.hpp>
#include <vector>

#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

using files = std::map<std::string, std::string, std::less<>>;

/// Files by path, as a table.
std::vector<nem::named_text> table_of(const files& all) {
  std::vector<nem::named_text> table;
  for (const auto& [path, text] : all) table.push_back({path, text});
  return table;
}

struct outcome {
  tessera::report found;
  nem::catalog c;
  std::uint32_t target = 0;

  std::string text_of(tessera::text_range s) const { return std::string(found.text_of(s)); }
  std::string codes() const {
    std::string all;
    for (const tessera::diagnostic& d : found.diagnostics)
      all += (all.empty() ? "" : " ") + std::string(nem::rule(d.code).id());
    return all;
  }
  const nem::device& device(std::string_view name) const {
    for (const nem::device& d : c.devices)
      if (c.text_of(d.name) == name) return d;
    FAIL("no device " << name);
    return c.devices[0];
  }
  std::set<std::string> references(std::uint32_t first, std::uint32_t count) const {
    std::set<std::string> all;
    for (std::uint32_t i = 0; i < count; ++i) {
      text one;
      c.append_reference(one, c.instances[c.device_instances[first + i]]);
      all.insert(std::string(one.view()));
    }
    return all;
  }
  std::set<std::string> mandatory(const nem::device& d) const {
    return references(d.first_mandatory, d.mandatory);
  }
  std::set<std::string> extended(const nem::device& d) const {
    return references(d.first_extended, d.extended);
  }
};

outcome load(std::string_view source, const files& all = {}, nem::verify_options options = {}) {
  outcome o;
  const std::vector<nem::named_text> table = table_of(all);
  nem::text_files opened({table.data(), table.size()});
  INFO(source);
  const result<nem::model> d = nem_test::read(source, {}, &o.found);
  CHECK(o.codes() == "");
  REQUIRE(d);
  if (!all.empty()) options.resolver = opened.resolver();
  nem::detail::findings findings(&o.found, options.profile, options.max_diagnostics);
  nem::detail::load(*d, options, findings, o.c, o.target);
  findings.close();
  return o;
}

/// Checks that loading finds one thing, at the `nth` occurrence of `at`, and that its text and
/// its note hold what they should.
void finds(std::string_view source, errc code, std::string_view at, std::string_view message,
           std::string_view note = {}, unsigned nth = 1, const files& all = {}) {
  const outcome o = load(source, all);
  INFO(source);
  CHECK(o.codes() == nem::rule(code).id());
  REQUIRE(o.found.diagnostics.size() == 1);
  const tessera::diagnostic& d = o.found.diagnostics[0];
  CHECK(d.code == code);
  CHECK(d.severity == nem::severity_of(code, nem::profile::standard));
  std::size_t offset = source.find(at);
  for (unsigned i = 1; i < nth; ++i) offset = source.find(at, offset + 1);
  CHECK(d.where.file == 0);
  CHECK(d.where.offset == offset);
  CHECK(d.where.length >= 1);
  INFO(o.text_of(d.text));
  CHECK(o.text_of(d.text).find(message) != std::string::npos);
  CHECK(d.has_note == !note.empty());
  INFO(o.text_of(d.note));
  CHECK(o.text_of(d.note).find(note) != std::string::npos);
}
void passes(std::string_view source, const files& all = {}) {
  const outcome o = load(source, all);
  INFO(source);
  CHECK(o.codes() == "");
}

const std::string base = "include \"npm_baseline_1.0.nem\"\n";
const std::string units = "NMU = 1 CSTL = 2 DMA = 1 VPU = 1 SEQ = 1";
const std::string topology = "topology { num_engines = 1 l2_size_bytes = 4096 per_engine { " +
                             units + " l1_size_bytes = 1024 } }";
/// A device of the baseline with some more in it.
std::string derived(std::string_view body, std::string_view name = "chip") {
  return base + "device " + std::string(name) + " extends npm_baseline_1_0 {\n" +
         std::string(body) + "\n}\n";
}
std::string family(std::string_view name, std::string_view variants) {
  return "type_family " + std::string(name) + "<T: {i8, u8}> {\n input: T\n variants:\n" +
         std::string(variants) + "\n}\n";
}

}  // namespace

TEST_CASE("nem/load: without any declaration there are the built-in families", "[nem]") {
  const outcome o = load("buffer B : L2 (size=8)");
  CHECK(o.codes() == "");
  CHECK(o.c.families.size() == 13);
  CHECK(o.c.devices.empty());
  CHECK(o.target == nem::no_index);
}

TEST_CASE("nem/load: families", "[nem]") {
  const std::string v = "plain: {} conformance: { MUST <i8> }";
  passes(family("sorter", v) + family("filter", v));
  finds(family("sorter", v) + family("sorter", v), errc::nem_fdl_001_duplicate,
        "type_family sorter", "type family sorter is already defined", "first defined here", 2);
  finds("type_family f { a: Q variants: plain: {} conformance: { MUST } }", errc::nem_fdl_002_type,
        "Q", "Q, the type of a, is neither");
  passes(
      "type_family f<Q: {i8}> { a: Q b: absent c: any_supported d: u16 variants: plain: {}"
      " conformance: { MUST <i8> } }");
  finds("type_family f { accum = wide variants: plain: {} conformance: { MUST } }",
        errc::nem_fdl_002_type, "wide", "expected an element type for accum, found wide");
  finds("type_family f { quant = maybe variants: plain: {} conformance: { MUST } }",
        errc::nem_fdl_002_type, "maybe", "expected absent or required for quant, found maybe");
  finds(family("f", "plain: {} conformance: { MUST <f32> }"), errc::nem_fdl_003_instance, "f32",
        "f32 isn't a type of parameter T: {i8, u8}");
  finds(family("f", "plain: {} conformance: { MAY <i8, u8> }"), errc::nem_fdl_003_instance, "MAY",
        "classified for 2 types, but f has 1 parameter");
  finds(family("f", "plain: {} conformance: { MUST }"), errc::nem_fdl_003_instance, "MUST",
        "classified for 0 types, but f has 1 parameter");
  passes(family("f", "plain: {} conformance: { MUST <i8> MAY <u8> }"));
  finds(
      family("f", v + " other: {} conformance: { MUST <u8> } plain: {} conformance: { MUST <u8> }"),
      errc::nem_fdl_004_variant, "plain", "variant plain of f is already defined",
      "plain is first defined here", 2);
  passes(family("f", v + " other: {} conformance: { MUST <u8> }"));
  finds(family("f", ""), errc::nem_fdl_005_no_variants, "type_family f", "f has no variant");
  finds(
      "type_family f<T: {i8}, U: {u8}, T: {i16}> { variants: plain: {} conformance: { MUST <i8, "
      "u8> "
      "} }",
      errc::nem_fdl_006_parameter, "T: {i16}", "parameter T is already declared",
      "T is first declared here");
  finds(family("f", "plain: {} conformance: { MUST <i8> MAY <u8> MAY <i8> }"),
        errc::nem_fdl_007_twice, "MAY <i8>", "f<i8>.plain is already classified", "first as MUST");
  passes(family("f", "plain: {} conformance: { MUST <i8> } other: {} conformance: { MAY <i8> }"));
}

TEST_CASE("nem/load: a declared family has what its declaration says", "[nem]") {
  const outcome o = load(
      "type_family mine.odd<T: {u8, i8}, U: {f32}> { a: T b: u16 accum = f32 quant = required on "
      "a\n"
      " variants: one: { c: absent d: U } conformance: { MAY <u8, f32> MUST <i8, f32> } two: {}\n"
      " conformance: { } }");
  CHECK(o.codes() == "");
  REQUIRE(o.c.families.size() == 14);
  const nem::type_family& f = o.c.families[13];
  CHECK(o.c.text_of(f.name) == "mine.odd");
  CHECK(f.accum == nem::element::f32);
  CHECK(f.quant == nem::quant_condition::required_on);
  CHECK(o.c.text_of(f.quant_operand) == "a");
  REQUIRE(f.parameters == 2);
  CHECK(o.c.parameters[f.first_parameter].domain ==
        (1u << unsigned(nem::element::u8) | 1u << unsigned(nem::element::i8)));
  REQUIRE(f.operands == 2);
  CHECK(o.c.operand_types[f.first_operand].form == nem::type_form::parameter);
  CHECK(o.c.operand_types[f.first_operand + 1].element == nem::element::u16);
  REQUIRE(f.variants == 2);
  const nem::variant& v = o.c.variants[f.first_variant];
  REQUIRE(v.operands == 2);
  CHECK(o.c.operand_types[v.first_operand].form == nem::type_form::absent);
  CHECK(o.c.operand_types[v.first_operand + 1].parameter == 1);
  REQUIRE(v.instances == 2);
  CHECK(o.c.instances[v.first_instance].is_must);  // i8 precedes u8
  CHECK_FALSE(o.c.instances[v.first_instance + 1].is_must);
  CHECK(o.c.variants[f.first_variant + 1].instances == 0);
}

TEST_CASE("nem/load: a family can replace a built-in one, unless it is included or used", "[nem]") {
  const std::string softmax =
      "type_family softmax<T: {f16, f32}> { input: T output: T variants: default: {} conformance: "
      "{ MUST <f16> } }\n";
  const outcome o = load(softmax);
  CHECK(o.codes() == "");
  CHECK(o.c.families.size() == 13);
  const nem::type_family& f = o.c.families[nem::builtin_family("softmax")];
  CHECK(f.where.length != 0);
  CHECK(o.c.variants[f.first_variant].instances == 1);
  finds(softmax + softmax, errc::nem_fdl_001_duplicate, "type_family", "softmax is already defined",
        "first defined here", 2);
  finds(base + softmax, errc::nem_fdl_001_duplicate, "type_family", "softmax is already defined",
        "the built-in softmax is included here");
  const files all = {{"own.nem", softmax},
                     {"use.nem",
                      "device d { spec_version = \"NEM-1.0\" opcode.mandatory { "
                      "softmax<f16>.default } }"}};
  finds("include \"own.nem\"\n" + base, errc::nem_fdl_001_duplicate, "include \"npm",
        "softmax is already defined", "first defined here", 1, all);
  finds("include \"use.nem\"\n" + softmax, errc::nem_fdl_001_duplicate, "type_family",
        "softmax is already defined", "devices loaded before list variants", 1, all);
  // One that is wrong isn't looked at where devices list it.
  finds(
      "type_family softmax<T: {f16}> { input: T output: Q variants: default: {} conformance: { "
      "MUST <f16> } }\ndevice d { spec_version = \"NEM-1.0\" opcode.mandatory { "
      "softmax<i8>.default } }\n",
      errc::nem_fdl_002_type, "Q", "Q, the type of output, is neither");
  // In one file a device may stand before the family that it lists.
  passes("device d { spec_version = \"NEM-1.0\" opcode.mandatory { softmax<f16>.default } }\n" +
         softmax);
  finds("device d { spec_version = \"NEM-1.0\" opcode.mandatory { softmax<f32>.default } }\n" +
            softmax,
        errc::nem_dev_009_variant, "softmax<f32>", "softmax<f32>.default is classified neither",
        "there is softmax<f16>.default");
}

TEST_CASE("nem/load: spec_version and mandatory of devices", "[nem]") {
  passes(base + "device chip { spec_version = \"NEM-1.0\" opcode.mandatory { view<i8>.default } }");
  finds(base + "device chip { opcode.mandatory { view<i8>.default } }",
        errc::nem_dev_001_spec_version, "device chip",
        "chip extends none, so it needs a spec_version");
  finds(derived("spec_version = \"NEM-1.0\""), errc::nem_dev_002_inherited, "spec_version",
        "chip extends npm_baseline_1_0, whose spec_version it inherits",
        "npm_baseline_1_0 has \"NEM-1.0\"");
  finds("device chip { spec_version = \"NEM-1.0\" }", errc::nem_dev_019_no_mandatory, "device chip",
        "needs variants in opcode.mandatory");
  finds("device chip { spec_version = \"NEM-1.0\" opcode.mandatory { } }",
        errc::nem_dev_019_no_mandatory, "opcode.mandatory", "needs variants in opcode.mandatory");
  finds("device chip { spec_version = \"NEM-2\" opcode.mandatory { cast.default } }",
        errc::nem_dev_020_version, "spec_version", "unknown spec_version \"NEM-2\"");
}

TEST_CASE("nem/load: topologies of devices", "[nem]") {
  const auto device = [](std::string_view engines, std::string_view l2, std::string_view engine) {
    return derived("topology { num_engines = " + std::string(engines) + " l2_size_bytes = " +
                   std::string(l2) + " per_engine { " + std::string(engine) + " } }");
  };
  const std::string full = units + " l1_size_bytes = 64";
  passes(derived(topology));
  passes(device("2", "(3 + 5) * 8 - 4 / 2", full));
  finds(device("0", "64", full), errc::nem_dev_004_engines, "0 l2", "num_engines is 0");
  finds(device("1", "64", "NMU = 1 CSTL = 1 DMA = 0 VPU = 1 SEQ = 1 l1_size_bytes = 64"),
        errc::nem_dev_005_units, "0 VPU", "per_engine has 0 DMA; expected at least 1");
  passes(
      derived("topology { num_engines = 1 l2_size_bytes = 64 device_units { sDMA = 0 WDM = 0 } "
              "per_engine { " +
              full + " } }"));
  finds(device("1", "0", full), errc::nem_dev_006_memory, "0 per_engine",
        "memory sizes must be > 0: l2_size_bytes is 0");
  finds(device("1", "8 - 16", full), errc::nem_dev_006_memory, "8 - 16",
        "memory sizes must be > 0: l2_size_bytes is -8");
  finds(device("1", "64", units + " l1_size_bytes = 0"), errc::nem_dev_006_memory, "0 } }",
        "memory sizes must be > 0: l1_size_bytes is 0");
  finds(device("1", "64", units), errc::nem_dev_006_memory, "per_engine",
        "memory sizes must be > 0: per_engine lacks l1_size_bytes");
  finds(
      derived("topology { }"), errc::nem_dev_006_memory, "topology",
      "memory sizes must be > 0: the topology lacks num_engines and l2_size_bytes and per_engine");
  finds(derived("topology { l2_size_bytes = 64 per_engine { " + full + " } }"),
        errc::nem_dev_006_memory, "topology",
        "memory sizes must be > 0: the topology lacks num_engines");
  finds(device("1", "64", "NMU = 1 DMA = 1 SEQ = 1 l1_size_bytes = 64"), errc::nem_dev_018_omitted,
        "per_engine", "per_engine omits CSTL, VPU");
  finds(device("1", "1.5", full), errc::nem_exp_001_float, "1.5", "memory sizes must be integers");
  finds(device("1", "K * 2", full), errc::nem_exp_002_name, "K", "K can't be used here");
  finds(device("1", "8 / 0", full), errc::nem_exp_003_division, "8 / 0", "division by zero");
  finds(device("1", "9223372036854775807 + 1", full), errc::nem_exp_004_overflow, "9223",
        "leaves the range of 64 bits");
}

TEST_CASE("nem/load: variants that devices list", "[nem]") {
  finds(derived("opcode.extended { fft<i8>.default }"), errc::nem_dev_009_variant, "fft<",
        "no type family fft");
  finds(derived("opcode.extended { gemm.int4.biased }"), errc::nem_dev_009_variant, "biased",
        "type family gemm.int4 has no variant biased", "its variants are no_bias, with_bias");
  finds(derived("opcode.extended { gemm.float<f32>.with_bias }"), errc::nem_dev_009_variant,
        "gemm.float<f32>", "gemm.float<f32>.with_bias is classified neither as MUST nor as MAY",
        "there is gemm.float<f16>.with_bias");
  finds(derived("opcode.extended { norm.default }"), errc::nem_dev_009_variant, "norm.default",
        "norm.default has 0 types, but norm has 1 parameter", "there is norm<f16>.default, ");
  finds(derived("opcode.extended { cast<i8>.default }"), errc::nem_dev_009_variant, "cast<i8>",
        "cast<i8>.default has 1 type, but cast has 0 parameters", "there is cast.default");
  passes(derived("opcode.mandatory { norm<f32>.default } opcode.extended { norm<bf16>.default }"));

  finds(derived("opcode.extended { norm<f16>.default }"), errc::nem_dev_008_extended, "norm<f16>",
        "norm<f16>.default is already mandatory: its entry in opcode.extended is ignored",
        "npm_baseline_1_0 lists it in opcode.mandatory");
  finds(derived("opcode.extended { norm<f32>.default } opcode.mandatory { norm<f32>.default }"),
        errc::nem_dev_008_extended, "norm<f32>", "is already mandatory",
        "chip lists it in opcode.mandatory");
  finds(derived("opcode.mandatory { norm<f16>.default }"), errc::nem_dev_010_redundant, "norm<f16>",
        "norm<f16>.default is already inherited from npm_baseline_1_0",
        "npm_baseline_1_0 lists it in opcode.mandatory");
  finds(derived("opcode.extended { norm<f32>.default norm<bf16>.default norm<f32>.default }"),
        errc::nem_dev_010_redundant, "norm<f32>", "is listed twice", "first listed here", 2);
  finds(derived("opcode.extended { view<i32>.default }", "a") +
            "device b extends a { opcode.extended { view<i32>.default } }",
        errc::nem_dev_010_redundant, "view<i32>", "already inherited from a",
        "a lists it in opcode.extended", 2);
  // Siblings inherit nothing from one another.
  passes(derived("opcode.extended { view<i32>.default }", "a") +
         "device b extends npm_baseline_1_0 { opcode.extended { view<i32>.default } }");
}

TEST_CASE("nem/load: a device with a topology has all that is mandatory", "[nem]") {
  finds(base + "device chip { spec_version = \"NEM-1.0\" " + topology +
            " opcode.mandatory { cast.default conv2d.float<f16>.no_bias } }",
        errc::nem_dev_007_mandatory, "device chip",
        "of device chip lacks conv2d.float<f16>.with_bias, conv2d.int8<i8>.no_bias, "
        "conv2d.int8<i8>.with_bias, gemm.float<f16>.no_bias and 11 more");
  // Its child lacks the same, which says nothing new.
  finds("device chip { spec_version = \"NEM-1.0\" " + topology +
            " opcode.mandatory { cast.default } }\ndevice next extends chip { " + topology + " }",
        errc::nem_dev_007_mandatory, "device chip", "and 12 more");
  passes("device part { spec_version = \"NEM-1.0\" opcode.mandatory { cast.default } }");
  finds(
      "device part { spec_version = \"NEM-1.0\" opcode.mandatory { cast.default } }\n"
      "device chip extends part { " +
          topology + " }",
      errc::nem_dev_007_mandatory, "device chip", "device chip lacks");
  passes(derived(topology));
}

TEST_CASE("nem/load: parents of devices", "[nem]") {
  finds("device chip extends ghost { }", errc::nem_dev_013_parent, "extends",
        "chip extends ghost, which isn't defined before");
  finds("device chip extends nem_baseline_1_0 { }", errc::nem_dev_013_parent, "extends",
        "which isn't defined before", "include \"nem_baseline_1.0.nem\" defines it");
  finds(base + "device a extends b { }\ndevice b extends npm_baseline_1_0 { }",
        errc::nem_dev_013_parent, "extends b", "a extends b, which isn't defined before",
        "b is defined here, after it");
  finds("device a extends a { }", errc::nem_dev_014_cycle, "extends", "device a extends itself");
  finds("device a extends b { }\ndevice b extends c { }\ndevice c extends a { }",
        errc::nem_dev_014_cycle, "extends b", "device a extends itself", "through b");
  // What extends a device of a circle isn't in the circle itself.
  const outcome o = load("device x extends a { }\ndevice a extends b { }\ndevice b extends a { }");
  CHECK(o.codes() == "DEV-013 DEV-014");
  finds(derived("", "a") + "device a extends npm_baseline_1_0 { }", errc::nem_dev_015_duplicate,
        "device a", "device a is already defined", "first defined here", 2);
  finds(base +
            "device npm_baseline_1_0 { spec_version = \"NEM-1.0\" opcode.mandatory { cast.default "
            "} }",
        errc::nem_dev_015_duplicate, "device npm", "npm_baseline_1_0 is already defined",
        "npm_baseline_1_0 is included here");
  finds("include \"own.nem\"\n" + base, errc::nem_dev_015_duplicate, "include \"npm",
        "device npm_baseline_1_0 is already defined", "npm_baseline_1_0 is first defined here", 1,
        {{"own.nem",
          "device npm_baseline_1_0 { spec_version = \"NEM-1.0\" opcode.mandatory { "
          "cast.default } }"}});
}

TEST_CASE("nem/load: what a name may have meant, and what can be taken out", "[nem]") {
  finds(derived("", "engine") + "device chip extends engnie { }", errc::nem_dev_013_parent,
        "extends engnie", "chip extends engnie", "did you mean engine?");
  finds(base + "device npm_basline_1_0 program p:", errc::nem_dev_016_unknown, "device npm_bas",
        "unknown device npm_basline_1_0", "did you mean npm_baseline_1_0?");
  finds(derived("opcode.extended { sofmax<f32>.default }"), errc::nem_dev_009_variant, "sofmax",
        "no type family sofmax", "did you mean softmax?");
  const auto removed = [](const std::string& source) {
    const outcome o = load(source);
    REQUIRE(o.found.diagnostics.size() == 1);
    const tessera::diagnostic& d = o.found.diagnostics[0];
    REQUIRE(d.has_fix);
    CHECK(d.replacement.size == 0);
    return source.substr(d.fix.offset, d.fix.length);
  };
  CHECK(removed(derived("spec_version = \"NEM-1.0\" ")) == "spec_version = \"NEM-1.0\"");
  CHECK(removed(derived("opcode.extended { gemm.float<f16>.no_bias }")) ==
        "gemm.float<f16>.no_bias");
  CHECK(removed(derived("opcode.mandatory { quantize<f16, i8>.default }")) ==
        "quantize<f16, i8>.default");
}

TEST_CASE("nem/load: both baselines can be included, for their families are the same", "[nem]") {
  const outcome o =
      load(base + "include \"nem_baseline_1.0.nem\"\n" +
           "device a extends npm_baseline_1_0 { }\ndevice b extends nem_baseline_1_0 { }");
  CHECK(o.codes() == "");
  CHECK(o.c.families.size() == 13);
  CHECK(o.c.devices.size() == 4);
  passes(base + base);
}

TEST_CASE("nem/load: what a device inherits", "[nem]") {
  const std::string parent =
      "device parent { spec_version = \"NEM-1.0\" " + topology +
      " unit_characteristics { NMU { lanes = 10 depth = 20 } SEQ { max_active_tokens = 4 } }\n"
      " opcode.mandatory { ";
  std::string all;
  for (const auto& f : nem::family_table)
    for (const auto& v : f.variants)
      for (const auto& i : v.instances)
        if (i.conformance == nem::instance_row::level::must) {
          text t;
          t << f.name;
          nem::detail::append_types(t, nem::detail::types_of(i));
          t << "." << v.name << " ";
          all += t.view();
        }
  const std::string child =
      "device child extends parent {\n topology { num_engines = 3 l2_size_bytes = 77 per_engine "
      "{ " +
      units +
      " l1_size_bytes = 33 } }\n"
      " unit_characteristics { NMU { depth = 21 width = 5 } VPU { } }\n"
      " opcode.mandatory { norm<f32>.default } opcode.extended { norm<bf16>.default } }\n";
  const outcome o = load(parent + all + "} opcode.extended { norm<f32>.default } }\n" + child, {},
                         {.device = "child"});
  CHECK(o.codes() == "DEV-008");
  REQUIRE(o.target != nem::no_index);
  const nem::device& d = o.c.devices[o.target];
  CHECK(o.c.text_of(d.name) == "child");
  CHECK(o.c.text_of(d.parent) == "parent");
  CHECK(o.c.text_of(d.spec_version) == "NEM-1.0");
  CHECK(d.is_resolved);
  CHECK(d.topology.engines == 3);
  CHECK(d.topology.l2_size == 77);
  CHECK(d.topology.l1_size == 33);
  CHECK(d.characteristics == 4);
  CHECK(o.c.characteristic(d, nem::unit::nmu, "lanes", -1) == 10);
  CHECK(o.c.characteristic(d, nem::unit::nmu, "depth", -1) == 21);
  CHECK(o.c.characteristic(d, nem::unit::nmu, "width", -1) == 5);
  CHECK(o.c.characteristic(d, nem::unit::seq, "max_active_tokens", -1) == 4);
  CHECK(o.c.characteristic(d, nem::unit::vpu, "max_active_tokens", -1) == -1);
  const std::set<std::string> mandatory = o.mandatory(d);
  CHECK(mandatory.size() == 18);
  CHECK(mandatory.count("norm<f32>.default") == 1);
  CHECK(o.extended(d) == std::set<std::string>{"norm<bf16>.default"});
  for (std::uint32_t i = 0; i < o.c.instances.size(); ++i) {
    text t;
    o.c.append_reference(t, o.c.instances[i]);
    const std::string name(t.view());
    CHECK(o.c.supports(d, i) == (mandatory.count(name) == 1 || name == "norm<bf16>.default"));
  }
}

TEST_CASE("nem/load: three levels of inheritance", "[nem]") {
  outcome o =
      load(derived(topology + " unit_characteristics { NMU { macs = 1 } SEQ { a = 5 b = 6 } }",
                   "small") +
               "device middle extends small { opcode.mandatory { eltwise<f32>.default }\n"
               " unit_characteristics { NMU { macs = 2 } } }\n"
               "device large extends middle { topology { num_engines = 4 l2_size_bytes = 2 * 1024\n"
               " device_units { sDMA = 2 } per_engine { " +
               units +
               " l1_size_bytes = 512 } }\n"
               " opcode.extended { view<bf16>.default } }\n",
           {}, {.device = "large"});
  CHECK(o.codes() == "");
  const nem::device& d = o.device("large");
  CHECK(d.topology.engines == 4);
  CHECK(d.topology.l2_size == 2048);
  CHECK(d.topology.units[std::size_t(nem::unit::sdma)] == 2);
  CHECK(d.topology.units[std::size_t(nem::unit::wdm)] == 0);
  CHECK(d.topology.units[std::size_t(nem::unit::cstl)] == 2);
  CHECK(o.c.characteristic(d, nem::unit::nmu, "macs", 0) == 2);
  CHECK(o.c.characteristic(d, nem::unit::seq, "a", 0) == 5);
  CHECK(o.c.characteristic(d, nem::unit::seq, "b", 0) == 6);
  CHECK(o.c.characteristic(d, nem::unit::seq, "macs", 7) == 7);
  CHECK(o.mandatory(d).size() == 18);
  CHECK(o.extended(d).size() == 1);

  const nem::device& m = o.device("middle");
  CHECK_FALSE(m.is_resolved);
  CHECK(m.topology.engines == 1);
  CHECK(o.mandatory(m).size() == 1);  // its own
  nem::resolve_device(o.c, d.base);
  CHECK(o.mandatory(o.device("middle")).size() == 18);
  CHECK(o.extended(o.device("middle")).empty());
}

TEST_CASE("nem/load: a target in a file of the caller's", "[nem]") {
  const std::string chip = derived(topology), own = "include \"chip.cfg\"\ndevice chip program p:";
  const files all = {{"chip.cfg", chip}, {"lib/chip.cfg", chip}};
  const auto target = [&](const std::string& source, std::string_view id, std::string_view text,
                          std::string_view device = {}) {
    nem::verify_options options;
    options.device_file = {id, text};
    options.device = device;
    const outcome o = load(source, all, options);
    const std::string name =
        o.target == nem::no_index ? "" : std::string(o.c.text_of(o.c.devices[o.target].name));
    return name + (o.codes().empty() ? "" : ": " + o.codes());
  };
  const std::string program = "buffer B : L2 (size=8)";
  const std::string two = derived(topology, "one") + "device two extends one { }";
  CHECK(target(program, "chip.cfg", chip) == "chip");
  CHECK(target("", "chip.cfg", chip) == "chip");
  CHECK(target(program, "x/two.cfg", two) == "two");  // that of the file's name
  CHECK(target(program, "x/two.cfg", two, "one") == "one");
  CHECK(target(program, "x.cfg", two) == ": DEV-017");
  CHECK(target(program, "x.cfg", two, "three") == ": DEV-016");
  CHECK(target(program, "x.cfg", base) == ": DEV-017");
  CHECK(target(program, "x.cfg", base + "device d extends npm_baseline_1_0 { }") == ": DEV-003");
  CHECK(target(program, "x.cfg", "device {") == ": INC-003");
  CHECK(target(program, "x.cfg", "") == ": DEV-017");
  // In place of the program's own, which may come from the same file, or one of the same text.
  CHECK(target(own, "x.cfg", derived(topology, "other")) == "other");
  CHECK(target(own, "chip.cfg", chip) == "chip");
  CHECK(target(own, "x.cfg", chip) == ": DEV-015");
  // What it includes is looked for from its own place.
  CHECK(target(program, "lib/x.cfg", "include \"chip.cfg\"\ndevice d extends chip { }") == "d");
  CHECK(target(program, "lib/x.cfg", "include \"none.cfg\"\ndevice d extends chip { }") ==
        ": INC-001");
}

TEST_CASE("nem/load: the target of a program", "[nem]") {
  const auto target = [](const std::string& source, const files& all = {},
                         std::string_view device = {}) {
    nem::verify_options options;
    options.device = device;
    const outcome o = load(source, all, options);
    const std::string name =
        o.target == nem::no_index ? "" : std::string(o.c.text_of(o.c.devices[o.target].name));
    return name + (o.codes().empty() ? "" : ": " + o.codes());
  };
  const std::string chip = derived(topology);
  const files all = {
      {"chip.cfg", chip},
      {"dir/two.cfg", chip + "device two extends chip { }"},
      {"three.cfg", chip + "device four extends chip { }"},
      {"none.cfg", base},
      {"outer.cfg", "include \"chip.cfg\"\ndevice outer extends chip { }"},
      {"bad.cfg", "device {"},
      {"one.cfg", base + "device one extends npm_baseline_1_0 { }"},
  };
  CHECK(target(chip + "buffer B : L2 (size=8)") == "chip");
  CHECK(target(chip) == "");  // a file of devices has no target
  CHECK(target(chip, {}, "chip") == "chip");
  CHECK(target("include \"chip.cfg\"\ndevice chip program p:", all) == "chip");
  CHECK(target("include \"chip.cfg\"\nprogram p:", all) == "");
  CHECK(target("device \"chip.cfg\" program p:", all) == "chip");
  CHECK(target("device \"dir/two.cfg\" program p:", all) == "two");
  CHECK(target("device \"three.cfg\" program p:", all) == ": DEV-017");
  CHECK(target("device \"none.cfg\" program p:", all) == ": DEV-017");
  CHECK(target("device \"outer.cfg\" program p:", all) == "outer");
  CHECK(target("include \"outer.cfg\"\ndevice \"./chip.cfg\" program p:", all) == "chip");
  CHECK(target("device \"bad.cfg\" program p:", all) == ": INC-003");
  CHECK(target("device \"lost.cfg\" program p:", all) == ": INC-001");
  CHECK(target("device \"one.cfg\" program p:", all) == ": DEV-003");
  CHECK(target("device \"npm_baseline_1.0.nem\" program p:", all) == ": DEV-003");
  CHECK(target("device \"three.cfg\" program p:", all, "four") == "four");
  CHECK(target("device \"three.cfg\" program p:", all, "five") == ": DEV-016");
  CHECK(target("program p:", all, "chip") == ": DEV-016");
  CHECK(target(base + "program p:", {}, "npm_baseline_1_0") == ": DEV-003");

  finds(base + "device npm_baseline_1_0 program p:", errc::nem_dev_003_topology, "device npm",
        "target device npm_baseline_1_0 has no topology");
  finds(derived("") + "program p:", errc::nem_dev_003_topology, "device chip",
        "target device chip has no topology");
  finds(base + "device ghost program p:", errc::nem_dev_016_unknown, "device ghost",
        "unknown device ghost: neither defined here nor in an included file");
  finds("device npm_baseline_1_0 program p:", errc::nem_dev_016_unknown, "device npm",
        "npm_baseline_1_0", "include \"npm_baseline_1.0.nem\" defines it");
  finds("device \"three.cfg\" program p:", errc::nem_dev_017_file, "device",
        "\"three.cfg\" defines 2 devices, none with the name three", "the first is chip", 1, all);
  finds("device \"none.cfg\" program p:", errc::nem_dev_017_file, "device",
        "\"none.cfg\" defines no device", {}, 1, all);
  // A target that lacks more than its topology.
  CHECK(
      target(
          "device d { spec_version = \"NEM-1.0\" opcode.mandatory { cast.default } } program p:") ==
      ": DEV-003 DEV-007");
  // After an error in the device or a parent of it, the program is for any device.
  CHECK(target(derived(topology + " opcode.extended { fft.default }") + "program p:") ==
        ": DEV-009");
  CHECK(target(derived("opcode.extended { fft.default }", "a") + "device b extends a { " +
                   topology + " }",
               {}, "b") == ": DEV-009");
}

TEST_CASE("nem/load: included files", "[nem]") {
  const files all = {
      {"leaf.nem", family("leaf", "plain: {} conformance: { MUST <i8> }")},
      {"left.nem", "include \"leaf.nem\"\n" + derived("", "left")},
      {"right.nem", "include \"./leaf.nem\"\n" + derived("", "right")},
      {"a.nem", "include \"b.nem\""},
      {"b.nem", "include \"a.nem\""},
      {"self.nem", "include \"self.nem\""},
      {"broken.nem", "type_family ok { variants: v: {} conformance: { MUST } }\ndevice {"},
      {"program.nem", derived(topology) + "program q:\nconst B = 1"},
  };
  const outcome o = load("include \"left.nem\"\ninclude \"right.nem\"\nconst A = 1", all);
  CHECK(o.codes() == "");
  REQUIRE(o.found.files.size() == 3);
  CHECK(o.text_of(o.found.files[0]) == "left.nem");
  CHECK(o.text_of(o.found.files[1]) == "leaf.nem");
  CHECK(o.text_of(o.found.files[2]) == "right.nem");
  CHECK(o.c.families.size() == 14);
  CHECK(o.c.families[13].where.file == 2);
  CHECK(o.device("right").where.file == 3);

  finds("include \"lost.nem\"\nconst A = 1", errc::nem_inc_001_missing, "include",
        "can't find \"lost.nem\"");
  // What it may define isn't missed as well.
  finds("include \"lost.nem\"\ndevice chip", errc::nem_inc_001_missing, "include", "lost.nem");
  finds("include \"lost.nem\"\ndevice chip extends base { }", errc::nem_inc_001_missing, "include",
        "lost.nem");
  finds(
      "include \"lost.nem\"\ndevice chip { spec_version = \"NEM-1.0\" opcode.mandatory { "
      "fft<i8>.plain } }",
      errc::nem_inc_001_missing, "include", "lost.nem");
  finds("include \"broken.nem\"\nconst A = 1", errc::nem_inc_003_invalid, "include",
        "the file isn't a valid document", "SYN-", 1, all);
  finds("include \"program.nem\"\ndevice chip program p:", errc::nem_inc_004_program, "include",
        "the program in \"program.nem\" is ignored", "it begins here", 1, all);
  passes("include \"leaf.nem\"\nconst A = 1", all);

  const outcome twice =
      load("include \"leaf.nem\"\n" + family("leaf", "plain: {} conformance: { MUST <u8> }"), all);
  CHECK(twice.codes() == "FDL-001");
  CHECK(twice.found.diagnostics[0].where.file == 0);
  CHECK(twice.found.diagnostics[0].related.file == 1);

  const outcome broken = load("include \"broken.nem\"\ninclude \"broken.nem\"\nconst A = 1", all);
  CHECK(broken.codes() == "INC-003");
  CHECK(broken.found.diagnostics[0].related.file == 1);
  CHECK(broken.found.diagnostics[0].related.offset >= all.at("broken.nem").find("device"));

  const outcome circle = load("include \"a.nem\"\nconst A = 1", all);
  CHECK(circle.codes() == "INC-002");
  CHECK(circle.found.diagnostics[0].where.file == 2);  // in b.nem
  CHECK(circle.found.diagnostics[0].where.offset == 0);
  CHECK(circle.found.diagnostics[0].related.file == 0);
  CHECK(load("include \"self.nem\"", all).codes() == "INC-002");
  CHECK(load("include \"a.nem\"", {{"a.nem", "include \"main.nem\""}, {"main.nem", ""}},
             {.id = "main.nem"})
            .codes() == "INC-002");
}

TEST_CASE("nem/load: what is found in an included file is placed there", "[nem]") {
  const std::string config = derived("opcode.extended { norm<f16>.default fft.default }");
  const outcome o = load("include \"config.nem\"", {{"config.nem", config}});
  REQUIRE(o.codes() == "DEV-009 DEV-008");
  CHECK(o.found.diagnostics[0].where.file == 1);
  CHECK(o.found.diagnostics[0].where.offset == config.find("fft"));
  CHECK(o.found.diagnostics[1].where.file == 1);
  CHECK(o.found.diagnostics[1].where.offset == config.find("norm"));
}

TEST_CASE("nem/load: includes are nested no deeper than the limit", "[nem]") {
  files all;
  for (int i = 1; i < 40; ++i)
    all[std::to_string(i) + ".nem"] = "include \"" + std::to_string(i + 1) + ".nem\"";
  all["40.nem"] = "";
  const auto codes = [&](std::uint32_t depth) {
    nem::verify_options options;
    options.max_include_depth = depth;
    return load("include \"1.nem\"", all, options).codes();
  };
  CHECK(codes(40) == "");
  CHECK(codes(39) == "SYN-014");
  CHECK(codes(0) == "SYN-014");
}

TEST_CASE("nem/load: no more files than the limit", "[nem]") {
  files all;
  std::string source;
  for (std::uint32_t i = 0; i < nem::detail::max_files; ++i) {
    const std::string name = std::to_string(i) + ".nem";
    all[name] = "";
    source += "include \"" + name + "\"\n";
  }
  passes(source, all);
  all["last.nem"] = "";
  const outcome o = load(source + "include \"last.nem\"\n", all);
  REQUIRE(o.found.diagnostics.size() == 1);
  CHECK(o.found.diagnostics[0].code == errc::too_many_items);
}

TEST_CASE("nem/load: a long chain of devices, and families with many variants", "[nem]") {
  std::string source = base + "type_family wide<T: {i8, u8}> { variants:\n";
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i)
    source += "v" + std::to_string(i) + ": {} conformance: { MAY <i8> }\n";
  source += "}\ndevice d0 extends npm_baseline_1_0 { " + topology + " }\n";
  for (int i = 1; i < count; ++i)
    source += "device d" + std::to_string(i) + " extends d" + std::to_string(i - 1) +
              " { opcode.mandatory { wide<i8>.v" + std::to_string(i) + " } }\n";
  source += "device again extends d" + std::to_string(count - 1) +
            " { opcode.extended { wide<i8>.v7 } }\n";
  const std::string last = "d" + std::to_string(count - 1);
  nem::verify_options options;
  options.device = last;
  const outcome o = load(source, {}, options);
  CHECK(o.codes() == "DEV-008");
  REQUIRE(o.target != nem::no_index);
  CHECK(o.c.devices[o.target].mandatory == 17 + count - 1);
}

TEST_CASE("nem/load: a report that has the files of another document", "[nem]") {
  const std::string family =
      "type_family f<T: {i8}> { X: T variants: v: {} conformance: { MUST <i8> } }";
  const files all = {{"a.nem", "include \"b.nem\""}, {"b.nem", family}};
  nem::verify_options options;
  const std::vector<nem::named_text> table = table_of(all);
  nem::text_files opened({table.data(), table.size()});
  options.resolver = opened.resolver();
  tessera::report found;
  for (const std::string_view source :
       {"include \"a.nem\"", "include \"b.nem\"", "include \"b.nem\" include \"a.nem\""}) {
    INFO(source);
    result<nem::model> d = nem_test::read(source, {}, &found);
    REQUIRE(d);
    nem::detail::findings findings(&found, options.profile, options.max_diagnostics);
    nem::catalog c;
    std::uint32_t target = 0;
    nem::detail::load(*d, options, findings, c, target);
    CHECK(found.errors == 0);
    const tessera::place where = c.families.data()[c.families.size() - 1].where;
    REQUIRE(where.file != 0);
    CHECK(found.text_of(found.files[where.file - 1]) == "b.nem");
  }
  CHECK(found.files.size() == 5);
}
