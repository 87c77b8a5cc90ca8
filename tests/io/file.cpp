// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <tessera/core/bytes.hpp>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "../support/child.hpp"
#include "support.hpp"

using namespace tessera;
using tessera_tests::message_of;
using tessera_tests::slurp;
using tessera_tests::spill;
using tessera_tests::string_of;
using tessera_tests::temporary_folder;

namespace {

template <class Owner>
concept gives_view = requires(Owner&& o) {
  static_cast<Owner&&>(o).view();
};
template <class Owner>
concept converts_to_bytes = requires(Owner&& o) {
  bytes(static_cast<Owner&&>(o));
};
static_assert(gives_view<io::content&> && gives_view<const io::content&>);
static_assert(!gives_view<io::content> && !gives_view<const io::content>);
static_assert(std::is_convertible_v<io::content&, bytes>);
static_assert(!std::is_convertible_v<io::content, bytes>);
static_assert(!std::is_copy_constructible_v<io::content>);
static_assert(std::is_nothrow_move_constructible_v<io::content>);
static_assert(!std::is_convertible_v<io::expected<io::content>, bool>);
static_assert(!std::is_convertible_v<io::expected<io::done>, bool>);

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// Puts another file in the place of a standard descriptor while it lives.
class redirected {
 public:
  redirected(int number, int to) : number_(number), saved_(::dup(number)) {
    std::fflush(nullptr);
    ::dup2(to, number);
  }
  redirected(const redirected&) = delete;
  redirected& operator=(const redirected&) = delete;
  ~redirected() {
    ::dup2(saved_, number_);
    ::close(saved_);
  }

