// The story of a run: one moment fills the window, with and without JavaScript.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { SITE, html, longest, pages, richest, runPage } from './support/site.mjs';

const STORY = `runs/${richest().slug}/story/index.html`;

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function on(options, use, address = fileUrl(SITE, STORY)) {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  await page.goto(address);
  try {
    await use(page);
  } finally {
    await context.close();
  }
}
const top = (page, id) => page.evaluate((of) => document.getElementById(of).getBoundingClientRect().top, id);

test('the run page leads to its story, whose links lead from frame to frame and to the timeline, without JavaScript', () => on({ javaScriptEnabled: false }, async (page) => {
  await page.getByRole('link', { name: 'Story', exact: true }).click();
  const frames = await page.locator('.frame').count();
  assert.ok(frames > 4, `${frames} frames`);
  await page.locator('main header li a').first().click();
  for (let number = 1; number <= frames; number += 1) {
    assert.ok(page.url().endsWith(`#f-${number}`), page.url());
    const quote = await page.locator(`#f-${number} blockquote`).boundingBox();
    assert.ok(quote.y > -2 && quote.y + Math.min(quote.height, 500) < 802, `the quote of frame ${number} is in sight`);
    const next = page.locator(`#f-${number} [rel=next]`);
    assert.equal(await next.count(), number < frames ? 1 : 0);
    if (number < frames) await next.click();
  }
  await page.locator(`#f-${frames} [rel=prev]`).click();
  assert.ok(page.url().endsWith(`#f-${frames - 1}`));
  await page.locator(`#f-${frames - 1}`).getByRole('link', { name: 'On the timeline' }).click();
  assert.match(page.url(), /runs\/[^/]+\/(events\/\d+\/)?index\.html#/);
}, fileUrl(SITE, runPage(richest()))));

test('the first window has the overview and the first moment', () => on({ viewport: { width: 1440, height: 900 } }, async (page) => {
  const { y, height } = await page.locator('#f-1 blockquote').boundingBox();
  const header = await page.locator('main header').boundingBox();
  assert.ok(y - header.y - header.height < 150 && y + Math.min(height, 60) < 900, `${y}`);
}));

test('an address names a frame, and the keyboard reaches the next one', () => on({}, async (page) => {
  assert.ok(Math.abs(await top(page, 'f-2')) < 24, `${await top(page, 'f-2')}`);
  await page.locator('#f-2 [rel=next]').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#f-3$/);
  assert.ok(Math.abs(await top(page, 'f-3')) < 24, `${await top(page, 'f-3')}`);
}, `${fileUrl(SITE, STORY)}#f-2`));

test('each frame shows the whole tape with its place on it', () => on({}, async (page) => {
  const [whole, used, line] = await page.evaluate(() => ['header #tape path', '#f-1 use', '#f-1 .lit'].map((selector) => {
    const { width, height } = document.querySelector(selector).getBoundingClientRect();
    return { width, height };
  }));
  assert.ok(used.width > 200 && used.height >= whole.height - 1, JSON.stringify(used));
  assert.ok(line.height > 30, JSON.stringify(line));
}));

for (const width of [390, 320]) {
  test(`a story fits a window of ${width} px`, () => on({ viewport: { width, height: 844 } }, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }));
}

test('a story prints one frame on each sheet', () => on({}, async (page) => {
  await page.emulateMedia({ media: 'print' });
  const styles = await page.locator('.frame').evaluateAll((frames) => frames.map((frame) => getComputedStyle(frame).breakAfter));
  assert.deepEqual([...new Set(styles)], ['page']);
}));

test('every story of the demo has frames, that of the longest run too', () => {
  const stories = pages().filter((page) => page.endsWith('/story/index.html'));
  assert.ok(stories.length > 10, `${stories.length} stories`);
  for (const story of [...stories, `runs/${longest().slug}/story/index.html`]) assert.match(html(story), /id="?f-1\b/, story);
});
