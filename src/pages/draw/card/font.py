#!/usr/bin/env python3
"""Makes `inter.bin`, the letters of cards, from the WOFF files of the npm package @fontsource/inter 5.3.0 (license: inter.LICENSE.txt).

    pip install fonttools pillow
    python3 font.py inter-latin-600-normal.woff inter-latin-ext-600-normal.woff inter.bin

Letters are drawn once here, so that a card has the same pixels on every machine. The file is a zlib stream: for each letter, sorted,
4 bytes code point, then width, height, left, top (signed) and advance, then two pixels of 16 levels in each byte.
"""

import io
import struct
import sys
import zlib

from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont

SIZE = 64
LETTERS = sorted({*range(0x20, 0x7F), *range(0xA1, 0x180), *map(ord, "–—‘’“”…•€×")} - {0xAD})


def opened(path):
    font = TTFont(path)
    font.flavor = None
    plain = io.BytesIO()
    font.save(plain)
    return set(font.getBestCmap()), ImageFont.truetype(io.BytesIO(plain.getvalue()), SIZE)


def letter(font, code):
    image = Image.new("L", (3 * SIZE, 3 * SIZE))
    ImageDraw.Draw(image).text((SIZE, 2 * SIZE), chr(code), 255, font, anchor="ls")
    levels = image.point(lambda value: (value * 15 + 127) // 255)
    left, top, right, bottom = levels.getbbox() or (SIZE, 2 * SIZE, SIZE, 2 * SIZE)
    pixels = list(levels.crop((left, top, right, bottom)).getdata()) + [0]
    packed = bytes(pixels[i] << 4 | pixels[i + 1] for i in range(0, len(pixels) - 1, 2))
    advance = round(font.getlength(chr(code)))
    return struct.pack("<IBBbbB", code, right - left, bottom - top, left - SIZE, top - 2 * SIZE, advance) + packed


def main():
    *sources, target = sys.argv[1:]
    fonts = [opened(path) for path in sources]
    out, missing = b"", ""
    for code in LETTERS:
        font = next((font for known, font in fonts if code in known), None)
        if font is None:
            missing += chr(code)
        else:
            out += letter(font, code)
    with open(target, "wb") as file:
        file.write(zlib.compress(out, 9))
    print(f"{len(out)} bytes, without {missing or 'none'}")


main()
