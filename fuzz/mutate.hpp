// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What mutators of inputs share. A target with a mutator of its own defines LLVMFuzzerCustomMutator,
// which libFuzzer and driver.cpp call in place of theirs; theirs is LLVMFuzzerMutate then.
//
//   TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

#ifndef TESSERA_FUZZ_MUTATE_HPP
#define TESSERA_FUZZ_MUTATE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// Changes bytes in any way, in place; the new size.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace fuzz {

/// SplitMix64.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// A number below `end`; 0 when that is 0.
  std::size_t below(std::size_t end) {
    return end == 0 ? 0 : static_cast<std::size_t>(bits() % end);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

/// Changes a part of a text in any way, so that it has at most `max_size` bytes.
inline void mutate_part(std::string& text, std::size_t first, std::size_t count,
                        std::size_t max_size) {
  std::string part = text.substr(first, count);
  const std::size_t size = part.size();
  part.resize(max_size > size ? max_size : size);
  part.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), size, part.size()));
  text.replace(first, count, part);
}

/// A mutator of an input as a string: by `change`, which takes the string and a generator and says
/// whether it could, now and then several times; or as bytes.
template <class Change>
std::size_t mutate_text(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                        const Change& change) {
  generator draw(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  bool changed = false;
  if (!draw.one_in(8))
    for (std::size_t left = 1 + draw.below(3); left != 0; --left)
      changed = change(text, draw) || changed;
  if (!changed || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  if (!text.empty()) std::memcpy(data, text.data(), text.size());
  return text.size();
}

/// The same for machines: tries changes until one makes a program, which most others don't. After some
/// that don't, the input stays as it is, so that few others are kept.
template <class Change, class IsProgram>
std::size_t mutate_program(std::uint8_t* data, std::size_t size, std::size_t max_size,
                           unsigned seed, const Change& change, const IsProgram& is_program) {
  generator draw(seed);
  const std::string before(reinterpret_cast<const char*>(data), size);
  for (int left = 12; left != 0; --left) {
    std::string text = before;
    for (std::size_t count = 1 + draw.below(3); count != 0; --count)
      if (draw.one_in(8) || !change(text, draw)) mutate_part(text, 0, text.size(), max_size);
    if (text.size() > max_size || text == before || !is_program(text)) continue;
    std::memcpy(data, text.data(), text.size());
    return text.size();
  }
  return draw.one_in(64) ? LLVMFuzzerMutate(data, size, max_size) : size;
}

}  // namespace fuzz

/// Defines the mutator of a target, once: by a function that takes the input and a generator.
#define TESSERA_FUZZ_MUTATOR(change)                                                               \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,             \
                                                 std::size_t max_size, unsigned seed) {            \
    return fuzz::mutate_text(data, size, max_size, seed, change);                                  \
  }
/// The same, with a function that says whether a text is a program.
#define TESSERA_FUZZ_PROGRAM_MUTATOR(change, is_program)                                           \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,             \
                                                 std::size_t max_size, unsigned seed) {            \
    return fuzz::mutate_program(data, size, max_size, seed, change, is_program);                   \
  }

#endif  // TESSERA_FUZZ_MUTATE_HPP
