// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A file's bytes.

#ifndef FILE_HPP
#define FILE_HPP

#include <fstream>
#include <iterator>
#include <string>

inline std::string file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

#endif  // FILE_HPP
