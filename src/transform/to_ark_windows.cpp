// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Convolutions and pooling: what windows have at each of their places is copied side by side, so that a
// convolution is one product of matrices, and pooling is a reduction.
//
//   image    [a, b, height, width], with a border where the windows need one
//   columns  [a, places * b, height, width] of the results
//
// A place of all windows is a view of the image with offsets. With strides above 1, it is one of rows,
// which are copied, and then one of columns: four dimensions don't have both.

#include <algorithm>
#include <limits>

#include "transform/to_ark.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using nac::data_type;
using nac::operation;

constexpr data_type wide = data_type::float32;
/// Copies of a window's places are operations each.
constexpr std::int64_t max_places = 4096;

[[nodiscard]] std::int64_t rounded_up(std::int64_t n, std::int64_t to) noexcept {
  return (n + to - 1) / to * to;
}

}  // namespace

/// Of images with `axes` dimensions, one or two; lists of one number count for both.
ark_writer::window ark_writer::window_of(const vn::shape& image, std::size_t axes,
                                         const window_lists& of) const {
  if (image.rank() != axes + 1 && image.rank() != axes + 2)
    vn::fail(errc::nac_run_shape, "an image of shape ", image);
  window w;
  w.images = image.rank() == axes + 2 ? image[0] : 1;
  w.channels = image[image.rank() - axes - 1];
  const auto pick = [&](std::span<const std::int64_t> list, std::size_t k, std::int64_t otherwise) {
    return list.empty() ? otherwise : list[list.size() == 1 ? 0 : k];
  };
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t d = 2 - axes + k;
    w.in[d] = image[image.rank() - axes + k];
    w.size[d] = pick(of.size, k, 1);
    w.stride[d] = pick(of.stride, k, w.size[d]);
    w.padding[d] = pick(of.padding, k, 0);
    w.dilation[d] = pick(of.dilation, k, 1);
    constexpr std::int64_t most = 1 << 20;
    for (const std::int64_t n : {w.size[d], w.stride[d], w.dilation[d]})
      if (n < 1 || n > most) vn::fail(errc::nac_run_argument, n, "; expected 1 or more");
    if (w.padding[d] < 0 || w.padding[d] > most)
      vn::fail(errc::nac_run_argument, "padding ", w.padding[d]);
    const std::int64_t room = w.in[d] + 2 * w.padding[d] - w.dilation[d] * (w.size[d] - 1) - 1;
    if (room < 0) vn::fail(errc::nac_run_shape, "a window is larger than the image");
    w.out[d] = room / w.stride[d] + 1;
    w.has_rest = w.has_rest || room % w.stride[d] != 0;
  }
  if (w.size[0] * w.size[1] > max_places)
    vn::fail(errc::nac_to_ark_argument, "windows of more than ", max_places, " elements");
  return w;
}

ark::value ark_writer::bordered(ark::value x, const window& w, double border,
                                std::int64_t (&size)[2]) {
  const std::int64_t planes = w.images * w.channels;
  bool has_border = false;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t last = w.dilation[d] * (w.size[d] - 1) + w.stride[d] * (w.out[d] - 1) + 1;
    size[d] = rounded_up(std::max(w.in[d] + w.padding[d], last), w.stride[d]);
    has_border = has_border || size[d] != w.in[d];
  }
  if (!has_border) return x;
  const sizes whole{planes, size[0], size[1]};
  const ark::dims strides{planes, size[0], size[1]};
  const ark::value empty =
      to_.scalar_assign(fresh(whole, wide), static_cast<float>(border), {.name = name_});
  const ark::value inside =
      to_.refer(empty, {planes, w.in[0], w.in[1]},
                {.strides = strides, .offsets = {0, w.padding[0], w.padding[1]}});
  const ark::value filled =
      to_.copy(shaped(x, {planes, w.in[0], w.in[1]}), {.name = name_, .to = inside});
  const ark::value out = to_.refer(filled, strides, {.strides = strides, .offsets = {0, 0, 0}});
  dims_[out.index] = whole;
  return out;
}

