// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Losses whose targets are classes or sequences of them; those of elements are compositions. All in
// FP64, rounded once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "indexing.hpp"
#include "multiply.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using model::operation;

/// How the losses of a batch become one.
enum class reduction : std::uint8_t { none, mean, sum };
[[nodiscard]] reduction reduction_of(call& c, std::size_t letter) {
  const std::int64_t how = c.whole_or(letter, 1);
  if (how < 0 || how > 2)
    fail(errc::nac_run_argument, "reduction is ", how, "; expected 0, 1 or 2");
  return static_cast<reduction>(how);
}

/// Scores of classes: [outer, classes, inner], of rank 1 only [classes].
struct scores {
  tensor of;  ///< as doubles
  data_type type = data_type::float32;
  std::int64_t outer = 1, classes = 1, inner = 1;
  shape without_classes;
  [[nodiscard]] double at(std::int64_t i, std::int64_t k) const noexcept {
    return of.as<double>()[(i / inner * classes + k) * inner + i % inner];
  }
  [[nodiscard]] std::int64_t count() const noexcept { return outer * inner; }
};
[[nodiscard]] scores scores_of(call& c, const tensor& x) {
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  if (x.rank() == 0)
    fail(errc::nac_run_shape, "scores have rank 0; expected classes, or batch and classes");
  scores s;
  s.type = x.type;
  const std::size_t axis = x.rank() == 1 ? 0 : 1;
  s.outer = x.dims.product(0, axis);
  s.classes = x.dim(axis);
  s.inner = x.dims.product(axis + 1, x.rank());
  s.without_classes = x.dims;
  s.without_classes.erase(axis);
  s.of = cast(c.arena, x, data_type::float64);
  return s;
}
/// Weights of classes as doubles; ones where there are none.
[[nodiscard]] tensor weights_of(call& c, const tensor* weight, const scores& s) {
  if (weight == nullptr) {
    const tensor ones = make_tensor(c.arena, data_type::float64, {s.classes});
    std::fill_n(ones.as<double>(), ones.size(), 1.0);
    return ones;
  }
  if (!(weight->dims == shape{s.classes}))
    fail(errc::nac_run_shape, "weight has shape ", weight->dims, "; expected [", s.classes,
         "], one per class");
  expect_type(*weight, s.type);
  return cast(c.arena, *weight, data_type::float64);
}
/// Classes as int64, one for each of a batch; those that aren't there throw.
[[nodiscard]] tensor classes_of(call& c, const tensor& target, const scores& s,
                                std::int64_t ignored) {
  if (!(target.dims == s.without_classes))
    fail(errc::nac_run_shape, "target has shape ", target.dims, "; expected ", s.without_classes);
  if (target.type != data_type::int64 && target.type != data_type::uint8)
    refuse_type(target.type, "i64 or u8");
  tensor out = cast(c.arena, target, data_type::int64);
  for (const std::int64_t k : out.elements<std::int64_t>())
    if (k != ignored && (k < 0 || k >= s.classes)) refuse_index(k, s.classes);
  return out;
}

/// The loss, and the sum of the weights, of `each`(i), which is a loss and its weight.
struct total {
  tensor loss, weight;
};
template <class F>
[[nodiscard]] total total_of(call& c, const scores& s, reduction how, F&& each) {
  const tensor out = make_tensor(c.arena, data_type::float64,
                                 how == reduction::none ? s.without_classes : shape{});
  double all = 0, weights = 0;
  for (std::int64_t i = 0; i < s.count(); ++i) {
    const std::pair<double, double> one = each(i);
    if (how == reduction::none) out.as<double>()[i] = one.first;
    all += one.first;
    weights += one.second;
  }
  if (how == reduction::none)
    weights = 0;
  else
    *out.as<double>() = how == reduction::sum ? all : all / weights;
  const tensor sum = make_tensor(c.arena, data_type::float64, {});
  *sum.as<double>() = weights;
  return {cast(c.arena, out, s.type), cast(c.arena, sum, s.type)};
}