 private:
  int number_, saved_;
};

/// A pipe whose ends close themselves.
struct pipe_ends {
  pipe_ends() {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    out = ends[0], in = ends[1];
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() { close_out(), close_in(); }
  void close_out() { close_one(out); }
  void close_in() { close_one(in); }
  static void close_one(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  int out = -1, in = -1;
};

/// Someone whom permissions bind, which they don't bind root.
class unprivileged {
 public:
  unprivileged() : was_root_(::geteuid() == 0) {
    if (was_root_ && ::seteuid(65534) != 0) std::abort();
  }
  unprivileged(const unprivileged&) = delete;
  unprivileged& operator=(const unprivileged&) = delete;
  ~unprivileged() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

[[nodiscard]] unsigned mode_of(const std::string& path) {
  struct ::stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777u : 0;
}

[[nodiscard]] std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 131 + i / 251);
  return out;
}

}  // namespace

TEST_CASE("file: a regular file is mapped", "[io]") {
  const temporary_folder folder;
  for (const std::size_t size : {1u, 4095u, 4096u, 4097u, 100000u}) {
    spill(folder / "f", pattern(size));
    const auto file = io::read_file(folder / "f");
    REQUIRE(file);
    CHECK(file->is_mapped());
    CHECK(file->size() == size);
    CHECK(string_of(file->view()) == pattern(size));
  }
}

TEST_CASE("file: an empty file is no bytes", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", "");
  const auto file = io::read_file(folder / "f", {.max_bytes = 0});
  REQUIRE(file);
  CHECK(file->view().empty());
  CHECK(!file->is_mapped());
}

TEST_CASE("file: content moves", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", "mapped");
  auto file = io::read_file(folder / "f");
  REQUIRE(file);
  io::content moved = *std::move(file);
  CHECK(string_of(moved) == "mapped");
  io::content other;
  REQUIRE(other.reserve(3));
  CHECK(other.reserve(2));
  CHECK(other.capacity() == 3);
  *other.end() = std::byte{'x'};
  other.advance(1);
  other = std::move(moved);
  CHECK(string_of(other) == "mapped");
  const io::content last = std::move(other);
  CHECK(string_of(last) == "mapped");
  CHECK(!io::content().reserve(no_limit));
}

TEST_CASE("file: a limit of n takes n bytes and refuses n + 1", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", pattern(1000));
  CHECK(io::read_file(folder / "f", {.max_bytes = 1000}));
  const auto refused = io::read_file(folder / "f", {.max_bytes = 999});
  CHECK(message_of(refused) == folder / "f" + ": longer than the limit of 999 bytes");
  CHECK(refused.error().kind == io::fault::content);
}

TEST_CASE("file: what can't be read says why", "[io]") {
  const temporary_folder folder;
  const auto missing = io::read_file(folder / "missing");
  CHECK(message_of(missing) == folder / "missing" + ": cannot open: No such file or directory");
  CHECK(missing.error().kind == io::fault::system);
  CHECK(missing.error().error_number == ENOENT);
  CHECK(message_of(io::read_file(folder.path())) ==
        folder.path() + ": cannot read: Is a directory");
  CHECK(message_of(io::read_file("")) == "cannot open: No such file or directory");
  spill(folder / "f", "x");
  CHECK(io::read_file(folder / "f/g").error().error_number == ENOTDIR);
  ::chmod((folder / "f").c_str(), 0);
  ::chmod(folder.path().c_str(), 0755);
  const unprivileged bound;
  CHECK(message_of(io::read_file(folder / "f")) ==
        folder / "f" + ": cannot open: Permission denied");
}

TEST_CASE("file: pipes and devices are read to their end", "[io]") {
  const temporary_folder folder;
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 300000u}) {
    for (const bool too_much : {false, true}) {
      if (too_much && size == 0) continue;
      std::thread writer([&] {
        std::signal(SIGPIPE, SIG_IGN);
        const int to = ::open(fifo.c_str(), O_WRONLY);
        const std::string all = pattern(size);
        for (std::size_t at = 0; at < size;) {
          const auto count = ::write(to, all.data() + at, std::min<std::size_t>(777, size - at));
          if (count <= 0) break;
          at += static_cast<std::size_t>(count);
        }
        ::close(to);
      });
      {
        const auto file = io::read_file(fifo, {.max_bytes = too_much ? size - 1 : size});
        if (too_much) {
          CHECK(message_of(file) ==
                fifo + ": longer than the limit of " + std::to_string(size - 1) + " bytes");
        } else {
          REQUIRE(file);
          CHECK(!file->is_mapped());
          CHECK(string_of(file->view()) == pattern(size));
        }
      }
      writer.join();
    }
  }
  std::signal(SIGPIPE, SIG_DFL);
  CHECK(message_of(io::read_file("/dev/zero", {.max_bytes = 100000})) ==
        "/dev/zero: longer than the limit of 100000 bytes");
  const auto nothing = io::read_file("/dev/null", {.max_bytes = no_limit});
  REQUIRE(nothing);
  CHECK(nothing->view().empty());
}

TEST_CASE("file: where only regular files are taken, others are refused at once", "[io]") {
  const temporary_folder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);  // that nobody writes to
  for (const std::string& path : {folder / "fifo", std::string("/dev/zero")}) {
    const auto refused = io::read_file(path, {}, io::side_input);
    CHECK(message_of(refused) == path + ": expected a regular file, found a pipe or a device");
    CHECK(refused.error().kind == io::fault::system);
  }
  CHECK(message_of(io::read_file(folder.path(), {}, io::side_input)) ==
        folder.path() + ": cannot read: Is a directory");
  spill(folder / "f", "bytes");
  CHECK(string_of(io::read_file(folder / "f", {}, io::side_input)->view()) == "bytes");
}

TEST_CASE("file: what is mapped may be longer than what is read", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", pattern(1000));
  const io::input_rule rule{.max_mapped = 1000, .only_regular = false};
  const auto mapped = io::read_file(folder / "f", {.max_bytes = 10}, rule);
  REQUIRE(mapped);
  CHECK(mapped->is_mapped());
  CHECK(string_of(mapped->view()) == pattern(1000));
  CHECK(message_of(io::read_file(folder / "f", {.max_bytes = 10}, {.max_mapped = 999})) ==
        folder / "f" + ": longer than the limit of 999 bytes");
  CHECK(message_of(io::read_file("/dev/zero", {.max_bytes = 10}, rule)) ==
        "/dev/zero: longer than the limit of 10 bytes");
}

