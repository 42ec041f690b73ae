# Paired and unpaired tests of two areas by pROC: rows.csv has case,y,a,b; one line of answers a case.
suppressMessages(library(pROC))
arguments <- commandArgs(trailingOnly = TRUE)
rows <- read.csv(arguments[1])
out <- file(arguments[2], "w")
for (case in unique(rows$case)) {
  d <- rows[rows$case == case, ]
  a <- roc(d$y, d$a, levels = c(0, 1), direction = "<", quiet = TRUE)
  b <- roc(d$y, d$b, levels = c(0, 1), direction = "<", quiet = TRUE)
  t <- roc.test(a, b, method = "delong", paired = TRUE)
  v <- c(var(a, method = "delong"), var(b, method = "delong"), cov(a, b, method = "delong"))
  other <- head(d, (2 * nrow(d)) %/% 3)
  o <- roc(other$y, other$b, levels = c(0, 1), direction = "<", quiet = TRUE)
  u <- roc.test(a, o, method = "delong", paired = FALSE)
  cat(case, format(c(a$auc, b$auc, v, t$p.value, u$statistic), digits = 17), "\n", file = out)
}
data(aSAH)
r <- roc(aSAH$outcome, aSAH$s100b, levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
cat("aSAH", format(as.numeric(ci.auc(r)), digits = 17), "\n", file = out)
set.seed(1)
s <- ci.se(r, specificities = c(0.6, 0.7, 0.8, 0.9, 0.95), boot.n = 4000, progress = "none")
cat("ci.se", format(as.numeric(s[, c(1, 3)]), digits = 17), "\n", file = out)
write.csv(aSAH[, c("outcome", "s100b", "ndka", "wfns")], arguments[3], row.names = FALSE)
close(out)
