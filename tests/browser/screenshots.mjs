// Takes every kind of page in light and dark at three widths, for people to look at, and the pictures for
// the README and for the demo's own pages. `node screenshots.mjs [part of a kind's name]` takes fewer.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { address, fileUrl, launch } from './support/browser.mjs';
import { kinds } from './support/kinds.mjs';
import { REPOSITORY, SITE, cards, html, runPage } from './support/site.mjs';

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
      await page.addStyleTag({ content: '.e, .lane, main section { content-visibility: visible !important }' });
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
  // For the README: the first screen of a short run that did not complete and that people annotated.
  const troubled = cards().filter((card) => card.events <= 150 && html(runPage(card)).includes('<section class="why"')).sort((a, b) => b.annotations.count - a.annotations.count)[0];
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce', bypassCSP: true });
  const page = await context.newPage();
  await page.goto(fileUrl(SITE, runPage(troubled)));
  await page.addStyleTag({ content: '.e, .lane, main section { content-visibility: visible !important }' });
  await page.screenshot({ path: path.join(here, 'run-light-1440.png'), clip: { x: 16, y: 0, width: 1408, height: 1000 } });
  await context.close();

  // For the page on reading a site: parts of pages, in a window as narrow as its text, so that words stay legible.
  const narrow = await browser.newContext({ viewport: { width: 900, height: 1000 }, reducedMotion: 'reduce', bypassCSP: true });
  const shelf = path.join(REPOSITORY, 'static/pictures');
  await mkdir(shelf, { recursive: true });
  const task = ({ subject }) => [subject.testCaseSlug, subject.testCaseVersion, subject.variant].join(' ');
  const rated = cards().filter((card) => card.rating);
  const pair = rated.map((card) => rated.filter((other) => task(other) === task(card))).find((same) => same.length > 1).slice(0, 2);
  const around = async (name, file, query, first, last, { width = 900, margin = 12 } = {}) => {
    const shown = await narrow.newPage();
    await shown.setViewportSize({ width, height: 1000 });
    await shown.goto(fileUrl(SITE, file) + query);
    await shown.addStyleTag({ content: '.e, .lane, main section { content-visibility: visible !important }' });
    await shown.locator(last).first().waitFor();
    const clip = await shown.evaluate(([from, to, more]) => {
      const [top, end] = [from, to].map((selector) => document.querySelector(selector).getBoundingClientRect());
      return { x: 0, y: top.top + scrollY - more, width: document.documentElement.clientWidth, height: end.bottom - top.top + 2 * more };
    }, [first, last, margin]);
    await shown.screenshot({ path: path.join(shelf, `${name}.png`), fullPage: true, clip });
    await shown.close();
  };
  await around('moments', runPage(troubled), '', '#moments', '.moments > :nth-child(3)');
  await around('timeline', runPage(troubled), '', '.e:has(+ .e + .e .an)', '.e:has(.an) + .e', { margin: 0 });
  await around('table', `cases/${pair[0].subject.testCaseSlug}/index.html`, '', 'main section h2', '.comparison tbody', { width: 1280 });
  await around('compare', 'compare/index.html', `?runs=${pair.map(({ slug }) => slug)}`, 'h1', '#parting ~ .scroll');
}
await browser.close();
