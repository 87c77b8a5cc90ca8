// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine of ARK in fast mode, on models that are read and verified like any other: products
// against OpenBLAS, both on one thread, and passes over 16 MB against memcpy of what a pass reads.
// The counters are floating-point operations and bytes, read and written, per second.
//
//   OPENBLAS_CORETYPE=Haswell bench_vm_ark

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <tessera/ark.hpp>
#include <vector>

#include "openblas.hpp"
#include "ratios.hpp"
#include "tessera/vm/ark.hpp"

namespace {

using namespace tessera;

using shape = std::vector<std::size_t>;

[[nodiscard]] std::string list(const shape& s) {
  std::string out = "[";
  for (const std::size_t d : s) out += (out.size() == 1 ? "" : ",") + std::to_string(d);
  return out + "]";
}
/// A tensor that is all of its buffer.
[[nodiscard]] std::string tensor(int id, int buffer, const shape& s) {
  const std::string dims = list(s);
  return R"({"Id":)" + std::to_string(id) + R"(,"DataType":"FP32","Shape":)" + dims +
         R"(,"Strides":)" + dims + R"(,"Offsets":)" + list(shape(s.size(), 0)) +
         R"(,"PaddedShape":)" + dims + R"(,"Buffer":{"Id":)" + std::to_string(buffer) +
         R"(,"Rank":-1,"SendTags":[],"RecvTags":[]}})";
}
[[nodiscard]] std::string node(int id, bool last, const std::string& type, const std::string& reads,
                               const std::string& write, const std::string& result,
                               const std::string& args) {
  return R"({"Id":)" + std::to_string(id) + R"(,"ProducerNodeIds":)" +
         (id == 0 ? "[]" : "[" + std::to_string(id - 1) + "]") + R"(,"ConsumerNodeIds":)" +
         (last ? "[]" : "[" + std::to_string(id + 1) + "]") + R"(,"Op":{"Type":")" + type +
         R"(","Name":"","IsVirtual":false,"ReadTensors":[)" + reads + R"(],"WriteTensors":[)" +
         write + R"(],"ResultTensors":[)" + result + R"(],"Args":)" + args + "}}";
}
[[nodiscard]] std::string model(const std::string& nodes) {
  return R"({"Rank":0,"WorldSize":1,"Nodes":[)" + nodes + "]}";
}

/// A model that runs.
class running {
 public:
  explicit running(const std::string& text) {
    result<ark::model> g = ark::read(text);
    bench::require(static_cast<bool>(g), "a model can't be read");
    result<ark::program> p = ark::verify(*std::move(g));
    bench::require(static_cast<bool>(p), "a model doesn't verify");
    program_ = std::make_unique<ark::program>(*std::move(p));
    const ark::program* const one = program_.get();
    result<ark::world> w = ark::verify_ranks({&one, 1});
    bench::require(static_cast<bool>(w), "a model doesn't verify");
    world_ = std::make_unique<ark::world>(*std::move(w));
    machine_ = std::make_unique<vm::ark::machine>(*world_, vm::ark::machine_options{.fast = true});
    bench::require(static_cast<bool>(machine_->made()), "a model can't run");
  }
  void run() { bench::require(static_cast<bool>(machine_->run()), "a run ended early"); }
  /// The floats of a buffer, by its Id.
  [[nodiscard]] std::span<float> floats(std::int64_t id) {
    const auto& buffers = program_->model().buffers;
    for (std::uint32_t b = 0; b < buffers.size(); ++b)
      if (buffers[b].id == id) {
        const std::span<std::byte> bytes = machine_->memory(0, b);
        return {static_cast<float*>(static_cast<void*>(bytes.data())), bytes.size() / 4};
      }
    bench::require(false, "a buffer isn't there");
    return {};
  }
  void fill(std::int64_t id) {
    std::mt19937 random(static_cast<unsigned>(id) + 1);
    std::uniform_real_distribution<float> values(-1, 1);
    for (float& v : floats(id)) v = values(random);
  }

 private:
  std::unique_ptr<ark::program> program_;
  std::unique_ptr<ark::world> world_;
  std::unique_ptr<vm::ark::machine> machine_;
};

