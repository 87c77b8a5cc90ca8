// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How much of a device lowered networks use, on NEM's timeline.
//
//   bench_lower                          a table: each network on each device of tests/data/nem/devices
//   bench_lower conv resnet18            those whose names begin with that
//   bench_lower --steps resnet18         the steps, too
//   bench_lower --check                  small networks, which must agree with NAC's machine
//
//   peak     multiply-accumulates of all NMUs in the cycles that the program takes
//   bound    the larger of the cycles at that peak and those of the traffic that can't be avoided
//   goal     80 % of the bound for a layer, 60 % for a network

#include "tessera/transform/lower.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nac_networks.hpp"
#include "tessera/nem.hpp"
#include "tessera/nem/write.hpp"
#include "tessera/vm/nem_timing.hpp"

using namespace tessera;

namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// A device of tests/data/nem/devices, as the target of an empty program.
class device {
 public:
  explicit device(const std::string& name) {
    std::ifstream in(TESSERA_TESTS_DATA_DIR "/nem/devices/" + name + ".nem", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    auto read = nem::read(text + "program p:\n");
    require(read.has_value(), name + " can't be read");
    auto verified = nem::verify(std::move(*read));
    require(verified.has_value() && verified->target() != nullptr, name + " isn't a device");
    program_ = std::make_unique<nem::program>(std::move(*verified));
  }
  [[nodiscard]] const nem::catalog& catalog() const { return program_->catalog(); }
  [[nodiscard]] const nem::device& operator*() const { return *program_->target(); }

 private:
  std::unique_ptr<nem::program> program_;
};

struct on_device {
  const char* device;
  nem::element type;
};
constexpr on_device targets[] = {{"npm_lite", nem::element::i8}, {"npm_lite", nem::element::f16},
                                 {"small", nem::element::i8},    {"small", nem::element::f16},
                                 {"large", nem::element::f16},   {"large", nem::element::f32}};

struct measured {
  transform::lower_report report;
  double seconds = 0;     ///< of lowering
  std::size_t lines = 0;  ///< of the text
  std::string refusal;
};

/// Lowers a network, and runs it in abstract time; with `checks`, also compares what it computes.
[[nodiscard]] measured measure(const bench::network& net, const on_device& to, bool checks) {
  const device on(to.device);
  transform::lower_options how;
  how.shapes = net.shapes();
  how.type = to.type;
  measured out;
  report found;
  const auto before = std::chrono::steady_clock::now();
  auto made = transform::lower(net.program(), on.catalog(), *on, how, &found);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  if (!made) {
    if (!found.diagnostics.empty())
      out.refusal = std::string(found.text_of(found.diagnostics[0].text));
    return out;
  }
  const auto text = nem::write(made->model);
  require(text.has_value(), "a program can't be written");
  out.lines = static_cast<std::size_t>(std::count(text->view().begin(), text->view().end(), '\n'));
  nem::verify_options options;
  if (!checks) options.hazard_steps = 0;
  nem::model copy = made->model;
  report of_program;
  const auto program = nem::verify(std::move(copy), options, &of_program);
  for (const diagnostic& d : of_program.diagnostics)
    require(d.severity != severity::error,
            "a program isn't valid: " + std::string(of_program.text_of(d.text)));
  require(program.has_value(), "a program isn't valid");
  if (checks) {
    const transform::agreement a = transform::compare(net.program(), *program, *made, how);
    require(a.failure.empty(), a.failure);
    for (const double d : a.distances)
      require(d <= (to.type == nem::element::f32   ? 1e-5
                    : to.type == nem::element::f16 ? 5e-3
                                                   : 0.1),
              "results differ");
  }
  auto report = transform::report_of(*program);
  require(report.has_value(), "a program can't be run in abstract time");
  out.report = std::move(*report);
  return out;
}

[[nodiscard]] double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_row(const transform::step_report& s, const transform::lower_report& of,
               std::string_view name) {
  const auto busy = [&](nem::unit u) {
    const auto k = static_cast<std::size_t>(u);
    return percent(s.busy[k], s.cycles * static_cast<std::uint64_t>(of.units[k]));
  };
  std::printf("    %9llu %9llu %6.1f  %5.1f %5.1f %5.1f %5.1f  %5llu %-16s %.*s\n",
              static_cast<unsigned long long>(s.cycles),
              static_cast<unsigned long long>(s.roofline), percent(s.roofline, s.cycles),
              busy(nem::unit::nmu), busy(nem::unit::cstl), busy(nem::unit::dma),
              busy(nem::unit::sdma), static_cast<unsigned long long>(s.tiles), s.tile.c_str(),
              static_cast<int>(std::min<std::size_t>(name.size(), 60)), name.data());
}

/// Cycles in which the NMUs could do all multiply-accumulates.
[[nodiscard]] std::uint64_t compute_cycles(const transform::lower_report& r, const on_device& to) {
  const device on(to.device);
  const std::uint64_t macs = vm::nem::macs_per_cycle({}, on.catalog(), &*on, to.type);
  const auto units = static_cast<std::uint64_t>(r.units[static_cast<std::size_t>(nem::unit::nmu)]);
  return (r.all.macs + macs * units - 1) / (macs * units);
}

struct selection {
  std::vector<std::string_view> names;
  bool steps = false;