ark::value ark_writer::columns(ark::value x, const window& w, double border) {
  std::int64_t size[2];
  const ark::value image = bordered(x, w, border, size);
  const std::int64_t places = w.size[0] * w.size[1], a = w.images, b = w.channels;
  const bool is_dense = w.stride[0] == 1 && w.stride[1] == 1;
  const sizes whole = is_dense ? sizes{a, places * b, w.out[0], w.out[1]}
                               : sizes{a, places * b * w.out[0], w.out[1], 1};
  const ark::dims strides{whole[0], whole[1], whole[2], whole[3]};
  ark::value out = fresh(whole, wide);
  for (std::int64_t i = 0; i < w.size[0]; ++i) {
    const std::int64_t row = i * w.dilation[0];
    const ark::value rows =
        is_dense ? image
                 : to_.copy(to_.refer(
                                shaped(image, {a * b, size[0] / w.stride[0], w.stride[0], size[1]}),
                                {a * b, w.out[0], 1, size[1]},
                                {.offsets = {0, row / w.stride[0], row % w.stride[0], 0}}),
                            named());
    for (std::int64_t j = 0; j < w.size[1]; ++j) {
      arena_.charge(steps_of_an_operation);
      const std::int64_t column = j * w.dilation[1], place = i * w.size[1] + j;
      const ark::value from =
          is_dense ? to_.refer(shaped(rows, {a, b, size[0], size[1]}), {a, b, w.out[0], w.out[1]},
                               {.offsets = {0, 0, row, column}})
                   : to_.refer(shaped(rows, {a, b * w.out[0], size[1] / w.stride[1], w.stride[1]}),
                               {a, b * w.out[0], w.out[1], 1},
                               {.offsets = {0, 0, column / w.stride[1], column % w.stride[1]}});
      const std::int64_t part = whole[1] / places;
      const ark::value to = to_.refer(out, {whole[0], part, whole[2], whole[3]},
                                      {.strides = strides, .offsets = {0, place * part, 0, 0}});
      out = to_.copy(from, {.name = name_, .to = to});
    }
  }
  out = to_.refer(out, strides, {.strides = strides, .offsets = {0, 0, 0, 0}});
  dims_[out.index] = whole;
  return out;
}

/// [images, filters, height * width], by filters [filters, channels, places].
ark::value ark_writer::convolved(ark::value x, const window& w, ark::value filters,
                                 std::int64_t count) {
  const std::int64_t places = w.size[0] * w.size[1], area = w.out[0] * w.out[1];
  const bool is_pointwise =
      places == 1 && w.stride[0] == 1 && w.stride[1] == 1 && w.padding[0] == 0 && w.padding[1] == 0;
  const ark::value all = is_pointwise ? x : columns(x, w, 0);
  return to_.matmul(shaped(filters, {count, places * w.channels}),
                    shaped(all, {w.images, places * w.channels, area}), {.name = name_});
}

/// Filters with their places before their channels.
ark::value ark_writer::filters_of(std::size_t letter, std::int64_t count, std::int64_t channels,
                                  std::int64_t places) {
  if (places == 1 || channels == 1) return tensor_of(at(letter), wide);
  if (at(letter).is_tensor()) {
    const ark::value by_channel = shaped(tensor_of(at(letter), wide), {count, channels, places});
    return to_.transpose(by_channel, {0, 2, 1}, named());
  }
  const vn::tensor& t = call_->tensor_at(letter);
  const vn::value flat = t.with_shape({count, channels, places});
  const vn::tensor turned =
      vn::tensor_of(*call_, operation::permute, {flat, vn::value::int_list({0, 2, 1})});
  const auto known = parameter_names_.find(t.data);
  const std::string name =
      known != parameter_names_.end() ? std::string(known->second) + ".columns" : std::string();
  return weight(turned, wide, name);
}

/// The padding of a convolution that names it: "valid" is none, "same" as much as the result shrinks by.
ark_writer::sizes ark_writer::borders_of(const sizes& filter) const {
  const std::string_view named = call_->string_or(4, "valid");
  if (named != "valid" && named != "same")
    vn::fail(errc::nac_run_argument, "padding \"", named, "\"; expected \"valid\" or \"same\"");
  sizes out(filter.size(), 0);
  if (named == "valid") return out;
  const std::span<const std::int64_t> dilation = call_->int_list(5);
  for (std::size_t d = 0; d < filter.size(); ++d) {
    const std::int64_t by = dilation.empty() ? 1 : dilation[dilation.size() == 1 ? 0 : d];
    if (by * (filter[d] - 1) % 2 != 0)
      vn::fail(errc::nac_to_ark_argument, "a border that isn't as wide at both ends");
    out[d] = by * (filter[d] - 1) / 2;
  }
  return out;
}

