// Search: opened by button and keys, from disk and under a sub-path, walked with the keyboard, with hostile text in it.
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fileUrl, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { SITE, build, cards, record, runPage, site } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function open(address, base, options = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const problems = await watch(context, base);
  const page = await context.newPage();
  await page.goto(address);
  return { context, page, problems, finder: page.locator('dialog.finder') };
}

const fromDisk = (file, folder = SITE) => open(fileUrl(folder, file), `${pathToFileURL(folder).href}/`);
const waitForStatus = (finder, words) => finder.getByRole('status').filter({ hasText: words }).waitFor();

test('nothing is loaded before the first search', async () => {
  const { context, page, problems } = await fromDisk('index.html');
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.reload();
  assert.deepEqual(asked.filter((url) => url.includes('/search/')), []);
  assert.equal(await page.getByRole('navigation', { name: 'Site' }).getByRole('button', { name: 'Search' }).count(), 1);
  assert.deepEqual(problems, []);
  await context.close();
});

for (const where of ['disk', 'a sub-path']) {
  test(`a word leads to runs, prose and annotations, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(SITE);
    const base = server?.url ?? `${pathToFileURL(SITE).href}/`;
    const { context, page, problems, finder } = await open(`${base}cases/pong/index.html`, base);
    await page.getByRole('button', { name: 'Search' }).click();
    await waitForStatus(finder, 'texts can be searched');
    assert.equal(await finder.getByRole('searchbox').evaluate((input) => input === document.activeElement), true);
    await finder.getByRole('searchbox').fill('paddle');
    await waitForStatus(finder, /\d+ results?\./);
    assert.ok(await finder.locator('mark').count() > 0);
    for (const link of await finder.locator('a').all()) {
      assert.ok((await link.evaluate((element) => element.href)).startsWith(base));
    }
    await finder.getByRole('searchbox').fill('annotation sidecars');
    await finder.getByRole('heading', { name: 'Pages' }).waitFor();
    await finder.getByRole('link', { name: /^Formats/ }).click();
    await page.waitForURL(`${base}formats/index.html`);
    assert.deepEqual(problems, []);
    await context.close();
    await server?.close();
  });
}

test('the keyboard alone finds a run, and goes back', async () => {
  const { context, page, finder, problems } = await fromDisk('runs/index.html');
  const [newest] = cards();
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  await page.keyboard.type(newest.id);
  await finder.getByRole('heading', { name: /^Runs/ }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.tagName);
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(), 'A');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(), 'INPUT');
  await page.keyboard.press('Escape');
  assert.equal(await finder.isVisible(), false);
  await page.keyboard.press('Control+k');
  assert.equal(await finder.isVisible(), true);
  await page.keyboard.press('Enter');
  await page.waitForURL(fileUrl(SITE, runPage(newest)));
  assert.deepEqual(problems, []);
  await context.close();
});

test('on the page of a run the slash is left to the run, and Ctrl+K searches the site', async () => {
  const { context, page, finder } = await fromDisk(runPage(cards().find(({ events }) => events)));
  await page.keyboard.press('/');
  assert.equal(await finder.count(), 0);
  await page.keyboard.press('Control+k');
  assert.equal(await finder.isVisible(), true);
  await context.close();
});

test('a result that is an annotation leads to its event', async () => {
  const { context, page, finder } = await fromDisk('index.html');
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  await page.keyboard.type('hypothesis');
  const link = finder.locator('h2:has-text("Annotations") + ul a').first();
  const address = await link.evaluate((element) => element.href);
  await link.click();
  await page.waitForURL(address);
  const target = decodeURIComponent(new URL(address).hash.slice(1));
  assert.equal(await page.locator(`[id="${target}"].an`).count(), 1);
  await context.close();
});

test('a search without results is reported, with what to do next', async () => {
  const { context, page, finder } = await fromDisk('index.html');
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  await page.keyboard.type('qqqqzzzz');
  await waitForStatus(finder, 'No results for “qqqqzzzz”. Try fewer or other words.');
  assert.equal(await finder.locator('a').count(), 0);
  await context.close();
});

test('data that cannot be loaded is reported', async () => {
  const folder = site({ 'site.toml': '', 'content/a/run-record.json': JSON.stringify(record()) });
  for (const name of readdirSync(path.join(folder, 'search'))) if (name.startsWith('terms-')) rmSync(path.join(folder, 'search', name));
  const { context, page, finder } = await fromDisk('index.html', folder);
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  await page.keyboard.type('pong');
  await waitForStatus(finder, 'The search data could not be loaded.');
  await context.close();
});

test('the page for unknown addresses searches from the root of the site', async () => {
  const folder = build(path.resolve(import.meta.dirname, '../..'), '--base-url', 'https://example.org/some/sub/path/');
  const server = await serve(folder);
  const { context, page, finder } = await open(`${server.url}no/such/page/`, server.url);
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  await page.keyboard.type('weather-dial');
  await finder.getByRole('heading', { name: /^Cases/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}cases/weather-dial/index.html`);
  await context.close();
  await server.close();
});