#ifdef __linux__
TEST_CASE("file: files that claim to be empty and aren't are read", "[io]") {
  const auto file = io::read_file("/proc/self/status");
  REQUIRE(file);
  CHECK(string_of(file->view()).starts_with("Name:"));
}
#endif

TEST_CASE("file: \"-\" is standard input", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", "some bytes");
  SECTION("a file") {
    const int f = ::open((folder / "f").c_str(), O_RDONLY);
    const redirected in(STDIN_FILENO, f);
    const auto file = io::read_file("-");
    REQUIRE(file);
    CHECK(file->is_mapped());
    CHECK(string_of(file->view()) == "some bytes");
    ::close(f);
  }
  SECTION("the rest of a file") {
    const int f = ::open((folder / "f").c_str(), O_RDONLY);
    ::lseek(f, 5, SEEK_SET);
    const redirected in(STDIN_FILENO, f);
    const auto file = io::read_file("-");
    REQUIRE(file);
    CHECK(string_of(file->view()) == "bytes");
    ::close(f);
  }
  SECTION("a pipe") {
    pipe_ends p;
    REQUIRE(::write(p.in, "piped", 5) == 5);
    p.close_in();
    const redirected in(STDIN_FILENO, p.out);
    const auto file = io::read_file("-");
    REQUIRE(file);
    CHECK(string_of(file->view()) == "piped");
  }
  SECTION("a pipe that another program made non-blocking") {
    pipe_ends p;
    REQUIRE(::fcntl(p.out, F_SETFL, O_NONBLOCK) == 0);
    std::thread writer([&p] {
      ::usleep(20000);
      REQUIRE(::write(p.in, "piped", 5) == 5);
      p.close_in();
    });
    {
      const redirected in(STDIN_FILENO, p.out);
      const auto file = io::read_file("-");
      CHECK(message_of(file).empty());
      CHECK((file && string_of(file->view()) == "piped"));
    }
    writer.join();
  }
  SECTION("a folder") {
    const int f = ::open(folder.path().c_str(), O_RDONLY);
    const redirected in(STDIN_FILENO, f);
    CHECK(message_of(io::read_file("-")) == "<stdin>: cannot read: Is a directory");
    ::close(f);
  }
  SECTION("nothing") {
    const int f = ::open((folder / "f").c_str(), O_WRONLY);
    const redirected in(STDIN_FILENO, f);
    ::close(STDIN_FILENO);
    CHECK(message_of(io::read_file("-")) == "<stdin>: cannot read: Bad file descriptor");
    ::close(f);
  }
}

TEST_CASE("file: what is written is read back", "[io]") {
  const temporary_folder folder;
  for (const std::size_t size : {0u, 1u, 100000u}) {
    REQUIRE(io::write_file(folder / "f", as_bytes(pattern(size))));
    CHECK(slurp(folder / "f") == pattern(size));
    CHECK(folder.names() == std::vector<std::string>{"f"});
  }
}

TEST_CASE("file: a file may be rewritten from its own mapping", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", pattern(10000));
  const auto file = io::read_file(folder / "f");
  REQUIRE(file);
  REQUIRE(io::write_file(folder / "f", file->view().subspan(5000)));
  CHECK(slurp(folder / "f") == pattern(10000).substr(5000));
  CHECK(string_of(file->view()) == pattern(10000));
}

TEST_CASE("file: new files heed the umask, replaced ones keep their permissions", "[io]") {
  const temporary_folder folder;
  const mode_t before = ::umask(027);
  REQUIRE(io::write_file(folder / "new", as_bytes("a")));
  CHECK(mode_of(folder / "new") == 0640);
  for (const unsigned mode : {0600u, 0644u, 0666u, 0755u}) {
    spill(folder / "old", "old");
    ::chmod((folder / "old").c_str(), mode);
    REQUIRE(io::write_file(folder / "old", as_bytes("new")));
    CHECK(mode_of(folder / "old") == mode);
    CHECK(slurp(folder / "old") == "new");
  }
  ::umask(before);
}

