// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ark::write of compact text against writers that give the same bytes: `to_chars` by hand, from the
// same graph; `rapidjson`, its Writer, from the same graph; `nlohmann`, dump() of a DOM that is there
// already. `pretty` is ours in the format's own layout.

#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tessera/ark.hpp>

#include "ark_generate.hpp"
#include "ratios.hpp"
#if defined(TESSERA_BENCH_NLOHMANN)
#include <nlohmann/json.hpp>
#endif
#if __has_include(<rapidjson/writer.h>)
#define TESSERA_BENCH_RAPIDJSON 1
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#endif

namespace {

using namespace tessera;

/// Text by std::to_chars and std::string. Names are trusted to need no escapes.
class to_chars_out {
 public:
  explicit to_chars_out(std::size_t size) { out_.reserve(size); }
  void open(char bracket) { separate(), out_ += bracket, fresh_ = true; }
  void close(char bracket) { out_ += bracket, fresh_ = false; }
  void key(std::string_view k) { separate(), quoted(k), out_ += ':', fresh_ = true; }
  void integer(std::int64_t v) {
    char digits[24];
    separate();
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
  }
  void string(std::string_view s) { separate(), quoted(s); }
  void raw(std::string_view s) { separate(), out_ += s; }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  void quoted(std::string_view s) { out_ += '"', out_ += s, out_ += '"'; }

  std::string out_;
  bool fresh_ = true;
};

#if defined(TESSERA_BENCH_RAPIDJSON)
class rapidjson_out {
 public:
  explicit rapidjson_out(std::size_t size) : buffer_(nullptr, size), writer_(buffer_) {}
  void open(char bracket) { bracket == '{' ? writer_.StartObject() : writer_.StartArray(); }
  void close(char bracket) { bracket == '}' ? writer_.EndObject() : writer_.EndArray(); }
  void key(std::string_view k) { writer_.Key(k.data(), static_cast<unsigned>(k.size())); }
  void integer(std::int64_t v) { writer_.Int64(v); }
  void string(std::string_view s) { writer_.String(s.data(), static_cast<unsigned>(s.size())); }
  void raw(std::string_view s) { writer_.RawValue(s.data(), s.size(), rapidjson::kNumberType); }
  std::string_view take() { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};
#endif

/// Compact D3 of a graph that has nothing unusual in it.
template <class Out>
void put(const ark::model& g, Out& out) {
  const auto integers = [&out](std::string_view key, const auto& list) {
    out.key(key), out.open('[');
    for (const std::int64_t v : list) out.integer(v);
    out.close(']');
  };
  const auto tags = [&](std::string_view key, ark::range r) {
    out.key(key), out.open('[');
    for (const ark::tag& t : ark::tags(g, r))
      out.open('['), out.integer(t.rank), out.integer(t.number), out.close(']');
    out.close(']');
  };
  const auto tensors = [&](std::string_view key, view<std::uint32_t> list) {
    out.key(key), out.open('[');
    for (const std::uint32_t index : list) {
      const ark::tensor& t = g.tensors[index];
      const ark::layout& l = g.layouts[t.layout];
      const ark::buffer& b = g.buffers[t.buffer];
      out.open('{'), out.key("Id"), out.integer(t.id);
      out.key("DataType"), out.string(ark::info(t.type).name);
      integers("Shape", view<std::int64_t>(l.shape, l.rank));
      integers("Strides", view<std::int64_t>(l.strides, l.rank));
      integers("Offsets", view<std::int64_t>(l.offsets, l.rank));
      integers("PaddedShape", view<std::int64_t>(l.padded_shape, l.rank));
      out.key("Buffer"), out.open('{'), out.key("Id"), out.integer(b.id);
      out.key("Rank"), out.integer(b.rank);
      tags("SendTags", b.send_tags);
      tags("RecvTags", b.recv_tags);
      out.close('}'), out.close('}');
    }
    out.close(']');
  };
  out.open('{'), out.key("Rank"), out.integer(g.rank);
  out.key("WorldSize"), out.integer(g.world_size);
  out.key("Nodes"), out.open('[');
  for (const ark::node& n : g.nodes) {
    out.open('{'), out.key("Id"), out.integer(n.id);
    integers("ProducerNodeIds", ark::integers(g, n.producers));
    integers("ConsumerNodeIds", ark::integers(g, n.consumers));
    const ark::op& o = g.ops[n.ops.first];
    out.key("Op"), out.open('{'), out.key("Type"), out.string(type_name(g, o));
    out.key("Name"), out.string(name(g, o));
    out.key("IsVirtual"), out.raw(o.is_virtual ? "true" : "false");
    tensors("ReadTensors", reads(g, o));
    tensors("WriteTensors", writes(g, o));
    tensors("ResultTensors", results(g, o));
    out.key("Args"), out.open('{');
    for (const ark::argument& a : arguments(g, o)) {
      const std::string_view type = ark::argument_type_names[static_cast<std::size_t>(a.type)];
      out.key(name(g, a)), out.open('{');
      if (a.type == ark::argument_type::dims) {
        integers(type, ark::integers(g, a.integers));
      } else {
        out.key(type);
        if (a.type == ark::argument_type::boolean)
          out.raw(a.integer != 0 ? "true" : "false");
        else if (a.type == ark::argument_type::float32)
          out.raw(text_of(g, a.token));
        else
          out.integer(a.integer);
      }
      out.close('}');
    }
    out.close('}'), out.close('}'), out.close('}');
  }
  out.close(']'), out.close('}');
}

template <class Write>
void add(const std::string& name, std::size_t size, Write write) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) {
      auto out = write();
      benchmark::DoNotOptimize(out);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
  });
}

void add_case(const std::string& name, const bench::ark_recipe& recipe, bool measure) {
  const auto g = std::make_shared<ark::model>(bench::ark_transformer(recipe));
  const auto ours = [g](bool pretty) {
    return [g, pretty] {
      result<text> out = ark::write(*g, {.to = ark::dialect::d3, .pretty = pretty});
      return *std::move(out);
    };
  };
  const text expected = ours(false)();
  const auto by_hand = [g, size = expected.size()] {
    to_chars_out out(size);
    put(*g, out);
    return out.take();
  };
  bench::require(by_hand() == expected.view(), name + ": to_chars writes other bytes");
  if (measure) {
    add(name + "/tessera", expected.size(), ours(false));
    add(name + "/pretty", ours(true)().size(), ours(true));
    add(name + "/to_chars", expected.size(), by_hand);
  }
#if defined(TESSERA_BENCH_RAPIDJSON)
  const auto writer = [g, size = expected.size()] {
    auto out = std::make_unique<rapidjson_out>(size + 1);
    put(*g, *out);
    return out;
  };
  bench::require(writer()->take() == expected.view(), name + ": rapidjson writes other bytes");
  if (measure) add(name + "/rapidjson", expected.size(), writer);
#endif
#if defined(TESSERA_BENCH_NLOHMANN)
  const auto dom =
      std::make_shared<nlohmann::ordered_json>(nlohmann::ordered_json::parse(expected.view()));
  bench::require(dom->dump() == expected.view(), name + ": nlohmann writes other bytes");
  if (measure) add(name + "/nlohmann", expected.size(), [dom] { return dom->dump(); });
#endif
}

}  // namespace

void bench::add_cases(bool quick) {
  add_case("small", {.layers = 2, .heads = 4, .ranks = 2}, !quick);
  if (quick) return;
  add_case("10MB", {.heads = 36, .ranks = 2}, true);
  add_case("45MB", {.heads = 44, .batch = 4, .ranks = 2}, true);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
