// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Running a compiled program: the loop for each instruction set, blocks of the right size, and threads.

#include "tessera/vm/alir.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "compile.hpp"
#include "vm/meter.hpp"
#include "vm/workers.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

namespace {

/// The state of a block of samples, and where its first trap was.
struct block {
  void* rows;
  const double* in;
  double* out;
  std::size_t samples;
  std::uint64_t first;
  const observer_ref<event>& see;
  std::size_t trap_lane = SIZE_MAX;
  std::uint32_t trap_operation = 0;

  /// Instructions are in another order than operations, so the first trap may be seen last. What
  /// it makes of later values doesn't matter: whatever traps because of it is a later operation of
  /// the same sample.
  void trapped(std::size_t lane, std::uint32_t operation) noexcept {
    if (lane > trap_lane || (lane == trap_lane && operation > trap_operation)) return;
    trap_lane = lane;
    trap_operation = operation;
  }
  [[nodiscard]] std::size_t whole() const noexcept { return std::min(samples, trap_lane); }
  void begin(std::size_t operation) const { see.begin({operation, first, {}}); }
  void end(std::size_t operation, const void* row) const {
    see.end({operation, first, std::span(static_cast<const std::int64_t*>(row), samples)});
  }
};

using block_function = void (*)(const compiled_program&, block&);

/// The loop for lanes of 16, 32 and 64 bits: for few samples, for half a row, for a whole row, for
/// one sample.
struct engine {
  block_function few[3], many[3], most[3], one;
};
constexpr std::size_t few_lanes = 16;
constexpr std::size_t observed_lanes = compiled_program::row_bytes / 8 / 2;

#define TESSERA_TARGET
#define TESSERA_VECTOR_BYTES 16
namespace baseline {
#include "loop.hpp"
constexpr block_function observed = run_block<std::uint64_t, observed_lanes, true>;
}  // namespace baseline
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_TARGET [[gnu::target("avx2,bmi,bmi2")]]
#define TESSERA_VECTOR_BYTES 32
namespace avx2 {
#include "loop.hpp"
}  // namespace avx2
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

#define TESSERA_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")]]
#define TESSERA_VECTOR_BYTES 64
namespace avx512 {
#include "loop.hpp"
}  // namespace avx512
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

const engine& engine_of(level l) noexcept {
  return l == level::avx512 ? avx512::functions
         : l == level::avx2 ? avx2::functions
                            : baseline::functions;
}
level find_level() noexcept {
  const bool bmi = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (!bmi || __builtin_cpu_supports("avx2") == 0) return level::baseline;
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                 __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0
             ? level::avx512
             : level::avx2;
}
#else
const engine& engine_of(level) noexcept { return baseline::functions; }
level find_level() noexcept { return level::baseline; }
#endif

}  // namespace

level best_level() noexcept {
  static const level best = find_level();
  return best;
}

class machine::state {
 public:
  state(const tessera::alir::program& p, const machine_options& how, bool one_to_one);

  [[nodiscard]] const compiled_program& code() const noexcept { return *program_; }
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_; }
  [[nodiscard]] outcome check(std::uint64_t samples, const budget& limit) const noexcept;
  outcome run(std::span<const double> in, std::span<double> out, std::uint64_t samples);
  /// Samples first to last on the rows of one thread.
  outcome run_range(unsigned thread, const double* in, double* out, std::uint64_t first,
                    std::uint64_t last, const observer_ref<event>& see = {});

 private:
  struct alignas(64) line {
    std::uint64_t words[8];
  };

  outcome run_threads(unsigned threads, std::span<const double> in, std::span<double> out,
                      std::uint64_t samples);
  [[nodiscard]] std::size_t inputs() const noexcept { return program_->n_inputs; }
  [[nodiscard]] std::size_t outputs() const noexcept { return program_->outputs.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return program_->operations; }

  std::shared_ptr<const compiled_program> program_;
  machine_options how_;
  std::uint64_t memory_ = 0;
  std::vector<line> rows_;  // of all threads
  workers crew_;            // the threads besides the caller's
};

machine::state::state(const tessera::alir::program& p, const machine_options& how, bool one_to_one)
    : program_(std::make_shared<const compiled_program>(
          compile(p, {.one_to_one = one_to_one, .min_lane_bits = how.min_lane_bits}))),
      how_(how),
      crew_(std::max(how.threads, 1u) - 1) {
  how_.threads = std::max(how.threads, 1u);
  how_.instructions = std::min(how.instructions, best_level());
  const std::uint64_t rows = program_->memory_of_rows();
  if (!checked_mul(rows, std::uint64_t{how_.threads}, memory_) ||
      !checked_add(memory_, program_->memory(), memory_))
    memory_ = UINT64_MAX;
  if (memory_ <= how_.max_memory && memory_ < SIZE_MAX)
    rows_.resize(static_cast<std::size_t>(rows * how_.threads / sizeof(line)));
}

outcome machine::state::check(std::uint64_t samples, const budget& limit) const noexcept {
  outcome done;
  std::uint64_t steps = 0;
  if (!checked_mul(std::uint64_t{size()}, samples, steps) || !meter(limit.max_steps).charge(steps))
    done.code = errc::budget_steps;
  else if (memory_ > memory_of_run(limit, how_.max_memory) ||
           rows_.size() * sizeof(line) < program_->memory_of_rows() * how_.threads)
    done.code = errc::budget_memory;
  return done;
}