template <class Run>
void add_case(const std::string& name, const char* unit, double work, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), [unit, work, run](benchmark::State& state) {
    for (auto _ : state) {
      run();
      benchmark::ClobberMemory();
    }
    state.counters[unit] = benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
  });
}

void add_product(std::size_t m, std::size_t k, std::size_t n, bool quick) {
  const auto ours = std::make_shared<running>(
      model(node(0, true, "Matmul", tensor(0, 0, {m, k}) + "," + tensor(1, 1, {k, n}),
                 tensor(2, 2, {m, n}), tensor(3, 2, {m, n}),
                 R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})")));
  ours->fill(0);
  ours->fill(1);
  const auto product = std::make_shared<std::vector<float>>(m * n);
  const auto theirs = [=] {
    const auto i = [](std::size_t x) { return static_cast<blasint>(x); };
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, i(m), i(n), i(k), 1.0f,
                ours->floats(0).data(), i(k), ours->floats(1).data(), i(n), 0.0f, product->data(),
                i(n));
  };
  ours->run();
  theirs();
  const float bound = static_cast<float>(2 * (k + 2) * k) * 0x1p-24f;
  bool same = true;
  for (std::size_t i = 0; i < m * n; ++i)
    same = same && std::fabs((*product)[i] - ours->floats(2)[i]) <= bound;
  const std::string name = std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
  bench::require(same, name + ": results differ");
  if (quick) return;
  const double flops = 2 * static_cast<double>(m * k * n);
  add_case(name + "/tessera", "flops", flops, [ours] { ours->run(); });
  add_case(name + "/openblas", "flops", flops, theirs);
}

/// Each pass from one buffer to another.
void add_chain(std::size_t count, bool quick) {
  const shape s = {count / 1024, 1024};
  const struct {
    const char *type, *args;
  } passes[] = {{"ScalarMul", R"({"Factor":{"FLOAT":1.5}})"},
                {"Relu", "{}"},
                {"ScalarAdd", R"({"Factor":{"FLOAT":-0.25}})"},
                {"Copy", "{}"}};
  constexpr int last = 3;
  std::string nodes;
  for (int i = 0; i <= last; ++i) {
    const int from = i == 0 ? 0 : 2 * i, buffer = i % 2 + 1;
    const int read = i == 0 ? 0 : (i - 1) % 2 + 1;
    nodes += (i == 0 ? "" : ",") + node(i, i == last, passes[i].type, tensor(from, read, s),
                                        tensor(2 * i + 1, buffer, s), tensor(2 * i + 2, buffer, s),
                                        passes[i].args);
  }
  const auto ours = std::make_shared<running>(model(nodes));
  ours->fill(0);
  ours->run();
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = ours->floats(0)[i] * 1.5f;
    same = same && ours->floats(2)[i] == (x > 0 ? x : 0) - 0.25f;
  }
  bench::require(same, "chain: results differ");
  if (quick) return;
  const std::string name = "chain_" + std::to_string(count / 262144) + "MB";
  const double bytes = 8 * 4 * static_cast<double>(count);
  add_case(name + "/tessera", "bytes", bytes, [ours] { ours->run(); });
  add_case(name + "/memcpy", "bytes", bytes, [ours, count] {
    for (int i = 0; i <= last; ++i)
      std::memcpy(ours->floats(i % 2 + 1).data(), ours->floats(i == 0 ? 0 : (i - 1) % 2 + 1).data(),
                  count * 4);
  });
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) {
    add_product(65, 300, 67, true);
    add_chain(2048, true);
    return;
  }
  std::printf("OpenBLAS runs its %s kernels\n", openblas_get_corename());
  for (const std::size_t n : {256u, 512u, 1024u}) add_product(n, n, n, false);
  add_product(1, 512, 512, false);
  add_product(1, 4096, 4096, false);
  add_chain(std::size_t{4} << 20, false);
}

int main(int count, char** arguments) {
  bench::start_again_with_openblas_set(arguments);
  return bench::main(count, arguments);
}
