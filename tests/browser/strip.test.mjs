// The strip of a tape: what a reader sees of a long run at once, and while reading it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { SITE, html, longest, runPage } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const on = async (look, options = {}) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  try {
    await page.goto(fileUrl(SITE, runPage(longest())));
    await look(page);
  } finally {
    await page.close();
  }
};
/** The texts of the strip that are in the first window, by what they belong to. */
const visible = (page) => page.locator('svg.strip').first().evaluate((strip) => {
  const texts = (selector) => [...strip.querySelectorAll(selector)].filter((text) => {
    const { width, top, bottom, left, right } = text.getBoundingClientRect();
    return width && top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
  }).map((text) => text.textContent);
  return { failures: texts('.nos text'), times: texts(':scope > text, .broad > text:not(.nos text)') };
});

for (const width of [1440, 390]) {
  test(`what happened in 3,000 events is seen at once, ${width} px wide`, () => on(async (page) => {
    const { failures, times } = await visible(page);
    const rows = await page.locator('.lane').first().locator('.legend li').allInnerTexts();
    const [, count] = rows.map((row) => row.match(/failures ([\d,]+)/)).find(Boolean);
    assert.equal(failures.reduce((sum, disc) => sum + Number(disc), 0), Number(count), 'every failure is counted');
    const lines = html(runPage(longest()).replace('index.html', 'events.jsonl')).trim().split('\n').map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ type, isSuccess }, at) => isSuccess === false || type === 'error' && lines[at - 1]?.isSuccess !== false).length, Number(count), 'as many as on the tape, where the error of a call belongs to it');
    const events = rows.filter((row) => !/annotations|failures/.test(row)).map((row) => Number(row.split(' ')[1].replace(',', '')));
    assert.equal(events.reduce((sum, each) => sum + each), lines.length, 'the rows count every event once');
    assert.ok(await page.locator('.strip').first().evaluate((strip) => [...strip.querySelectorAll('.stacks path')].every((path) => path.getBoundingClientRect().height)), 'the columns are drawn');
    assert.equal(times[0], '0:00');
    assert.ok(times.length >= (width > 1000 ? 8 : 3) && times.every((time) => /^(gap |completed )?(\d+:)?\d+:\d\d$/.test(time)), `${times}`);
  }, { viewport: { width, height: width > 1000 ? 900 : 844 } }));
}

test('a place on the strip says what is there, under a pointer and by keyboard', () => on(async (page) => {
  const line = page.locator('.glance p').first();
  const caption = await line.textContent();
  await page.locator('.lane a').nth(1).hover({ force: true });
  assert.match(await line.textContent(), /^#\d+ [\d:]+ [a-z ]+: \S/);
  await page.mouse.move(0, 0);
  assert.equal(await line.textContent(), caption);
  const range = page.getByRole('slider', { name: 'Place on the strip' });
  await range.focus();
  assert.match(await line.textContent(), /^#0 0:00 /);
  await page.keyboard.press('ArrowRight');
  const text = await line.textContent();
  assert.match(text, /^#[1-9]\d* [\d:]+ /);
  assert.equal(await range.getAttribute('aria-valuetext'), text);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /^#[ae]-/.test(location.hash));
}));

test('a mark moves along the slim copy of the strip while a tape is read', () => on(async (page) => {
  // Events that are folded away are no place to scroll to.
  const at = async (share) => {
    await page.locator('.tape .e').evaluateAll((events, part) => {
      const open = events.filter((event) => event.checkVisibility());
      open[Math.floor(open.length * part)].scrollIntoView();
    }, share);
    await page.waitForTimeout(200);
    const mark = await page.locator('.now .mark').evaluate((path) => path.getBoundingClientRect().left);
    const { y, height } = await page.locator('.now').boundingBox();
    assert.ok(y >= 0 && y + height < 100, 'it is at the top of the window');
    return mark;
  };
  const [first, second, last] = [await at(0.1), await at(0.5), await at(0.9)];
  assert.ok(first < second && second < last, `${[first, second, last]}`);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.now').isVisible(), false);
}));

test('without scripts the strip is whole and there is no copy of it', () => on(async (page) => {
  const { failures, times } = await visible(page);
  assert.ok(failures.length && times.length);
  assert.equal(await page.locator('.now:visible, .lane input').count(), 0);
}, { javaScriptEnabled: false }));
