# Intervals and standard errors of R: scores.csv has case,y,score; tables.csv case,k,n (columns of n
# by true class). One line of answers a case: "kind case value value ...".
suppressWarnings(suppressMessages({
  library(pROC)
  library(psych)
  library(vcd)
}))
arguments <- commandArgs(trailingOnly = TRUE)
scores <- read.csv(arguments[1])
tables <- read.csv(arguments[2])
out <- file(arguments[3], "w")
say <- function(kind, case, values) {
  cat(kind, case, format(as.numeric(values), digits = 17), "\n", file = out)
}
set.seed(1)
for (rows in split(scores, scores$case)) {
  r <- roc(rows$y, rows$score, levels = c(0, 1), direction = "<", quiet = TRUE)
  say("delong", rows$case[1], c(auc(r), sqrt(var(r, method = "delong")), ci.auc(r, method = "delong")[c(1, 3)]))
  drawn <- function(within) {
    ci.auc(r, method = "bootstrap", boot.n = 400, boot.stratified = within, progress = "none")[c(1, 3)]
  }
  if (rows$case[1] >= 24) next
  say("within", rows$case[1], drawn(TRUE))
  say("rows", rows$case[1], drawn(FALSE))
  say("bootstrap_variance", rows$case[1], sqrt(var(r, method = "bootstrap", boot.n = 400, progress = "none")))
}
for (cells in split(tables, tables$case)) {
  case <- cells$case[1]
  m <- matrix(cells$n, cells$k[1])
  for (weights in c("Equal-Spacing", "Fleiss-Cohen")) {
    k <- Kappa(m, weights = weights)
    say(paste0("vcd_", weights), case, k$Weighted)
    say("vcd", case, k$Unweighted)
  }
  p <- suppressWarnings(suppressMessages(cohen.kappa(m)))
  say("psych", case, c(p$kappa, sqrt(p$var.kappa)))
  say("psych_weighted", case, c(p$weighted.kappa, sqrt(p$var.weighted)))
}
close(out)