ark_item ark_writer::convolution(nac::operation o) {
  const vn::tensor &x = call_->tensor_at(0), &filters = call_->tensor_at(1);
  if (!nac::is_floating(x.type)) vn::fail(errc::nac_to_ark_type, "expected floats");
  const bool is_general = o == operation::convolution;
  const std::size_t axes = filters.rank() - 2;
  if (filters.rank() < 3 || filters.rank() > 4)
    vn::fail(errc::nac_to_ark_operation, "filters of shape ", filters.dims,
             "; expected 1 or 2 dimensions of images");
  if (is_general && call_->truth_or(6, false))
    vn::fail(errc::nac_to_ark_operation, "a transposed convolution");
  const std::int64_t groups = call_->whole_or(is_general ? 8 : 6, 1);
  const std::span<const std::int64_t> stride = call_->int_list(3);
  constexpr std::int64_t one[] = {1};
  const std::span<const std::int64_t> filter = filters.dims.dims().subspan(2);
  sizes borders;
  if (o == operation::conv_padded) borders = borders_of({filter.begin(), filter.end()});
  window w =
      window_of(x.dims, axes,
                {filter, stride.empty() ? one : stride,
                 o == operation::conv_padded ? borders : call_->int_list(4), call_->int_list(5)});
  const std::int64_t count = filters.dim(0), area = w.out[0] * w.out[1],
                     places = w.size[0] * w.size[1];
  if (groups < 1 || w.channels % groups != 0 || count % groups != 0 ||
      filters.dim(1) != w.channels / groups)
    vn::fail(errc::nac_run_shape, "an image of shape ", x.dims, " and filters of shape ",
             filters.dims);
  const std::int64_t channels = w.channels, part = channels / groups;
  ark::value image = tensor_of(at(0), wide), y;
  const ark::value by = filters_of(1, count, part, places);
  if (groups > 1 && part == 1 && count == groups) {
    // [images, places, channels, area] times [places, channels], and added.
    const ark::value factors = to_.transpose(shaped(by, {count, places}), {1, 0}, named());
    const ark::value all = shaped(columns(image, w, 0), {w.images, places, channels, area});
    const ark::value products = to_.mul(all, shaped(factors, {1, places, channels, 1}), named());
    y = to_.reduce_sum(products, 1, {.name = name_});
  } else if (groups > 1) {
    y = grouped(image, w, by, count, groups);
  } else {
    y = convolved(image, w, by, count);
  }
  if (has(2))
    y = to_.add(shaped(y, {w.images, count, area}), shaped(tensor_of(at(2), wide), {1, count, 1}),
                named());
  return windowed(y, w, count, axes);
}

// ---- transposed convolutions: those of an image with zeros between its elements

/// Rows and columns `stride` apart, in zeros: `before` of them before the first one, w.in in all.
ark::value ark_writer::spaced(ark::value x, const window& w, const std::int64_t (&stride)[2],
                              const std::int64_t (&before)[2]) {
  const vn::shape& dims = call_->tensor_at(0).dims;
  const std::int64_t planes = w.images * w.channels, height = dims[dims.rank() - 2],
                     width = dims[dims.rank() - 1];
  const auto zeros = [&](const sizes& of) {
    return to_.scalar_assign(fresh(of, wide), 0, {.name = name_});
  };
  const auto put = [&](ark::value from, const ark::dims& part, ark::value into,
                       const ark::dims& whole, const ark::dims& at) {
    const ark::value there = to_.refer(into, part, {.strides = whole, .offsets = at});
    const ark::value out = to_.copy(from, {.name = name_, .to = there});
    return to_.refer(out, whole, {.strides = whole, .offsets = {0, 0, 0, 0}});
  };
  // Columns, then rows, each at the beginning of a block; then the part that is an image.
  const ark::value wider =
      put(shaped(x, {1, planes * height, width, 1}), {1, planes * height, width, 1},
          zeros({1, planes * height, width, stride[1]}), {1, planes * height, width, stride[1]},
          {0, 0, 0, 0});
  dims_[wider.index] = {1, planes * height, width, stride[1]};
  const std::int64_t row = width * stride[1];
  const ark::value higher =
      put(shaped(wider, {planes, height, 1, row}), {planes, height, 1, row},
          zeros({planes, height, stride[0], row}), {planes, height, stride[0], row}, {0, 0, 0, 0});
  dims_[higher.index] = {planes, height, stride[0], row};
  const std::int64_t rows = (height - 1) * stride[0] + 1, columns = (width - 1) * stride[1] + 1;
  const ark::value part = to_.refer(shaped(higher, {1, planes, height * stride[0], row}),
                                    {1, planes, rows, columns}, {.offsets = {0, 0, 0, 0}});
  const ark::value out = put(part, {1, planes, rows, columns}, zeros({1, planes, w.in[0], w.in[1]}),
                             {1, planes, w.in[0], w.in[1]}, {0, 0, before[0], before[1]});
  dims_[out.index] = {1, planes, w.in[0], w.in[1]};
  return out;
}

