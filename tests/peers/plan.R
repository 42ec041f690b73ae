# Write lines "name value value ...": what R says of plans; the first file holds y, first, second.
suppressWarnings(suppressMessages(library(pROC)))
files <- commandArgs(trailingOnly = TRUE)
out <- file(files[2], "w")
say <- function(name, values) {
  cat(name, sprintf("%.17g", as.numeric(values)), "\n", file = out)
}

for (side in c("one.sided", "two.sided")) for (area in c(0.6, 0.75, 0.9, 0.98)) {
  for (kappa in c(0.25, 1, 9)) for (level in c(0.05, 0.01)) {
    asked <- paste(side, area, kappa, level, sep = ",")
    for (cases in c(8, 40)) {
      found <- power.roc.test(auc = area, ncases = cases, ncontrols = kappa * cases,
                              sig.level = level, alternative = side)
      say(paste("power", asked, cases, sep = ","), found$power)
    }
    found <- power.roc.test(auc = area, kappa = kappa, power = 0.85, sig.level = level,
                            alternative = side)
    say(paste("cases", asked, sep = ","), found$ncases)
  }
}

rows <- read.csv(files[1])
first <- roc(rows$y, rows$first, levels = c(0, 1), direction = "<", quiet = TRUE)
second <- roc(rows$y, rows$second, levels = c(0, 1), direction = "<", quiet = TRUE)
say("pilot", c(auc(first), auc(second), var(first), var(second), cov(first, second)))
for (side in c("one.sided", "two.sided")) {
  say(paste("pilot_power", side, sep = ","),
      power.roc.test(first, second, alternative = side)$power)
  say(paste("pilot_cases", side, sep = ","),
      power.roc.test(first, second, power = 0.9, alternative = side)$ncases)
}

for (n in c(9, 24, 61)) for (p in c(0.2, 0.65)) {
  above <- sapply(0:n, function(k) binom.test(k, n, 0.5, alternative = "greater")$p.value)
  below <- sapply(0:n, function(k) binom.test(k, n, 0.5, alternative = "less")$p.value)
  say(paste("greater", n, p, sep = ","), sum(dbinom(0:n, n, p)[above <= 0.05]))
  say(paste("less", n, p, sep = ","), sum(dbinom(0:n, n, p)[below <= 0.05]))
}
close(out)
