// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine on real files: inputs and expected outputs of the sample folder, by their manifests.

#include "ark/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <vector>

#include "script.hpp"
#include "support/catch.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/json_read.hpp"

namespace {

using tessera::ark::dialect;
using tessera::json::reader;
using tessera::vm::ark::machine;
using tessera::vm::ark::machine_options;

/// One input or output of a manifest.
struct entry {
  std::size_t rank = 0;
  std::int64_t tensor = 0, buffer = 0;
  std::string name, type, file;
  std::vector<std::int64_t> shape, strides, offsets;
  bool exact = true;
  double relative = 0, absolute = 0;
};
struct manifest {
  std::vector<std::string> models;
  std::vector<entry> inputs, outputs;
};

std::vector<entry> entries(reader& in) {
  std::vector<entry> out;
  std::string_view key;
  for (in.array(); in.element();) {
    entry e;
    for (in.object(); in.key(key);) {
      if (key == "Rank")
        e.rank = static_cast<std::size_t>(in.int64());
      else if (key == "TensorId")
        e.tensor = in.int64();
      else if (key == "BufferId")
        e.buffer = in.int64();
      else if (key == "Name")
        e.name = in.string();
      else if (key == "DataType")
        e.type = in.string();
      else if (key == "File")
        e.file = in.string();
      else if (key == "Exact")
        e.exact = in.boolean();
      else if (key == "Rtol")
        e.relative = in.number().value;
      else if (key == "Atol")
        e.absolute = in.number().value;
      else if (key == "Shape")
        for (in.array(); in.element();) e.shape.push_back(in.int64());
      else if (key == "Strides")
        for (in.array(); in.element();) e.strides.push_back(in.int64());
      else if (key == "Offsets")
        for (in.array(); in.element();) e.offsets.push_back(in.int64());
      else
        in.skip();
    }
    out.push_back(e);
  }
  return out;
}

manifest read_manifest(const std::filesystem::path& folder) {
  const std::string text = samples::load(folder / "manifest.json");
  reader in(text);
  manifest m;
  std::string_view key;
  for (in.object(); in.key(key);) {
    if (key == "Models")
      for (in.array(); in.element();) m.models.emplace_back(in.string());
    else if (key == "Inputs")
      m.inputs = entries(in);
    else if (key == "Outputs")
      m.outputs = entries(in);
    else
      in.skip();
  }
  if (in.finish().code != tessera::errc::ok) FAIL(folder.string());
  return m;
}

/// Element i as a number.
double number(const std::string& type, const std::string& bytes, std::size_t i) {
  const auto at = [&bytes, i]<class T>(T) {
    return tessera::load_le<T>(bytes.data() + i * sizeof(T));
  };
  if (type == "FP32") return static_cast<double>(at(float{}));
  if (type == "FP16") return static_cast<double>(tessera::float_from_half(at(std::uint16_t{})));
  if (type == "BF16") return static_cast<double>(tessera::float_from_bfloat16(at(std::uint16_t{})));
  if (type == "INT32") return static_cast<double>(at(std::int32_t{}));
  return static_cast<double>(at(std::uint8_t{}));
}

/// Writes an input through its view, into memory, which has the host's order.
void write(const entry& e, const std::string& bytes, std::span<std::byte> to) {
  std::int64_t count = 1;
  for (const std::int64_t d : e.shape) count *= d;
  const std::size_t size = bytes.size() / static_cast<std::size_t>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = 0, place = 1, rest = i;
    for (std::size_t d = e.shape.size(); d-- > 0;) {
      at += (rest % e.shape[d] + e.offsets[d]) * place;
      rest /= e.shape[d];
      place *= e.strides[d];
    }
    REQUIRE(static_cast<std::size_t>(at + 1) * size <= to.size());
    std::byte* const element = to.data() + static_cast<std::size_t>(at) * size;
    std::memcpy(element, bytes.data() + static_cast<std::size_t>(i) * size, size);
    if constexpr (std::endian::native == std::endian::big) std::reverse(element, element + size);
  }
}

void check_case(const std::filesystem::path& folder, bool fast, const dialect* as = nullptr) {
  const manifest m = read_manifest(folder);
  std::vector<std::string> texts;
  for (const std::string& name : m.models) texts.push_back(samples::load(folder / name));
  for (std::string& text : texts) {
    if (as == nullptr) break;
    const auto other = tessera::ark::write(samples::model(text), {.to = *as});
    REQUIRE(other);
    text = other->view();
  }
  const run::world w(texts);
  machine vm(w.get(), {.fast = fast});
  REQUIRE(vm.made());
  for (const entry& e : m.inputs) {
    const std::string bytes = samples::load(folder / e.file);
    // Views are left out of files, so that an input's own tensor may be in no operation.
    const auto& g = w.get().rank(e.rank).model();
    for (std::uint32_t b = 0; b < g.buffers.size(); ++b)
      if (g.buffers[b].id == e.buffer) {
        write(e, bytes, vm.memory(e.rank, b));
        break;
      }
  }
  const auto done = vm.run();
  CHECK(done.code == tessera::errc::ok);
  CHECK(done.text.empty());
  CHECK(done.steps == vm.steps());
  for (const entry& e : m.outputs) {
    INFO(e.name << " of rank " << e.rank);
    // Bytes under which something else was written are in the host's order.
    if (std::endian::native == std::endian::big && e.type == "BYTE") continue;
    const std::string expected = samples::load(folder / e.file);
    std::string got(expected.size(), '\0');
    REQUIRE(vm.read(e.rank, w.tensor(e.rank, e.tensor), std::as_writable_bytes(std::span(got))));
    if (e.exact && !fast) {
      CHECK(got == expected);
      continue;
    }
    std::size_t count = 1, wrong = 0;
    for (const std::int64_t d : e.shape) count *= static_cast<std::size_t>(d);
    for (std::size_t i = 0; i < count; ++i) {
      const double g = number(e.type, got, i), x = number(e.type, expected, i);
      const bool close = g == x || (std::isnan(g) && std::isnan(x)) ||
                         std::fabs(g - x) <= e.absolute + e.relative * std::fabs(x);
      wrong += close ? 0u : 1u;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("vm/ark: the samples with expected outputs, as they are and in other dialects",
          "[vm_ark]") {
  std::error_code absent;
  std::size_t count = 0;
  for (const auto& folder :
       std::filesystem::directory_iterator(samples::shared() / "ref", absent)) {
    if (!folder.is_directory()) continue;
    for (const bool fast : {false, true}) {
      INFO(folder.path().filename().string() << (fast ? " fast" : ""));
      check_case(folder.path(), fast);
    }
    for (const dialect as : {dialect::d1b, dialect::d2, dialect::d3}) {
      INFO(folder.path().filename().string() << " as " << tessera::ark::info(as).name);
      check_case(folder.path(), false, &as);
    }
    ++count;
  }
  if (count == 0) WARN("no samples in " << samples::shared().string());
}
