// What a reader of a large archive downloads: the bytes of data before the first results of a search or a filter, at 10,000 runs.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { record, site } from './support/site.mjs';

const RUNS = 10_000;
const MOST = 1_500_000;
const SUBJECTS = 'tower kanban maze synth pixel atlas wheel harbor violin comet'.split(' ');
const TROUBLES = ['port already in use', 'certificate expired', 'permission denied', 'disk is full', 'nothing answered', 'the frame is empty', 'wrong checksum'];

let browser;
let folder;
before(async () => {
  browser = await launch();
  const files = { 'site.toml': '' };
  for (let n = 0; n < RUNS; n += 1) {
    const id = `${n.toString(16).padStart(8, '0')}-${(n * 7919).toString(16)}`;
    const at = new Date(Date.UTC(2026, 0, 1) + n * 600_000).toISOString();
    const subject = { ...record().subject, testCaseSlug: n % 220 === 10 ? 'rare' : SUBJECTS[n % 10], modelId: `sample/lark-${n % 13}` };
    const state = n % 3 ? 'completed' : 'failed';
    files[`content/${n}/run-record.json`] = JSON.stringify(record({ id, startedAt: at, finishedAt: at, subject, status: { state, detail: `${TROUBLES[n % 7]}, code ${n}` } }));
    files[`content/${n}/events.jsonl`] = `${JSON.stringify({ timestamp: at, type: 'error', message: `${TROUBLES[n % 7]} at step ${n % 101}` })}\n`;
    files[`content/${n}/events.jsonl.annotations.jsonl`] = `{"type":"header","schema_version":1}\n${JSON.stringify({ type: 'annotation', id: 'a', event_id: 0, kind: 'note', evidence: `The ${SUBJECTS[n % 9]} was left alone after ${TROUBLES[n % 5]}, see Café ${n % 17}.`, author: { id: 'someone', kind: 'human' } })}\n`;
    files[`content/${n}/writeup.md`] = `---\nrating: ${n % 2 ? 'great' : 'broken'}\n---\n\nA ${SUBJECTS[n % 10]} that ${n % 4 ? 'works' : 'stops'} in round ${n % 97}.\n`;
  }
  folder = site(files);
});
after(() => browser?.close());

/** A new page of the site, and how many bytes of data its scripts have loaded. */
async function open(base, file) {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const problems = await watch(context, base);
  const page = await context.newPage();
  let bytes = 0;
  page.on('request', (request) => {
    const data = request.url().startsWith(`${base}search/`) && request.url().slice(base.length);
    if (data) bytes += statSync(path.join(folder, data)).size;
  });
  await page.goto(base + file);
  return { context, problems, page, loaded: () => bytes };
}