outcome machine::state::run(std::span<const double> in, std::span<double> out,
                            std::uint64_t samples) {
  // Waking a thread that sleeps takes some 50 µs.
  constexpr std::uint64_t worth = 1 << 20;
  const std::uint64_t threads =
      std::min({std::uint64_t{how_.threads}, samples / 64, samples * (size() + 1) / worth});
  if (threads > 1) return run_threads(static_cast<unsigned>(threads), in, out, samples);
  return run_range(0, in.data(), out.data(), 0, samples);
}

outcome machine::state::run_range(unsigned thread, const double* in, double* out,
                                  std::uint64_t first, std::uint64_t last,
                                  const observer_ref<event>& see) {
  const engine& e = engine_of(how_.instructions);
  const auto width = static_cast<std::size_t>(program_->lane_bits / 32);  // 0, 1, 2
  const std::size_t most =
      compiled_program::row_bytes * 8 / static_cast<std::size_t>(program_->lane_bits);
  const std::size_t many = static_cast<bool>(see) ? observed_lanes : most / 2;
  line* const rows = rows_.data() + thread * (rows_.size() / how_.threads);
  outcome done;
  while (first < last) {
    const std::uint64_t left = last - first;
    // Half a row costs as much as two blocks of few lanes, and one of those as two single samples.
    const std::size_t lanes = static_cast<bool>(see)                 ? many
                              : left >= most                         ? most
                              : left >= many || left > 2 * few_lanes ? many
                              : left > 1                             ? few_lanes
                                                                     : 1;
    block b{.rows = rows,
            .in = in + first * inputs(),
            .out = out + first * outputs(),
            .samples = left < lanes ? static_cast<std::size_t>(left) : lanes,
            .first = first,
            .see = see};
    const block_function function = static_cast<bool>(see) ? baseline::observed
                                    : lanes == most        ? e.most[width]
                                    : lanes == many        ? e.many[width]
                                    : lanes == few_lanes   ? e.few[width]
                                                           : e.one;
    function(*program_, b);
    done.steps += size() * b.whole();
    if (b.trap_lane < b.samples) {
      done.code = errc::alir_lookup_range;
      done.operation = b.trap_operation;
      done.sample = first + b.trap_lane;
      break;
    }
    first += b.samples;
  }
  return done;
}

/// Threads take stretches of samples in turn until none is left, so that a late one costs little.
/// After a trap no stretch is begun; those that have begun end, so that all samples before the
/// first trap are done. If lookups may trap, the outputs are copied before, and those after the
/// first trap restored: cheap against running, and no thread waits for another.
outcome machine::state::run_threads(unsigned threads, std::span<const double> in,
                                    std::span<double> out, std::uint64_t samples) {
  const auto all = static_cast<std::size_t>(samples * outputs());
  std::vector<double> before;
  if (program_->can_trap) before.assign(out.data(), out.data() + all);

  // Whole rows, of any width of lanes.
  const std::uint64_t stretch = (samples / (threads * 8) + 255) / 256 * 256;
  std::atomic<std::uint64_t> next{0};
  std::vector<outcome> ends(threads);
  auto work = [&](unsigned t) {
    if (t >= threads) return;
    for (std::uint64_t first; ends[t] && (first = next.fetch_add(stretch)) < samples;) {
      const std::uint64_t last = std::min(samples, first + stretch);
      if (const outcome done = run_range(t, in.data(), out.data(), first, last); !done) {
        ends[t] = done;
        next = samples;
      }
    }
  };
  crew_.run(work);

  outcome first;
  for (const outcome& end : ends)
    if (!end && (first || end.sample < first.sample)) first = end;
  first.steps = size() * (first ? samples : first.sample);
  if (!first) {
    const auto from = static_cast<std::size_t>(first.sample * outputs());
    std::copy(before.data() + from, before.data() + all, out.data() + from);
  }
  return first;
}

machine::machine(const tessera::alir::program& p, const machine_options& how)
    : machine(p, how, false) {}
machine::machine(const tessera::alir::program& p, const machine_options& how, bool one_to_one)
    : state_(std::make_unique<state>(p, how, one_to_one)) {}
machine::machine(const machine& other) : state_(std::make_unique<state>(*other.state_)) {}
machine::machine(machine&& other) noexcept = default;
machine& machine::operator=(const machine& other) {
  if (this != &other) state_ = std::make_unique<state>(*other.state_);
  return *this;
}
machine& machine::operator=(machine&& other) noexcept = default;
machine::~machine() = default;

std::size_t machine::inputs() const noexcept { return state_->code().n_inputs; }
std::size_t machine::outputs() const noexcept { return state_->code().outputs.size(); }
std::size_t machine::size() const noexcept { return state_->code().operations; }
int machine::lane_bits() const noexcept { return state_->code().lane_bits; }
std::uint64_t machine::memory() const noexcept { return state_->memory(); }

outcome machine::run(std::span<const double> in, std::span<double> out, std::uint64_t samples,
                     const budget& limit) {
  const outcome refused = state_->check(samples, limit);
  return refused ? state_->run(in, out, samples) : refused;
}

outcome machine::run_observed(std::span<const double> in, std::span<double> out,
                              std::uint64_t samples, const budget& limit,
                              const observer_ref<event>& see) {
  const outcome refused = state_->check(samples, limit);
  return refused ? state_->run_range(0, in.data(), out.data(), 0, samples, see) : refused;
}

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI
