// What a reader sees without scrolling: only text whose boxes are in the window counts, not what is merely on the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { SITE, cards, html, runPage } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** The text in the first `height` pixels of the page, as one line. */
const seen = (page, height) => page.evaluate((height) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    const isShown = walker.currentNode.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const isInside = box.width > 1 && box.height > 1 && box.top >= 0 && box.bottom <= height && box.left >= 0 && box.right <= innerWidth;
    if (isShown && isInside) texts.push(walker.currentNode.data);
  }
  return texts.join(' ').replace(/\s+/g, ' ');
}, height);

const squeezed = (text) => text.replace(/\s+/g, ' ').trim();

/** The record of a run, as published. */
const record = ({ slug }) => JSON.parse(html(`runs/${slug}/run.json`)).record;

async function sees(card, { width, height, screens }) {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
  await page.goto(fileUrl(SITE, runPage(card)));
  // On a phone, what follows the first reason is folded.
  const folded = page.locator('.why > details:not([open]) > summary').filter({ visible: true });
  while (await folded.count() > 0) await folded.first().click();
  const text = await seen(page, height * screens);
  const { status, validation } = record(card);
  const reasons = [status.detail, validation?.loaded === false ? validation.detail : null].filter(Boolean).map(squeezed);
  for (const words of reasons) assert.ok(text.includes(words), `${card.slug} at ${width}: “${words}” is not in “${text}”`);
  const failures = page.locator('.why .failures a').filter({ visible: true });
  for (const failure of await failures.all()) {
    const { y } = await failure.boundingBox();
    assert.ok(y < height * screens, `${card.slug} at ${width}: ${await failure.innerText()} is at ${y}`);
    assert.match(await failure.getAttribute('href'), /#/);
  }
  const count = [reasons.length, await failures.count()];
  await page.close();
  return count;
}

test('why a run failed is above the fold of its page, and within two screens on a phone', async () => {
  const stopped = cards().filter((card) => !['completed', 'unknown'].includes(record(card).status.state));
  assert.ok(stopped.length >= 5, `${stopped.length} runs did not complete`);
  let [words, links] = [0, 0];
  for (const card of stopped) {
    const [reasons, failed] = await sees(card, { width: 1440, height: 900, screens: 1 });
    assert.deepEqual(await sees(card, { width: 390, height: 844, screens: 2 }), [reasons, failed]);
    words += reasons;
    links += failed;
  }
  assert.ok(words >= stopped.length && links >= 10, `${words} reasons, ${links} failures`);
});
