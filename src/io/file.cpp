// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "signals.hpp"
#include "tessera/core/text.hpp"
#include "unnamed_file.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

// The most that one read or write is asked for; some systems refuse 2^31 and more.
constexpr std::size_t chunk = std::size_t{1} << 30;

/// A descriptor that closes itself.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

[[nodiscard]] int open_retrying(const std::string& path, int flags) noexcept {
  int number = -1;
  do number = ::open(path.c_str(), flags | O_CLOEXEC);
  while (number < 0 && errno == EINTR);
  return number;
}

/// Whether a call that failed can be made again. A descriptor that another program made non-blocking
/// is waited for until it has one of `events`.
[[nodiscard]] bool can_retry(int number, short events) noexcept {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  struct ::pollfd wait = {number, events, 0};
  return ::poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

/// Everything up to the end of a pipe, a terminal or a device.
[[nodiscard]] expected<content> read_stream(int from, std::string_view name, const limits& limit) {
  constexpr std::uint64_t min_growth = 1 << 16;
  // One more byte than the limit has to fit, to detect input beyond the limit.
  const std::uint64_t max_size = limit.max_bytes + (limit.max_bytes + 1 != 0 ? 1 : 0);
  content out;
  for (;;) {
    if (out.size() == out.capacity()) {
      const std::uint64_t wanted = std::max(min_growth, std::uint64_t{out.capacity()} * 2);
      if (!out.reserve(std::min(max_size, wanted))) {
        errno = ENOMEM;
        return system_failure(name, "cannot read");
      }
    }
    const ::ssize_t count = ::read(from, out.end(), std::min(chunk, out.capacity() - out.size()));
    if (count == 0) return out;
    if (count > 0) {
      out.advance(static_cast<std::size_t>(count));
      if (out.size() > limit.max_bytes) return too_large(name, limit.max_bytes);
    } else if (!can_retry(from, POLLIN)) {
      return system_failure(name, "cannot read");
    }
  }
}

/// While it lives, a write to a closed pipe is EPIPE on this thread, and no signal.
class no_broken_pipe_signal {
 public:
  no_broken_pipe_signal() noexcept {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGPIPE);
    was_pending_ = is_pending();
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  no_broken_pipe_signal(const no_broken_pipe_signal&) = delete;
  no_broken_pipe_signal& operator=(const no_broken_pipe_signal&) = delete;
  ~no_broken_pipe_signal() {
    if (!was_pending_ && is_pending()) {
      int taken = 0;
      ::sigwait(&set_, &taken);
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  [[nodiscard]] static bool is_pending() noexcept {
    ::sigset_t pending;
    return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
  }

  ::sigset_t set_;
  ::sigset_t before_;
  bool was_pending_ = false;
};

[[nodiscard]] bool write_all(int to, bytes data) noexcept {
  const no_broken_pipe_signal guard;
  while (!data.empty()) {
    const ::ssize_t count = ::write(to, data.data(), std::min(chunk, data.size()));
    if (count >= 0)
      data = data.subspan(static_cast<std::size_t>(count));
    else if (!can_retry(to, POLLOUT))
      return false;
  }
  return true;
}

/// The descriptor of standard output or standard error when that is the file of `status` and can be
/// written, or -1.
[[nodiscard]] int standard_stream(const struct ::stat& status) noexcept {
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    struct ::stat stream;
    if (::fstat(number, &stream) == 0 && stream.st_dev == status.st_dev &&
        stream.st_ino == status.st_ino && (::fcntl(number, F_GETFL) & O_ACCMODE) != O_RDONLY)
      return number;
  }
  return -1;
}

}  // namespace

content::content(content&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      mapped_(std::exchange(other.mapped_, false)) {}

content& content::operator=(content&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

content::~content() {
  if (mapped_) {
    forget_mapping(data_);
    ::munmap(data_, size_);
  } else {
    std::free(data_);
  }
}

content content::map(int descriptor, std::size_t size, std::string_view name) noexcept {
  content out;
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (at == MAP_FAILED) return out;
  if (!watch_mapping(at, size, name)) {
    ::munmap(at, size);
    errno = ENOMEM;
    return out;
  }
  out.data_ = static_cast<std::byte*>(at);
  out.size_ = out.capacity_ = size;
  out.mapped_ = true;
  return out;
}

void content::forget(bytes part) const noexcept {
  if (!mapped_ || part.data() < data_ || part.size() > size_) return;
  const auto offset = static_cast<std::size_t>(part.data() - data_);
  if (offset > size_ - part.size()) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = offset / page * page, last = (offset + part.size()) / page * page;
  if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

bool content::reserve(std::uint64_t capacity) noexcept {
  if (capacity <= capacity_) return true;
  if (capacity > std::numeric_limits<std::size_t>::max() / 2) return false;
  void* const data = std::realloc(data_, static_cast<std::size_t>(capacity));
  if (data == nullptr) return false;
  data_ = static_cast<std::byte*>(data);
  capacity_ = static_cast<std::size_t>(capacity);
  return true;
}

failure too_large(std::string_view path, std::uint64_t max_bytes) {
  return {fault::content, "longer than the limit of " + std::to_string(max_bytes) + " bytes", 0,
          std::string(path)};
}

expected<content> read_file(const std::string& path, const limits& limit, const input_rule& rule) {
  const bool is_stdin = path == "-";
  // A pipe that nobody writes to would be waited for.
  const int flags = O_RDONLY | (rule.only_regular ? O_NONBLOCK | O_NOCTTY : 0);
  const descriptor opened(is_stdin ? -1 : open_retrying(path, flags));
  const int from = is_stdin ? STDIN_FILENO : opened.number();
  if (from < 0) return system_failure(path, "cannot open");
  struct ::stat status;
  if (::fstat(from, &status) != 0) return system_failure(path, "cannot read");
  if (rule.only_regular && !is_stdin && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return failure{fault::system, "expected a regular file, found a pipe or a device", 0, path};
  // Files below /proc say 0 and hold more, and a redirected input may have been read in part.
  if (S_ISREG(status.st_mode) && status.st_size > 0 &&
      (!is_stdin || ::lseek(from, 0, SEEK_CUR) == 0)) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t max_size = std::max(limit.max_bytes, rule.max_mapped);
    if (size > max_size) return too_large(path, max_size);
    if (size <= std::numeric_limits<std::size_t>::max() / 2) {
      content mapped = content::map(from, static_cast<std::size_t>(size), path);
      if (mapped.is_mapped()) return mapped;
    }
    if (size > limit.max_bytes) return too_large(path, limit.max_bytes);
  }
  return read_stream(from, path, limit);  // which also says that a folder is one
}

void occupy_standard_streams() noexcept {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)
      (void)open_retrying("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

expected<done> write_file(const std::string& path, bytes data) {
  expected<file_writer> out = file_writer::open(path);
  if (!out) return out.error();
  (void)out->put(data);
  return out->finish();
}

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18;

/// Owner and group of the file to replace where this process may set them, and its permissions. A
/// group that can't be kept loses its permissions beyond those that others have.
[[nodiscard]] bool keep_access(int number, const struct ::stat& old) noexcept {
  struct ::stat made;
  if (::fstat(number, &made) != 0) return false;
  ::mode_t mode = old.st_mode & 0777;
  if ((made.st_uid == old.st_uid && made.st_gid == old.st_gid) ||
      ::fchown(number, old.st_uid, old.st_gid) == 0)
    return ::fchmod(number, mode) == 0;
  if (made.st_gid != old.st_gid && ::fchown(number, static_cast<::uid_t>(-1), old.st_gid) != 0)
    mode = (mode & ~::mode_t{070}) | (mode & (mode << 3) & 070);
  return ::fchmod(number, mode) == 0;
}

/// The system reads a mapped file for us, and says EFAULT where it has shrunk.
[[nodiscard]] failure write_failure(const std::string& path) {
  if (errno != EFAULT) return system_failure(path, "cannot write");
  return {fault::system, "cannot write: an input shrank while it was read", 0, path};
}

}  // namespace

file_writer::file_writer(file_writer&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      number_(std::exchange(other.number_, -1)),
      owned_(std::exchange(other.owned_, false)),
      prepared_(other.prepared_),
      error_number_(other.error_number_),
      buffer_(std::move(other.buffer_)),
      used_(std::exchange(other.used_, 0)) {}

file_writer::~file_writer() { abandon(); }

void file_writer::abandon() noexcept {
  if (owned_ && number_ >= 0) ::close(number_);
  number_ = -1;
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_temporary(temporary_);
  temporary_.clear();
}

expected<file_writer> file_writer::open(const std::string& path) {
  file_writer out;
  out.path_ = path;
  if (path == "-") {
    out.path_ = "<stdout>";
    out.number_ = STDOUT_FILENO;
    return out;
  }
  struct ::stat status;
  if (::stat(path.c_str(), &status) != 0) {
    struct ::stat link;
    if (errno != ENOENT || path.empty()) return system_failure(path, "cannot write");
    if (::lstat(path.c_str(), &link) == 0)
      return system_failure(path, "cannot write through a link whose target doesn't exist");
    out.target_ = path;
    if (expected<done> made = out.open_temporary(0666); !made) return made.error();
    return out;
  }
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return system_failure(path, "cannot write");
  }
  if (const int stream = standard_stream(status); stream >= 0) {
    out.number_ = stream;
    return out;
  }
  if (!S_ISREG(status.st_mode)) {
    out.number_ = open_retrying(path, O_WRONLY);
    out.owned_ = true;
    if (out.number_ < 0) return system_failure(path, "cannot open");
    return out;
  }
  // A file that may not be written may not be replaced either, though its folder would allow it.
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return system_failure(path, "cannot write");
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return system_failure(path, "cannot write");
  out.target_ = resolved;
  std::free(resolved);
  if (expected<done> made = out.open_temporary(status.st_mode & 0777); !made) return made.error();
  if (!keep_access(out.number_, status)) return system_failure(path, "cannot write");
  return out;
}

std::string file_writer::folder() const { return target_.substr(0, target_.rfind('/') + 1); }

/// Has `make` create a name beside the target that nothing has; it is false with EEXIST otherwise.
template <class Make>
bool file_writer::try_names(const Make& make) {
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    temporary_ =
        folder() + ".tessera-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    if (make()) return true;
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  return false;
}

/// A new file beside the target. `mode` is that of the file to replace.
expected<done> file_writer::open_temporary(unsigned mode) {
  number_ = open_unnamed(folder(), mode);
  owned_ = true;
  if (number_ >= 0) return done{};
  const auto create = [&] { return (number_ = create_temporary(temporary_, mode)) >= 0; };
  if (try_names(create)) return done{};
  failure why = system_failure(target_, {});
  text what("cannot create a temporary file in ");
  append_shown(what, folder().empty() ? "the current folder" : folder());
  why.what = what.view();
  return why;
}

bool file_writer::flush() noexcept {
  if (error_number_ != 0) return false;
  if (used_ != 0 && !write_all(number_, {buffer_.get(), used_})) error_number_ = errno;
  used_ = 0;
  return error_number_ == 0;
}

bool file_writer::put(bytes piece) noexcept {
  if (piece.size() > buffer_size - used_ && !flush()) return false;
  if (error_number_ != 0) return false;
  if (piece.size() >= buffer_size) {
    if (!write_all(number_, piece)) error_number_ = errno;
    return error_number_ == 0;
  }
  if (piece.empty()) return true;
  if (buffer_ == nullptr) buffer_.reset(new (std::nothrow) std::byte[buffer_size]);
  if (buffer_ == nullptr) {
    error_number_ = ENOMEM;
    return false;
  }
  std::memcpy(buffer_.get() + used_, piece.data(), piece.size());
  used_ += piece.size();
  return true;
}

expected<done> file_writer::prepare() {
  if (prepared_) return done{};
  bool ok = flush();
  if (!ok) errno = error_number_;
  ok = ok && (target_.empty() || ::fsync(number_) == 0);
  // A failing close reports an error that was held back until then. A file without a name is named by
  // its descriptor.
  const bool closes = owned_ && (target_.empty() || !temporary_.empty());
  if (ok && closes) ok = ::close(std::exchange(number_, -1)) == 0;
  prepared_ = ok;
  if (ok) return done{};
  failure why = write_failure(target_.empty() ? path_ : target_);
  if (error_number_ == 0) error_number_ = why.error_number;
  abandon();
  return why;
}

/// Gives the file the name of the target; false with errno.
bool file_writer::publish() {
  if (temporary_.empty()) {
    if (link_unnamed(number_, target_)) return true;
    const bool replaced = errno == EEXIST && try_names([&] {
                            return replace_by_unnamed(number_, temporary_, target_);
                          });
    temporary_.clear();
    return replaced;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return false;
  forget_temporary(temporary_);
  temporary_.clear();
  return true;
}

expected<done> file_writer::finish() {
  if (expected<done> made = prepare(); !made) return made.error();
  if (target_.empty()) return done{};
  if (!publish()) {
    failure why = write_failure(target_);
    abandon();
    return why;
  }
  abandon();  // the descriptor
  // The new name lasts once its folder is on the disk; a system that can't do that isn't asked to.
  const descriptor parent(open_retrying(folder().empty() ? "." : folder(), O_RDONLY | O_DIRECTORY));
  if (parent.number() >= 0) ::fsync(parent.number());
  return done{};
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
