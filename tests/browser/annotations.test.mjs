// The pages of annotations: filter by author and case, the board of hypotheses, with and without scripts.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fileUrl, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { SITE, record, site } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function open(address, base, options = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const problems = await watch(context, base);
  const page = await context.newPage();
  await page.goto(address);
  const filter = page.getByRole('region', { name: 'Filter the annotations' });
  const shown = () => page.locator('.glimpses li:visible').evaluateAll((cards) => cards.map(({ lastElementChild: { textContent } }) => [
    /annotated by (?:.* \()?(\w+)\)?$/.exec(textContent)?.[1] ?? 'unnamed', textContent.split(' · ')[0],
  ]));
  return { context, page, problems, filter, shown };
}

// The files of data that hold the notes, the newest first.
const notes = (folder = SITE) => readdirSync(path.join(folder, 'search/annotations-note-0')).map((name) => parseInt(name, 10)).sort((a, b) => b - a).map((name) => `annotations-note-0/${name}.js`);
const disk = (folder = SITE) => `${pathToFileURL(folder).href}/`;
const status = (filter, words) => filter.getByRole('status').filter({ hasText: words }).waitFor();

for (const where of ['disk', 'a sub-path']) {
  test(`annotations are filtered by the kind of their author and by case, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(SITE);
    const base = server?.url ?? disk();
    const { context, page, problems, filter, shown } = await open(`${base}annotations/correct/index.html`, base);
    const all = await shown();
    const wanted = (author, name) => all.filter((card) => (!author || card[0] === author) && (!name || card[1] === name));
    await filter.getByLabel('Author').selectOption('agent');
    await status(filter, `${wanted('agent').length} of ${all.length} annotations.`);
    assert.deepEqual(await shown(), wanted('agent'));
    assert.ok(wanted('agent').length > 0 && wanted('agent').length < all.length);
    await filter.getByLabel('Author').selectOption('human');
    await filter.getByLabel('Case').selectOption('pong');
    await status(filter, `${wanted('human', 'Pong').length} of `);
    assert.deepEqual(await shown(), wanted('human', 'Pong'));
    assert.equal(new URL(page.url()).search, '?author=human&case=pong');
    await page.goBack();
    await status(filter, `${wanted('human').length} of `);
    assert.deepEqual(await shown(), wanted('human'));
    await page.reload();
    await status(filter, `${wanted('human').length} of `);
    assert.deepEqual(await shown(), wanted('human'));
    await page.locator('.crumbs').getByRole('link', { name: 'Annotations' }).click();
    await status(filter, / of \d+ annotations\.$/);
    assert.equal(await filter.getByLabel('Author').inputValue(), 'human');
    assert.ok((await shown()).every(([author]) => author === 'human'));
    await page.getByRole('link', { name: /^All .* annotations$/ }).first().click();
    assert.match(page.url(), /\?author=human$/);
    await status(filter, / of \d+ annotations\.$/);
    await filter.getByRole('button', { name: 'Clear' }).click();
    assert.equal(new URL(page.url()).search, '');
    assert.equal(await filter.getByRole('status').textContent(), '');
    assert.deepEqual(problems, []);
    await context.close();
    await server?.close();
  });
}

test('the filter of the first page looks at the whole archive, kind by kind', async () => {
  const { context, page, problems, filter } = await open(`${disk()}annotations/index.html`, disk());
  const read = () => page.locator('.shelf:visible').evaluateAll((shelves) => shelves.map((shelf) => [
    shelf.querySelector('h2 code, h2').id, shelf.querySelector('small').textContent, [...shelf.querySelectorAll('.glimpses li')].filter((card) => card.checkVisibility()).length,
  ]));
  const before = await read();
  const feed = readFileSync(path.join(SITE, 'feeds/annotations.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const agents = feed.filter(({ author }) => author?.kind === 'agent');
  await filter.getByLabel('Author').selectOption('agent');
  await status(filter, `${agents.length} of ${feed.length} annotations.`);
  const kinds = new Map();
  for (const { kind } of agents) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const order = before.map(([kind]) => kind).filter((kind) => kinds.has(kind));
  assert.deepEqual(await read(), order.map((kind) => [kind, `${kinds.get(kind)} annotation${kinds.get(kind) === 1 ? '' : 's'}`, Math.min(6, kinds.get(kind))]));
  await page.goBack();
  await page.waitForFunction((number) => [...document.querySelectorAll('.shelf')].filter((shelf) => shelf.checkVisibility()).length === number, before.length);
  assert.deepEqual(await read(), before);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a card of the filter is the card of the server', async () => {
  for (const kind of ['correct', 'hypothesis', 'friction', 'crystallize-here']) {
    const { context, page, filter } = await open(`${disk()}annotations/${kind}/index.html`, disk());
    const cards = () => page.locator('.glimpses li:visible').evaluateAll((all) => {
      const read = (element) => [element.tagName, element.className, element.title, element.href, element.dateTime, element.ariaHidden, ...element.childNodes.length
        ? [...element.childNodes].map((node) => (node.nodeType === 3 ? node.data.trim() : read(node))).filter(Boolean) : []];
      for (const card of all) card.normalize();
      return Object.fromEntries(all.map((card) => [card.querySelector('a').href, read(card)]));
    });
    const served = await cards();
    await filter.getByLabel('Author').selectOption({ index: 1 });
    await status(filter, / of /);
    await page.waitForFunction(() => document.querySelector('[role=status]').textContent.includes(' of '));
    const own = await cards();
    assert.ok(Object.keys(own).length > 0);
    for (const [href, card] of Object.entries(own)) assert.deepEqual(card, served[href], href);
    await context.close();
  }
});

test('hypotheses can be filtered by status', async () => {
  const { context, page, filter, shown } = await open(`${disk()}annotations/hypothesis/index.html?group=confirmed`, disk());
  await status(filter, / of /);
  assert.deepEqual(await page.locator('.board:visible h2').allTextContents(), ['Confirmed']);
  const [label] = await filter.getByLabel('Status').locator('option:checked').allTextContents();
  assert.equal(label, `confirmed (${(await shown()).length})`);
  await context.close();
});

test('hypotheses are in columns by status on a wide window and one below the other on a narrow one', async () => {
  for (const [width, columns] of [[1440, 5], [320, 1]]) {
    const { context, page } = await open(fileUrl(SITE, 'annotations/hypothesis/index.html'), `${pathToFileURL(SITE).href}/`, {
      javaScriptEnabled: false, viewport: { width, height: 900 },
    });
    assert.deepEqual(await page.locator('.board h2').allTextContents(), ['Active', 'Verifying', 'Confirmed', 'Disproven', 'Stale']);
    const lefts = [];
    for (const column of await page.locator('.board > section').all()) lefts.push(Math.round((await column.boundingBox()).x));
    assert.equal(new Set(lefts).size, columns);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    assert.equal(await page.locator('.facets').count(), 0);
    await context.close();
  }
});

test('hostile names in the filter are names', async () => {
  const payload = '"><img src=x onerror=window.__pwned=1>';
  const note = (n) => JSON.stringify({ type: 'annotation', id: `a${n}`, event_id: 0, kind: 'note', evidence: payload, author: { id: payload, kind: 'human' } });
  const folder = site({
    'site.toml': '',
    'content/a/run-record.json': JSON.stringify(record({ subject: { ...record().subject, testCaseSlug: payload } })),
    'content/a/events.jsonl': '{"timestamp":"2026-03-01T10:00:00Z","type":"agent","message":"x"}\n',
    'content/a/events.jsonl.annotations.jsonl': `{"type":"header","schema_version":1}\n${note(1)}\n${note(2)}\n`,
  });
  const address = `${fileUrl(folder, 'annotations/note/index.html')}?author=${encodeURIComponent(payload)}`;
  const { context, page, problems, filter, shown } = await open(address, `${pathToFileURL(folder).href}/`);
  await status(filter, '0 of 2 annotations. Remove a filter to see more.');
  assert.deepEqual(await shown(), []);
  await filter.getByLabel('Author').selectOption('');
  await filter.getByLabel('Case').selectOption(payload);
  await status(filter, '2 of 2 annotations.');
  assert.equal((await shown()).length, 2);
  assert.equal(await page.locator('main img').count(), 0);
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  assert.deepEqual(problems, []);
  await context.close();
});

test('of very many annotations 100 are shown at a time, and only the files that hold them are read', async () => {
  const files = { 'site.toml': '' };
  const long = 'words '.repeat(60);
  for (let run = 0; run < 12; run += 1) {
    const folder = `content/${run}`;
    const id = `${run.toString(16).padStart(8, '0')}-0000`;
    const kase = run === 11 ? 'rare' : `case-${run % 3}`;
    files[`${folder}/run-record.json`] = JSON.stringify(record({ id, finishedAt: new Date(Date.UTC(2026, 3, 30 - run)).toISOString(), subject: { ...record().subject, testCaseSlug: kase } }));
    files[`${folder}/events.jsonl`] = '{"timestamp":"2026-03-01T10:00:00Z","type":"agent","message":"x"}\n';
    const lines = Array.from({ length: 300 }, (_, n) => JSON.stringify({ type: 'annotation', id: `n${n}`, event_id: 0, kind: 'note', evidence: `${run}-${n} ${long}`, author: { kind: n % 3 ? 'agent' : 'human' } }));
    files[`${folder}/events.jsonl.annotations.jsonl`] = `{"type":"header","schema_version":1}\n${lines.join('\n')}\n`;
  }
  const folder = site(files);
  const { context, page, problems, filter, shown } = await open(`${disk(folder)}annotations/note/page/2/index.html`, disk(folder));
  const read = [];
  page.on('request', (request) => { if (request.url().includes('/search/')) read.push(request.url().split('/search/')[1]); });
  const before = await shown();
  assert.equal(before.length, 100);
  const options = await filter.getByLabel('Case').locator('option').allTextContents();
  assert.deepEqual(options, ['any', 'case-0 (1,200)', 'case-1 (1,200)', 'case-2 (900)', 'rare (300)']);
  await filter.getByLabel('Author').selectOption('human');
  await status(filter, '1,200 of 3,600 annotations; 100 are shown.');
  assert.deepEqual(read, notes(folder).slice(0, read.length));
  assert.ok(read.length < notes(folder).length / 2, `${read}`);
  for (const name of notes(folder)) assert.ok(statSync(path.join(folder, 'search', name)).size <= 32_000, name);
  assert.equal((await shown()).length, 100);
  await page.getByRole('button', { name: 'Show 100 more' }).click();
  await status(filter, '1,200 of 3,600 annotations; 200 are shown.');
  const cards = await page.locator('.glimpses li:visible > p:first-child').allTextContents();
  assert.deepEqual(cards.map((card) => card.split(' ')[0]), Array.from({ length: 200 }, (_, n) => `${Math.floor(n / 100)}-${n % 100 * 3}`));
  assert.equal(await page.evaluate(() => document.activeElement.closest('li').children[0].textContent.split(' ')[0]), '1-0');
  // The rare case is in the last files only.
  await page.reload();
  await status(filter, '; 100 are shown.');
  await page.goto(`${disk(folder)}annotations/note/page/2/index.html`);
  read.length = 0;
  await filter.getByLabel('Case').selectOption('rare');
  await status(filter, '300 of 3,600 annotations; 100 are shown.');
  assert.ok(read.length > 0 && !read.includes(notes(folder)[0]), `${read}`);
  await filter.getByLabel('Author').selectOption('human');
  await status(filter, '100 of 3,600 annotations.');
  assert.equal((await shown()).length, 100);
  assert.equal(await page.getByRole('button', { name: /^Show/ }).count(), 0);
  await page.locator('.glimpses li:visible a').first().click();
  await page.waitForURL(/runs\/rare-codex-sample-lark-1-0000000b\/index\.html#/);
  await page.goBack();
  await status(filter, '100 of 3,600 annotations.');
  await filter.getByRole('button', { name: 'Clear' }).click();
  await page.waitForFunction(() => !document.querySelector('nav.pager').hidden);
  assert.deepEqual(await shown(), before);
  assert.deepEqual(problems, []);
  await context.close();
});

test('nothing on the page moves when the filter comes', async () => {
  const folder = `${disk()}annotations/`;
  for (const [kind, width] of ['', 'hypothesis/', 'note/'].flatMap((name) => [1440, 768, 412, 320].map((size) => [name, size]))) {
    const { context, page, filter } = await open(`${folder}${kind}index.html`, disk(), { viewport: { width, height: 900 } });
    await filter.getByRole('combobox', { name: 'Author' }).locator('option').nth(1).waitFor({ state: 'attached' });
    const tops = await page.evaluate(() => {
      const top = () => document.querySelector('.shelf, .board, main > section:not(.facets)').getBoundingClientRect().top;
      const after = top();
      document.querySelector('.facets').remove();
      return [top(), after].map(Math.round);
    });
    assert.equal(tops[0], tops[1], `${kind} ${width}`);
    await context.close();
  }
});

test('when the data of the filter is not there it says so, and the page stays', async () => {
  const { context, page, filter, shown } = await open(`${disk()}annotations/note/index.html`, disk());
  const before = await shown();
  await context.route((url) => url.pathname.endsWith(notes()[0]), (route) => route.abort());
  await filter.getByLabel('Author').selectOption({ index: 1 });
  await status(filter, 'The data of the annotations could not be loaded.');
  assert.deepEqual(await shown(), before);
  await context.close();
  assert.ok(page.isClosed());
});

test('without scripts the pages of annotations are the lists alone', async () => {
  const { context, page, shown } = await open(`${disk()}annotations/index.html?author=agent`, disk(), { javaScriptEnabled: false });
  assert.equal(await page.locator('.facets').count(), 0);
  assert.ok((await shown()).some(([author]) => author !== 'agent'));
  await context.close();
});
