// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a machine prepares: the operations of one rank as steps, with all sizes, distances and
// functions resolved.
//
//   compiled_program p;
//   outcome made = compile(world, rank, p);
//   p.place_at(storages, scratch);          // where memory is; then steps can be executed
//
//   operation              steps
//   element-wise           map
//   ReduceSum …            reduce
//   Matmul …               multiply
//   Embedding              look_up
//   KvCacheSlot            cache
//   Send, SendPacket       send
//   Recv                   wait
//   RecvPacket             wait, unpack
//   RecvReduceSend…        wait, sum, send for each peer
//   DeviceSync             sync
//   views, Noop, SendDone  none
//
// An operation whose inputs overlap its output in another order writes to scratch memory; a map after
// it copies that to the output.
//
// Lifetime:   a compiled program borrows the lists of channels of the world.
// Errors:     an operation that no machine runs: the outcome names it.
// Limits:     none.
// Allocation: linear in the graph.

#ifndef TESSERA_VM_ARK_COMPILE_HPP
#define TESSERA_VM_ARK_COMPILE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rows.hpp"
#include "tessera/vm/ark.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

/// Sums of sizes, which stay at the largest number once they reach it.
[[nodiscard]] inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? ~std::uint64_t{0} : out;
}

// ---- tensors

/// Where something starts: a storage of the rank, or its scratch memory.
struct place {
  static constexpr std::uint32_t scratch = model::none;
  std::uint32_t storage = scratch;
  std::uint64_t offset = 0;   ///< bytes
  std::byte* data = nullptr;  ///< set by compiled_program::place_at
};
/// A tensor in four dimensions, the first of them 1 where it has fewer.
struct patch {
  place start;
  std::uint64_t shape[4] = {1, 1, 1, 1};
  std::ptrdiff_t step[4] = {};  ///< bytes from an element to the next
  std::uint8_t element = 1;     ///< bytes of one
  [[nodiscard]] std::uint64_t count() const noexcept {
    return shape[0] * shape[1] * shape[2] * shape[3];
  }
};
/// The patch of a tensor; its place is in the buffer entry that program::storage names.
[[nodiscard]] patch patch_of(const model::program& p, std::uint32_t tensor);
/// Which bytes of a buffer a tensor has: a box of its elements, between two offsets.
struct region {
  const model::layout* layout = nullptr;
  std::uint8_t element = 1;  ///< bytes of one
  std::uint64_t first = 0, end = 0;
};
[[nodiscard]] region region_of(const model::program& p, std::uint32_t tensor);
/// Whether both count elements alike, so that their boxes can be compared.
[[nodiscard]] bool alike(const region& a, const region& b) noexcept;
/// Whether they may have bytes in common; exact for those that are alike.
[[nodiscard]] bool overlap(const region& a, const region& b) noexcept;
/// Elements in a row from `data` on.
[[nodiscard]] patch dense(const place& start, const std::uint64_t (&shape)[4],
                          std::uint8_t element);

/// Loops over patches of one shape. Dimensions that all of them step through evenly are merged.
struct loops {
  std::uint64_t size[4] = {1, 1, 1, 1};  ///< the last one is a row
  struct operand {
    place start;
    std::ptrdiff_t step[4] = {};  ///< bytes; elements for the row
    bool used = false;
  };
  operand in[3], out;
};
[[nodiscard]] inline std::uint64_t elements(const loops& l) noexcept {
  return l.size[0] * l.size[1] * l.size[2] * l.size[3];
}
/// Calls f(row, first) for each row, `first` being the number of its first element in C order.
/// `start` has what is the same for all rows.
template <class F>
void for_rows(const loops& l, row r, F&& f) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < 3; ++i) r.in_step[i] = l.in[i].step[3];
  r.out_step = l.out.step[3];
  r.count = static_cast<std::size_t>(l.size[3]);
  const auto at = [](const loops::operand& o, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    return o.start.data == nullptr ? nullptr
                                   : o.start.data + static_cast<std::ptrdiff_t>(i) * o.step[0] +
                                         static_cast<std::ptrdiff_t>(j) * o.step[1] +
                                         static_cast<std::ptrdiff_t>(k) * o.step[2];
  };
  for (std::uint64_t i = 0; i < l.size[0]; ++i)
    for (std::uint64_t j = 0; j < l.size[1]; ++j)
      for (std::uint64_t k = 0; k < l.size[2]; ++k) {
        for (std::size_t n = 0; n < 3; ++n) r.in[n] = at(l.in[n], i, j, k);
        r.out = at(l.out, i, j, k);
        f(r, first);
        first += l.size[3];
      }
}

