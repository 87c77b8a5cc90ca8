// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads what a program's types depend on: included files, type families, devices, the target.
//
//   nem::catalog c;
//   std::uint32_t target;
//   nem::detail::load(model, options, findings, c, target);
//   if (target != nem::no_index) use(c.devices[target]);     // resolved: lists all that it inherits
//
//   include         by options.resolver, else a baseline file by its base name     INC
//   type_family     joins the built-in ones                                        FDL
//   device          with its parent's fields                                       DEV
//   the directive   device "file", device NAME, or a device in the program itself  DEV-003, 016, 017
//
// Included files come first, in order, each once; then the families of a file, then its devices. All
// that was loaded is visible to what comes later. The built-in families are there without any
// include, and can be replaced (load_family.hpp); the baseline devices have to be included.
// options.device and options.device_file give the target in place of what the directive names; that
// file is loaded last. A model without a program has no target otherwise. Nor is there one after an error in it or in its parents: the program is
// taken as one for any device, so that one error doesn't cause others.
//
// Lifetime:   borrows while it runs; what the resolver gives must last as long.
// Errors:     findings; those in an included file have its index in report::files, plus 1.
// Limits:     options.max_include_depth; 4,096 files; names of 4 GiB in all.
// Allocation: linear in the files; the trees of those that include one another at the same time.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../../core/pool.hpp"
#include "../../../core/result.hpp"
#include "../../../version.hpp"
#include "../../read.hpp"
#include "../../verify_options.hpp"
#include "load_device.hpp"
#include "load_family.hpp"
#include "load_state.hpp"
#include "resolve_device.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

inline constexpr std::uint32_t max_files = 4096;

class loader {
 public:
  loader(const model& main, const verify_options& options, findings& found, catalog& to)
      : main_(main), options_(options), s_(found, to), to_(to) {
    files_.resize(found.report().files.size());  // those of a model that was verified before
  }
  loader(const loader&) = delete;
  loader& operator=(const loader&) = delete;
  ~loader() {
    while (top_ != nullptr) close();
  }

  [[nodiscard, gnu::cold]] std::uint32_t run() {
    add_builtin(to_);
    open(new frame(main_, options_.id));
    while (top_ != nullptr) step();
    if (names_device_file()) {
      const std::string_view id = options_.device_file.id;
      const std::uint64_t errors = s_.found.errors();
      device_file_ =
          include_file(frame(main_, options_.id), base_name(id), options_.device_file, {});
      while (top_ != nullptr) step();
      device_file_fails_ = s_.found.errors() != errors;
    }
    const std::uint32_t target = find_target();
    for (const device& d : to_.devices) {
      if (d.where.length == 0) continue;  // a baseline device
      inheritance_check(s_, target).run();
      break;
    }
    if (target == no_index || s_.unsound_devices[target] || !to_.devices[target].has_topology)
      return no_index;
    resolve_device(to_, target);
    return target;
  }

 private:
  /// What include() returns besides indices of places: nothing, or one of the baseline files.
  static constexpr std::uint32_t no_file = 0xffffffff, baseline_file = 0xfffffff0;

  /// A file that is being loaded.
  struct frame {
    frame(const model& of, std::string_view name) noexcept : d(of), id(name) {}
    frame(model&& of, std::string_view name) noexcept : own(std::move(of)), d(own), id(name) {}
    frame(const frame&) = delete;
    frame& operator=(const frame&) = delete;

    model own = {};
    const model& d;
    std::string_view id;
    std::uint32_t file = 0;   ///< as places have it
    std::uint32_t at = 0;     ///< the next node
    std::uint32_t depth = 0;  ///< files around it
    bool declares = false;    ///< whether families or devices precede `at`
    place from = {};          ///< the include that names it
    frame* outer = nullptr;
  };
  /// A file that was named before.
  struct known_file {
    enum class state : std::uint8_t { open, loaded, failed } is = state::open;
    place from;
  };

  void open(frame* f) noexcept {
    f->outer = top_;
    f->depth = top_ == nullptr ? 0 : top_->depth + 1;
    top_ = f;
  }
  void close() noexcept {
    frame* const f = top_;
    top_ = f->outer;
    if (f->file != 0) files_[f->file - 1].is = known_file::state::loaded;
    delete f;
  }

  /// Goes on with the innermost file, up to its next include or its end.
  [[gnu::cold]] void step() {
    frame& f = *top_;
    const bool is_main = &f.d == &main_;
    while (f.at < f.d.nodes.size()) {
      const std::uint32_t i = f.at;
      const node& n = f.d.nodes[i];
      if (n.kind == node_kind::include || (is_main && n.kind == node_kind::device_file)) {
        f.at = n.next;
        const std::uint32_t file = include(f, f.d.name(n.value), place_of(n, f.file));
        if (file == no_file) s_.lacks_files = true;
        if (n.kind == node_kind::device_file)
          directive_ = i, directive_file_ = file, has_program_ = true;
        if (top_ != &f) return;
        continue;
      }
      if (n.kind == node_kind::type_family || n.kind == node_kind::device) {
        f.declares = true;
      } else if (!is_main) {
        auto text = s_.found.add(errc::nem_inc_004_program, f.from);
        text << "the program in \"" << f.id << "\" is ignored";
        text.note(place_of(n, f.file)) << "it begins here";
        break;
      } else {
        has_program_ = true;
        if (n.kind != node_kind::device_name) break;
        directive_ = i;
      }
      f.at = n.next;
    }
    if (f.declares) load_declarations(f);
    close();
  }

