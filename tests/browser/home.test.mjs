// Ten seconds on the home page: what is visible in the window of a first-time visitor, without a scroll.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { SITE } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

for (const [width, height] of [[1440, 900], [390, 844]]) {
  test(`a first-time visitor sees a sentence, a run with what a person said, and two things to click at ${width} by ${height}`, async () => {
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    await page.goto(fileUrl(SITE, 'index.html'));
    // Of each: whether all of it is in the window, and its words.
    const seen = (selector) => page.locator(selector).evaluateAll((all) => all.map((element) => {
      const { top, bottom, left, right } = element.getBoundingClientRect();
      return [top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth && bottom > top, element.innerText?.trim() ?? ''];
    }));
    const [[sentence, words], ...more] = await seen('h1');
    assert.ok(sentence && words.length > 20, words);
    assert.deepEqual(more, []);
    assert.deepEqual(await seen('.hero a.button'), [[true, 'Read a run'], [true, 'Compare models']]);
    const [primary, second] = await page.locator('.hero a.button').evaluateAll((all) => all.map((button) => getComputedStyle(button).backgroundColor));
    assert.notEqual(primary, second, 'one button comes first');
    const key = await seen('.first-run .legend li');
    assert.ok(key.length >= 5 && key.every(([is, name]) => is && name), `${key}`);
    assert.deepEqual((await seen('.first-run svg')).map(([is]) => is), [true]);
    const [[quote, text]] = await seen('.said-first li');
    assert.ok(quote && text.length > 20, text);
    assert.ok(await page.locator('.first-run svg path').count() > 2);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.getByRole('link', { name: 'Read a run', exact: true }).click();
    await page.waitForURL(/runs\/[^/]+\/index\.html$/);
    await page.goBack();
    await page.locator('.said-first a').click();
    await page.waitForURL(/#/);
    assert.ok(await page.locator('.an:target').isVisible());
    await context.close();
  });
}

test('the pictures of the wall can be as wide as the runs were long, without a script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(fileUrl(SITE, 'index.html'));
  const widths = () => page.locator('.wall svg').evaluateAll((all) => [...new Set(all.map((svg) => Math.round(svg.getBoundingClientRect().width)))]);
  assert.equal((await widths()).length, 1);
  await page.getByLabel('As wide as the run was long').check();
  assert.ok((await widths()).length > 5);
  await context.close();
});
