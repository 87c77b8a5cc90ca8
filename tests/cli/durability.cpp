// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A file that the tool writes is the old one or the new one, never a part of it: wherever the process is
// killed, and whichever call of the system fails. It is killed at each entry to the system and each
// return from it (ptrace), since nothing changes files between these; calls are made to fail by a filter
// of the kernel (seccomp).

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"

#if defined(__linux__) && __has_include(<linux/seccomp.h>)
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The regular files of a folder, and what is in them.
using folder_content = std::map<std::string, std::string>;
folder_content content_of(const fs::path& folder) {
  folder_content out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) out[entry.path().filename().string()] = slurp(entry.path());
  return out;
}

// ---- calls that fail

/// The calls of one kind fail with `number`.
struct refusal {
  const char* name;
  std::vector<long> calls;
  int number;
  int argument = -1;            ///< only where this argument
  unsigned mask = ~0u, is = 0;  ///< has these bits, if `is` isn't 0,
  unsigned more_than = 0;       ///< or is more than this
};

const std::vector<long>& renames() {
  static const std::vector<long> all = {
#ifdef SYS_rename
      SYS_rename,
#endif
#ifdef SYS_renameat
      SYS_renameat,
#endif
      SYS_renameat2};
  return all;
}

const refusal no_unnamed_files{"O_TMPFILE", {SYS_openat}, EOPNOTSUPP, 2, O_TMPFILE, O_TMPFILE};

/// In the child: from here on those calls fail.
void refuse(const refusal& what) {
  constexpr auto load = static_cast<unsigned short>(BPF_LD | BPF_W | BPF_ABS);
  constexpr auto equal = static_cast<unsigned short>(BPF_JMP | BPF_JEQ | BPF_K);
  const auto offset_of = [](int argument) {
    constexpr std::size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    return static_cast<unsigned>(offsetof(seccomp_data, args) +
                                 8 * static_cast<std::size_t>(argument) + low);
  };
  const sock_filter allowed = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  std::vector<sock_filter> code;
  for (const long call : what.calls) {
    std::vector<sock_filter> body;
    if (what.argument >= 0) {
      body.push_back(BPF_STMT(load, offset_of(what.argument)));
      if (what.is != 0) {
        body.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, what.mask));
        body.push_back(BPF_JUMP(equal, what.is, 1, 0));
      } else {
        body.push_back(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, what.more_than, 1, 0));
      }
      body.push_back(allowed);
    }
    body.push_back(
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(what.number)));
    code.push_back(BPF_STMT(load, static_cast<unsigned>(offsetof(seccomp_data, nr))));
    code.push_back(
        BPF_JUMP(equal, static_cast<unsigned>(call), 0, static_cast<unsigned char>(body.size())));
    code.insert(code.end(), body.begin(), body.end());
  }
  code.push_back(allowed);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    ::_exit(99);
}

// ---- the tool

struct command {
  std::vector<std::string> words;
  fs::path folder;
  std::function<void()> prepare;  ///< in the child, before it becomes the tool
};

/// The child's part: becomes the tool, in the folder.
[[noreturn]] void become(const command& c) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const std::string errors = (c.folder.parent_path() / "stderr").string();
  const int to = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int from = ::open("/dev/null", O_RDWR);
  if (to < 0 || from < 0 || ::chdir(c.folder.c_str()) != 0) ::_exit(99);
  ::dup2(from, 0), ::dup2(from, 1), ::dup2(to, 2);
  ::close(from), ::close(to);
  std::vector<char*> argv;
  std::string tool = TESSERA_TESTS_CLI_TOOL;
  argv.push_back(tool.data());
  std::vector<std::string> words = c.words;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  // LeakSanitizer doesn't work under ptrace.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
  if (c.prepare) c.prepare();
  ::execv(tool.c_str(), argv.data());
  ::_exit(99);
}

