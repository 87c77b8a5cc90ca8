// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Listings, as tests/data/pt2 has them.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <cstdlib>

using namespace tessera;

TEST_CASE("pt2/print: listings are those of tests/data/pt2", "[pt2]") {
  for (const char* const name : {"two", "dynamic", "branches", "cache_core", "storages", "tree"}) {
    INFO(name);
    const std::string source = pt2_samples::source_of(name);
    const text listing = pt2::print(pt2_samples::model(source));
    const std::filesystem::path file = pt2_samples::folder() / (std::string(name) + ".txt");
    if (std::getenv("TESSERA_BLESS") != nullptr) std::ofstream(file, std::ios::binary) << listing;
    CHECK(std::string(listing.view()) == pt2_samples::load(file));
  }
}

TEST_CASE("pt2/print: symbolic values that are known", "[pt2]") {
  const std::string source = pt2_samples::source_of("dynamic");
  const auto listed = [&](pt2::value_kind kind, const pt2::scalar& s) {
    pt2::model m = pt2_samples::model(source);
    for (pt2::value& v : m.values)
      if (text_of(m, v.name) == "mul_3") {
        v.kind = kind;
        m.scalars[v.meta] = s;
      }
    const text listing = pt2::print(m);
    const std::size_t at = listing.view().find("\nmul_3: ") + 1;
    return std::string(listing.view().substr(at, listing.view().find(" = ", at) - at));
  };
  pt2::scalar s;
  s.kind = pt2::scalar_kind::boolean;
  CHECK(listed(pt2::value_kind::sym_bool, s) == "mul_3: bool False");
  s.integer = 1;
  CHECK(listed(pt2::value_kind::sym_bool, s) == "mul_3: bool True");
  s.kind = pt2::scalar_kind::integer;
  s.integer = -7;
  CHECK(listed(pt2::value_kind::sym_int, s) == "mul_3: int -7");
  s.kind = pt2::scalar_kind::real;
  s.real = 0.5;
  CHECK(listed(pt2::value_kind::sym_float, s) == "mul_3: float 0.5");
}

TEST_CASE("pt2/print: modules and lines of Python, on demand", "[pt2]") {
  const std::string source = pt2_samples::source_of("branches");
  const pt2::model m = pt2_samples::model(source);
  const text with = pt2::print(m, {.modules = true, .stack_traces = true});
  CHECK(with.view().find("    # File \"model.py\", line 4, in forward\n") !=
        std::string_view::npos);
  const text without = pt2::print(m);
  CHECK(without.view().find("model.py") == std::string_view::npos);
  const std::string network = pt2_samples::source_of("network");
  const text modules = pt2::print(pt2_samples::model(network), {.modules = true});
  CHECK(modules.view().find("aten.batch_norm.default(conv2d, ") != std::string_view::npos);
  CHECK(modules.view().find(")  # norm\n") != std::string_view::npos);
}

TEST_CASE("pt2/print: a description or an argument of its own", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  const pt2::model m = pt2_samples::model(source);
  text out;
  pt2::print(out, m, m.tensors[m.stored[0].meta]);
  out << ' ';
  pt2::print(out, m, arguments(m, m.nodes[0].inputs)[1]);
  CHECK(out == std::string_view("f32[3] p_w"));
}

TEST_CASE("pt2/print: names are safe on a terminal", "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("two");
  a.replace(pt2_samples::program_json, R"("parameter_name": "w")",
            R"("parameter_name": "\u001b[2J\u202e\n\"")");
  a.replace(pt2_samples::program_json, "torch.ops.aten.add.Tensor", R"(\u009b\u0007)");
  const std::string source = a.zip();
  const text listing = pt2::print(pt2_samples::model(source));
  for (const char c : listing.view()) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  CHECK(listing.view().find("\xe2\x80\xae") == std::string_view::npos);
  CHECK(listing.view().find("\xc2\x9b") == std::string_view::npos);
}