test('words of a script without spaces are found, also by their first letter, and marked', async () => {
  const subject = { ...record().subject, testCaseSlug: '测试案例', variant: 'マルチ' };
  const note = { type: 'annotation', id: 'n1', event_id: 0, kind: 'note', evidence: `${'一二三四'.repeat(60)}这是一个批注`, author: { id: 'someone', kind: 'human' } };
  const folder = site({
    'site.toml': '',
    'content/a/run-record.json': JSON.stringify(record({ subject })),
    'content/a/events.jsonl': `${JSON.stringify({ timestamp: '2026-03-01T10:00:00Z', type: 'agent', message: 'x' })}\n`,
    'content/a/events.jsonl.annotations.jsonl': `{"type":"header","schema_version":1}\n${JSON.stringify(note)}\n`,
    'content/b/run-record.json': JSON.stringify(record({ id: 'aaaaaaaa-0000' })),
  });
  const { context, page, finder, problems } = await fromDisk('index.html', folder);
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  for (const [words, heading, mark] of [
    ['测试', 'Cases', '测试'], ['案', 'Cases', '案'], ['例', 'Cases', '例'], ['测试案例', 'Cases', '测试案例'],
    ['批注', 'Annotations', '批注'], ['一个批注', 'Annotations', '一个批注'], ['pong测试', 'Cases', '测试'],
  ]) {
    await finder.getByRole('searchbox').fill('');
    await waitForStatus(finder, 'texts can be searched');
    await finder.getByRole('searchbox').fill(words);
    await finder.locator(`h2:has-text("${heading}") + ul mark`, { hasText: mark }).first().waitFor();
  }
  await finder.getByRole('searchbox').fill('试批');
  await waitForStatus(finder, 'No results for “试批”.');
  assert.deepEqual(problems, []);
  await context.close();
});

