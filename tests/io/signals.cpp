// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/signals.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <tessera/core/bytes.hpp>
#include <thread>
#include <vector>

#include "../support/catch.hpp"
#include "io/file.hpp"
#include "io/unnamed_file.hpp"
#include "support.hpp"

using namespace tessera;
using tessera_tests::message_of;
using tessera_tests::slurp;
using tessera_tests::spill;
using tessera_tests::string_of;
using tessera_tests::temporary_folder;

namespace {

/// The status, as of waitpid, of a process that does `action`; 0 when that returns.
template <class Action>
[[nodiscard]] int status_of(const Action& action) {
  std::fflush(nullptr);
  const ::pid_t child = ::fork();
  if (child == 0) {
    const ::rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    action();
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(child > 0);
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}
[[nodiscard]] bool ended_by(int status, int signal) {
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}
[[nodiscard]] bool exited_with(int status, int code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

[[nodiscard]] bool has_unnamed_files(const temporary_folder& folder) {
  const int tried = io::open_unnamed(folder / "", 0600);
  if (tried >= 0) ::close(tried);
  return tried >= 0;
}

/// More than the buffer of a writer.
[[nodiscard]] std::string much() { return std::string(std::size_t{1} << 20, 'x'); }

/// Two files that are being written, one in the place of an old one, with names of their own where
/// files can't be without; ends the process with 9 unless that is so.
void write_two(const temporary_folder& folder, void (*act)()) {
  io::expected<io::file_writer> first = io::file_writer::open(folder / "old");
  io::expected<io::file_writer> second = io::file_writer::open(folder / "new");
  const std::string data = much();
  if (!first || !second || !first->put(as_bytes(data)) || !second->put(as_bytes(data)) ||
      (folder.names().size() != 3 && !has_unnamed_files(folder)))
    ::_exit(9);
  // What the writers make where files can't be without a name.
  if (io::create_temporary(folder / "named", 0600) < 0) ::_exit(9);
  act();
}

const volatile std::byte* volatile expected_bus_error = nullptr;

/// Whether SIGBUS has the address that was accessed. QEMU 7.2 swaps its halves for a guest whose byte
/// order isn't the host's, and then no handler knows which file shrank.
[[nodiscard]] bool bus_errors_have_addresses(const temporary_folder& folder) {
  spill(folder / "probe", "x");
  const int status = status_of([&] {
    const io::expected<io::content> file = io::read_file(folder / "probe");
    if (!file || ::truncate((folder / "probe").c_str(), 0) != 0) ::_exit(9);
    struct ::sigaction how = {};
    how.sa_flags = SA_SIGINFO;
    how.sa_sigaction = [](int, ::siginfo_t* why, void*) {
      ::_exit(why->si_addr == expected_bus_error ? 0 : 1);
    };
    ::sigaction(SIGBUS, &how, nullptr);
    expected_bus_error = file->view().data();
    (void)*expected_bus_error;
    ::_exit(8);
  });
  std::filesystem::remove(folder / "probe");
  REQUIRE((exited_with(status, 0) || exited_with(status, 1)));
  return exited_with(status, 0);
}

}  // namespace

TEST_CASE("signals: one that ends the process leaves the old file and nothing else", "[io]") {
  static int signal = 0;
  for (const int s : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ}) {
    INFO("signal " << s);
    signal = s;
    for (const bool in_thread : {false, true}) {
      const temporary_folder folder;
      spill(folder / "old", "old bytes");
      const int status = status_of([&] {
        std::signal(signal, SIG_DFL);  // shells have some ignored in the background
        io::handle_signals(3);
        write_two(
            folder, in_thread ? +[] { std::thread([] { std::raise(signal); }).join(); }
                              : +[] { std::raise(signal); });
      });
      CHECK(ended_by(status, s));
      CHECK(folder.names() == std::vector<std::string>{"old"});
      CHECK(slurp(folder / "old") == "old bytes");
    }
  }
}

TEST_CASE("signals: a file that grows too long leaves nothing", "[io]") {
  const temporary_folder folder;
  spill(folder / "old", "old bytes");
  const int status = status_of([&] {
    std::signal(SIGXFSZ, SIG_DFL);
    io::handle_signals(3);
    const ::rlimit few{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &few);
    write_two(folder, [] {});
  });
  CHECK(ended_by(status, SIGXFSZ));
  CHECK(folder.names() == std::vector<std::string>{"old"});
  CHECK(slurp(folder / "old") == "old bytes");
}

TEST_CASE("signals: what was ignored stays ignored", "[io]") {
  const temporary_folder folder;
  const int status = status_of([&] {
    std::signal(SIGHUP, SIG_IGN);
    io::handle_signals(3);
    io::expected<io::file_writer> out = io::file_writer::open(folder / "new");
    std::raise(SIGHUP);
    if (!out || !out->put(as_bytes("bytes")) || !out->finish()) ::_exit(9);
  });
  CHECK(exited_with(status, 0));
  CHECK(slurp(folder / "new") == "bytes");
}

TEST_CASE("signals: finished and abandoned files aren't touched", "[io]") {
  const temporary_folder folder;
  const int status = status_of([&] {
    io::handle_signals(3);
    if (!io::write_file(folder / "finished", as_bytes("bytes"))) ::_exit(9);
    const std::string gone = folder / "gone";
    {
      const int number = io::create_temporary(gone, 0600);
      ::close(number);
    }
    ::unlink(gone.c_str());
    io::forget_temporary(gone);
    // Names that temporary files had are anyone's.
    spill(gone, "another's");
    std::raise(SIGTERM);
  });
  CHECK(ended_by(status, SIGTERM));
  CHECK(folder.names().size() == 2);
  CHECK(slurp(folder / "finished") == "bytes");
}

TEST_CASE("signals: a process leaves the temporary files of its parent", "[io]") {
  const temporary_folder folder;
  const int status = status_of([&] {
    io::handle_signals(3);
    io::expected<io::file_writer> out = io::file_writer::open(folder / "new");
    if (!out || !out->put(as_bytes("bytes"))) ::_exit(9);
    const ::pid_t child = ::fork();
    if (child == 0) {
      std::raise(SIGTERM);
      ::_exit(0);
    }
    int end = 0;
    if (::waitpid(child, &end, 0) != child || !ended_by(end, SIGTERM)) ::_exit(8);
    if (!out->finish()) ::_exit(7);
  });
  CHECK(exited_with(status, 0));
  CHECK(slurp(folder / "new") == "bytes");
}

TEST_CASE("signals: so many temporary files at once, and then others", "[io]") {
  const temporary_folder folder;
  std::vector<std::string> made;
  while (made.size() < 1000) {
    const std::string next = folder / std::to_string(made.size());
    const int number = io::create_temporary(next, 0600);
    if (number < 0) break;
    ::close(number);
    made.push_back(next);
  }
  CHECK(errno == EMFILE);
  CHECK(made.size() == 64);
  io::forget_temporary(made.back());
  const int number = io::create_temporary(folder / "64", 0600);
  CHECK(number >= 0);
  ::close(number);
  made.back() = folder / "64";
  for (const std::string& path : made) io::forget_temporary(path);
}

TEST_CASE("signals: a file without a name replaces another", "[io]") {
  const temporary_folder folder;
  const int number = io::open_unnamed(folder / "", 0600);
  if (number < 0) return;
  spill(folder / "old", "old bytes");
  spill(folder / "taken", "another's");
  REQUIRE(::write(number, "new", 3) == 3);
  CHECK(folder.names() == std::vector<std::string>{"old", "taken"});
  CHECK_FALSE(io::replace_by_unnamed(number, folder / "taken", folder / "old"));
  CHECK(errno == EEXIST);
  CHECK(io::replace_by_unnamed(number, folder / "name", folder / "old"));
  ::close(number);
  CHECK(slurp(folder / "old") == "new");
  CHECK(slurp(folder / "taken") == "another's");
  const int other = io::open_unnamed(folder / "", 0600);
  CHECK_FALSE(io::replace_by_unnamed(other, folder / "name", folder / "no/such"));
  CHECK(errno == ENOENT);
  ::close(other);
  CHECK(folder.names() == std::vector<std::string>{"old", "taken"});
}

TEST_CASE("signals: a mapped file that shrinks is an I/O error", "[io]") {
  const temporary_folder folder;
  if (!bus_errors_have_addresses(folder)) {
    WARN("not tested: SIGBUS has a wrong address here");
    return;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::string path = folder / "sh\x1b[31mort";
  spill(path, std::string(3 * page, 'x'));
  const int status = status_of([&] {
    if (std::freopen((folder / "stderr").c_str(), "wb", stderr) == nullptr) ::_exit(9);
    io::handle_signals(3);
    const io::expected<io::content> file = io::read_file(path);
    if (!file || !file->is_mapped() || ::truncate(path.c_str(), 1) != 0) ::_exit(8);
    io::expected<io::file_writer> out = io::file_writer::open(folder / "new");
    if (!out || !out->put(file->view())) ::_exit(7);
    ::_exit(6);
  });
  CHECK(exited_with(status, 3));
  CHECK(slurp(folder / "stderr") ==
        folder / "sh\\x1b[31mort: error: the file shrank while it was read\n");
  CHECK(folder.names() == std::vector<std::string>{"sh\x1b[31mort", "stderr"});
}

TEST_CASE("signals: so it is where the system reads the file", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", much());
  const io::expected<io::content> file = io::read_file(folder / "f");
  REQUIRE(file);
  REQUIRE(::truncate((folder / "f").c_str(), 0) == 0);
  const auto wrote = io::write_file(folder / "new", file->view());
  CHECK(message_of(wrote) == folder / "new" + ": cannot write: an input shrank while it was read");
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("signals: SIGBUS of something else is what it is", "[io]") {
  const temporary_folder folder;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::string path = folder / "f";
  spill(path, std::string(2 * page, 'x'));
  const int other = status_of([&] {
    io::handle_signals(3);
    io::content mapped = std::move(*io::read_file(path));
    const auto* const at = reinterpret_cast<const volatile std::byte*>(mapped.view().data());
    // The same place, once the file that was mapped there is no longer watched.
    io::forget_mapping(mapped.view().data());
    if (::truncate(path.c_str(), 0) != 0) ::_exit(9);
    (void)at[page];
  });
  CHECK(ended_by(other, SIGBUS));
  const int sent = status_of([&] {
    io::handle_signals(3);
    ::kill(::getpid(), SIGBUS);
  });
  CHECK(ended_by(sent, SIGBUS));
}

TEST_CASE("signals: files beyond those that can be watched are read", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", "bytes");
  std::vector<io::content> files;
  for (int i = 0; i < 1100; ++i) {
    io::expected<io::content> file = io::read_file(folder / "f");
    REQUIRE(file);
    REQUIRE(string_of(file->view()) == "bytes");
    files.push_back(std::move(*file));
  }
  CHECK(files[1000].is_mapped());
  CHECK(!files[1099].is_mapped());
  files.clear();
  CHECK(io::read_file(folder / "f")->is_mapped());
}