for (const where of ['disk', 'a server']) {
  test(`the first results of a search need at most 1.5 MB, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(folder);
    const base = server?.url ?? `${pathToFileURL(folder).href}/`;
    for (const [words, expected] of [
      ['tower', /^[\d,]+ results\.$/], ['tower expired', /results\.$/], ['sample lark failed', /results\.$/],
      ['000012ab', /^\d+ results?\.$/], ['certifcate', /results, also for similar words\.$/], ['cafe', /^10,000 results\.$/],
      ['ＣＡＦÉ', /^10,000 results\.$/], ['qqqqzzzz', /^No results/], ['completed 9999', /./],
    ]) {
      const { context, problems, page, loaded } = await open(base, 'index.html');
      await page.keyboard.press('/');
      const finder = page.locator('dialog.finder');
      const waitForStatus = (of) => finder.getByRole('status').filter({ hasText: of }).waitFor();
      await waitForStatus('texts can be searched');
      assert.ok(loaded() < 100_000, `${loaded()} bytes before a word`);
      await finder.getByRole('searchbox').fill(words);
      await waitForStatus(/result/);
      assert.match(await finder.getByRole('status').innerText(), expected, words);
      assert.ok(loaded() <= MOST, `${words}: ${loaded()} bytes`);
      assert.deepEqual(problems, []);
      await context.close();
    }
    await server?.close();
  });
}

for (const where of ['disk', 'a server']) {
  test(`the first filtered or ordered runs need at most 1.5 MB, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(folder);
    const base = server?.url ?? `${pathToFileURL(folder).href}/`;
    for (const [query, expected] of [
      ['state=failed', '3,334 of 10,000 runs'], ['case=tower&model=sample%2Flark-3&rating=broken', ' of 10,000 runs'],
      ['q=kanban', '1,000 of 10,000 runs'], ['q=12a+harbor', '1 of 10,000 runs'],
      ['case=tower&variant=base&model=sample%2Flark-3&harness=codex&state=completed&rating=broken&annotation=note&q=000', ' of 10,000 runs'], ['sort=cost', '10,000 of 10,000 runs'], ['sort=run&state=completed', '6,666 of 10,000 runs'],
    ]) {
      const { context, problems, page, loaded } = await open(base, `runs/index.html?${query}`);
      const facets = page.getByRole('region', { name: 'Filter the runs' });
      await facets.getByRole('status').filter({ hasText: expected }).waitFor();
      await page.locator('main table.runs tbody tr').first().waitFor();
      assert.ok(loaded() <= MOST, `${query}: ${loaded()} bytes`);
      assert.deepEqual(problems, []);
      await context.close();
    }
    await server?.close();
  });
}

test('the first filtered runs do not wait for the files of the others', async () => {
  const server = await serve(folder);
  const { context, problems, page } = await open(server.url, 'runs/index.html');
  let asked = 0;
  let release;
  const released = new Promise((go) => { release = go; });
  // Each of these runs is in a file of its own.
  await page.route('**/search/rows-*/*', async (route) => {
    asked += 1;
    if (asked > 10) await released;
    await route.continue();
  });
  await page.goto(`${server.url}runs/index.html?case=tower&model=sample%2Flark-3`);
  const rows = page.locator('main table.runs tbody tr');
  const status = page.getByRole('region', { name: 'Filter the runs' }).getByRole('status');
  await page.waitForFunction(() => document.querySelectorAll('main table.runs tbody tr').length === 10);
  assert.doesNotMatch(await status.innerText(), / of 10,000/);
  release();
  await status.filter({ hasText: ' of 10,000 runs' }).waitFor();
  const all = Number.parseInt(await status.innerText(), 10);
  assert.ok(all > 10 && all < 100, `${all}`);
  assert.deepEqual([await rows.count(), asked], [all, all]);
  assert.deepEqual(problems, []);
  await context.close();
  await server.close();
});

for (const where of ['disk', 'a server']) {
  test(`the first filtered annotations need at most 1.5 MB, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(folder);
    const base = server?.url ?? `${pathToFileURL(folder).href}/`;
    for (const [file, expected] of [
      ['annotations/index.html?case=tower', '954 of 10,000 annotations.'], ['annotations/note/index.html?case=tower', '954 of 10,000 annotations; 100 are shown.'],
      ['annotations/note/index.html?case=rare', /^46 of 10,000 annotations; \d\d are shown\.$/], ['annotations/note/index.html?author=agent', '0 of 10,000 annotations.'],
    ]) {
      const { context, problems, page, loaded } = await open(base, file);
      await page.getByRole('region', { name: 'Filter the annotations' }).getByRole('status').filter({ hasText: expected }).waitFor();
      assert.ok(loaded() <= MOST, `${file}: ${loaded()} bytes`);
      if (file.includes('rare')) {
        // They are in 46 files, which are not read at once.
        const shown = () => page.locator('.glimpses li:visible').count();
        const first = await shown();
        assert.ok(first > 0 && first < 46, `${first}`);
        await page.getByRole('button', { name: 'Show more' }).click();
        await page.getByRole('status').filter({ hasText: '46 of 10,000 annotations.' }).waitFor();
        assert.equal(await shown(), 46);
      }
      assert.deepEqual(problems, []);
      await context.close();
    }
    await server?.close();
  });
}