TEST_CASE("file: a replaced file keeps its owner and group", "[io]") {
  if (::geteuid() != 0) return;
  const temporary_folder folder;
  const std::string path = folder / "old";
  const auto owner_of = [&path] {
    struct ::stat status = {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return std::pair(status.st_uid, status.st_gid);
  };
  spill(path, "old");
  REQUIRE(::chown(path.c_str(), 1234, 4321) == 0);
  REQUIRE(::chmod(path.c_str(), 0664) == 0);
  REQUIRE(io::write_file(path, as_bytes("new")));
  CHECK(owner_of() == std::pair(::uid_t{1234}, ::gid_t{4321}));
  CHECK(mode_of(path) == 0664);
  // One of both is that of new files.
  for (const auto& [user, group] :
       {std::pair(::geteuid(), ::gid_t{4321}), {::uid_t{1234}, ::getegid()}}) {
    REQUIRE(::chown(path.c_str(), user, group) == 0);
    REQUIRE(io::write_file(path, as_bytes("new")));
    CHECK(owner_of() == std::pair(user, group));
  }
  // Someone else who may write it: the file becomes theirs, and isn't open to their group for that.
  ::chmod(folder.path().c_str(), 0777);
  for (const auto& [before, after] : {std::pair(0666u, 0666u), {0676u, 0666u}, {0646u, 0646u}}) {
    spill(path, "old");
    REQUIRE(::chown(path.c_str(), 1234, 4321) == 0);
    REQUIRE(::chmod(path.c_str(), before) == 0);
    const ::gid_t group = ::getegid();
    REQUIRE(::setegid(65534) == 0);
    {
      const unprivileged bound;
      CHECK(io::write_file(path, as_bytes("new")));
    }
    REQUIRE(::setegid(group) == 0);
    CHECK(owner_of() == std::pair(::uid_t{65534}, ::gid_t{65534}));
    CHECK(mode_of(path) == after);
  }
}

TEST_CASE("file: a link stays and its target is replaced", "[io]") {
  const temporary_folder folder;
  std::filesystem::create_directory(folder / "below");
  spill(folder / "below/target", "old");
  std::filesystem::create_symlink("below/target", folder / "link");
  REQUIRE(io::write_file(folder / "link", as_bytes("new")));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(slurp(folder / "below/target") == "new");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  CHECK(message_of(io::write_file(folder / "dangling", as_bytes("new"))) ==
        folder / "dangling" +
            ": cannot write through a link whose target doesn't exist: No such file or directory");
  CHECK(folder.names() == std::vector<std::string>{"below", "dangling", "link"});
}

TEST_CASE("file: a temporary name that is taken is not touched", "[io]") {
  const temporary_folder folder;
  const std::string taken = ".tessera-" + std::to_string(::getpid()) + "-0";
  spill(folder / taken, "somebody's");
  REQUIRE(io::write_file(folder / "f", as_bytes("mine")));
  CHECK(slurp(folder / taken) == "somebody's");
  CHECK(slurp(folder / "f") == "mine");
}

TEST_CASE("file: what can't be written says why", "[io]") {
  const temporary_folder folder;
  const bytes data = as_bytes("x");
  CHECK(message_of(io::write_file(folder.path(), data)) ==
        folder.path() + ": cannot write: Is a directory");
  CHECK(message_of(io::write_file(folder / "no/f", data)) ==
        folder / "no/f" + ": cannot create a temporary file in " + folder / "no/" +
            ": No such file or directory");
  spill(folder / "f", "old");
  CHECK(io::write_file(folder / "f/g", data).error().error_number == ENOTDIR);
  CHECK(!io::write_file("", data));
  CHECK(!io::write_file(folder / "new/", data));
  ::chmod(folder.path().c_str(), 0755);
  ::chmod((folder / "f").c_str(), 0444);
  {
    const unprivileged bound;
    CHECK(io::write_file(folder / "f", data).error().error_number == EACCES);
    if (::geteuid() == 65534)
      CHECK(io::write_file(folder / "g", data).error().error_number == EACCES);
  }
  CHECK(slurp(folder / "f") == "old");
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("file: a failed write leaves the old file and nothing else", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", "old");
  struct ::rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct ::rlimit small = before;
  small.rlim_cur = 5000;  // the first write is short, the second fails
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto refused = io::write_file(folder / "f", as_bytes(pattern(10000)));
  const auto fits = io::write_file(folder / "g", as_bytes(pattern(5000)));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message_of(refused) == folder / "f" + ": cannot write: File too large");
  CHECK(fits);
  CHECK(slurp(folder / "f") == "old");
  CHECK(folder.names() == std::vector<std::string>{"f", "g"});
}

TEST_CASE("file: a file written in pieces appears at once, or not at all", "[io]") {
  const temporary_folder folder;
  const auto names = [&folder] {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
      out.push_back(entry.path().filename().string());
    return out;
  };
  const std::string path = folder / "f";
  const std::string large(300000, 'x');
  REQUIRE(io::write_file(path, as_bytes("old")));
  {
    io::expected<io::file_writer> out = io::file_writer::open(path);
    REQUIRE(out);
    CHECK(out->put(as_bytes("one,")));
    CHECK(out->put(as_bytes(large)));
    CHECK(out->put(as_bytes("")));
    CHECK(out->put(as_bytes(",two")));
    CHECK(slurp(path) == "old");
    CHECK(names().size() <= 2);  // one more where files can't be without a name
    io::file_writer moved = std::move(*out);
    CHECK(moved.finish());
  }
  CHECK(slurp(path) == "one," + large + ",two");
  CHECK(names() == std::vector<std::string>{"f"});
  {
    io::expected<io::file_writer> out = io::file_writer::open(path);
    REQUIRE(out);
    CHECK(out->put(as_bytes("abandoned")));
  }
  CHECK(slurp(path) == "one," + large + ",two");
  CHECK(names() == std::vector<std::string>{"f"});
  {
    io::expected<io::file_writer> out = io::file_writer::open(folder / "new");
    REQUIRE(out);
    CHECK(out->put(as_bytes("abandoned")));
  }
  CHECK(names() == std::vector<std::string>{"f"});
}

TEST_CASE("file: what is prepared has only names to change", "[io]") {
  const temporary_folder folder;
  spill(folder / "f", "old");
  {
    io::expected<io::file_writer> out = io::file_writer::open(folder / "f");
    REQUIRE(out);
    CHECK(out->put(as_bytes("new")));
    CHECK(out->prepare());
    CHECK(out->prepare());
    CHECK(slurp(folder / "f") == "old");
    io::file_writer moved = std::move(*out);
    CHECK(moved.finish());
    CHECK(slurp(folder / "f") == "new");
  }
  {
    io::expected<io::file_writer> out = io::file_writer::open(folder / "f");
    REQUIRE(out);
    CHECK(out->put(as_bytes("never")));
    CHECK(out->prepare());
  }
  CHECK(slurp(folder / "f") == "new");
  CHECK(folder.names() == std::vector<std::string>{"f"});
  // One that appeared in the meantime is replaced, too.
  io::expected<io::file_writer> out = io::file_writer::open(folder / "g");
  REQUIRE(out);
  CHECK(out->put(as_bytes("mine")));
  CHECK(out->prepare());
  spill(folder / "g", "another's");
  CHECK(out->finish());
  CHECK(slurp(folder / "g") == "mine");
  CHECK(folder.names() == std::vector<std::string>{"f", "g"});
}

TEST_CASE("file: pages that are forgotten are read again", "[io]") {
  const temporary_folder folder;
  const std::string path = folder / "f";
  std::string large(1 << 20, 'x');
  large[5000] = 'y';
  REQUIRE(io::write_file(path, as_bytes(large)));
  const io::expected<io::content> in = io::read_file(path);
  REQUIRE(in);
  REQUIRE(in->is_mapped());
  in->forget(in->view());
  CHECK(as_text(in->view()) == large);
  in->forget(in->view().subspan(4097, 9000));
  in->forget(in->view().subspan(4097, 0));
  in->forget(as_bytes("somewhere else"));
  CHECK(as_text(in->view()) == large);
}

#ifdef __linux__
TEST_CASE("file: a device that is full fails once for all pieces", "[io]") {
  io::expected<io::file_writer> out = io::file_writer::open("/dev/full");
  REQUIRE(out);
  const std::string large(300000, 'x');
  CHECK_FALSE(out->put(as_bytes(large)));
  CHECK_FALSE(out->put(as_bytes("more")));
  const io::expected<io::done> wrote = out->finish();
  REQUIRE_FALSE(wrote);
  CHECK(wrote.error().error_number == ENOSPC);
}
#endif

TEST_CASE("file: what isn't a regular file is written, not replaced", "[io]") {
  CHECK(io::write_file("/dev/null", as_bytes("x")));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  if (std::filesystem::exists("/dev/full"))
    CHECK(message_of(io::write_file("/dev/full", as_bytes("x"))) ==
          "/dev/full: cannot write: No space left on device");
  const temporary_folder folder;
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = slurp(fifo); });
  CHECK(io::write_file(fifo, as_bytes(pattern(200000))));
  reader.join();
  CHECK(read == pattern(200000));
}

