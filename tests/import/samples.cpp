// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Archives of other networks, which aren't part of the project: without the folder, nothing is tested.
// NAME.pt2 has runs in NAME/: r0.in0.npy, r0.out0.npy; a later run finds what those before left in the
// buffers, or other shapes.

#include <filesystem>
#include <string>
#include <vector>

#include "imported.hpp"
#include "io/npy.hpp"
#include "recorded.hpp"

namespace {

using namespace import_tests;
namespace fs = std::filesystem;

[[nodiscard]] io::array load_array(const fs::path& path) {
  const auto file = io::load(path.string());
  INFO(path.string());
  REQUIRE(file);
  auto a = io::read_npy_array(file->view());
  REQUIRE(a);
  a->data = in_native_order(a->data, a->type.size);
  return *std::move(a);
}
/// bfloat16 has no .npy type, but that of its bits.
[[nodiscard]] nac::data_type type_in_npy(io::element_kind k) {
  using nac::data_type;
  if (k.kind == 'b') return data_type::boolean;
  if (k.kind == 'f')
    return k.size == 8 ? data_type::float64 : k.size == 4 ? data_type::float32 : data_type::float16;
  if (k.kind == 'u') return k.size == 2 ? data_type::bfloat16 : data_type::uint8;
  return k.size == 8   ? data_type::int64
         : k.size == 4 ? data_type::int32
         : k.size == 2 ? data_type::int16
                       : data_type::int8;
}
[[nodiscard]] vm::array_view view_of(const io::array& a, const std::vector<std::int64_t>& shape) {
  return {type_in_npy(a.type), shape, {a.data.data(), a.data.size()}};
}

void check_sample_run(vn::machine& machine, const fs::path& run) {
  INFO(run.string());
  const auto file_of = [&](const char* what, std::size_t i) {
    return fs::path(run.string() + what + std::to_string(i) + ".npy");
  };
  for (std::size_t i = 0; fs::exists(file_of(".in", i)); ++i) {
    const io::array in = load_array(file_of(".in", i));
    const std::vector<std::int64_t> shape(in.shape.begin(), in.shape.end());
    REQUIRE(machine.set_input(i, view_of(in, shape)));
  }
  const vn::outcome done = machine.run();
  INFO(error{done.code}.name() << " at v" << done.instruction << ' ' << done.text);
  REQUIRE(done);
  for (std::size_t i = 0; fs::exists(file_of(".out", i)); ++i) {
    INFO("output " << i);
    const io::array wanted = load_array(file_of(".out", i));
    const std::vector<std::int64_t> shape(wanted.shape.begin(), wanted.shape.end());
    REQUIRE(i < machine.outputs());
    const vm::array_view got = machine.output(i), other = view_of(wanted, shape);
    CHECK(std::vector<std::int64_t>(got.shape.begin(), got.shape.end()) == shape);
    REQUIRE(got.type == other.type);
    REQUIRE(got.bytes.size() == other.bytes.size());
    CHECK(distance(got, other.bytes) <= tolerance(got.type));
  }
}

}  // namespace

TEST_CASE("import/samples: what PyTorch computes", "[import]") {
  const fs::path folder = fs::path(TESSERA_SAMPLES_DIR) / "pt2";
  if (!fs::is_directory(folder)) {
    WARN("left out: no folder " << folder.string() << " (TESSERA_SAMPLES_DIR)");
    return;
  }
  std::size_t runs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".pt2") continue;
    INFO(entry.path().string());
    const imported made(entry.path().string());
    if (!made) {  // a loop of as many steps as an input says
      CHECK(entry.path().stem() == "s18_while");
      continue;
    }
    vn::machine machine(made.program());
    for (int k = 0;; ++k, ++runs) {
      const fs::path run = folder / entry.path().stem() / ("r" + std::to_string(k));
      if (!fs::exists(run.string() + ".in0.npy")) break;
      check_sample_run(machine, run);
    }
  }
  CHECK(runs > 40);
}