  [[gnu::cold]] void load_declarations(const frame& f) {
    if (to_.characters.size() + f.d.characters.size() >= no_index) {  // unreachable: below 4 GiB
      s_.found.add(errc::input_too_large, f.from) << "the names of all files exceed 4 GiB";
      return;
    }
    declaring_file source{f.d, f.file, static_cast<std::uint32_t>(to_.characters.size())};
    to_.characters << f.d.characters;
    family_loader families(s_, source);
    device_loader devices(s_, source);
    for (std::uint32_t i = 0; i < f.at; i = f.d.nodes[i].next)
      if (f.d.nodes[i].kind == node_kind::type_family) families.load(i);
    for (std::uint32_t i = 0; i < f.at; i = f.d.nodes[i].next) {
      if (f.d.nodes[i].kind != node_kind::device) continue;
      const std::uint32_t index = index_in(to_.devices);
      devices.load(i);
      if (f.file == 0 && index != to_.devices.size()) inline_device_ = index;
    }
  }

  /// Opens the file that a path names, unless it is known. Returns its index in places.
  [[nodiscard, gnu::cold]] std::uint32_t include(const frame& f, std::string_view path,
                                                 place where) {
    resolver::file opened;
    const resolver& r = options_.resolver;
    if (r.open != nullptr && r.open(r.context, f.id, path, opened))
      return include_file(f, path, opened, where);
    const std::uint32_t baseline = find_baseline(path);
    if (baseline < 2) return include_baseline(baseline, where);
    auto text = s_.found.add(errc::nem_inc_001_missing, where);
    text << "can't find \"" << path << '"';
    if (!opened.why.empty()) text << ": " << opened.why;
    suggestion near(base_name(path));
    for (const baseline_row& b : baseline_files) near.offer(b.file);
    if (!near.word().empty()) text.note() << "did you mean \"" << near.word() << "\"?";
    return no_file;
  }

  [[nodiscard, gnu::cold]] std::uint32_t include_file(const frame& f, std::string_view path,
                                                      const resolver::file& opened, place where) {
    report& all = s_.found.report();
    const std::uint32_t hash = hash_of(opened.id);
    const std::uint32_t known =
        ids_.find(hash, [&](std::uint32_t i) { return all.text_of(all.files[i]) == opened.id; });
    const bool is_main = !options_.id.empty() && opened.id == options_.id;
    if (is_main || (known != no_index && files_[known].is == known_file::state::open)) {
      auto text = s_.found.add(errc::nem_inc_002_circular, where);
      text << '"' << path << "\" includes itself";
      if (!is_main) text.note(files_[known].from) << "it is included here first";
      return no_file;
    }
    if (known != no_index)
      return files_[known].is == known_file::state::failed ? no_file : known + 1;
    if (f.depth >= options_.max_include_depth) {
      s_.found.add(errc::nem_syn_014_depth, where)
          << "includes are nested deeper than " << options_.max_include_depth << " files";
      return no_file;
    }
    if (files_.size() >= max_files) {
      s_.found.add(errc::too_many_items, where) << "more than " << max_files << " included files";
      return no_file;
    }
    const std::uint32_t index = index_in(files_);
    ids_.put(hash, index);
    files_.push_back({known_file::state::open, where});
    all.files.push_back({static_cast<std::uint32_t>(all.characters.size()),
                         static_cast<std::uint32_t>(opened.id.size())});
    all.characters << opened.id;
    return read_file(opened, where, index) ? index + 1 : no_file;
  }

  [[nodiscard, gnu::cold]] bool read_file(const resolver::file& opened, place where,
                                          std::uint32_t index) {
    report inner;
    read_options options;
    options.profile = options_.profile;
    options.max_errors = 1;
    result<model> d = read(opened.text, options, &inner);
    if (d) {
      frame* const f = new frame(*std::move(d), opened.id);
      f->file = index + 1;
      f->from = where;
      open(f);
      return true;
    }
    files_[index].is = known_file::state::failed;
    auto text = s_.found.add(errc::nem_inc_003_invalid, where);
    text << "the file isn't a valid document";
    for (const diagnostic& first : inner.diagnostics) {
      if (first.severity != severity::error) continue;
      place at = first.where;
      at.file = index + 1;
      text.note(at) << (rule(first.code).id().empty() ? "error" : rule(first.code).id()) << ": "
                    << inner.text_of(first.text);
      break;
    }
    return false;
  }