/// Filters [channels, count / groups, height, width] as those of a convolution, turned by half, with
/// their places before their channels.
ark::value ark_writer::turned_filters(std::int64_t groups) {
  if (!at(1).is_known())
    vn::fail(errc::nac_to_ark_argument, "filters of a transposed convolution are from inputs");
  const vn::tensor t = vn::cast(arena_, call_->tensor_at(1), wide);
  const std::int64_t part = t.dim(0) / groups, out_part = t.dim(1),
                     places = t.dims.product(2, t.rank());
  vn::tensor turned = vn::make_tensor(arena_, wide, vn::shape({groups * out_part, places, part}));
  float* to = turned.as<float>();
  const float* const from = t.as<float>();
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t o = 0; o < out_part; ++o)
      for (std::int64_t k = places; k-- > 0;)
        for (std::int64_t c = 0; c < part; ++c)
          *to++ = from[((g * part + c) * out_part + o) * places + k];
  const auto known = parameter_names_.find(call_->tensor_at(1).data);
  return weight(std::move(turned), wide,
                known != parameter_names_.end() ? std::string(known->second) + ".turned" : "");
}

ark_item ark_writer::transposed_convolution() {
  const vn::tensor &x = call_->tensor_at(0), &filters = call_->tensor_at(1);
  if (!nac::is_floating(x.type)) vn::fail(errc::nac_to_ark_type, "expected floats");
  if (filters.rank() != 4 || x.rank() < 3)
    vn::fail(errc::nac_to_ark_operation, "filters of shape ", filters.dims,
             "; expected 2 dimensions of images");
  const std::int64_t groups = call_->whole_or(6, 1);
  const auto pick = [&](std::size_t letter, std::size_t d, std::int64_t otherwise) {
    const std::span<const std::int64_t> list =
        has(letter) ? call_->int_list(letter) : std::span<const std::int64_t>();
    return list.empty() ? otherwise : list[list.size() == 1 ? 0 : d];
  };
  window w;
  w.images = x.rank() == 4 ? x.dim(0) : 1;
  w.channels = x.dim(x.rank() - 3);
  std::int64_t stride[2], before[2];
  for (std::size_t d = 0; d < 2; ++d) {
    stride[d] = pick(3, d, 1);
    w.size[d] = filters.dim(2 + d);
    w.dilation[d] = pick(7, d, 1);
    before[d] = w.dilation[d] * (w.size[d] - 1) - pick(4, d, 0);
    const std::int64_t in = x.dim(x.rank() - 2 + d), after = before[d] + pick(5, d, 0);
    w.in[d] = (in - 1) * stride[d] + 1 + before[d] + after;
    w.out[d] = w.in[d] - w.dilation[d] * (w.size[d] - 1);
    if (before[d] < 0 || after < 0 || w.out[d] < 1)
      vn::fail(errc::nac_to_ark_argument, "padding that is larger than the filters");
  }
  if (w.size[0] * w.size[1] > max_places)
    vn::fail(errc::nac_to_ark_argument, "windows of more than ", max_places, " elements");
  if (groups < 1 || w.channels != filters.dim(0) || w.channels % groups != 0)
    vn::fail(errc::nac_run_shape, "an image of shape ", x.dims, " and filters of shape ",
             filters.dims);
  const std::int64_t count = filters.dim(1) * groups, area = w.out[0] * w.out[1];
  const ark::value image = spaced(tensor_of(at(0), wide), w, stride, before);
  const ark::value by = turned_filters(groups);
  ark::value y = groups > 1 ? grouped(image, w, by, count, groups) : convolved(image, w, by, count);
  if (has(2))
    y = to_.add(shaped(y, {w.images, count, area}), shaped(tensor_of(at(2), wide), {1, count, 1}),
                named());
  return windowed(y, w, count, 2);
}