TEST_CASE("file: standard output takes all bytes, slow reader or none", "[io]") {
  SECTION("a slow reader") {
    pipe_ends p;
    std::string read;
    std::thread reader([&] {
      char some[999];
      for (::ssize_t count = 0; (count = ::read(p.out, some, sizeof some)) > 0;)
        read.append(some, static_cast<std::size_t>(count));
    });
    {
      const redirected out(STDOUT_FILENO, p.in);
      p.close_in();
      const auto wrote = io::write_file("-", as_bytes(pattern(1000000)));
      const redirected hang_up(STDOUT_FILENO, STDERR_FILENO);
      CHECK(wrote);
    }
    reader.join();
    CHECK(read == pattern(1000000));
  }
  SECTION("a pipe that another program made non-blocking") {
    pipe_ends p;
    REQUIRE(::fcntl(p.in, F_SETFL, O_NONBLOCK) == 0);
    std::string read;
    std::thread reader([&] {
      char some[999];
      for (::ssize_t count = 0; (count = ::read(p.out, some, sizeof some)) > 0;)
        read.append(some, static_cast<std::size_t>(count));
    });
    {
      const redirected out(STDOUT_FILENO, p.in);
      p.close_in();
      const auto wrote = io::write_file("-", as_bytes(pattern(1000000)));
      const redirected hang_up(STDOUT_FILENO, STDERR_FILENO);
      CHECK(wrote);
    }
    reader.join();
    CHECK(read == pattern(1000000));
  }
  SECTION("nobody reads") {
    pipe_ends p;
    p.close_out();
    std::optional<io::expected<io::done>> wrote;
    {
      const redirected out(STDOUT_FILENO, p.in);
      wrote.emplace(io::write_file("-", as_bytes("x")));
    }
    CHECK(message_of(*wrote) == "<stdout>: cannot write: Broken pipe");
    CHECK(wrote->error().error_number == EPIPE);
    ::sigset_t pending;
    ::sigpending(&pending);
    CHECK(::sigismember(&pending, SIGPIPE) == 0);
  }
  SECTION("a file, by name") {
    const temporary_folder folder;
    const int f = ::open((folder / "f").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    bool ok = false;
    {
      const redirected out(STDOUT_FILENO, f);
      ok = io::write_file("-", as_bytes("one,")) &&
           io::write_file("/dev/stdout", as_bytes("two,")) &&
           io::write_file(folder / "f", as_bytes("three"));
    }
    ::close(f);
    CHECK(ok);
    CHECK(slurp(folder / "f") == "one,two,three");
  }
}

#if TESSERA_TESTS_CHILD
TEST_CASE("file: the wrong side of a result traps", "[io]") {
  const io::expected<io::done> good = io::done{};
  const io::expected<io::done> bad = io::failure{io::fault::content, "why"};
  CHECK(tessera_tests::traps([&] { static_cast<void>(good.error()); }));
  CHECK(tessera_tests::traps([&] { static_cast<void>(*bad); }));
}
#endif

TEST_CASE("file: a failure is its parts", "[io]") {
  CHECK(io::failure{io::fault::content, "what"}.message() == "what");
  CHECK(io::failure{io::fault::content, "what", 0, "path"}.message() == "path: what");
  CHECK(io::failure{io::fault::system, "what", EPERM, "path"}.message() ==
        "path: what: Operation not permitted");
}
