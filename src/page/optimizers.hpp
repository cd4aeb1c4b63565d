#pragma once
// What a training step does with the gradient of a weight matrix W: the three rules by which W moves, as
// their papers print them. Plain Armadillo in double, in the shape of W. Source: Kingma & Ba 2015, algorithm
// 1; Loshchilov & Hutter 2019, algorithm 2.

#include "page/layer_formulas.hpp"

namespace tfx::page {

// 14 train — one step against the gradient g.
mat sgd(const mat& W, const mat& g, double learning_rate); ///< W − lr·g

mat moving_average(const mat& before, const mat& now, double beta); ///< β·before + (1 − β)·now
/// average/(1 − βᵗ): what an average that began with 0 lacks after t steps.
mat bias_corrected(const mat& average, double beta, double t);
mat adam_direction(const mat& m_hat, const mat& v_hat, double epsilon); ///< m̂/(√v̂ + ε)

/// Step t, which counts from 1. The defaults are the Transformer paper's (Vaswani et al. 2017, section 5.3).
struct AdamStep {
  double learning_rate = 0.01, t = 1;
  double beta_1 = 0.9, beta_2 = 0.98, epsilon = 1e-9;
  double decay = 0; ///< of AdamW
};
struct AdamMoments {
  mat m, v; ///< the moving averages of g and of g²; 0 before the first step
};
struct Adam : AdamMoments {
  mat m_hat, v_hat; ///< m and v, corrected
  mat direction;    ///< m̂/(√v̂ + ε)
  mat W;            ///< W − lr·(direction + λ·W)
};
Adam adam(const mat& W, const mat& g, const AdamMoments& before, const AdamStep& step);

/// The learning rate of a step (Vaswani et al. 2017, section 5.3): d_model^−½·min(step^−½, step·warmup^−3/2).
double warmed_up_rate(double step, double d_model, double warmup);

} // namespace tfx::page