/// One convolution for each group of channels, side by side.
ark::value ark_writer::grouped(ark::value image, const window& w, ark::value filters,
                               std::int64_t count, std::int64_t groups) {
  const std::int64_t area = w.in[0] * w.in[1], out_area = w.out[0] * w.out[1];
  const std::int64_t part = w.channels / groups, out_part = count / groups;
  const std::int64_t filter = part * w.size[0] * w.size[1];
  window one = w;
  one.channels = part;
  const ark::dims strides{w.images, count, out_area};
  ark::value out = fresh({w.images, count, out_area}, wide);
  for (std::int64_t g = 0; g < groups; ++g) {
    arena_.charge(steps_of_an_operation);
    const ark::value x = sliced(image, w.images, w.channels, area, g * part, part);
    const ark::value by = sliced(filters, 1, count, filter, g * out_part, out_part);
    const ark::value to = to_.refer(out, {w.images, out_part, out_area},
                                    {.strides = strides, .offsets = {0, g * out_part, 0}});
    out = to_.copy(convolved(x, one, by, out_part), {.name = name_, .to = to});
  }
  return to_.refer(out, strides, {.strides = strides, .offsets = {0, 0, 0}});
}

/// The result of windows over an operation's image.
ark_item ark_writer::windowed(ark::value y, const window& w, std::int64_t channels,
                              std::size_t axes) {
  const vn::tensor& x = call_->tensor_at(0);
  vn::shape dims;
  if (x.rank() == axes + 2) dims.push_back(w.images);
  dims.push_back(channels);
  for (std::size_t d = 2 - axes; d < 2; ++d) dims.push_back(w.out[d]);
  return made(cast(y, wide, x.type), x.type, dims);
}

/// The mean of each channel, or of windows that cover it evenly.
// ---- resampling: each axis times a matrix, which the operation itself makes of unit vectors

/// [elements of the axis, those that they become]. `axis` counts from the end.
vn::tensor ark_writer::resampling_of(std::size_t axis, std::size_t axes) {
  const vn::tensor& x = call_->tensor_at(0);
  const std::int64_t n = x.dim(x.rank() - 1 - axis);
  // A channel for each unit vector; the other axis has equal elements, as few as become one or more.
  std::int64_t others = 1;
  constexpr double most = 1 << 20;
  if (!has(1))
    for (const double by : call_->numbers(3))
      if (by > 0 && by < 1)
        others = std::max(others, static_cast<std::int64_t>(std::min(std::ceil(1 / by), most)));
  vn::shape dims = {1, n, n};
  if (axes == 2) dims = axis == 0 ? vn::shape{1, n, others, n} : vn::shape{1, n, n, others};
  const vn::value units(vn::make_tensor(arena_, wide, dims));
  const std::int64_t inner = axes == 2 && axis == 1 ? others : 1;
  arena_.charge(static_cast<std::uint64_t>(units.as_tensor().dims.elements()));
  float* at = units.as_tensor().as<float>();
  for (std::int64_t i = 0; i < units.as_tensor().dims.elements(); ++i)
    at[i] = i / inner % n == i / (dims.elements() / n) ? 1.0F : 0.0F;
  std::vector<const vn::value*> arguments(call_->arguments().begin(), call_->arguments().end());
  arguments[0] = &units;
  vn::value size;
  if (has(1) && call_->count(1) == 1) {  // only of this axis
    std::vector<std::int64_t> wanted(call_->int_list(1).begin(), call_->int_list(1).end());
    if (wanted.size() == axes && axes == 2) wanted[axis] = 1;
    size = vn::value::int_list(std::move(wanted));
    arguments[call_->binding().first[1]] = &size;
  }
  vn::call c(arena_, work_, call_->operation, call_->binding(), arguments);
  const vn::value made = vn::run(c);
  const vn::tensor& all = made.as_tensor();
  const std::size_t kept = axes == 2 && axis == 1 ? 2 : all.rank() - 1;
  const std::int64_t m = all.dim(kept), step = kept == 2 && axes == 2 ? all.dim(3) : 1;
  const vn::tensor out = vn::make_tensor(arena_, wide, {n, m});
  for (std::int64_t i = 0; i < n * m; ++i)
    out.as<float>()[i] = all.as<float>()[i / m * (all.dims.elements() / n) + i % m * step];
  return out;
}

