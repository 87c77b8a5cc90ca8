// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loading. gz: a .json.gz from its file to a model, against zlib and simdjson. ready: text to a
// machine that can run (parse, verify, compile), against nlohmann's DOM filling the model, without
// verifying or compiling.

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>

#include "generate.hpp"
#include "io/compress.hpp"
#include "json_peers.hpp"
#include "ratios.hpp"
#include "tessera/vm/alir.hpp"

namespace {

using namespace tessera;

/// A file that goes when the last case does.
class scratch_file {
 public:
  explicit scratch_file(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("tessera_bench_" + name)) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void write_gzip(const std::string& path, std::string_view text) {
  const gzFile file = gzopen(path.c_str(), "wb6");
  bench::require(file != nullptr, path + ": can't be opened");
  const int written = gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  bench::require(gzclose(file) == Z_OK && written == static_cast<int>(text.size()),
                 path + ": can't be written");
}

/// The whole file by zlib, followed by simdjson's padding. The size comes from gzip's trailer, so
/// that the text is decompressed in one call into its place.
[[nodiscard]] simdjson::padded_string inflate_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string packed(std::filesystem::file_size(path), '\0');
  in.read(packed.data(), static_cast<std::streamsize>(packed.size()));
  simdjson::padded_string text(load_le<std::uint32_t>(packed.data() + packed.size() - 4));
  z_stream z{};
  bench::require(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK, "zlib");
  z.next_in = static_cast<Bytef*>(static_cast<void*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = static_cast<Bytef*>(static_cast<void*>(text.data()));
  z.avail_out = static_cast<uInt>(text.size());
  bench::require(inflate(&z, Z_FINISH) == Z_STREAM_END, path + ": can't be inflated");
  inflateEnd(&z);
  return text;
}

[[nodiscard]] alir::model read_file(const std::string& path) {
  auto file = io::load(path);
  bench::require(static_cast<bool>(file), path + ": can't be loaded");
  result<alir::model> m = alir::read_json(as_text(file->view()));
  bench::require(static_cast<bool>(m), path + ": can't be read");
  return *std::move(m);
}

/// Registers one contender for `bytes` of JSON.
template <class Run>
void add(const std::string& name, std::size_t bytes, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) run();
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  });
}

void add_gzip(const std::string& name, std::string_view text, bool measure) {
  const auto file = std::make_shared<scratch_file>(name + ".json.gz");
  write_gzip(file->path(), text);
  const auto parser = std::make_shared<simdjson::ondemand::parser>();
  const auto theirs = [file, parser] {
    return bench::read_on_demand(*parser, inflate_file(file->path()));
  };
  bench::require(theirs() == read_file(file->path()), name + ": models differ");
  if (!measure) return;
  add("gz/" + name + "/tessera", text.size(), [file] {
    const alir::model m = read_file(file->path());
    benchmark::DoNotOptimize(m.ops.data());
  });
  add("gz/" + name + "/zlib_simdjson", text.size(), [theirs] {
    const alir::model m = theirs();
    benchmark::DoNotOptimize(m.ops.data());
  });
}

#if defined(TESSERA_BENCH_NLOHMANN)
void add_ready(const std::string& name, std::shared_ptr<const std::string> text, bool measure) {
  const auto ours = [text] {
    result<alir::model> m = alir::read_json(*text);
    const result<alir::program> p = alir::verify(*std::move(m));
    return vm::alir::machine(*p);
  };
  const auto theirs = [text] { return bench::read_nlohmann(*text); };
  bench::require(theirs() == *alir::read_json(*text) && ours().size() == theirs().ops.size(),
                 name + ": models differ");
  if (!measure) return;
  add("ready/" + name + "/tessera", text->size(), [ours] {
    const vm::alir::machine m = ours();
    benchmark::DoNotOptimize(m.size());
  });
  add("ready/" + name + "/nlohmann", text->size(), [theirs] {
    const alir::model m = theirs();
    benchmark::DoNotOptimize(m.ops.data());
  });
}
#endif

void add_text(const std::string& name, std::string_view text, bool measure) {
  const auto source = std::make_shared<const std::string>(text);
  if (io::is_supported(io::codec::gzip)) add_gzip(name, *source, measure);
#if defined(TESSERA_BENCH_NLOHMANN)
  add_ready(name, source, measure);
#endif
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const mix m : {mix::dense, mix::mixed})
    for (const std::size_t operations : {1000u, 10000u, 150000u})
      for (const decimals d : {decimals::shortened, decimals::full}) {
        if (quick && operations > 1000) continue;
        const recipe r{.mix = m, .operations = operations, .decimals = d};
        const result<tessera::text> written = alir::write_json(generate(r));
        require(static_cast<bool>(written), name(r) + ": can't be written");
        add_text(name(r), written->view(), !quick);
      }
}

int main(int count, char** arguments) {
  return bench::main(count, arguments, [](const std::string& path) {
    add_text(bench::name_of(path), bench::content_of(path), true);
  });
}
