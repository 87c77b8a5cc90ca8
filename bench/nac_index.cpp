// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tensors of a NAC container of one gigabyte, found by small reads, against a walk over the
// mapped file. The file is sparse: its weights take no place on the disk.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tessera/nac/all.hpp>

#include "nac_generate.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera;

/// A file of `count` float32 tensors of the same size, in a directory for temporary files; it is
/// gone when the program ends.
class sparse_model {
 public:
  sparse_model(std::uint32_t count, std::uint64_t size) {
    std::FILE* const file = std::tmpfile();
    bench::require(file != nullptr, "no temporary file");
    descriptor_ = fileno(file);
    const std::uint64_t elements = size / count & ~std::uint64_t{4095};
    bench::nac_bytes out;
    out.header(true);
    out.section(0, "MMAP");
    out.put<std::uint32_t>(0);
    out.section(5, "DATA");
    out.put(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string name =
          "model.layers." + std::to_string(i / 9) + ".block." + std::to_string(i % 9) + ".weight";
      out.put(static_cast<std::uint16_t>(i + 1));
      out.put(static_cast<std::uint16_t>(name.size()));
      out.put(std::string_view(name));
    }
    out.put<std::uint32_t>(0);
    out.put(count);
    write(out.bytes);
    for (std::uint32_t i = 0; i < count; ++i) {
      out.bytes.clear();
      out.put(static_cast<std::uint16_t>(i + 1));
      out.put<std::uint32_t>(11);
      out.put(elements);
      out.put<std::uint8_t>(0);
      out.put<std::uint8_t>(2);
      out.put<std::uint32_t>(1024);
      out.put(static_cast<std::uint32_t>(elements / 4096));
      out.put<std::uint8_t>(0);
      write(out.bytes);
      size_ += elements;
    }
    bench::require(ftruncate(descriptor_, static_cast<off_t>(size_)) == 0, "ftruncate failed");
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// By reads, counted.
  [[nodiscard]] nac::tensor_index index() {
    calls_ = 0;
    const auto read = [](void* context, std::uint64_t offset, std::byte* to, std::size_t count) {
      auto& self = *static_cast<sparse_model*>(context);
      ++self.calls_;
      return pread(self.descriptor_, to, count, static_cast<off_t>(offset)) ==
             static_cast<ssize_t>(count);
    };
    auto index = nac::index_tensors({this, read, size_});
    bench::require(static_cast<bool>(index), "index_tensors refuses the file");
    return *std::move(index);
  }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  void write(const std::vector<std::byte>& data) {
    bench::require(pwrite(descriptor_, data.data(), data.size(), static_cast<off_t>(size_)) ==
                       static_cast<ssize_t>(data.size()),
                   "write failed");
    size_ += data.size();
  }

  int descriptor_ = -1;
  std::uint64_t size_ = 0, calls_ = 0;
};

/// What a walk over the mapped file finds: the sum of all offsets and shapes.
[[nodiscard]] std::uint64_t walk(const sparse_model& model) {
  void* const at = mmap(nullptr, model.size(), PROT_READ, MAP_PRIVATE, model.descriptor(), 0);
  bench::require(at != MAP_FAILED, "mmap failed");
  std::uint64_t sum = 0;
  {
    const auto file = nac::read(bytes(static_cast<const std::byte*>(at), model.size()));
    bench::require(static_cast<bool>(file), "nac::read refuses the file");
    for (const nac::tensor& t : file->tensors()) sum += t.id + t.data_offset + t.shape[1];
  }
  munmap(at, model.size());
  return sum;
}
[[nodiscard]] std::uint64_t sum(const nac::tensor_index& index) {
  std::uint64_t sum = 0;
  for (const nac::indexed_tensor& t : index.tensors())
    sum += t.id + t.data_offset + index.shape(t)[1];
  return sum;
}
[[nodiscard]] std::int64_t page_faults() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt + used.ru_majflt;
}

void add_case(std::uint32_t count, std::uint64_t size) {
  const auto model = std::make_shared<sparse_model>(count, size);
  const std::string name = "nac_tensors_" + std::to_string(count);
  bench::require(sum(model->index()) == walk(*model), name + ": results differ");
  bench::require(model->calls() <= count + 16, name + ": more than a read for each tensor");
  const auto add = [&](const char* contender, auto work) {
    benchmark::RegisterBenchmark((name + '/' + contender).c_str(), [model,
                                                                    work](benchmark::State& s) {
      const std::int64_t before = page_faults();
      for (auto _ : s) benchmark::DoNotOptimize(work(*model));
      s.counters["faults"] =
          static_cast<double>(page_faults() - before) / static_cast<double>(s.iterations());
      s.counters["reads"] = static_cast<double>(model->calls());
    })->UseRealTime();
  };
  add("tessera", [](sparse_model& of) { return sum(of.index()); });
  add("mapped", [](sparse_model& of) { return walk(of); });
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) return add_case(50, 50 << 20);
  add_case(300, std::uint64_t{1} << 30);
  add_case(2000, std::uint64_t{1} << 30);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