ark_item ark_writer::resampled(std::size_t axes) {
  const vn::tensor& x = call_->tensor_at(0);
  if (!nac::is_floating(x.type)) vn::fail(errc::nac_to_ark_type, "expected floats");
  vn::shape dims = x.dims;
  const std::size_t last = dims.rank() - 1;
  const std::int64_t planes = dims.product(0, dims.rank() - axes);
  const vn::tensor columns = resampling_of(0, axes);
  dims[last] = columns.dim(1);
  const std::int64_t rows = axes == 2 ? dims[last - 1] : 1;
  const ark::matmul_options how{.name = name_};
  ark::value y = to_.matmul(shaped(tensor_of(at(0), wide), {planes * rows, x.dim(last)}),
                            weight(columns, wide, {}), how);
  if (axes == 2) {
    const vn::tensor by = vn::tensor_of(*call_, operation::permute,
                                        {resampling_of(1, axes), vn::value::int_list({1, 0})});
    dims[last - 1] = by.dim(0);
    y = to_.matmul(weight(by, wide, {}), shaped(y, {planes, rows, dims[last]}), how);
  }
  return made(cast(y, wide, x.type), x.type, dims);
}

ark_item ark_writer::adaptive_mean(std::size_t axes) {
  const vn::tensor& x = call_->tensor_at(0);
  if (x.rank() < axes + 1) vn::fail(errc::nac_run_shape, "an image of shape ", x.dims);
  const std::span<const std::int64_t> wanted = call_->int_list(1);
  sizes size(axes);
  for (std::size_t d = 0; d < axes; ++d) {
    const std::int64_t in = x.dim(x.rank() - axes + d), n = wanted[wanted.size() == 1 ? 0 : d];
    if (n < 1 || in % n != 0) return resampled(axes);
    size[d] = in / n;
  }
  const window w = window_of(x.dims, axes, {.size = size, .stride = size});
  if (w.out[0] * w.out[1] != 1) return pooled(w, false, axes);
  const std::int64_t planes = w.images * w.channels;
  const ark::value y = to_.reduce_mean(shaped(tensor_of(at(0), wide), {planes, w.in[0] * w.in[1]}),
                                       1, {.name = name_});
  return windowed(y, w, w.channels, axes);
}

ark_item ark_writer::pooled(const window& w, bool is_max, std::size_t axes) {
  window all = w;  // of one image with all planes
  all.images = 1;
  all.channels = w.images * w.channels;
  constexpr double lowest = std::numeric_limits<float>::lowest();
  const ark::value places = shaped(columns(tensor_of(at(0), wide), all, is_max ? lowest : 0),
                                   {w.size[0] * w.size[1], all.channels * w.out[0] * w.out[1]});
  const ark::reduce_options how{.name = name_};
  return windowed(is_max ? to_.reduce_max(places, 0, how) : to_.reduce_mean(places, 0, how), w,
                  w.channels, axes);
}

ark_item ark_writer::pooling(nac::operation o, std::size_t axes) {
  const vn::tensor& x = call_->tensor_at(0);
  if (!nac::is_floating(x.type)) vn::fail(errc::nac_to_ark_type, "expected floats");
  if (o == operation::adaptive_avg_pool1d || o == operation::adaptive_avg_pool2d)
    return adaptive_mean(axes);
  const bool has_indices = o == operation::max_pool2d_with_indices;
  const bool is_max = o != operation::avg_pool1d && o != operation::avg_pool2d;
  const window w = window_of(x.dims, axes,
                             {call_->int_list(1), call_->int_list(2), call_->int_list(3),
                              is_max ? call_->int_list(4) : std::span<const std::int64_t>()});
  if (call_->truth_or(is_max ? 5 : 4, false) && w.has_rest)
    vn::fail(errc::nac_to_ark_argument, "ceil_mode adds windows that leave the image");
  const bool has_padding = w.padding[0] != 0 || w.padding[1] != 0;
  if (!is_max && (has(6) || (has_padding && !call_->truth_or(5, true))))
    vn::fail(errc::nac_to_ark_argument, "means of windows with other divisors than their size");
  return has_indices ? only_first(pooled(w, is_max, axes)) : pooled(w, is_max, axes);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