test('Greek, Cyrillic and accented words are found with and without accents, in either case', async () => {
  const pages = [
    ['greek', 'Σωκράτης και Ἀθῆναι', ['σωκράτης', 'ΣΩΚΡΑΤΗΣ', 'σωκρατησ', 'αθηναι', 'Ἀθῆναι', 'ΑΘΉΝΑΙ', 'σωκρατ']],
    ['final', 'Ὀδυσσεύς ταΐζει', ['οδυσσευς', 'ΟΔΥΣΣΕΎΣ', 'ὀδυσσεύς', 'ταιζει', 'ΤΑΪΖΕΙ']],
    ['russian', 'Ёлка и йод', ['елка', 'ёлка', 'ЁЛКА', 'йод', 'ЙОД', 'иод']],
    ['ukrainian', 'Київ їжак', ['київ', 'КИЇВ', 'киів', 'їжак']],
    ['serbian', 'Ђорђе Ќосев', ['ђорђе', 'ЂОРЂЕ', 'ќосев', 'косев']],
    ['vietnamese', 'Nguyễn Phượng', ['nguyen', 'NGUYỄN', 'phuong']],
    ['turkish', 'Şişli İzmir', ['sisli', 'ŞİŞLİ', 'izmir', 'İzmir']],
  ];
  const folder = site({ 'site.toml': '', ...Object.fromEntries(pages.map(([name, title]) => [`content/pages/${name}.md`, `+++\ntitle = "${title}"\n+++\n\nText.\n`])) });
  const { context, page, finder, problems } = await fromDisk('index.html', folder);
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  const missing = [];
  for (const [name, , asked] of pages) {
    for (const words of [...asked, ...asked.map((word) => word.normalize('NFD'))]) {
      await finder.getByRole('searchbox').fill('');
      await waitForStatus(finder, 'texts can be searched');
      await finder.getByRole('searchbox').fill(words);
      await waitForStatus(finder, /result/i);
      const found = await finder.locator('ul a').evaluateAll((links) => links.map((link) => link.href));
      const likeness = (await finder.getByRole('status').innerText()).includes('similar');
      if (likeness || found.length !== 1 || !found[0].endsWith(`/${name}/index.html`)) missing.push(`${words}: ${found}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.deepEqual(problems, []);
  await context.close();
});

test('hostile text is found as text and does nothing', async () => {
  const payload = '<img src=x onerror=window.__pwned=1> </script><script>window.__pwned=1</script> javascript:alert(1) $& [a-z]* \u2028 \\u003c';
  const subject = { ...record().subject, testCaseSlug: `pong ${payload}`, modelId: payload };
  const note = { type: 'annotation', id: payload, event_id: 0, kind: 'note', evidence: `needle ${payload}`, author: { id: payload, kind: 'human' } };
  const folder = site({
    'site.toml': '',
    'content/a/run-record.json': JSON.stringify(record({ subject })),
    'content/a/writeup.md': `---\nrating: broken\n---\n\nneedle ${payload}\n`,
    'content/a/events.jsonl': `${JSON.stringify({ timestamp: '2026-03-01T10:00:00Z', type: 'agent', message: payload })}\n`,
    'content/a/events.jsonl.annotations.jsonl': `{"type":"header","schema_version":1}\n${JSON.stringify(note)}\n`,
    'content/pages/evil.md': `+++\ntitle = ${JSON.stringify(payload)}\n+++\n\nneedle\n`,
  });
  const { context, page, finder, problems } = await fromDisk('runs/index.html', folder);
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  for (const words of ['needle', 'onerror', 'script alert', '$&', '[a-z]*', '\\']) {
    await finder.getByRole('searchbox').fill(words);
    await page.waitForTimeout(150);
  }
  await finder.getByRole('searchbox').fill('needle');
  await finder.getByRole('heading', { name: /^Annotations/ }).waitFor();
  assert.ok((await finder.innerText()).includes('<img src=x onerror=window.__pwned=1>'));
  assert.equal(await finder.locator('img, script, iframe').count(), 0);
  for (const link of await finder.locator('a').all()) {
    assert.ok((await link.evaluate((element) => element.href)).startsWith(pathToFileURL(folder).href));
  }
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  assert.deepEqual(problems, []);
  await context.close();
});

for (const where of ['disk', 'a sub-path']) {
  test(`the page of search finds what its address asks for, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(SITE);
    const base = server?.url ?? `${pathToFileURL(SITE).href}/`;
    const { context, page, problems } = await open(`${base}search/index.html?q=timeout`, base);
    const field = page.getByRole('searchbox');
    const results = page.locator('#search .found');
    await results.getByRole('heading', { name: /^Runs/ }).waitFor();
    assert.equal(await field.inputValue(), 'timeout');
    assert.match(await page.title(), /^timeout – Search/);
    assert.match(await results.locator('h2:has-text("Runs") + ul a').first().innerText(), /timed out/, 'a run that timed out is found by another word for it');
    await field.fill('paddle');
    await page.getByRole('status').filter({ hasText: /\d+ results?\./ }).waitFor();
    await results.locator('mark').first().waitFor();
    await field.press('Enter');
    await page.waitForURL(/\?q=paddle$/);
    await results.locator('ul a').first().click();
    await page.waitForURL((url) => !url.pathname.includes('/search/'));
    await page.goBack();
    await results.locator('mark').first().waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'paddle');
    assert.equal(await page.locator('dialog.finder').count(), 0);
    assert.deepEqual(problems, []);
    await context.close();
    await server?.close();
  });
}

test('the dialog leads to the page of search, which without a script leads to the lists', async () => {
  const { context, page, finder, problems } = await fromDisk('index.html');
  await page.keyboard.press('/');
  await waitForStatus(finder, 'texts can be searched');
  await page.keyboard.type('paddle');
  await finder.getByRole('link', { name: 'All results' }).click();
  await page.waitForURL(/search\/index\.html\?q=paddle$/);
  await page.locator('#search mark').first().waitFor();
  assert.deepEqual(problems, []);
  await context.close();
  const plain = await open(fileUrl(SITE, 'search/index.html'), `${pathToFileURL(SITE).href}/`, { javaScriptEnabled: false });
  assert.deepEqual(await plain.page.locator('main .empty a').allInnerTexts(), ['runs', 'cases', 'models', 'annotations']);
  await plain.context.close();
});