/// Its status, as of waitpid.
int run(const command& c) {
  const pid_t child = ::fork();
  if (child == 0) become(c);
  int status = -1;
  REQUIRE(child > 0);
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

struct traced {
  std::size_t stops = 0;        ///< entries and returns until it ended or was killed
  std::size_t first_write = 0;  ///< the one that opens the first file to write
  int status = -1;
};

/// Whether the child enters a call that opens a file to write.
bool opens_to_write(pid_t child) {
#ifdef PTRACE_GET_SYSCALL_INFO
  __ptrace_syscall_info info = {};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) return true;
  return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_openat &&
         (info.entry.args[2] & (O_WRONLY | O_RDWR)) != 0;
#else
  return child != 0;
#endif
}

/// Runs the tool and kills it at stop number `kill_at`, if it gets there.
traced trace(const command& c, std::size_t kill_at) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(98);
    become(c);
  }
  REQUIRE(child > 0);
  traced out;
  REQUIRE(::waitpid(child, &out.status, 0) == child);  // at exec
  if (!WIFSTOPPED(out.status)) return out;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr,
           reinterpret_cast<void*>(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
  for (int signal = 0;;) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, reinterpret_cast<void*>(std::intptr_t{signal}));
    REQUIRE(::waitpid(child, &out.status, __WALL) == child);
    if (!WIFSTOPPED(out.status)) return out;
    const bool is_call = WSTOPSIG(out.status) == (SIGTRAP | 0x80);
    signal = is_call ? 0 : WSTOPSIG(out.status);
    if (!is_call) continue;
    ++out.stops;
    if (out.first_write == 0 && opens_to_write(child)) out.first_write = out.stops;
    if (out.stops == kill_at) ::kill(child, SIGKILL);
  }
}

bool can_trace() {
  const traced tried = trace({{"--version"}, "/tmp", {}}, 0);
  if (WIFEXITED(tried.status) && WEXITSTATUS(tried.status) == 0 && tried.stops > 10) return true;
  WARN("processes can't be traced here");
  return false;
}

/// Memory, where there is such a folder: the tool waits for the disk.
fs::path scratch() {
  static const fs::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
}

