// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Instructions of NAC into records, and with their arguments resolved: against `memcpy` of the same
// bytes, and against the same decoding without any check.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>

#include "nac_generate.hpp"
#include "ratios.hpp"

namespace {

using namespace tessera;

/// nac::decode without checks: for valid streams that are followed by more bytes.
[[nodiscard]] pool<nac::step> decode_unchecked(const nac::model& f, const nac::instructions& list) {
  pool<nac::step> steps;
  nac::step* to = steps.prepare(list.size());
  const nac::length_table table(f);
  const std::byte* const start = list.cursor().data();
  nac::position now = 0;
  for (std::uint32_t left = list.size(); left != 0; --left) {
    const std::byte* const at = start + nac::offset_of(now);
    const auto& row = table[at];
    nac::write_step(to++, now, load_le<std::uint16_t>(at), row);
    now = nac::next_position(row, at, now);
  }
  steps.advance(list.size());
  return steps;
}

struct program {
  std::vector<std::byte> source;
  nac::model file;

  explicit program(std::uint32_t count) : source(bench::nac_program(count)) {
    auto read = nac::read(bytes(source));
    bench::require(static_cast<bool>(read), "nac_program: nac::read refuses it");
    file = *read;
  }
  /// What `memcpy` copies.
  [[nodiscard]] bytes stream() const {
    const std::uint64_t first = file.instructions().offset();
    return bytes(source).subspan(
        first, file.section(nac::section::ops).size() - file.slack(nac::section::ops) - 8);
  }
};

bool same(const pool<nac::step>& a, const pool<nac::step>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(nac::step)) == 0;
}

void add_case(std::uint32_t count) {
  const auto p = std::make_shared<program>(count);
  const std::string name = "nac_" + std::to_string(count);
  {
    const auto list = p->file.instructions();
    const auto steps = nac::decode(p->file, list);
    const auto code = nac::resolve(p->file, list);
    const auto plain = nac::resolve(p->file, list, {.path = nac::resolve_path::plain});
    const auto portable = nac::resolve(p->file, list, {.path = nac::resolve_path::portable});
    bench::require(steps && code && plain && portable, name + ": refused");
    bench::require(same(*steps, decode_unchecked(p->file, list)) && same(*steps, code->steps) &&
                       same(*steps, plain->steps) && code->arguments == plain->arguments &&
                       portable->arguments == plain->arguments,
                   name + ": results differ");
  }
  const auto add = [&](const char* contender, auto work) {
    benchmark::RegisterBenchmark((name + '/' + contender).c_str(), [p, work](benchmark::State& s) {
      for (auto _ : s) work(*p);
      s.SetBytesProcessed(s.iterations() * static_cast<std::int64_t>(p->stream().size()));
    });
  };
  const auto copy = [](const program& of) {
    static std::vector<std::byte> to;
    if (to.size() < of.stream().size()) to.resize(of.stream().size());
    std::memcpy(to.data(), of.stream().data(), of.stream().size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  };
  add("decode/tessera", [](const program& of) {
    benchmark::DoNotOptimize(nac::decode(of.file, of.file.instructions()));
  });
  add("decode/unchecked", [](const program& of) {
    benchmark::DoNotOptimize(decode_unchecked(of.file, of.file.instructions()));
  });
  add("decode/memcpy", copy);
  add("resolve/tessera", [](const program& of) {
    benchmark::DoNotOptimize(nac::resolve(of.file, of.file.instructions()));
  });
  add("resolve/plain", [](const program& of) {
    benchmark::DoNotOptimize(
        nac::resolve(of.file, of.file.instructions(), {.path = nac::resolve_path::plain}));
  });
  add("resolve/portable", [](const program& of) {
    benchmark::DoNotOptimize(
        nac::resolve(of.file, of.file.instructions(), {.path = nac::resolve_path::portable}));
  });
  add("resolve/memcpy", copy);
  add("read/tessera",
      [](const program& of) { benchmark::DoNotOptimize(nac::read(bytes(of.source))); });
  add("read/memcpy", copy);
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) return add_case(3000);
  add_case(10'000);
  add_case(1'000'000);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
