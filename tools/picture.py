"""Take the README's picture of the page: python tools/picture.py PAGE.html docs/page.png."""

from __future__ import annotations

import base64
import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH, HEIGHT, SCALE = 1280, 900, 0.75

COLOURS = 64
"""Colours of the picture: a third of the bytes, and no difference to see."""


def main() -> None:
    """Show the page in a headless Chromium and save its top."""
    page, picture = (Path(p).resolve() for p in sys.argv[1:3])
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        driver.get(page.as_uri())
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": SCALE}
        shot = driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"format": "png", "captureBeyondViewport": True, "clip": clip},
        )
        image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
        image.quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
