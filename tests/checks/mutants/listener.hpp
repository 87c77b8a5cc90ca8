// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What mutants.py adds to the tests' main: lists which test cases reach which mutants, of those that pass. A case
// of the tool is a section of one test case, and is listed by itself.
//
//   TESSERA_REACHES  the file for the list: a line for each run of a test case, with its name, its
//                    section, seconds, and the mutants that it reached, separated by tabs

#ifndef TESSERA_TESTS_MUTANTS_LISTENER_HPP
#define TESSERA_TESTS_MUTANTS_LISTENER_HPP

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace tessera_mutants {

#if __has_include(<catch2/catch_all.hpp>)
using listener_base = Catch::EventListenerBase;
#else
using listener_base = Catch::TestEventListenerBase;
#endif

class listener : public listener_base {
 public:
  using listener_base::listener_base;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    listener_base::testCaseStarting(info);
    test_ = info.name;
    by_section_ = std::strstr(info.lineInfo.file, "/cli/cases.cpp") != nullptr;
    depth_ = 0;
    start();
  }
  void sectionStarting(const Catch::SectionInfo& info) override {
    listener_base::sectionStarting(info);
    if (++depth_ == 2 && by_section_) start();
  }
  void sectionEnded(const Catch::SectionStats& stats) override {
    if (depth_-- == 2 && by_section_ && stats.assertions.allPassed()) list(stats.sectionInfo.name);
    listener_base::sectionEnded(stats);
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (!by_section_ && stats.totals.assertions.allPassed()) list({});
    listener_base::testCaseEnded(stats);
  }

 private:
  void start() {
    if (reached_ == nullptr) open();
    if (reached_ != nullptr) std::memset(reached_, 0, size_);
    started_ = std::chrono::steady_clock::now();
  }
  void open() {
    const char* const list = std::getenv("TESSERA_REACHES");
    const char* const path = std::getenv("TESSERA_REACHED");
    if (list == nullptr || path == nullptr) return;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    struct stat status = {};
    if (file < 0 || ::fstat(file, &status) != 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) return;
    reached_ = static_cast<unsigned char*>(at);
    list_.open(list, std::ios::app);
  }
  void list(const std::string& section) {
    if (reached_ == nullptr) return;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - started_;
    list_ << test_ << '\t' << section << '\t' << time.count() << '\t';
    for (std::size_t i = 0; i < size_; ++i)
      if (reached_[i] != 0) list_ << i << ' ';
    list_ << std::endl;
  }

  std::string test_;
  bool by_section_ = false;
  int depth_ = 0;
  unsigned char* reached_ = nullptr;
  std::size_t size_ = 0;
  std::ofstream list_;
  std::chrono::steady_clock::time_point started_;
};
CATCH_REGISTER_LISTENER(listener)

}  // namespace tessera_mutants

#endif  // TESSERA_TESTS_MUTANTS_LISTENER_HPP