  [[nodiscard]] bool has(std::string_view name) const {
    for (const std::string_view n : names)
      if (name.substr(0, n.size()) == n) return true;
    return names.empty();
  }
};

void show(const std::string& name, const bench::network& net, double goal, const selection& of) {
  for (const on_device& to : targets) {
    const measured m = measure(net, to, false);
    std::printf("%-14s %-8s %-4s ", name.c_str(), to.device,
                std::string(nem::name(to.type)).c_str());
    if (!m.refusal.empty()) {
      std::printf("refused: %s\n", m.refusal.c_str());
      continue;
    }
    const transform::step_report& all = m.report.all;
    const double of_bound = percent(all.roofline, all.cycles);
    std::printf("%10llu %10llu %6.1f %6.1f %-5s %6.2f %6zu\n",
                static_cast<unsigned long long>(all.cycles),
                static_cast<unsigned long long>(all.roofline),
                percent(compute_cycles(m.report, to), all.cycles), of_bound,
                of_bound >= goal ? "met" : "", m.seconds, m.lines);
    if (!of.steps) continue;
    for (const transform::step_report& s : m.report.steps) print_row(s, m.report, s.name);
    print_row(all, m.report, "all");
  }
  std::fflush(stdout);
}

void show_all(const selection& of) {
  std::printf("%-14s %-8s %-4s %10s %10s %6s %6s %-5s %6s %6s\n", "network", "device", "type",
              "cycles", "bound", "peak %", "bound%", "goal", "s", "lines");
  constexpr std::int32_t layers[][2] = {{56, 64},  {28, 128}, {14, 256}, {7, 512},
                                        {112, 64}, {56, 128}, {28, 256}, {14, 512}};
  for (const auto& [size, channels] : layers) {
    const std::string name = "conv" + std::to_string(channels) + "_" + std::to_string(size);
    if (of.has(name)) show(name, bench::network(bench::convolution_layer{size, channels}), 80, of);
  }
  for (const std::int32_t size : {256, 512, 1024, 2048}) {
    const std::string name = "matmul" + std::to_string(size);
    if (of.has(name)) show(name, bench::network(bench::product_layer{size}), 80, of);
  }
  if (of.has("resnet18")) show("resnet18", bench::network(bench::residual{}), 60, of);
  bench::encoder encoder;
  encoder.has_words = false;
  if (of.has("encoder")) show("encoder", bench::network(encoder), 60, of);
}

void check_all() {
  bench::encoder encoder{.layers = 1, .width = 32, .heads = 2, .sequence = 12, .feed_forward = 48};
  encoder.has_words = false;
  const bench::network networks[] = {
      bench::network(bench::convolution_layer{9, 8}), bench::network(bench::product_layer{40}),
      bench::network(bench::residual{.size = 32, .classes = 10, .widths = {8, 8, 16, 16}}),
      bench::network(encoder)};
  for (const bench::network& net : networks)
    for (const on_device& to : targets) {
      const measured m = measure(net, to, true);
      require(m.refusal.empty(), m.refusal);
      require(m.report.all.roofline <= m.report.all.cycles, "a program is faster than its bound");
    }
  std::puts("all contenders agree");
}

}  // namespace

int main(int count, char** arguments) {
  selection of;
  for (int k = 1; k < count; ++k) {
    const std::string_view a = arguments[k];
    if (a == "--check") {
      check_all();
      return 0;
    }
    if (a == "--steps")
      of.steps = true;
    else
      of.names.push_back(a);
  }
  show_all(of);
  return 0;
}