// ---- steps

enum class step_kind : std::uint8_t {
  map,
  reduce,
  multiply,
  look_up,
  cache,
  send,
  wait,
  unpack,
  sum,
  sync,
  end  ///< after the last one
};
/// One step. `index` is in its list of that kind.
struct step {
  step_kind kind = step_kind::end;
  bool last = true;  ///< of its operation
  std::uint32_t index = 0;
  std::uint32_t node = 0, op = 0;
};

struct map_step {
  loops over;
  row_operation function;
  row scalar;            ///< shared by all rows
  bool divides = false;  ///< integers, by what must not be 0
  model::data_type type = model::data_type::fp32;
};
struct reduce_step {
  loops over;  ///< the results
  model::op_type op = model::op_type::reduce_sum;
  model::data_type type = model::data_type::fp32;
  std::size_t depth = 0;
  std::ptrdiff_t step = 0;  ///< elements
};
struct multiply_step {
  model::op_type op = model::op_type::matmul;
  model::data_type type = model::data_type::fp32;
  std::size_t m = 0, n = 0, k = 0;
  patch a, b;  ///< [.., m, k] and [.., k, n], before any transposition
  bool transpose_a = false, transpose_b = false;
  patch residual, c;
  float scale = 1;
  std::uint64_t workspace = 0;  ///< offset in scratch: FP32 copies of a, b and c, as needed
};
struct look_up_step {
  patch indices, table, out;
};
struct cache_step {
  patch position_in, position_out, token, cache, out;
  std::uint64_t slots = 0;       ///< `cache` is the first of them
  std::ptrdiff_t slot_step = 0;  ///< bytes
  std::uint64_t workspace = 0;
};
struct send_step {
  std::uint32_t rank = 0, storage = 0;  ///< whose memory; `to` lies in it
  patch from, to;
  bool packets = false;
  bool reshapes = false;  ///< element counts may differ too
  std::uint32_t flag = 0;
  std::uint64_t workspace = 0;  ///< in scratch: for packets, and where it reshapes
  std::span<const std::uint32_t>
      signals;  ///< channels of the world; after the last step of an operation
};
struct wait_step {
  std::span<const std::uint32_t> channels;
};
struct unpack_step {
  patch packets, out;
  std::uint64_t workspace = 0;
};
struct sum_step {
  loops over;
  model::data_type type = model::data_type::fp32;
  place segments;
  segment_list list;
};

struct compiled_program {
  std::vector<step> steps;
  std::vector<map_step> maps;
  std::vector<reduce_step> reductions;
  std::vector<multiply_step> products;
  std::vector<look_up_step> look_ups;
  std::vector<cache_step> caches;
  std::vector<send_step> sends;
  std::vector<wait_step> waits;
  std::vector<unpack_step> unpacks;
  std::vector<sum_step> sums;
  std::uint64_t scratch = 0;         ///< bytes
  std::uint64_t cost = 0;            ///< outcome::steps of a whole run
  std::vector<std::uint64_t> costs;  ///< of each operation of `steps`, in the place of its last one
  bool multiplies = false;           ///< needs the workspace of tensors::matmul
  std::byte* workspace = nullptr;    ///< the scratch memory

  /// Sets all addresses.
  void place_at(std::span<std::byte* const> storages, std::byte* scratch_memory);
};

/// Makes the compiled program of one rank. It needs no memory yet.
[[nodiscard]] outcome compile(const model::world& w, std::size_t rank, compiled_program& out);

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_COMPILE_HPP