  /// Makes the built-in families and a baseline device visible.
  [[nodiscard, gnu::cold]] std::uint32_t include_baseline(std::uint32_t which, place where) {
    const std::string_view name = baseline_files[which].device;
    const std::uint32_t known = s_.find_device(name);
    if (!s_.has_baseline) {
      s_.has_baseline = true;
      s_.baseline = where;
      for (std::uint32_t i = 0; i < builtin_families; ++i) {
        if ((s_.replaced >> i & 1) == 0) continue;
        auto text = s_.found.add(errc::nem_fdl_001_duplicate, where);
        text << "type family " << family_table[i].name << " is already defined";
        text.note(to_.families[i].where) << family_table[i].name << " is first defined here";
      }
    }
    if (known == no_index) {
      const std::uint32_t index = index_in(to_.devices);
      add_baseline_device(to_, baseline_files[which]);
      s_.entries.resize(to_.device_instances.size());
      s_.unsound_devices.push_back(s_.replaced != 0);
      s_.devices.put(hash_of(name), index);
    } else if (to_.devices[known].where.length != 0) {
      auto text = s_.found.add(errc::nem_dev_015_duplicate, where);
      text << "device " << name << " is already defined";
      text.note(to_.devices[known].where) << name << " is first defined here";
    }
    return baseline_file + which;
  }

  /// The device that the program is for, whether it is sound or not.
  [[nodiscard, gnu::cold]] std::uint32_t find_target() {
    const bool is_directed = directive_ != no_node;
    place where = is_directed ? place_of(main_.nodes[directive_]) : place{};
    std::uint32_t target = no_index;
    const bool is_given = !options_.device.empty() || names_device_file();
    if (!options_.device.empty()) {
      target = find_named(options_.device, where);
    } else if (is_given) {
      if (device_file_ != no_file && !device_file_fails_)
        target = find_in_file(device_file_, base_name(options_.device_file.id), {});
    } else if (!is_directed) {
      if (has_program_) target = inline_device_;
    } else if (main_.nodes[directive_].kind == node_kind::device_name) {
      target = find_named(main_.name(main_.nodes[directive_].value), where);
    } else if (directive_file_ != no_file) {
      target = find_in_file(directive_file_, main_.name(main_.nodes[directive_].value), where);
    }
    if (target == no_index || to_.devices[target].has_topology || s_.unsound_devices[target])
      return target;
    const device& d = to_.devices[target];
    if (!is_directed || is_given) where = d.where;
    auto text = s_.found.add(errc::nem_dev_003_topology, where);
    text << "target device " << to_.text_of(d.name) << " has no topology";
    if (is_directed && !is_given && d.where.length != 0)
      text.note(d.where) << to_.text_of(d.name) << " is defined here";
    return target;
  }

  [[nodiscard, gnu::cold]] std::uint32_t find_named(std::string_view name, place where) {
    const std::uint32_t i = s_.find_device(name);
    if (i != no_index || s_.lacks_files) return i;
    auto text = s_.found.add(errc::nem_dev_016_unknown, where);
    text << "unknown device " << name << ": neither defined here nor in an included file";
    note_visible(s_, text, name);
    return no_index;
  }

  [[nodiscard]] bool names_device_file() const noexcept {
    return options_.device_file.text.data() != nullptr;
  }

  /// Of the devices that a file defines itself: the only one, or the one of its name.
  [[nodiscard, gnu::cold]] std::uint32_t find_in_file(std::uint32_t file, std::string_view path,
                                                      place where) {
    if (file >= baseline_file) return s_.find_device(baseline_files[file - baseline_file].device);
    std::string_view stem = base_name(path);
    if (const std::size_t dot = stem.rfind('.'); dot != stem.npos && dot != 0)
      stem = stem.substr(0, dot);
    pool<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < to_.devices.size(); ++i) {
      const device& d = to_.devices[i];
      if (d.where.length == 0 || d.where.file != file) continue;
      if (to_.text_of(d.name) == stem) return i;
      candidates.push_back(i);
    }
    if (candidates.size() == 1) return candidates[0];
    auto text = s_.found.add(errc::nem_dev_017_file, where);
    if (candidates.empty()) {
      text << '"' << path << "\" defines no device";
      return no_index;
    }
    text << '"' << path << "\" defines " << candidates.size() << " devices, none with the name "
         << stem;
    text.note(to_.devices[candidates[0]].where)
        << "the first is " << to_.text_of(to_.devices[candidates[0]].name);
    return no_index;
  }

  const model& main_;
  const verify_options& options_;
  loading s_;
  catalog& to_;
  frame* top_ = nullptr;
  pool<known_file> files_;  ///< those of report::files
  hashed_names ids_;
  bool has_program_ = false;
  std::uint32_t directive_ = no_node, directive_file_ = no_file, device_file_ = no_file;
  bool device_file_fails_ = false;
  std::uint32_t inline_device_ = no_index;
};

/// Loads all that the types of a model depend on into an empty catalog. `target` becomes the index
/// of the device that its program is for, or no_index.
[[gnu::cold]] inline void load(const model& d, const verify_options& options, findings& found,
                               catalog& to, std::uint32_t& target) {
  target = loader(d, options, found, to).run();
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_HPP
