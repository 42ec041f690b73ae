#!/bin/sh
# The page is tested in a real Chromium: install Debian's where we may, or say what is missing.
command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1 && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing chromium and chromium-driver for the tests of the page"
    apt-get update -qq >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver >/dev/null 2>&1 && exit 0
fi
echo "the tests of the page need a browser: install the packages chromium and chromium-driver" >&2
# Without a browser those tests are skipped with that reason, except where CI must not skip them.
[ -z "$CI" ]
