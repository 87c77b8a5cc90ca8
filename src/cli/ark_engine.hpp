// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine that runs ARK models: all ranks in this process, or one rank per process.

#ifndef TESSERA_CLI_ARK_ENGINE_HPP
#define TESSERA_CLI_ARK_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/vm/ark.hpp"
#ifdef TESSERA_HAS_MPI
#include "vm/ark/mpi.hpp"
#endif

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// The machine: all ranks in this process, or one rank per process.
class engine {
 public:
  using watcher = void (*)(void* self);
  virtual ~engine() = default;
  [[nodiscard]] virtual const vm::ark::outcome& made() const = 0;
  [[nodiscard]] virtual std::uint64_t memory() const = 0;
  /// Whether this process has the memory of a rank.
  [[nodiscard]] virtual bool holds(std::size_t rank) const = 0;
  /// Whether this process reports results and errors.
  [[nodiscard]] virtual bool reports() const = 0;
  [[nodiscard]] virtual std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) = 0;
  [[nodiscard]] virtual bool write(std::size_t rank, std::uint32_t tensor,
                                   std::span<const std::byte> dense) = 0;
  [[nodiscard]] virtual bool read(std::size_t rank, std::uint32_t tensor,
                                  std::span<std::byte> dense) const = 0;
  /// Calls watch(self) after each operation, if the machine supports it.
  [[nodiscard]] virtual vm::ark::outcome run(watcher watch, void* self) = 0;
};

class one_process final : public engine {
 public:
  one_process(const ark::world& world, const vm::ark::machine_options& how, const budget& limit)
      : machine_(world, how), limit_(limit) {}
  const vm::ark::outcome& made() const override { return machine_.made(); }
  std::uint64_t memory() const override { return machine_.memory(); }
  bool holds(std::size_t) const override { return true; }
  bool reports() const override { return true; }
  std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) override {
    return machine_.memory(rank, buffer);
  }
  bool write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense) override {
    return machine_.write(rank, tensor, dense);
  }
  bool read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const override {
    return machine_.read(rank, tensor, dense);
  }
  vm::ark::outcome run(watcher watch, void* self) override {
    return machine_.run(limit_, [watch, self](const vm::ark::event&) { watch(self); });
  }

 private:
  vm::ark::machine machine_;
  budget limit_;
};

#ifdef TESSERA_HAS_MPI
class mpi_process final : public engine {
 public:
  mpi_process(const ark::world& world, const vm::ark::machine_options& how, const budget& limit,
              std::size_t rank)
      : machine_(world, how), limit_(limit), rank_(rank) {}
  const vm::ark::outcome& made() const override { return machine_.made(); }
  std::uint64_t memory() const override { return machine_.memory(); }
  bool holds(std::size_t rank) const override { return rank == rank_; }
  bool reports() const override { return rank_ == 0; }
  std::span<std::byte> memory(std::size_t, std::uint32_t buffer) override {
    return machine_.memory(buffer);
  }
  bool write(std::size_t, std::uint32_t tensor, std::span<const std::byte> dense) override {
    return machine_.write(tensor, dense);
  }
  bool read(std::size_t, std::uint32_t tensor, std::span<std::byte> dense) const override {
    return machine_.read(tensor, dense);
  }
  vm::ark::outcome run(watcher, void*) override { return machine_.run(limit_); }

 private:
  vm::ark::mpi_machine machine_;
  budget limit_;
  std::size_t rank_;
};
#endif

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_ARK_ENGINE_HPP
