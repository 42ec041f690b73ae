// Metrics of four counts, null where one is undefined. Held to the library's own at 1e-9.
const ratio = (a, b) => (b === 0 ? null : a / b);
const formulas = {
  accuracy: (c) => ratio(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn),
  balanced_accuracy: (c) => (c.tp / (c.tp + c.fn) + c.tn / (c.tn + c.fp)) / 2,
  sensitivity: (c) => ratio(c.tp, c.tp + c.fn),
  specificity: (c) => ratio(c.tn, c.tn + c.fp),
  precision: (c) => ratio(c.tp, c.tp + c.fp),
  negative_predictive_value: (c) => ratio(c.tn, c.tn + c.fn),
  f1: (c) => ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn),
  matthews_corrcoef: (c) => ratio(c.tp * c.tn - c.fp * c.fn,
    Math.sqrt(c.tp + c.fp) * Math.sqrt(c.tp + c.fn) * Math.sqrt(c.tn + c.fp) * Math.sqrt(c.tn + c.fn)),
  cohen_kappa: (c) => ratio(2 * (c.tp * c.tn - c.fp * c.fn),
    (c.tp + c.fp) * (c.fp + c.tn) + (c.tp + c.fn) * (c.fn + c.tn)),
  youden_j: (c) => c.tp / (c.tp + c.fn) + c.tn / (c.tn + c.fp) - 1,
};
// The four counts of so many cases at a prevalence, rates within each class kept.
const countsOf = (tp, fp, positives, negatives, prevalence, cases) => {
  const up = (prevalence * cases) / positives, down = ((1 - prevalence) * cases) / negatives;
  return { tp: tp * up, fn: (positives - tp) * up, fp: fp * down, tn: (negatives - fp) * down };
};
// Round numbers across a range, for an axis.
const roundNumbers = (low, high) => {
  const raw = (high - low) / 4, size = 10 ** Math.floor(Math.log10(raw)), found = [];
  const unit = [1, 2, 2.5, 5, 10].map((v) => v * size).find((v) => v >= 0.999 * raw);
  for (let i = Math.ceil(low / unit - 1e-9); i * unit <= high + 1e-9 * unit; i += 1) found.push(Number((i * unit).toPrecision(6)));
  return found;
};
