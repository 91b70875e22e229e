// The way of somebody who has never seen the site: from the home page to the runs of one case, to how two models differ
// on it, to the moment where one of them failed, to what a reviewer said, and to a link to that moment.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { SITE } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function walk(start, width) {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const pictures = process.env.RUNPRESS_PICTURES;
  let step = 0;
  const look = async (name) => {
    step += 1;
    if (!pictures) return;
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: path.join(pictures, `${width}-${step}-${name}.png`) });
  };
  await page.goto(start);
  await look('home');

  // The runs of one case: by its name in a table of the home page.
  await page.locator('table.matrix tbody th a', { hasText: 'todo-board' }).click();
  await page.waitForURL(/cases\/todo-board/);
  assert.ok(await page.locator('table.comparison tbody tr:not(.group)').count() >= 4);
  await look('case');

  // How two models differ: two boxes, one button.
  const models = ['sample/lark-swift', 'sample/heron-2-mini'];
  for (const model of models) {
    await page.locator('table.comparison tbody tr', { has: page.getByRole('link', { name: model, exact: true }) }).locator('input[type=checkbox]').check();
  }
  await look('picked');
  await page.getByRole('link', { name: /compare/i }).or(page.getByRole('button', { name: /compare/i })).filter({ visible: true }).first().click();
  await page.waitForURL(/compare\/(index\.html)?\?runs=/);
  await page.getByRole('heading', { name: 'Where they diverge' }).waitFor();
  for (const model of models) assert.ok(await page.getByRole('link', { name: model }).count() > 0);
  await look('compared');

  // The moment where one of them failed: the run, then its failures.
  await page.locator('main').getByRole('link', { name: `${models[0]}, ` }).first().click();
  await page.waitForURL(/runs\/todo-board/);
  await look('run');
  await page.locator('.tape-tools button', { hasText: 'Failures' }).click();
  const failed = page.locator('.e.fail').filter({ visible: true });
  assert.ok(await failed.count() > 0);
  await look('failures');
  await page.locator('.tape-tools button', { hasText: 'Show all' }).click();

  // What a reviewer said about it: the next annotation.
  await failed.first().locator('> p > a').first().click();
  await page.keyboard.press(']');
  const annotation = page.locator('.e.at .an');
  assert.ok((await annotation.first().innerText()).length > 20);
  await look('said');

  // A link to that moment.
  await page.locator('.e.at button', { hasText: 'Copy link' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const event = await page.locator('.e.at').getAttribute('id');
  assert.ok(link.endsWith(`#${event}`), link);
  const other = await context.newPage();
  await other.goto(link);
  await other.waitForFunction((id) => {
    const element = document.getElementById(id);
    return element.matches(':target') && element.getBoundingClientRect().top < innerHeight;
  }, event);
  await context.close();
}

for (const width of [1440, 390]) {
  test(`from the home page to a link to the moment of a failure, ${width} px wide, from disk`, () => walk(fileUrl(SITE, 'index.html'), width));
}

test('the same way under a sub-path of a server', async () => {
  const server = await serve(SITE);
  await walk(server.url, 1280);
  await server.close();
});
