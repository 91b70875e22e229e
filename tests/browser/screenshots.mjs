// Takes every kind of page in light and dark at three widths, for people to look at, and the picture for
// the README. `node screenshots.mjs [part of a kind's name]` takes fewer.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { address, fileUrl, launch } from './support/browser.mjs';
import { SITE, kinds, richest, runPage } from './support/site.mjs';

const WIDTHS = [320, 768, 1440];
const MOST = 6000;
const here = path.join(import.meta.dirname, 'screenshots');
const wanted = process.argv[2] ?? '';

await mkdir(path.join(here, 'out'), { recursive: true });
const browser = await launch();
for (const scheme of ['light', 'dark']) {
  for (const width of WIDTHS) {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 }, reducedMotion: 'reduce', bypassCSP: true });
    const page = await context.newPage();
    for (const kind of kinds()) {
      const { name } = kind;
      if (!name.includes(wanted)) continue;
      await page.goto(await address(kind));
      // Events beyond the window are painted only when they come near it.
      await page.addStyleTag({ content: '.e { content-visibility: visible !important }' });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.screenshot({
        path: path.join(here, 'out', `${name.replaceAll(/[^a-z0-9]+/g, '-')}-${scheme}-${width}.png`),
        fullPage: true,
        clip: { x: 0, y: 0, width, height: Math.min(height, MOST) },
      });
    }
    await context.close();
  }
}

if (!wanted) {
  const context = await browser.newContext({ colorScheme: 'light', viewport: { width: 1440, height: 1100 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(fileUrl(SITE, runPage(richest())));
  await page.evaluate(() => document.querySelector('#glance').scrollIntoView());
  await page.screenshot({ path: path.join(here, 'run-light-1440.png') });
}
await browser.close();
