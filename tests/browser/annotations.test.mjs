// The pages of annotations: filter by author and case, the board of hypotheses, with and without scripts.
import assert from 'node:assert/strict';
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
  const shown = () => page.locator('li[data-case]:visible').evaluateAll((cards) => cards.map(({ dataset }) => [dataset.author, dataset.case]));
  return { context, page, problems, filter, shown };
}

for (const where of ['disk', 'a sub-path']) {
  test(`annotations are filtered by the kind of their author and by case, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(SITE);
    const base = server?.url ?? `${pathToFileURL(SITE).href}/`;
    const { context, page, problems, filter, shown } = await open(`${base}annotations/correct/index.html`, base);
    const all = await shown();
    const wanted = (author, name) => all.filter((card) => (!author || card[0] === author) && (!name || card[1] === name));
    await filter.getByLabel('Author').selectOption('agent');
    assert.deepEqual(await shown(), wanted('agent'));
    assert.ok(wanted('agent').length > 0 && wanted('agent').length < all.length);
    await filter.getByText(`${wanted('agent').length} of the ${all.length} annotations here.`).waitFor();
    await filter.getByLabel('Author').selectOption('human');
    await filter.getByLabel('Case').selectOption('pong');
    assert.deepEqual(await shown(), wanted('human', 'pong'));
    assert.equal(new URL(page.url()).search, '?author=human&case=pong');
    await page.goBack();
    assert.deepEqual(await shown(), wanted('human'));
    await page.reload();
    assert.deepEqual(await shown(), wanted('human'));
    await page.locator('.crumbs').getByRole('link', { name: 'Annotations' }).click();
    assert.equal(await filter.getByLabel('Author').inputValue(), 'human');
    assert.ok((await shown()).every(([author]) => author === 'human'));
    await filter.getByText('The filter stays on when you go to another page of annotations.').waitFor();
    await page.getByRole('link', { name: /^All .* annotations$/ }).first().click();
    assert.match(page.url(), /\?author=human$/);
    assert.deepEqual(problems, []);
    await context.close();
    await server?.close();
  });
}

test('hypotheses stand in columns by status on a wide window and one below the other on a narrow one', async () => {
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
  assert.deepEqual(await shown(), []);
  await filter.getByLabel('Author').selectOption('');
  await filter.getByLabel('Case').selectOption(payload);
  assert.equal((await shown()).length, 2);
  assert.equal(await page.locator('main img').count(), 0);
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  assert.deepEqual(problems, []);
  await context.close();
});