/// Whether files without a name can be made where the tests write.
bool has_unnamed_files() {
  const int tried = ::open(scratch().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (tried >= 0) ::close(tried);
  return tried >= 0;
}

// ---- what is written

struct scenario {
  std::string name;
  std::vector<std::string> words;
  std::vector<std::string> inputs;                   ///< below tests/data, copied into the folder
  std::vector<std::string> outputs;                  ///< files that are there before
  bool is_new = false;                               ///< they aren't there before
  std::vector<std::vector<std::string>> setup = {};  ///< what makes other inputs, by the tool
};

const fs::path data = TESSERA_TESTS_CLI_DATA;

std::vector<scenario> scenarios() {
  std::vector<scenario> out;
  out.push_back({"a new file",
                 {"convert", "mul.v2.json", "out.json", "--to", "v4"},
                 {"alir/ok/mul.v2.json"},
                 {"out.json"},
                 true});
  out.push_back({"convert",
                 {"convert", "mul.v2.json", "out.json", "--to", "v4"},
                 {"alir/ok/mul.v2.json"},
                 {"out.json"}});
  out.push_back({"the input is the output",
                 {"convert", "mul.v2.json", "mul.v2.json", "--to", "v4"},
                 {"alir/ok/mul.v2.json"},
                 {}});
  out.push_back({"a file and its test bench",
                 {"convert", "mul.v2.json", "out.v", "--test-bench", "bench.v"},
                 {"alir/ok/mul.v2.json"},
                 {"out.v", "bench.v"}});
  out.push_back({"optimize",
                 {"optimize", "mul.v2.json", "-o", "out.json"},
                 {"alir/ok/mul.v2.json"},
                 {"out.json"}});
  out.push_back({"run",
                 {"run", "mul.v2.json", "--random", "1", "--output", "out.csv"},
                 {"alir/ok/mul.v2.json"},
                 {"out.csv"}});
  out.push_back({"trace",
                 {"trace", "mul.v2.json", "--random", "1", "--output", "out.csv"},
                 {"alir/ok/mul.v2.json"},
                 {"out.csv"}});
  out.push_back({"weights in a file of their own",
                 {"convert", "mini_v16.nac", "out.nac", "--weights-out", "out.safetensors"},
                 {"nac/mini_v16.nac"},
                 {"out.nac", "out.safetensors"}});
  out.push_back(
      {"graph", {"graph", "mini_v16.nac", "-o", "out.svg"}, {"nac/mini_v16.nac"}, {"out.svg"}});
  out.push_back(
      {"view", {"view", "mini_v16.nac", "-o", "out.html"}, {"nac/mini_v16.nac"}, {"out.html"}});
  out.push_back({"import",
                 {"import", "resnet.pt2", "-o", "out.nac"},
                 {"pt2/networks/resnet.pt2"},
                 {"out.nac"}});
  out.push_back(
      {"a program and its weights",
       {"lower", "resnet.nac", "--device", "large.nem", "--shape", "1x3x20x20", "-o", "out.nem"},
       {"pt2/networks/resnet.pt2", "nem/devices/large.nem"},
       {"out.nem", "out.weights"},
       false,
       {{"import", "resnet.pt2", "-o", "resnet.nac"}}});
  out.push_back({"a registry and its streams",
                 {"genome", "mine", "mini_v16.nac", "-o", "out.json", "--signatures", "all.json"},
                 {"nac/mini_v16.nac"},
                 {"out.json", "all.json"}});
  return out;
}

/// A folder with the inputs and the old outputs of a scenario.
class stage {
 public:
  explicit stage(const scenario& s)
      : s_(s),
        folder_(scratch() / ("tessera-durability-" + std::to_string(::getpid()))),
        work_(folder_ / "work") {}
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;
  ~stage() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// As before the tool ran.
  void set() {
    fs::remove_all(work_);
    fs::create_directories(work_);
    for (const std::string& in : s_.inputs)
      fs::copy_file(data / in, work_ / fs::path(in).filename());
    for (const std::vector<std::string>& words : s_.setup) REQUIRE(run({words, work_, {}}) == 0);
    if (!s_.is_new)
      for (const std::string& out : s_.outputs)
        std::ofstream(work_ / out, std::ios::binary) << "the old " << out;
  }
  [[nodiscard]] command tool(std::function<void()> prepare = {}) const {
    return {s_.words, work_, std::move(prepare)};
  }
  [[nodiscard]] folder_content content() const { return content_of(work_); }
  [[nodiscard]] std::string errors() const { return slurp(folder_ / "stderr"); }
  [[nodiscard]] const fs::path& work() const { return work_; }

 private:
  const scenario& s_;
  fs::path folder_, work_;
};

/// Files that a run left beside those that it should, which must be complete.
std::size_t leftovers(const folder_content& now, const folder_content& after) {
  std::size_t count = 0;
  for (const auto& [name, content] : now) {
    if (after.count(name) != 0) continue;
    ++count;
    CHECK(name.starts_with(".tessera-"));
  }
  return count;
}

/// What no moment may show: a file that is neither as before nor as after.
void check_no_part(const folder_content& now, const folder_content& before,
                   const folder_content& after) {
  for (const auto& [name, content] : after) {
    INFO(name);
    const auto found = now.find(name);
    const auto old = before.find(name);
    if (found == now.end())
      CHECK(old == before.end());
    else
      CHECK((found->second == content || (old != before.end() && found->second == old->second)));
  }
}

/// Kills the tool at every `step`-th point, and returns how often it left a temporary file.
std::size_t kill_everywhere(const scenario& s, std::size_t step, const refusal* refused,
                            std::size_t& points) {
  INFO(s.name);
  stage at(s);
  const auto prepare = [refused] {
    if (refused != nullptr) refuse(*refused);
  };
  at.set();
  const folder_content before = at.content();
  const traced whole = trace(at.tool(prepare), 0);
  INFO(at.errors());
  REQUIRE(WIFEXITED(whole.status));
  REQUIRE(WEXITSTATUS(whole.status) == 0);
  REQUIRE(whole.first_write != 0);
  const folder_content after = at.content();
  REQUIRE(after != before);
  std::size_t left = 0;
  for (std::size_t k = whole.first_write; k <= whole.stops; k += step) {
    INFO("killed at " << k << " of " << whole.stops);
    at.set();
    const traced killed = trace(at.tool(prepare), k);
    // The last calls vary with what else the machine does.
    if (WIFSIGNALED(killed.status)) ++points;
    const folder_content now = at.content();
    check_no_part(now, before, after);
    left += leftovers(now, after);
    if (leftovers(now, after) == 0) continue;
    // What is left is no obstacle.
    CHECK(run(at.tool()) == 0);
    check_no_part(at.content(), after, after);
  }
  return left;
}

}  // namespace

