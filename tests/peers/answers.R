# Read rows "case,y,score", write lines "case name value value ...": what R says of each case.
suppressWarnings(suppressMessages({
  library(pROC)
  library(ROCR)
}))
files <- commandArgs(trailingOnly = TRUE)
rows <- read.csv(files[1])
out <- file(files[2], "w")
options(warn = -1)

for (case in split(rows, rows$case)) {
  y <- case$y
  s <- case$score
  say <- function(name, values) {
    cat(case$case[1], name, sprintf("%.17g", as.numeric(values)), "\n", file = out)
  }

  r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)
  say("auc", auc(r))
  say("delong", var(r))
  part <- function(range, focus, correct) {
    auc(r, partial.auc = range, partial.auc.focus = focus, partial.auc.correct = correct,
        allow.invalid.partial.auc.correct = TRUE)
  }
  say("low_fpr", part(c(1, 0.83), "specificity", FALSE))
  say("low_fpr_corrected", part(c(1, 0.83), "specificity", TRUE))
  say("mid_fpr", part(c(0.9, 0.6), "specificity", FALSE))
  say("mid_fpr_corrected", part(c(0.9, 0.6), "specificity", TRUE))
  say("high_tpr", part(c(1, 0.72), "sensitivity", FALSE))
  say("high_tpr_corrected", part(c(1, 0.72), "sensitivity", TRUE))
  best <- coords(r, "best", best.method = "youden", ret = c("youden", "tpr", "fpr"))
  say("best_youden", best$youden - 1)
  say("best_tpr", best$tpr)
  names <- c("tpr", "tnr", "fpr", "fnr", "ppv", "npv", "fdr", "accuracy", "youden",
             "closest.topleft", "precision", "recall")
  all <- coords(r, "all", ret = names)
  for (name in names) say(paste0("coords_", name), rev(all[[name]]))

  p <- prediction(s, y, label.ordering = c(0, 1))
  for (name in c("acc", "err", "fpr", "tpr", "fnr", "tnr", "prec", "npv", "pcfall", "pcmiss",
                 "rpp", "phi", "mi", "chisq", "odds", "lift", "f")) {
    say(paste0("rocr_", name), performance(p, name)@y.values[[1]])
  }
  say("rocr_f_alpha", performance(p, "f", alpha = 0.2)@y.values[[1]])
  say("rocr_cost", performance(p, "cost", cost.fp = 2, cost.fn = 5)@y.values[[1]])
  for (name in c("auc", "rmse", "mxe")) {
    say(paste0("rocr_", name), performance(p, name)@y.values[[1]])
  }
  say("rocr_auc_10", performance(p, "auc", fpr.stop = 0.1)@y.values[[1]])
  hull <- performance(p, "rch")
  x <- hull@x.values[[1]]
  h <- hull@y.values[[1]]
  say("rocr_rch", sum(diff(x) * (h[-1] + h[-length(h)]) / 2))

  say("ks", suppressWarnings(ks.test(s[y == 1], s[y == 0])$statistic))
  say("wilcox", wilcox.test(s[y == 1], s[y == 0], exact = FALSE)$statistic)
  z <- qlogis(s)
  if (all(is.finite(z)) && length(unique(s)) > 1) {
    tight <- glm.control(epsilon = 1e-14, maxit = 200)
    say("slope", coef(glm(y ~ z, family = binomial, control = tight))[2])
    say("intercept", coef(glm(y ~ 1 + offset(z), family = binomial, control = tight))[1])
  }
}
close(out)
