// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pipelines of machines. Values between blocks are doubles, as their inputs and outputs are.

#include <algorithm>
#include <utility>

#include "tessera/core/load_store.hpp"
#include "tessera/vm/alir_pipeline.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

pipeline_machine::pipeline_machine(const tessera::alir::staged& p, const machine_options& how)
    : input_register_(p.input_register()),
      output_register_(p.output_register()),
      latency_(p.latency()),
      max_memory_(how.max_memory),
      before_(p.size()),
      after_(p.size()) {
  std::size_t widest = 1;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const machine& m = blocks_.emplace_back(p.block(i), how);
    size_ += m.size();
    if (i != 0) widest = std::max(widest, m.inputs());
    before_[i].values.resize(m.inputs());
    after_[i].values.resize(m.outputs());
  }
  output_.values.resize(outputs());
  chunk_ = std::clamp<std::size_t>((std::size_t{1} << 18) / widest, 1, 4096);
  if (p.size() > 1) rows_[0].resize(widest * static_cast<std::size_t>(chunk_));
  if (p.size() > 2) rows_[1].resize(rows_[0].size());
}

std::uint64_t pipeline_machine::memory() const noexcept {
  std::uint64_t bytes =
      (rows_[0].size() + rows_[1].size() + output_.values.size()) * sizeof(double);
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    bytes +=
        blocks_[i].memory() + (before_[i].values.size() + after_[i].values.size()) * sizeof(double);
  return bytes;
}

pipeline_outcome pipeline_machine::run(std::span<const double> in, std::span<double> out,
                                       std::uint64_t samples, const budget& limit) {
  pipeline_outcome done;
  std::uint64_t all = 0;
  if (memory() > memory_of_run(limit, max_memory_))
    done.code = errc::budget_memory;
  else if (!checked_mul(samples, std::uint64_t{size_}, all) || all > limit.max_steps)
    done.code = errc::budget_steps;
  for (std::uint64_t first = 0; first < samples && done; first += chunk_) {
    std::uint64_t left = std::min(chunk_, samples - first);
    std::span<const double> from = in.subspan(static_cast<std::size_t>(first * inputs()));
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const bool is_last = i + 1 == blocks_.size();
      const std::span<double> to =
          is_last ? out.subspan(static_cast<std::size_t>(first * outputs())) : rows_[i % 2];
      // What is left are the samples before the first trap: a later block may trap at an earlier one.
      if (const outcome o = blocks_[i].run(from, to, left, {.max_steps = UINT64_MAX}); !o) {
        static_cast<outcome&>(done) = o;
        done.block = i;
        done.sample = first + o.sample;
        left = o.sample;
      }
      from = to;
    }
    all = size_ * (first + left);
  }
  done.steps = done.code == errc::ok || done.code == errc::alir_lookup_range ? all : 0;
  return done;
}

void pipeline_machine::compute(std::size_t block, const wire& in, wire& out, cycle& done) {
  out.is_full = in.is_full;
  if (!in.is_full) return;
  const outcome o = blocks_[block].run(in.values, out.values, 1, {.max_steps = UINT64_MAX});
  done.steps += o.steps;
  if (o) return;
  out.is_full = false;
  if (!done) return;
  const std::uint64_t steps = done.steps;
  static_cast<outcome&>(done) = o;
  done.steps = steps;
  done.block = block;
}

cycle pipeline_machine::step(std::span<const double> in, std::span<double> out) {
  cycle done;
  sample_.is_full = in.size() == inputs();
  sample_.values.assign(in.begin(), in.end());
  const std::size_t last = blocks_.size() - 1;
  // What is before the edge: of registered blocks their outputs are there already.
  if (!input_register_) {
    compute(0, sample_, after_[0], done);
  }
  // The edge: from the last register to the first.
  if (output_register_) std::swap(output_, after_[last]);
  for (std::size_t i = last; i > 0; --i) std::swap(before_[i], after_[i - 1]);
  if (input_register_) std::swap(before_[0], sample_);
  // After it, the registers' blocks compute.
  for (std::size_t i = input_register_ ? 0 : 1; i <= last; ++i)
    compute(i, before_[i], after_[i], done);
  const wire& seen = output_register_ ? output_ : after_[last];
  done.has_output = seen.is_full;
  if (seen.is_full) std::copy(seen.values.begin(), seen.values.end(), out.begin());
  return done;
}

void pipeline_machine::reset() noexcept {
  for (std::size_t i = 0; i < blocks_.size(); ++i) before_[i].is_full = after_[i].is_full = false;
  output_.is_full = false;
}

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI
