// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "chrome_trace.hpp"

#include <tessera/core/json_write.hpp>

#include "label.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

json::writer chrome_trace::begin(char phase, std::uint32_t process, std::uint32_t thread, double at,
                                 title what) {
  out_ << (first_ ? "\n" : ",\n");
  first_ = false;
  json::writer w(out_);
  w.begin_object().key("ph").string({&phase, 1}).key("pid").integer(process);
  w.key("tid").integer(thread).key("ts").number(at).key("name").string(as_utf8(what.name));
  if (!what.category.empty()) w.key("cat").string(as_utf8(what.category));
  return w;
}

void chrome_trace::write(json::writer& w, std::span<const argument> more) {
  w.begin_object();
  for (const argument& a : more) {
    w.key(a.key);
    if (const auto* const words = std::get_if<std::string_view>(&a.value))
      w.string(as_utf8(*words));
    else if (const auto* const count = std::get_if<std::uint64_t>(&a.value))
      w.integer(*count);
    else
      w.integer(std::get<std::int64_t>(a.value));
  }
  w.end();
}

void chrome_trace::end(json::writer& w, std::span<const argument> more) {
  if (more.size() != 0) write(w.key("args"), more);
  w.end();
}

void chrome_trace::metadata(std::string_view what, std::uint32_t process, std::uint32_t thread,
                            std::string_view name) {
  json::writer w = begin('M', process, thread, 0, {what, {}});
  const argument named[] = {{"name", name}};
  end(w, named);
}

void chrome_trace::span(std::uint32_t process, std::uint32_t thread, double start, double duration,
                        title what, arguments more) {
  span_with(process, thread, start, duration, what, {more.begin(), more.size()});
}

void chrome_trace::span_with(std::uint32_t process, std::uint32_t thread, double start,
                             double duration, title what, std::span<const argument> more) {
  json::writer w = begin('X', process, thread, start, what);
  w.key("dur").number(duration);
  end(w, more);
}

void chrome_trace::instant(std::uint32_t process, std::uint32_t thread, double at, title what,
                           arguments more) {
  json::writer w = begin('i', process, thread, at, what);
  w.key("s").string("t");
  end(w, {more.begin(), more.size()});
}

void chrome_trace::counter(std::uint32_t process, double at, std::string_view name,
                           std::string_view unit, std::uint64_t value) {
  json::writer w = begin('C', process, 0, at, {name, {}});
  w.key("args").begin_object().key(unit).integer(value).end();
  w.end();
}

void chrome_trace::finish(arguments more) {
  out_ << "\n],\"displayTimeUnit\":\"ns\"";
  if (more.size() != 0) {
    out_ << ",\"otherData\":";
    json::writer w(out_);
    write(w, {more.begin(), more.size()});
  }
  out_ << "}\n";
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
