// The comparison of two and of four runs, from disk and under a sub-path.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { violations } from './support/axe.mjs';
import { drawn, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { record, site } from './support/site.mjs';

const HOSTILE = '<img src=x onerror=window.__pwned=1></script><script>window.__pwned=1</script>';
const SLUGS = ['1', '2', '3', '4'].map((index) => `pong-codex-${['lark', 'lark', 'heron', 'x'][index - 1]}-${index}aaaaaaa`);

const at = (seconds) => new Date(Date.parse('2026-03-01T10:00:00Z') + seconds * 1000).toISOString();
const log = (events) => `${events.map(([seconds, type, fields]) => JSON.stringify({ timestamp: at(seconds), sessionId: 's', type, ...fields })).join('\n')}\n`;
const command = (text, isSuccess = true) => ['command', { command: text, exitCode: isSuccess ? 0 : 1, isSuccess }];

function files() {
  const subject = record().subject;
  const run = (index, over) => JSON.stringify(record({
    id: `${index}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`, finishedAt: `2026-03-0${index}T10:10:12Z`, ...over, subject: { ...subject, ...over.subject },
  }));
  const metrics = (seconds, comparable) => ({ runTimeSeconds: seconds, tokens: { uncachedInput: 100, output: 50 }, cost: { comparable, actual: null } });
  const checks = (similarity) => ({ loaded: true, install: null, build: null, checks: [{ view: 'title', name: 'Title', reached: similarity !== null, similarity: similarity ?? 0, detail: 'no canvas' }] });
  const folder = (index) => `content/runs/${index}`;
  return {
    'site.toml': '',
    [`${folder(1)}/run-record.json`]: run(1, { subject: { modelId: 'lark' }, metrics: metrics(100, 1.2694), validation: checks(0.9) }),
    [`${folder(1)}/events.jsonl`]: log([[0, ...command('npm ci')], [1, 'agent', { message: 'One' }], [4, 'read', { path: './src/a.ts' }], [10, ...command('npm test', false)], [20, 'write', { path: 'src/only-one.ts' }]]),
    [`${folder(1)}/writeup.md`]: `---\nrating: great\n---\n# Heading of the writeup\n\nA paragraph with **bold** words and ${HOSTILE}.\n\n- an item\n`,
    [`${folder(2)}/run-record.json`]: run(2, { subject: { modelId: 'lark', harnessVersion: '0.32.0' }, metrics: metrics(50, null), validation: checks(null) }),
    [`${folder(2)}/events.jsonl`]: log([[0, ...command('npm  ci')], [2, 'read', { path: 'src/a.ts' }], [40, ...command('npm run build')], [41, 'write', { path: 'src/two.ts' }]]),
    [`${folder(3)}/run-record.json`]: run(3, { subject: { modelId: 'heron' } }),
    [`${folder(4)}/run-record.json`]: run(4, { subject: { modelId: 'x', variant: HOSTILE, harnessVersion: HOSTILE }, status: { state: 'failed', detail: HOSTILE } }),
    [`${folder(4)}/events.jsonl`]: log([[0, ...command(HOSTILE)], [7200, 'write', { path: HOSTILE }]]),
  };
}

let browser;
let folder;
let server;
before(async () => {
  browser = await launch();
  folder = site(files());
  server = await serve(folder);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

async function open(query, { base = `${pathToFileURL(folder).href}/`, file = 'compare/index.html', expected = [], ...options } = {}) {
  const context = await browser.newContext(options);
  const problems = await watch(context, base);
  const page = await context.newPage();
  await page.goto(base + file + query);
  return {
    page,
    close: async () => {
      assert.equal(await page.evaluate(() => window.__pwned), undefined, 'recorded text ran');
      assert.deepEqual(problems.filter((problem) => !expected.some((part) => problem.includes(part))), []);
      await context.close();
    },
  };
}
// Sections are laid out when they come near, and only then have words as a reader sees them.
const words = async (place) => {
  await place.scrollIntoViewIfNeeded();
  await drawn(place.page());
  return place.innerText();
};
const row = (page, section, name) => page.locator(`section:has(#${section}) tr`).filter({ has: page.locator('th[scope=row]', { hasText: name }) });

for (const from of ['disk', 'a sub-path']) {
  const options = () => (from === 'disk' ? {} : { base: server.url });

  test(`two runs are side by side, from ${from}`, async () => {
    const { page, close } = await open(`?runs=${SLUGS[0]},${SLUGS[1]}`, options());
    await page.locator('#writeups').waitFor();
    assert.equal(await page.locator('#pick').isVisible(), false);
    const values = (name) => row(page, 'metrics', name).locator('li').evaluateAll((all) => all.map((one) => one.textContent));
    assert.deepEqual(await values('Run time'), ['A1 min 40 s', 'B50 s']);
    const starts = await row(page, 'metrics', 'Run time').locator('rect').evaluateAll((all) => all.map((rect) => rect.getBoundingClientRect().left));
    assert.equal(starts[0], starts[1], 'the bars of a metric begin at one line');
    assert.match(await page.locator('.chosen li').first().innerText(), /failed\s· 1\/1\sscreens\s· great\s· \$1\.27\scomparable/);
    assert.deepEqual(await row(page, 'metrics', 'Run time').locator('rect').evaluateAll((all) => all.map((rect) => rect.getAttribute('width'))), ['100.0', '50.0']);
    assert.deepEqual(await values('Comparable cost'), ['A$1.27', 'B—']);
    await words(row(page, 'checks', 'Title'));
    assert.deepEqual(await row(page, 'checks', 'Title').locator('td').allInnerTexts(), ['0.9', 'not reached: no canvas']);
    assert.match(await words(row(page, 'fields', 'Version of the harness')), /≠.*differs/s);
    assert.equal(await row(page, 'fields', 'Orchestrator').isVisible(), false);
    await page.getByRole('checkbox', { name: 'Only differences' }).uncheck();
    assert.equal(await row(page, 'fields', 'Orchestrator').isVisible(), true);
    assert.equal(await page.locator('.apart').count(), 0, 'they faced the same task');
    assert.deepEqual(await page.locator('#compared h2').evaluateAll((all) => all.slice(0, 2).map(({ id }) => id)), ['verdicts', 'parting']);
    await words(row(page, 'verdicts', 'Run time'));
    assert.deepEqual(await row(page, 'verdicts', 'Run time').locator('td').allInnerTexts(), ['1 min 40 s', '50 s 0.5 × A']);
    assert.deepEqual(await row(page, 'verdicts', 'Comparable cost').locator('td').allInnerTexts(), ['$1.27', '—']);
    assert.equal(await page.locator('section:has(#verdicts) [title="$1.2694"]').count(), 1, 'the recorded value is a tooltip');

    assert.match(await words(page.locator('section:has(#parting)')), /The first 2 actions are the same; then they diverge\./);
    assert.match(await words(page.locator('tr.here')), /Different\s+A 2, B 2: the runs diverge here\s+#3 command npm test failed\s+#4 write src\/only-one\.ts\s+#2 command npm run build\s+#3 write src\/two\.ts/);
    assert.match(await words(page.locator('section:has(#parting) tbody tr').first()), /Same\s+2 actions\s+#0 command npm ci\s+#2 read src\/a\.ts\s+#0 command npm ci\s+#1 read src\/a\.ts/);
    const own = page.locator('section:has(#files) .paths');
    await words(own.first());
    assert.deepEqual(await own.allInnerTexts(), ['src/only-one.ts write', 'src/two.ts write']);

    const strips = page.locator('.lanes .strip');
    assert.equal(await strips.count(), 2);
    const last = await strips.evaluateAll((all) => all.map((strip) => Number(/M(\d+) \d+H\d+$/.exec(strip.querySelector('.f-write').getAttribute('d'))[1])));
    assert.deepEqual(last, [488, 1000], 'one axis: 20 s and 41 s of 41 s');
    assert.deepEqual(await strips.first().locator('.nos text').allTextContents(), ['3']);
    assert.equal(await strips.first().locator('.fail[d^=M]').count(), 1);
    assert.deepEqual(await strips.last().locator(':scope > text').allTextContents(), ['0:00', '0:10', '0:20', '0:30', '0:40']);
    for (const group of await page.locator('.only tbody:visible').all()) assert.ok(await group.locator('.differ').count(), 'a group that is shown has a difference');

    const writeup = page.locator('section:has(#writeups) .beside > div');
    assert.equal(await words(writeup.first().locator('h4')), 'Heading of the writeup');
    assert.match(await words(writeup.first().locator('p').first()), /^A paragraph with bold words and/);
    assert.equal(await words(writeup.first().locator('li')), 'an item');
    assert.match(await words(writeup.last()), /no writeup/);

    await page.locator('tr.here a').first().click();
    await page.waitForURL(/runs\/.*1aaaaaaa\/index\.html#e-3$/);
    assert.equal(await page.locator('#e-3:target').count(), 1);
    await close();
  });

  test(`four runs are side by side and hostile names do not run, from ${from}`, async () => {
    const { page, close } = await open(`?runs=${SLUGS.join()}`, options());
    await page.locator('#writeups').waitFor();
    assert.equal(await page.locator('section:has(#fields) thead th').count(), 5);
    assert.match(await page.locator('.apart').innerText(), /differ in variant/);
    assert.match(await words(page.locator('section:has(#parting)')), /C recorded no commands and no paths/);
    assert.match(await words(page.locator('.lanes > li > p').nth(2)), /no tape/);
    assert.equal(await page.locator('.adding').count(), 0, 'a fifth cannot be added');
    assert.equal(await page.locator('main img').count(), 0);
    assert.ok((await words(page.locator('section:has(#files)'))).includes('<img src=x'), 'it is words');
    await page.setViewportSize({ width: 320, height: 700 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    await close();
  });

  test(`a run page leads to a comparison with another run of its case, from ${from}`, async () => {
    const { page, close } = await open('', { ...options(), file: `runs/${SLUGS[0]}/index.html` });
    await page.getByRole('link', { name: 'Compare with another run' }).click();
    await page.getByText('Add one more run to compare.').waitFor();
    assert.equal(await page.locator('#pick').isVisible(), true);
    const select = page.getByRole('combobox', { name: 'Compare with' });
    await select.locator(`option[value="${SLUGS[3]}"]`).waitFor({ state: 'attached' });
    const offered = await select.locator('option').allInnerTexts();
    assert.equal(offered.length, 4);
    assert.equal(offered.at(-1), '2026-03-02, lark, codex, base v1.0.0, 2aaaaaaa', 'the newest first');
    await select.selectOption(SLUGS[1]);
    await page.locator('#writeups').waitFor();
    assert.ok(page.url().endsWith(`?runs=${SLUGS[0]},${SLUGS[1]}`));
    // The address of a page is as good as its part.
    const other = page.getByRole('combobox', { name: 'or any other run' });
    await other.fill(`https://example.org/site/runs/${SLUGS[2]}/index.html#e-3`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('.chosen li').nth(2).waitFor();
    await page.getByRole('link', { name: 'Remove A' }).click();
    await page.waitForURL((url) => url.search === `?runs=${SLUGS[1]},${SLUGS[2]}`);
    await page.locator('#writeups').waitFor();
    await page.goBack();
    await page.locator('.chosen li').nth(2).waitFor();
    await close();
  });
}

test('any run of the site is found by words, by its part of the address or from the list', async () => {
  const { page, close } = await open(`?runs=${SLUGS[0]},${SLUGS[1]}`);
  await page.locator('#writeups').waitFor();
  assert.equal(await page.locator('script[src*="search/runs-"]').count(), 0, 'the list of runs is loaded when it is needed');
  const other = page.getByRole('combobox', { name: 'or any other run' });
  const say = page.locator('.adding [role=status]');
  await other.fill('codex');
  const options = page.locator('#every-run option');
  await page.waitForFunction(() => document.querySelectorAll('#every-run option').length === 2);
  assert.deepEqual(await options.evaluateAll((all) => all.map(({ value }) => value.split(', ')[2])), ['x', 'heron'], 'without those that are compared');
  await page.getByRole('button', { name: 'Add' }).click();
  await say.filter({ hasText: 'Several runs match' }).waitFor();
  await other.fill('no such run');
  await other.press('Enter');
  await say.filter({ hasText: 'No other run matches.' }).waitFor();
  await other.fill('heron pong');
  await other.press('Enter');
  await page.waitForURL((url) => url.search === `?runs=${SLUGS[0]},${SLUGS[1]},${SLUGS[2]}`);
  await page.locator('#writeups').waitFor();
  await other.fill('2026-03-04');
  await page.waitForFunction(() => document.querySelectorAll('#every-run option').length === 1);
  await other.fill(await options.first().evaluate(({ value }) => value));
  await page.getByRole('button', { name: 'Add' }).click();
  await page.waitForURL((url) => url.search === `?runs=${SLUGS.join()}`);
  await close();
});

test('what scorers said of the runs is side by side as recorded, and none is better', async () => {
  const run = (index, outcomes) => JSON.stringify(record({ id: `${index}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`, subject: { ...record().subject, modelId: 'm' }, outcomes }));
  const of = (index) => `pong-codex-m-${index}aaaaaaa`;
  const base = `${pathToFileURL(site({
    'site.toml': '',
    'content/1/run-record.json': run(1, [{ name: 'reward', value: 0.50 }, { name: HOSTILE, value: HOSTILE }]),
    'content/2/run-record.json': run(2, [{ name: 'reward', value: 1 }, { name: 'resolved', value: 'C' }]),
    'content/3/run-record.json': run(3),
  })).href}/`;
  const { page, close } = await open(`?runs=${of(1)},${of(2)}`, { base });
  await page.locator('#writeups').waitFor();
  assert.deepEqual(await row(page, 'verdicts', 'reward').locator('td').allInnerTexts(), ['0.5', '1']);
  assert.deepEqual(await row(page, 'verdicts', 'resolved').locator('td').allInnerTexts(), ['—', 'C']);
  assert.equal(await row(page, 'verdicts', HOSTILE).locator('td').first().innerText(), HOSTILE);
  assert.equal(await page.locator('section:has(#verdicts) :is(rect, meter, .best, .fail)').count(), 0, 'nothing ranks them');
  await page.goto(`${base}compare/index.html?runs=${of(3)}`);
  await page.getByText('Add one more run to compare.').waitFor();
  assert.equal(await page.locator('#verdicts').count(), 0);
  await close();
});

test('runs of a case that was only named on import may have had different tasks', async () => {
  const run = (index) => JSON.stringify(record({
    id: `${index}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`, subject: { ...record().subject, modelId: 'm' }, import: { format: 'codex', importerVersion: 1, sources: [], given: ['case'] },
  }));
  const base = `${pathToFileURL(site({ 'site.toml': '', 'content/1/run-record.json': run(1), 'content/2/run-record.json': run(2) })).href}/`;
  const { page, close } = await open('?runs=pong-codex-m-1aaaaaaa,pong-codex-m-2aaaaaaa', { base });
  await page.locator('#writeups').waitFor();
  assert.equal(await page.locator('.apart').innerText(), 'The case of A and B is a name given on import: their tasks may differ.');
  assert.doesNotMatch(await words(page.locator('section:has(#verdicts)')), /× A/, 'no ratio');
  await close();
});

test('different requests to runs of one case are shown', async () => {
  const tasks = ['Count the lines.', 'Fix the test.'];
  const run = (index) => JSON.stringify(record({
    id: `${index}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`, subject: { ...record().subject, modelId: 'm' }, import: { format: 'codex', importerVersion: 1, sources: [] },
  }));
  const said = (index) => `{"type":"trace","schemaVersion":1}\n${JSON.stringify({ seq: 0, type: 'message', role: 'user', text: tasks[index - 1] })}\n`;
  const files = [1, 2].flatMap((index) => [[`content/${index}/run-record.json`, run(index)], [`content/${index}/import.trace.jsonl`, said(index)]]);
  const base = `${pathToFileURL(site({ 'site.toml': '', ...Object.fromEntries(files) })).href}/`;
  const { page, close } = await open('?runs=pong-codex-m-1aaaaaaa,pong-codex-m-2aaaaaaa', { base });
  await page.locator('#writeups').waitFor();
  const apart = await page.locator('.apart').innerText();
  assert.match(apart, /^These runs have one case, but different requests: their tasks may differ\./);
  for (const task of tasks) assert.ok(apart.includes(task), apart);
  await close();
});

test('the verdicts of two runs fit on a phone', async () => {
  const { page, close } = await open(`?runs=${SLUGS[0]},${SLUGS[1]}`, { viewport: { width: 320, height: 800 } });
  await page.locator('#writeups').waitFor();
  const region = page.locator('section:has(#verdicts) .scroll');
  assert.equal(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth), false);
  await close();
});

test('tapes that diverge are aligned again where they converge', async () => {
  const tape = (texts) => log(texts.map((text, at) => [at, ...command(text)]));
  // Long lists, to be cut at what both have once: each has its own steps, and one moved.
  const many = (name) => Array.from({ length: 1500 }, (_, at) => (at % 3 === 1 ? `${name} ${at}` : at % 3 ? 'npm test' : `step ${at}`));
  const logs = [
    ['npm ci', 'only a', 'make', 'lint', 'ship'], ['npm ci', 'make', 'lint', 'only b', 'and b', 'ship'], ['npm ci', 'make', 'lint', 'ship'],
    many('left'), many('right'),
  ];
  const of = (at) => `pong-codex-m-${at}aaaaaaa`;
  const made = site({ 'site.toml': '', ...Object.fromEntries(logs.flatMap((texts, at) => [
    [`content/runs/${at}/run-record.json`, JSON.stringify(record({ id: `${at}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`, subject: { ...record().subject, modelId: 'm' } }))],
    [`content/runs/${at}/events.jsonl`, tape(texts)],
  ])) });
  const base = `${pathToFileURL(made).href}/`;
  const { page, close } = await open(`?runs=${of(0)},${of(1)},${of(2)}`, { base });
  await page.locator('#writeups').waitFor();
  const part = page.locator('section:has(#parting)');
  assert.match(await words(part), /Each run is aligned with A\./);
  assert.match(await words(part), /The first action is the same; then they diverge\. Later they converge: 4 of the 5 actions of A and the 6 of B are the same, in the same order\./);
  const rows = (await part.locator('table').first().locator('tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').replaceAll(/#\d+ command /g, ''));
  assert.deepEqual(rows, ['Same 1 action npm ci npm ci', '≠ Different A 1, B 0: the runs diverge here only a none', 'Same 2 actions make lint make lint', '≠ Different A 0, B 2 none only b and b', 'Same 1 action ship ship']);
  assert.equal(await part.locator('table').count(), 1);
  await part.locator('details').filter({ hasText: '3 stretches' }).locator('summary').first().click();
  await part.locator('table').nth(1).waitFor();
  assert.equal(await part.locator('table').nth(1).locator('tbody tr').count(), 3);
  await page.goto(`${base}compare/index.html?runs=${of(3)},${of(4)}`);
  await page.locator('#writeups').waitFor();
  assert.match(await words(part), /The first action is the same; .* 1,000 of the 1,500 actions of A and the 1,500 of B are the same/);
  assert.equal(await part.locator('tbody tr').count(), 5);
  await part.getByText('996 more of 1001 stretches').click();
  await part.locator('table').nth(1).waitFor();
  assert.equal(await part.locator('tbody tr').count(), 200);
  await close();
});

test('a run with several tapes is compared by the one that the reader chooses', async () => {
  const reads = (paths) => [
    { type: 'header', version: 1, harn_version: '0.8.26' },
    ...paths.map((path, seq) => ({ type: 'record', seq, virtual_time_ms: seq * 1000, monotonic_ms: 0, kind: { kind: 'file_read', path, content_hash: '0'.repeat(64), len_bytes: 1 } })),
  ].map((line) => `${JSON.stringify(line)}\n`).join('');
  const run = (index) => JSON.stringify(record({ id: `${index}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`, subject: { ...record().subject, modelId: 'm' } }));
  const of = (index) => `pong-codex-m-${index}aaaaaaa`;
  const base = `${pathToFileURL(site({
    'site.toml': '[timeline]\npage_size = 2\n',
    'content/1/run-record.json': run(1),
    'content/1/events.jsonl': log([[0, ...command('npm ci')], [3, ...command('make')]]),
    'content/1/run.tape': reads(['a.ts', 'b.ts', 'c.ts']),
    'content/2/run-record.json': run(2),
    'content/2/run.tape': reads(['a.ts', 'x.ts']),
  })).href}/`;
  const { page, close } = await open(`?runs=${of(1)},${of(2)}`, { base });
  await page.locator('#writeups').waitFor();
  const lane = page.locator('.lanes > li > p').first();
  assert.match(await words(lane), /^A m, codex events\.jsonl: 2 events, no failure, 3 s\. Compare instead: run\.tape \(3 events\)$/);
  assert.match(await words(page.locator('section:has(#parting)')), /They diverge at the first action\./);
  assert.doesNotMatch(await words(page.locator('.lanes > li > p').nth(1)), /instead/);
  await lane.getByRole('link', { name: 'run.tape' }).click();
  await page.waitForURL((url) => url.search === `?runs=${of(1)}~2,${of(2)}` && url.hash === '#tapes');
  await page.locator('#writeups').waitFor();
  // The reader stays at the tapes.
  await page.waitForFunction(() => document.getElementById('tapes').getBoundingClientRect().top < innerHeight / 2);
  assert.match(await words(lane), /^A m, codex run\.tape: 3 events, no failure, 2 s\. Compare instead: events\.jsonl \(2 events\)$/);
  assert.match(await words(page.locator('section:has(#parting)')), /The first action is the same; then they diverge\..*#0 file_read a\.ts/s);
  await words(page.locator('section:has(#files) .paths').first());
  assert.deepEqual(await page.locator('section:has(#files) .paths').allInnerTexts(), ['b.ts file read\nc.ts file read', 'x.ts file read']);
  assert.equal(new URL(await page.getByRole('link', { name: 'Remove B' }).evaluate(({ href }) => href)).search, `?runs=${of(1)}~2`);
  await page.getByRole('link', { name: 'c.ts' }).click();
  await page.waitForURL(new RegExp(`runs/${of(1)}/events/run/2/index\\.html#run\\.e-2$`));
  assert.equal(await page.locator('[id="run.e-2"]:target').count(), 1);
  await close();
});

test('an address without a run is reported, and the others are compared', async () => {
  const expected = ['ERR_FILE_NOT_FOUND', 'nope'];
  const { page, close } = await open(`?runs=${SLUGS[0]},nope,../../x,${SLUGS[1]}`, { expected });
  await page.locator('#writeups').waitFor();
  assert.match(await page.locator('.empty').innerText(), /These addresses are not of a published run: nope, \.\.\/\.\.\/x\./);
  assert.equal(await page.locator('.chosen li').count(), 2);
  await close();
});

test('without runs the page explains itself and its table leads to a comparison', async () => {
  const { page, close } = await open('');
  assert.equal(await page.locator('#compared').innerText(), '');
  await page.getByRole('checkbox', { name: 'Select run 1aaaaaaa' }).check();
  await page.getByRole('checkbox', { name: 'Select run 3aaaaaaa' }).check();
  await page.getByRole('group', { name: 'Selected runs' }).getByRole('link', { name: 'Compare' }).click();
  await page.locator('#writeups').waitFor();
  assert.equal(await page.locator('.chosen li').count(), 2);
  await close();
});

test('without JavaScript the page says how runs are compared', async () => {
  const { page, close } = await open('', { javaScriptEnabled: false });
  assert.match(await page.locator('noscript').innerText(), /the page of each case has its runs in one table/);
  assert.equal(await page.locator('table.runs tr[data-run]').count(), 4);
  assert.equal(await page.getByText('Select two to four').isVisible(), false, 'there are no boxes');
  assert.equal(await page.locator('#newest').innerText(), 'Newest runs');
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 320]) {
    test(`axe finds nothing in a comparison of four or in picked rows, ${colorScheme}, ${width} px wide`, async () => {
      const pages = [['compare/index.html', `?runs=${SLUGS.join()}`], ['compare/index.html', `?runs=${SLUGS[0]}`], ['cases/pong/index.html', '?sort=cost&find=lark']];
      for (const [file, query] of pages) {
        const { page, close } = await open(query, { file, base: server.url, bypassCSP: true, colorScheme, viewport: { width, height: 900 } });
        await page.locator('.adding, #writeups, .sort').first().waitFor();
        for (const box of await page.locator('.pick:visible input').all()) await box.check();
        assert.deepEqual(await violations(page), [], file + query);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, file + query);
        await close();
      }
    });
  }
}
