// A site whose runs are in folders with prefixes: what the scripts make of their data leads to pages that are there.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { REPOSITORY, build, cards, temporary } from './support/site.mjs';

let browser;
let page;
let folder;
before(async () => {
  const root = temporary();
  for (const name of ['content', 'static']) cpSync(path.join(REPOSITORY, name), path.join(root, name), { recursive: true });
  const settings = readFileSync(path.join(REPOSITORY, 'site.toml'), 'utf8');
  writeFileSync(path.join(root, 'site.toml'), settings.replace('[publish]\n', '[publish]\nrun_folders = "prefixed"\n'));
  folder = build(root);
  browser = await launch();
  page = await browser.newPage();
});
after(() => browser?.close());

// The links to pages of runs; each is there.
async function runs(place) {
  const links = await page.locator(place).locator('a').evaluateAll((all) => all.map((a) => new URL(a.href.baseVal ?? a.href, document.baseURI).href));
  const found = links.filter((link) => link.includes('/runs/') && !/\/runs\/(page\/|index\.html)/.test(link));
  for (const link of found) {
    assert.match(link, /\/runs\/[0-9a-f]{2}\/[a-z0-9-]+\//);
    assert.ok(existsSync(new URL(link.split(/[?#]/)[0])), link);
  }
  return found.length;
}

test('a comparison links to the runs and to their events, and takes the address of another run', async () => {
  const [first, second] = cards(folder).filter((card) => card.events > 20);
  await page.goto(`${fileUrl(folder, 'compare/index.html')}?runs=${first.slug}`);
  await page.getByRole('combobox', { name: 'or any other run' }).fill(`https://example.org/${second.url}`);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.waitForURL((url) => url.search.includes(second.slug));
  await page.locator('#writeups').waitFor();
  assert.ok(await runs('main') > 20);
});

test('filtered annotations and results of the search lead to events', async () => {
  await page.goto(`${fileUrl(folder, 'annotations/index.html')}?author=human`);
  await page.locator('main .glimpses a:visible').first().waitFor();
  assert.ok(await runs('main') > 5);
  await page.goto(fileUrl(folder, 'index.html'));
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Search' }).fill('test');
  await page.locator('dialog .found h2', { hasText: 'Annotations' }).waitFor();
  assert.ok(await runs('dialog') > 5);
});
