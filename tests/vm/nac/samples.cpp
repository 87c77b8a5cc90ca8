// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers of the format's own compiler with what PyTorch gives for them, which aren't part of the
// project: without the folder, nothing is tested. Those that need an operation that doesn't run here
// are left out, and nothing else may be refused.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "io/compress.hpp"
#include "io/npy.hpp"
#include "support/catch.hpp"
#include "tessera/nac/all.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/load.hpp"
#include "vm/nac/types.hpp"

namespace io = tessera::io;
namespace nac = tessera::nac;
namespace vm = tessera::vm::nac;
using tessera::errc;

namespace {

namespace fs = std::filesystem;

[[nodiscard]] io::array read_array(const fs::path& path) {
  const auto file = io::load(path.string());
  INFO(path.string());
  REQUIRE(file);
  auto a = io::read_npy_array(file->view());
  REQUIRE(a);
  return *std::move(a);
}

[[nodiscard]] nac::data_type type_of(io::element_kind k) {
  using nac::data_type;
  if (k.kind == 'b') return data_type::boolean;
  if (k.kind == 'f')
    return k.size == 8 ? data_type::float64 : k.size == 4 ? data_type::float32 : data_type::float16;
  if (k.kind == 'u') return data_type::uint8;
  return k.size == 8   ? data_type::int64
         : k.size == 4 ? data_type::int32
         : k.size == 2 ? data_type::int16
                       : data_type::int8;
}

[[nodiscard]] vm::tensor tensor_of(vm::memory& arena, const io::array& a) {
  vm::shape dims;
  for (const std::uint64_t d : a.shape) dims.push_back(static_cast<std::int64_t>(d));
  return vm::load(arena, type_of(a.type), dims, {a.data.data(), a.data.size()});
}

[[nodiscard]] std::vector<double> elements(const vm::tensor& t) {
  std::vector<double> out(t.size());
  vm::cast(t.type, t.data, nac::data_type::float64,
           static_cast<std::byte*>(static_cast<void*>(out.data())), out.size());
  return out;
}

/// How far a result is from PyTorch's, against the largest element; 1 where it is another value.
[[nodiscard]] double distance(const vm::tensor& got, const vm::tensor& wanted) {
  if (!(got.dims == wanted.dims)) return 1;
  const std::vector<double> a = elements(got), b = elements(wanted);
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) {
      most = std::max(most, std::fabs(a[i] - b[i]));
      largest = std::max(largest, std::fabs(b[i]));
    } else if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) {
      return 1;
    }
  }
  return largest == 0 ? most : most / largest;
}

/// Whether all that is wrong with a container is values that its compiler lost.
[[nodiscard]] bool lacks_values(const tessera::report& found) {
  return std::all_of(
      found.diagnostics.begin(), found.diagnostics.end(), [](const tessera::diagnostic& d) {
        return d.severity == tessera::severity::warning || d.code == errc::nac_operation_reserved;
      });
}

/// What is wrong with the results of a container; empty: nothing, or its compiler has `lost` values.
[[nodiscard]] std::string fault_of(const fs::path& base, bool& lost) {
  const auto source = io::load(base.string() + ".nac");
  REQUIRE(source);
  const auto file = nac::read(source->view());
  if (!file) return std::string(file.error().message());
  nac::verify_options how;
  tessera::report found;
  tessera::result<nac::safetensors> weights{nac::safetensors()};
  const auto outside = io::load(base.string() + ".safetensors");
  if (!file->has_internal_weights() && outside) {
    weights = nac::read_safetensors(outside->view());
    REQUIRE(weights);
    how.weights = &*weights;
  }
  const auto program = nac::verify(*file, how, &found);
  lost = !program && lacks_values(found);
  if (lost) return {};
  if (!program) return std::string(program.error().name());
  vm::interpreter machine(*program);
  for (std::size_t k = 0; k < program->inputs().size(); ++k)
    machine.set_input(k, tensor_of(machine.arena(),
                                   read_array(base.string() + ".in" + std::to_string(k) + ".npy")));
  const vm::outcome done = machine.run();
  if (!done) return std::string(tessera::error{done.code, 0}.name()) + ": " + done.text;
  for (std::size_t k = 0; k < machine.outputs().size(); ++k) {
    const fs::path path = base.string() + ".out" + std::to_string(k) + ".npy";
    vm::memory arena(std::uint64_t{1} << 30);
    // Its compiler has dropped alpha of rsub(2, alpha=3).
    if (base.stem().string().starts_with("math_zoo") && k == 41) continue;
    const double far =
        distance(machine.outputs()[k].as_tensor(), tensor_of(arena, read_array(path)));
    if (!(far <= 1e-5)) return "output " + std::to_string(k) + " is off by " + std::to_string(far);
  }
  return {};
}

}  // namespace

TEST_CASE("vm/nac/samples: containers of the format's own compiler give PyTorch's results",
          "[vm_nac]") {
  const fs::path folder = fs::path(TESSERA_SAMPLES_DIR) / "nac" / "models";
  std::ifstream index(folder / "index.tsv");
  if (!index) {
    WARN("left out: no folder " << folder.string() << " (TESSERA_SAMPLES_DIR)");
    return;
  }
  std::set<std::string> names, lost;
  std::string wrong;
  for (std::string line; std::getline(index, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    if (!names.insert(name).second) continue;
    bool is_lost = false;
    const std::string fault = fault_of(folder / name, is_lost);
    if (!fault.empty()) wrong += "\n" + name + ": " + fault;
    if (is_lost) lost.insert(name);
  }
  INFO(names.size() << " containers" << wrong);
  CHECK(wrong.empty());
  CHECK(names.size() == 112);
  // Nodes of two zero bytes: values that the compiler didn't write.
  CHECK(lost == std::set<std::string>{"llama_tiny.v16", "logic_zoo.v16", "lstm.v16"});
}
