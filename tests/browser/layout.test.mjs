// The layout of every kind of page, with each set of fonts: the machine of a reader has fonts of its own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { drawn, fontSets, launch, unfold } from './support/browser.mjs';
import { eachKind, overflow } from './support/windows.mjs';

const WIDTHS = [320, 390, 500, 960, 1280, 1440];

/** Places of the content that is on the page without scripts, too: of a list all, else those in the first window. A timeline gets its tools above it. */
const places = (page) => page.evaluate(() => {
  const own = '.facets, .tools, .pager, .selection, .choices, .awaited, .tell, .tape, [role=status], #compared';
  const isList = document.querySelector('tr[data-run]');
  return [...document.querySelectorAll('main :is(h1, h2, h3, p, th, td, dt, dd, li, pre, figure)')]
    .filter((element) => !element.closest(own) && element.checkVisibility({ contentVisibilityAuto: true }))
    .map((element) => {
      const { top, left } = element.getBoundingClientRect();
      return { text: element.textContent.trim().slice(0, 30), top: Math.round(top + scrollY), left: Math.round(left) };
    })
    .filter(({ top }) => isList || top < innerHeight);
});

/** What `look` finds in a window of each width. */
async function atEachWidth(page, look) {
  const found = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    found.push(await look(page));
  }
  return found;
}

test('more than one set of fonts is installed', () => {
  assert.ok(fontSets().length > 1, `only ${fontSets()}: tests/run installs the packages of fonts that are missing`);
});

for (const fonts of fontSets()) {
  describe(`with the fonts of ${fonts}`, () => {
    let browser;
    before(async () => { browser = await launch(fonts); });
    after(() => browser?.close());

    test('no kind of page is wider than the window, and nothing in sight moves when the scripts start', async () => {
      const problems = [];
      await eachKind(browser, {}, async (page, kind) => {
        await page.route(/\.js$/, (route) => route.abort());
        await page.reload();
        const before = await atEachWidth(page, places);
        await page.unroute(/\.js$/);
        await page.reload();
        await page.locator('.top .find:enabled').waitFor();
        if (await page.locator('tr[data-run]').count()) await page.locator('.pick').first().waitFor({ state: 'attached' });
        const after = await atEachWidth(page, places);
        for (const [at, width] of WIDTHS.entries()) {
          const place = after[at].findIndex(({ top, left }, index) => {
            const was = before[at][index];
            return was && (Math.abs(top - was.top) > 1 || Math.abs(left - was.left) > 1);
          });
          if (place >= 0) problems.push(`${kind.name}, ${width} px: ${JSON.stringify(before[at][place])} is then ${JSON.stringify(after[at][place])}`);
        }
        await unfold(page);
        const wide = await atEachWidth(page, overflow);
        for (const [at, width] of WIDTHS.entries()) problems.push(...wide[at].map((html) => `${kind.name}, ${width} px: ${html}`));
      });
      assert.deepEqual(problems, []);
    });
  });
}
