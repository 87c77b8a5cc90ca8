// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Memory between two pages which nobody may touch, so that reading one byte too far ends the program
// at once, in optimised builds too.
//
//   guard_page memory(source.size());
//   for (std::size_t n = 0; n <= source.size(); ++n) read(memory.place(source.substr(0, n)));

#ifndef TESSERA_TESTS_SUPPORT_GUARD_PAGE_HPP
#define TESSERA_TESTS_SUPPORT_GUARD_PAGE_HPP

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <tessera/core/bytes.hpp>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#define TESSERA_TESTS_GUARD_PAGE 1
#else
#define TESSERA_TESTS_GUARD_PAGE 0
#endif

namespace tessera_tests {

/// Room for `capacity` bytes. Where there are no pages to guard, plain memory of that size.
class guard_page {
 public:
  explicit guard_page(std::size_t capacity) {
#if TESSERA_TESTS_GUARD_PAGE
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t room = (capacity + page - 1) / page * page;
    mapped_ = room + 2 * page;
    void* const at =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    base_ = static_cast<char*>(at) + page;
    end_ = base_ + room;
    if (mprotect(at, page, PROT_NONE) != 0 || mprotect(end_, page, PROT_NONE) != 0) std::abort();
    page_ = page;
#else
    base_ = static_cast<char*>(std::malloc(capacity + 1));
    if (base_ == nullptr) std::abort();
    end_ = base_ + capacity;
#endif
    capacity_ = capacity;
  }
  guard_page(const guard_page&) = delete;
  guard_page& operator=(const guard_page&) = delete;
  ~guard_page() {
#if TESSERA_TESTS_GUARD_PAGE
    munmap(base_ - page_, mapped_);
#else
    std::free(base_);
#endif
  }

  /// A copy of `content` that ends where the guarded page begins. Valid until the next.
  [[nodiscard]] std::string_view place(std::string_view content) {
    if (content.size() > capacity_) std::abort();
    char* const at = end_ - content.size();
    if (!content.empty()) std::memmove(at, content.data(), content.size());
    return {at, content.size()};
  }
  /// A copy that begins after the other one.
  [[nodiscard]] std::string_view place_first(std::string_view content) {
    if (content.size() > capacity_) std::abort();
    if (!content.empty()) std::memmove(base_, content.data(), content.size());
    return {base_, content.size()};
  }
  [[nodiscard]] tessera::bytes place(tessera::bytes content) {
    return tessera::as_bytes(place(tessera::as_text(content)));
  }

 private:
  char* base_ = nullptr;
  char* end_ = nullptr;
  std::size_t capacity_ = 0;
#if TESSERA_TESTS_GUARD_PAGE
  std::size_t mapped_ = 0, page_ = 0;
#endif
};

}  // namespace tessera_tests

#endif  // TESSERA_TESTS_SUPPORT_GUARD_PAGE_HPP