/// Letters: scores target weight reduction ignore_index.
[[nodiscard]] total negative_log_likelihood(call& c) {
  const scores s = scores_of(c, c.tensor_at(0));
  const std::int64_t ignored = c.whole_or(4, -100);
  const tensor weight = weights_of(c, c.optional(2), s);
  const tensor target = classes_of(c, c.tensor_at(1), s, ignored);
  return total_of(c, s, reduction_of(c, 3), [&](std::int64_t i) -> std::pair<double, double> {
    const std::int64_t k = target.as<std::int64_t>()[i];
    if (k == ignored) return {0, 0};
    const double w = weight.as<double>()[k];
    return {-w * s.at(i, k), w};
  });
}

/// The targets are shares of classes. Letters: those of cross_entropy.
[[nodiscard]] tensor entropy_of_shares(call& c, const scores& s, const tensor& given,
                                       const tensor& weight, double smoothing) {
  if (!is_floating(given.type)) refuse_type(given.type, "a floating-point type");
  scores target = scores_of(c, given);
  const double even = smoothing / static_cast<double>(s.classes);
  return total_of(c, s, reduction_of(c, 3),
                  [&](std::int64_t i) -> std::pair<double, double> {
                    double sum = 0;
                    for (std::int64_t k = 0; k < s.classes; ++k)
                      sum -= s.at(i, k) * weight.as<double>()[k] *
                             (target.at(i, k) * (1 - smoothing) + even);
                    return {sum, 1};
                  })
      .loss;
}

/// The rows of a batch: [count, classes] of a matrix or of one row.
[[nodiscard]] scores rows_of(call& c, const tensor& x) {
  scores s = scores_of(c, x);
  if (x.rank() > 2)
    fail(errc::nac_run_shape, "scores have shape ", x.dims,
         "; expected classes, or batch and classes");
  return s;
}

/// Both results of the loss of several classes: a row's targets end before the first -1.
[[nodiscard]] std::pair<tensor, tensor> multilabel_margins(call& c) {
  const tensor& given = c.tensor_at(1);
  const scores s = rows_of(c, c.tensor_at(0));
  if (!(given.dims == c.tensor_at(0).dims)) refuse_shapes(c.tensor_at(0), given);
  if (given.type != data_type::int64) refuse_type(given.type, "i64");
  const tensor marks = make_tensor(c.arena, data_type::float64, given.dims);
  std::fill_n(marks.as<double>(), marks.size(), 0.0);
  const std::int64_t* const target = given.as<std::int64_t>();
  for (std::int64_t i = 0; i < s.count(); ++i)
    for (std::int64_t j = 0; j < s.classes && target[i * s.classes + j] != -1; ++j) {
      const std::int64_t k = target[i * s.classes + j];
      if (k < 0 || k >= s.classes) refuse_index(k, s.classes);
      marks.as<double>()[i * s.classes + k] = 1;
    }
  c.arena.charge(product_of_steps(count_of(s.count()), count_of(s.classes * s.classes)));
  tensor loss =
      total_of(c, s, reduction_of(c, 2), [&](std::int64_t i) -> std::pair<double, double> {
        double sum = 0;
        for (std::int64_t j = 0; j < s.classes && target[i * s.classes + j] != -1; ++j)
          for (std::int64_t k = 0; k < s.classes; ++k)
            if (marks.as<double>()[i * s.classes + k] == 0)
              sum += std::max(0.0, 1 - s.at(i, target[i * s.classes + j]) + s.at(i, k));
        return {sum / static_cast<double>(s.classes), 1};
      }).loss;
  return {std::move(loss), cast(c.arena, marks, s.type)};
}

// ---- sequences of classes

/// log(exp(a) + exp(b)).
[[nodiscard]] double log_sum(double a, double b) noexcept {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == -std::numeric_limits<double>::infinity() ? high
                                                         : high + std::log1p(std::exp(low - high));
}

