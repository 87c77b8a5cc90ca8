// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What runs ARK's operations: compiled programs of some ranks, and their memory. vm::ark::machine is
// one of all ranks, mpi_machine one of its process's rank.
//
// Lifetime, errors, limits and allocation: those of vm::ark::machine (tessera/vm/ark.hpp).

#ifndef TESSERA_VM_ARK_ENGINE_HPP
#define TESSERA_VM_ARK_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile.hpp"
#include "execute.hpp"
#include "tessera/vm/ark.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

/// Bytes of one storage or of scratch: 64-byte aligned, zero, and untouched as long as they are.
class memory_block {
 public:
  memory_block() = default;
  explicit memory_block(std::uint64_t bytes);
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct release {
    void operator()(void* p) const noexcept;
  };
  std::unique_ptr<void, release> owned_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class engine {
 public:
  explicit engine(const model::world& w, const machine_options& how = {});
  engine(engine&&) noexcept;
  engine& operator=(engine&&) noexcept;
  ~engine();

  [[nodiscard]] const outcome& made() const noexcept { return made_; }
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  [[nodiscard]] std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) noexcept;
  bool write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense);
  bool read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const;

  outcome run(const budget& limit, const observer_ref<event>& see);
  /// Fills all storages with zeros.
  void reset() noexcept;

 protected:
  /// Plans for the ranks [first, last) only, and no memory yet.
  engine(const model::world& w, const machine_options& how, std::size_t first, std::size_t last);
  /// Places all storages and scratch. With an arena, of arena_size() zeros, the storages of the one
  /// rank lie in it; see arena_offset.
  void allocate(std::byte* arena = nullptr);
  [[nodiscard]] static std::uint64_t arena_size(const model::program& p);
  [[nodiscard]] static std::vector<std::uint64_t> arena_offsets(const model::program& p);
  [[nodiscard]] static std::string describe_left(const model::channel& c, std::uint64_t count);
  /// Whether a run of so many steps exceeds the budget: budget_steps, at the first operation beyond
  /// it.
  [[nodiscard]] outcome check(std::uint64_t steps, std::uint64_t max_steps) const;
  /// Whether the memory exceeds what a run may hold.
  [[nodiscard]] bool exceeds(const budget& limit) const noexcept {
    return memory_ > memory_of_run(limit, how_.max_memory);
  }
  [[nodiscard]] runner& runner_of(std::size_t rank) noexcept { return runners_[rank - first_]; }

  outcome made_;

 private:
  class post;
  struct rank_memory {
    std::vector<memory_block> blocks;
    std::vector<std::byte*> storages;  // of each buffer that is one
  };

  [[nodiscard]] bool find(std::size_t rank, std::uint32_t tensor, std::size_t bytes,
                          patch& out) const;
  [[nodiscard]] std::byte* storage(std::size_t rank, std::uint32_t index) const noexcept;

  const model::world* world_;
  machine_options how_;
  std::size_t first_ = 0;  // the ranks that it has, from here on
  std::uint64_t memory_ = 0, steps_ = 0, scratch_size_ = 0;
  bool multiplies_ = false;
  std::vector<compiled_program> compiled_;
  std::vector<rank_memory> ranks_;
  memory_block scratch_;
  std::unique_ptr<tensors::matmul_workspace> room_;
  std::unique_ptr<post> post_;
  std::vector<runner> runners_;
};

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_ENGINE_HPP
