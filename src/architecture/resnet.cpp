// torchvision's resnet18 on an image of 224×224; He et al. 2015. thop counts its convolutions and its linear
// layer as they are, 4 for every cell of a BatchNorm (2, and 2 more for gamma and shift), and for the average
// the window + 1.

#include "architecture/shape.hpp"

namespace tfx::params {

namespace {

constexpr std::uint64_t side_of_image = 224, colours = 3, first_channels = 64, classes = 1000, norm_steps = 4;

struct Image {
  std::uint64_t channels, side;
};

Module convolution(const std::string& name, const Figure& batch, const Image& in, const Image& out,
                   std::uint64_t side) {
  const Figure cells = batch * (out.channels * out.side * out.side);
  const Figure macs = cells * (in.channels * side * side);
  return {name,
          ModuleKind::unit,
          {{"weight", {out.channels, in.channels, side, side}}},
          {{LayerOperationKind::convolution, macs, 0, cells, macs}}};
}

Figure cells_of(const Figure& batch, const Image& in) {
  return batch * (in.channels * in.side * in.side);
}

Module batch_norm(const std::string& name, const Figure& batch, const Image& in) {
  LayerOperation norm = elementwise(LayerOperationKind::norm, cells_of(batch, in), norm_steps);
  norm.hook = norm.other;
  return {name,
          ModuleKind::unit,
          {{"weight", {in.channels}},
           {"bias", {in.channels}},
           {"running_mean", {in.channels}, TensorKind::buffer},
           {"running_var", {in.channels}, TensorKind::buffer},
           {"num_batches_tracked", {}, TensorKind::buffer}},
          {norm}};
}

Module relu(const Figure& batch, const Image& in, std::uint64_t times) {
  Module module{"relu"};
  for (std::uint64_t i = 0; i < times; ++i)
    module.operations.push_back(elementwise(LayerOperationKind::activation, cells_of(batch, in), 1));
  return module;
}

Module block(const Figure& batch, const Image& in, const Image& out) {
  Module module{"", ModuleKind::layer};
  module.operations = {elementwise(LayerOperationKind::add, cells_of(batch, out), 1)};
  module.children = {convolution("conv1", batch, in, out, 3), batch_norm("bn1", batch, out),
                     relu(batch, out, 2), convolution("conv2", batch, out, out, 3),
                     batch_norm("bn2", batch, out)};
  if (in.channels != out.channels) {
    Module downsample{"downsample"};
    downsample.children = {convolution("0", batch, in, out, 1), batch_norm("1", batch, out)};
    module.children.push_back(downsample);
  }
  return module;
}

} // namespace

Module resnet18(const ModelShape& shape) {
  const Sizes s(shape);
  const Image picture{colours, side_of_image}, stem{first_channels, side_of_image / 2};
  Image now{first_channels, side_of_image / 4};
  Module root{"", ModuleKind::group}, maxpool{"maxpool"}, avgpool{"avgpool"};
  maxpool.operations = {elementwise(LayerOperationKind::pool, cells_of(s.B, now), 8)}; // 3×3: 8 comparisons
  root.children = {convolution("conv1", s.B, picture, stem, 7), batch_norm("bn1", s.B, stem),
                   relu(s.B, stem, 1), maxpool};
  for (const int stage : {1, 2, 3, 4}) {
    const Image out = stage == 1 ? now : Image{now.channels * 2, now.side / 2};
    Module layer{"layer" + std::to_string(stage), ModuleKind::group};
    layer.children = {block(s.B, now, out), block(s.B, out, out)};
    layer.children[0].name = "0", layer.children[1].name = "1";
    root.children.push_back(layer);
    now = out;
  }
  const std::uint64_t window = now.side * now.side;
  LayerOperation average = elementwise(LayerOperationKind::pool, s.B * now.channels, window);
  average.hook = s.B * (now.channels * (window + 1));
  avgpool.operations = {average};
  root.children.push_back(avgpool);
  root.children.push_back(linear("fc", s.B, now.channels, classes));
  return root;
}

} // namespace tfx::params
