#!/bin/sh
# tests/peers asks R's pROC, ROCR, psych and vcd, and a page asks reticulate: install Debian's where we may, or
# say what is missing.
has_r() {
    command -v Rscript >/dev/null 2>&1 &&
        Rscript -e '
            wanted <- c("pROC", "ROCR", "psych", "vcd", "reticulate")
            quit(status = !all(wanted %in% rownames(installed.packages())))' >/dev/null 2>&1
}
packages="r-base-core r-cran-proc r-cran-rocr r-cran-psych r-cran-vcd r-cran-reticulate"
has_r && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing $packages for the tests against other systems"
    apt-get update -qq >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $packages >/dev/null 2>&1 && exit 0
fi
echo "the tests against R need it: install the packages $packages" >&2
# Without R those tests are skipped with that reason, except where CI must not skip them.
[ -z "$CI" ]