/// -log of the probability of a sequence of `size` classes in `steps` rows of `stride` log
/// probabilities, with blanks anywhere.
[[nodiscard]] double sequence_loss(const double* rows, std::int64_t steps, std::int64_t stride,
                                   const std::int64_t* classes, std::int64_t size,
                                   std::int64_t blank, std::vector<double>& now) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const auto at = [&](std::int64_t place) { return place % 2 == 0 ? blank : classes[place / 2]; };
  const std::int64_t places = 2 * size + 1;
  if (steps == 0) return size == 0 ? 0 : -never;
  now.assign(count_of(places), never);
  now[0] = rows[blank];
  if (size > 0) now[1] = rows[at(1)];
  for (std::int64_t t = 1; t < steps; ++t)
    for (std::int64_t p = places; p-- > 0;) {  // downwards: what is read is of the step before
      double sum = now[count_of(p)];
      if (p > 0) sum = log_sum(sum, now[count_of(p - 1)]);
      if (p > 1 && at(p) != blank && at(p) != at(p - 2)) sum = log_sum(sum, now[count_of(p - 2)]);
      now[count_of(p)] = sum + rows[t * stride + at(p)];
    }
  const double last = now[count_of(places - 1)];
  return -(size > 0 ? log_sum(last, now[count_of(places - 2)]) : last);
}

/// Lengths of a batch, each 0 to `longest`.
[[nodiscard]] std::vector<std::int64_t> lengths_of(call& c, std::size_t letter, std::int64_t batch,
                                                   std::int64_t longest) {
  const std::span<const std::int64_t> given = c.int_list(letter);
  if (given.size() != count_of(batch))
    fail(errc::nac_run_argument, given.size(), " lengths; expected ", batch, ", one per sequence");
  for (const std::int64_t n : given)
    if (n < 0 || n > longest)
      fail(errc::nac_run_argument, "length is ", n, "; expected 0 to ", longest);
  return {given.begin(), given.end()};
}

}  // namespace

value nll_loss(call& c) { return negative_log_likelihood(c).loss; }
value nll_loss_forward(call& c) {
  total t = negative_log_likelihood(c);
  return value(std::vector<value>{std::move(t.loss), std::move(t.weight)});
}

value cross_entropy_loss(call& c) {
  const tensor &x = c.tensor_at(0), &given = c.tensor_at(1);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  const double smoothing = c.real_or(5, 0);
  if (!(smoothing >= 0 && smoothing <= 1))
    fail(errc::nac_run_argument, "label_smoothing is ", smoothing, "; expected 0 to 1");
  const std::int64_t axis = x.rank() == 1 ? 0 : 1;
  if (x.rank() == 0)
    fail(errc::nac_run_shape, "scores have rank 0; expected classes, or batch and classes");
  const scores s =
      scores_of(c, tensor_of(c, operation::log_softmax, {x, make_number(c.arena, axis)}));
  const tensor weight = weights_of(c, c.optional(2), s);
  if (given.dims == x.dims) return entropy_of_shares(c, s, given, weight, smoothing);
  const std::int64_t ignored = c.whole_or(4, -100);
  const tensor target = classes_of(c, given, s, ignored);
  const double* const w = weight.as<double>();
  return total_of(c, s, reduction_of(c, 3),
                  [&](std::int64_t i) -> std::pair<double, double> {
                    const std::int64_t k = target.as<std::int64_t>()[i];
                    if (k == ignored) return {0, 0};
                    double all = 0;
                    for (std::int64_t j = 0; j < s.classes && smoothing != 0; ++j)
                      all -= w[j] * s.at(i, j);
                    return {(1 - smoothing) * -w[k] * s.at(i, k) +
                                smoothing * all / static_cast<double>(s.classes),
                            w[k]};
                  })
      .loss;
}