// Where a file has no name before it is complete, it has one of its own between two calls, while it
// replaces another: killed there, it stays. That is one return and one entry.
TEST_CASE("cli/durability: killed anywhere, a file is the old one or the new one", "[cli]") {
  if (!can_trace()) return;
  std::size_t points = 0;
  for (const scenario& s : scenarios()) {
    if (s.name != "convert" && s.name != "a new file" && s.name != "a file and its test bench")
      continue;
    INFO(s.name);
    const std::size_t left = kill_everywhere(s, 1, nullptr, points);
    if (has_unnamed_files()) CHECK(left <= (s.is_new ? 0 : 2 * s.outputs.size()));
  }
  CHECK(points >= 50);
}

TEST_CASE("cli/durability: every verb, killed anywhere", "[cli][.][long]") {
  if (!can_trace()) return;
  std::size_t points = 0;
  for (const scenario& s : scenarios()) {
    INFO(s.name);
    const std::size_t left = kill_everywhere(s, 1, nullptr, points);
    const std::size_t count = std::max<std::size_t>(1, s.outputs.size());
    if (has_unnamed_files()) CHECK(left <= (s.is_new ? 0 : 2 * count));
    (void)kill_everywhere(s, 1, &no_unnamed_files, points);
  }
  CHECK(points >= 200);
}

TEST_CASE("cli/durability: whichever call fails, the old file stays and nothing else", "[cli]") {
  const std::vector<refusal> refusals = {
      {"write", {SYS_write}, ENOSPC, 0, 0, 0, 2},
      {"fsync", {SYS_fsync}, EIO},
      {"fchmod", {SYS_fchmod}, EPERM},
      {"rename", renames(), EIO},
      {"linkat", {SYS_linkat}, EIO},
      {"creation", {SYS_openat}, ENOSPC, 2, O_CREAT, O_CREAT},
  };
  for (const scenario& s : scenarios()) {
    if (s.name == "run" || s.name == "graph") continue;
    for (const refusal& r : refusals) {
      INFO(s.name << ", " << r.name << " fails");
      const std::string_view call = r.name;
      if (call == "linkat" && !has_unnamed_files()) continue;
      if (s.is_new && (call == "fchmod" || (call == "rename" && has_unnamed_files()))) continue;
      stage at(s);
      at.set();
      const folder_content before = at.content();
      const int status = run(at.tool([&] {
        // A file that can't be created has no name in either way.
        if (call == "creation")
          refuse({"O_TMPFILE", {SYS_openat}, ENOSPC, 2, O_TMPFILE, O_TMPFILE});
        refuse(r);
      }));
      INFO(at.errors());
      CHECK(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) == 3);
      CHECK(at.errors().find(std::strerror(r.number)) != std::string::npos);
      // What was asked for is named; which of several it was depends on the call.
      const auto is_named = [&](const std::string& name) {
        return at.errors().find(name) != std::string::npos;
      };
      if (s.outputs.empty())
        CHECK(is_named("mul.v2.json"));
      else
        CHECK(std::any_of(s.outputs.begin(), s.outputs.end(), is_named));
      CHECK(at.content() == before);
      CHECK(run(at.tool()) == 0);
    }
  }
}

TEST_CASE("cli/durability: a file over the limit of the system is an error", "[cli]") {
  for (const scenario& s : scenarios()) {
    INFO(s.name);
    stage at(s);
    at.set();
    const folder_content before = at.content();
    const int status = run(at.tool([] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit few{10, 10};
      ::setrlimit(RLIMIT_FSIZE, &few);
      // The messages go to a pipe's place.
      const int to = ::open("/dev/null", O_WRONLY);
      ::dup2(to, 2);
    }));
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 3);
    CHECK(at.content() == before);
  }
}
#endif