/// Letters: scores target p margin weight reduction.
value multi_margin_loss(call& c) {
  const scores s = rows_of(c, c.tensor_at(0));
  const double p = c.real_or(2, 1), margin = c.real_or(3, 1);
  if (p != 1 && p != 2) fail(errc::nac_run_argument, "p is ", p, "; expected 1 or 2");
  const tensor weight = weights_of(c, c.optional(4), s);
  const tensor& given = c.tensor_at(1);
  const tensor target = classes_of(
      c, given.rank() == 1 && s.without_classes.rank() == 0 ? given.with_shape({}) : given, s, -1);
  return total_of(c, s, reduction_of(c, 5),
                  [&](std::int64_t i) -> std::pair<double, double> {
                    const std::int64_t k = target.as<std::int64_t>()[i];
                    if (k < 0) refuse_index(k, s.classes);
                    double sum = 0;
                    for (std::int64_t j = 0; j < s.classes; ++j) {
                      const double v = std::max(0.0, margin - s.at(i, k) + s.at(i, j));
                      if (j != k) sum += weight.as<double>()[k] * (p == 1 ? v : v * v);
                    }
                    return {sum / static_cast<double>(s.classes), 1};
                  })
      .loss;
}
value multilabel_margin_loss(call& c) { return multilabel_margins(c).first; }
value multilabel_margin_loss_forward(call& c) {
  std::pair<tensor, tensor> both = multilabel_margins(c);
  return value(std::vector<value>{std::move(both.first), std::move(both.second)});
}

/// Letters: log_probs targets input_lengths target_lengths blank reduction zero_infinity.
value ctc_loss(call& c) {
  const tensor &given = c.tensor_at(0), &targets = c.tensor_at(1);
  if (!is_floating(given.type) || widened(given.type) != given.type)
    refuse_type(given.type, "a floating-point type");
  if (given.rank() != 2 && given.rank() != 3)
    fail(errc::nac_run_shape, "log_probs have shape ", given.dims,
         "; expected steps, batch and classes, or steps and classes");
  if (targets.type != data_type::int64 && targets.type != data_type::int32)
    refuse_type(targets.type, "i64 or i32");
  const std::int64_t steps = given.dim(0), batch = given.rank() == 3 ? given.dim(1) : 1;
  const std::int64_t classes = given.dim(given.rank() - 1), blank = c.whole_or(4, 0);
  if (blank < 0 || blank >= classes) refuse_index(blank, classes);
  const bool joined = targets.rank() == 1 && given.rank() == 3;
  const std::int64_t longest =
      static_cast<std::int64_t>(targets.size()) / (joined ? 1 : std::max<std::int64_t>(batch, 1));
  if (!joined && targets.rank() + 1 != given.rank()) refuse_shapes(given, targets);
  if (!joined && targets.rank() == 2 && targets.dim(0) != batch) refuse_shapes(given, targets);
  const auto of_inputs = lengths_of(c, 2, batch, steps),
             of_targets = lengths_of(c, 3, batch, longest);
  const tensor rows = cast(c.arena, given, data_type::float64);
  const tensor labels = cast(c.arena, targets, data_type::int64);
  for (const std::int64_t k : labels.elements<std::int64_t>())
    if (k < 0 || k >= classes) refuse_index(k, classes);
  const reduction how = reduction_of(c, 5);
  const bool finite = c.truth_or(6, false);
  const tensor out = make_tensor(c.arena, data_type::float64, {batch});
  std::vector<double> scratch;
  const storage counted = c.arena.take(count_of(2 * longest + 1) * sizeof(double));
  std::int64_t first = 0;
  double all = 0;
  for (std::int64_t i = 0; i < batch; ++i) {
    const std::int64_t n = of_targets[count_of(i)];
    if (joined && first + n > longest)
      fail(errc::nac_run_argument, "target_lengths exceed ", longest, " targets");
    c.arena.charge(product_of_steps(count_of(of_inputs[count_of(i)] * 64), count_of(2 * n + 1)));
    double loss = sequence_loss(
        rows.as<double>() + i * classes, of_inputs[count_of(i)], batch * classes,
        labels.as<std::int64_t>() + (joined ? first : i * longest), n, blank, scratch);
    if (finite && std::isinf(loss)) loss = 0;
    first += n;
    out.as<double>()[i] = loss;
    all += how == reduction::mean ? loss / static_cast<double>(std::max<std::int64_t>(n, 1)) : loss;
  }
  if (how == reduction::none)
    return cast(c.arena, given.rank() == 3 ? out : out.with_shape({}), given.type);
  const tensor one = make_tensor(c.arena, data_type::float64, {});
  *one.as<double>() = how == reduction::mean ? all / static_cast<double>(batch) : all;
  return cast(c.arena, one, given.type);
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
