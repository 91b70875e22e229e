// The comfort of tables: sort, filter, columns, copying, and picking runs to compare.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fileUrl, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { record, site } from './support/site.mjs';

const HOSTILE = '=HYPERLINK("https://evil.example","x") | <img src=x onerror=window.__pwned=1>, "quoted"';

function run(index, over = {}) {
  const { metrics, subject, ...rest } = record();
  return record({
    ...rest,
    id: `${index}aaaaaaa-8a60-4d2e-9a51-0c9f6f1f2b11`,
    finishedAt: `2026-03-0${index}T10:10:12Z`,
    subject: { ...subject, ...over.subject },
    metrics: {
      ...metrics, runTimeSeconds: over.seconds ?? 100 * index, cost: { comparable: over.cost ?? null, actual: over.actual ?? null },
      tokens: { ...metrics.tokens, cachedInput: over.cached ?? null },
    },
    validation: {
      loaded: true, install: null, build: null,
      checks: over.similarity === undefined ? [] : [{ view: 'title', name: 'Title', reached: true, similarity: over.similarity }],
    },
  });
}

const files = () => {
  const runs = [
    run(1, { cost: 9.5, actual: 9.5, cached: 7, seconds: 3600, subject: { modelId: 'sample/lark-10' }, similarity: 0.98 }),
    run(2, { cost: 10.25, seconds: 59, subject: { modelId: 'sample/lark-9' }, similarity: 0.05 }),
    run(3, { subject: { modelId: 'sample/heron' } }),
    run(4, { cost: 0.5, seconds: 1200, subject: { modelId: HOSTILE, variant: 'multi' } }),
    run(5, { cost: 1234.5, actual: 1, cached: 7, subject: { modelId: 'sample/heron', testCaseVersion: 'v2.0.0' } }),
  ];
  const own = runs.map((one) => [`content/runs/${one.id}/run-record.json`, JSON.stringify(one)]);
  // A table has only columns with values: these files fill the others in both tables of the case.
  const thread = { id: 't', turnId: 't', resource: 'file:///a.ts', resolved: false, entries: [{ id: 'e', text: 'Why?' }] };
  const more = [runs[0], runs[4]].flatMap(({ id }) => Object.entries({
    'writeup.md': '---\nrating: great\n---\nIt plays.\n',
    'events.jsonl': '{"timestamp":"2026-03-01T10:00:00Z","sessionId":"s","type":"agent","message":"Done."}\n',
    'events.jsonl.annotations.jsonl': '{"type":"header","schema_version":1}\n{"type":"annotation","event_id":0,"kind":"note","evidence":"A note."}\n',
    'annotations.json': JSON.stringify({ annotations: [thread] }),
  }).map(([name, text]) => [`content/runs/${id}/${name}`, text]));
  return { 'site.toml': '', ...Object.fromEntries([...own, ...more]) };
};

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

async function open(file, { base = `${pathToFileURL(folder).href}/`, permissions = [] } = {}) {
  const context = await browser.newContext({ permissions });
  const problems = await watch(context, base);
  const page = await context.newPage();
  await page.goto(base + file);
  return {
    page,
    close: async () => {
      assert.equal(await page.evaluate(() => window.__pwned), undefined, 'recorded text ran');
      assert.deepEqual(problems, []);
      await context.close();
    },
  };
}

const ids = (page, scope = 'main') => page.locator(`${scope} tr[data-run]:visible`).evaluateAll((rows) => rows.map((row) => (row.querySelector('.runs th small') ?? row.querySelector('a')).textContent[0]).join(''));
const head = (page, name) => page.locator('th').filter({ hasText: new RegExp(`^${name}$`) });

for (const from of ['disk', 'a sub-path']) {
  const options = () => (from === 'disk' ? {} : { base: server.url });

  test(`a column sorts up, down and back to recency, from ${from}`, async () => {
    const { page, close } = await open('runs/index.html', options());
    assert.equal(await ids(page), '54321');
    const newest = page.locator('.newest');
    assert.equal(await newest.isVisible(), true);
    const cost = page.getByRole('button', { name: 'Comparable cost' });
    await cost.click();
    assert.equal(await newest.isVisible(), false, 'it is not true now');
    // The unknown cost comes last, both ways.
    assert.equal(await ids(page), '41253');
    assert.equal(await head(page, 'Comparable cost').getAttribute('aria-sort'), 'ascending');
    await cost.press('Enter');
    assert.equal(await ids(page), '52143');
    assert.equal(await head(page, 'Comparable cost').getAttribute('aria-sort'), 'descending');
    assert.match(page.url(), /\?sort=-cost$/);
    await cost.click();
    assert.equal(await ids(page), '54321');
    assert.equal(await page.locator('[aria-sort]').count(), 0);
    assert.equal(await newest.isVisible(), true);
    assert.doesNotMatch(page.url(), /\?/);
    await page.getByRole('button', { name: 'Run time' }).click();
    assert.equal(await ids(page), '23541', 'by seconds, not by words');
    await page.getByRole('button', { name: 'Model' }).click();
    assert.equal((await ids(page)).endsWith('21'), true, 'numbers in names are numbers');
    await close();
  });

  test(`order, filter and columns live in the address and come back with the back button, from ${from}`, async () => {
    const { page, close } = await open('cases/pong/index.html?kept=1', options());
    await page.getByRole('button', { name: 'Comparable cost' }).first().click();
    await page.getByRole('searchbox').fill('lark');
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Harness' }).uncheck();
    await page.getByRole('checkbox', { name: 'Threads' }).uncheck();
    assert.match(page.url(), /\?kept=1&sort=cost&find=lark&cols=-harness&cols=-threads$/);
    await page.locator('tr[data-run]:visible a').first().click();
    await page.waitForURL(/runs\/pong/);
    await page.goBack();
    assert.equal(await ids(page), '12');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'lark');
    assert.equal(await head(page, 'Harness').first().isVisible(), false);
    assert.equal(await head(page, 'Comparable cost').first().getAttribute('aria-sort'), 'ascending');
    await close();
  });
}

test('the rows of a comparison stay within their variant, and every table of the page is sorted', async () => {
  const { page, close } = await open('cases/pong/index.html');
  assert.equal(await page.locator('table.comparison').count(), 2);
  await page.getByRole('button', { name: 'Comparable cost' }).last().click();
  const groups = await page.locator('table.comparison').last().locator('tbody').evaluateAll((bodies) => bodies
    .map((body) => [...body.querySelectorAll('tr[data-run]')].map((row) => row.querySelector('a').textContent[0]).join('')));
  assert.deepEqual(groups, ['123', '4']);
  assert.equal(await page.locator('[aria-sort=ascending]').count(), 2);
  await close();
});

test('a filter keeps the rows that hold every word, and says how many', async () => {
  const { page, close } = await open('cases/pong/index.html');
  await page.getByRole('searchbox').fill('LARK-10  codex');
  assert.equal(await ids(page), '1');
  assert.match(await page.getByRole('status').first().textContent(), /^1 of 5 runs shown\./);
  assert.equal(await page.locator('.comparison').getByText('Variant multi').isVisible(), false, 'a variant without a row is not shown');
  await page.getByRole('searchbox').fill('multi');
  assert.equal(await ids(page), '4', 'the name of a variant is found');
  await page.getByRole('searchbox').fill('nothing like that');
  assert.match(await page.getByRole('status').first().textContent(), /^0 of 5 runs shown\./);
  await page.getByRole('searchbox').fill('');
  assert.equal((await ids(page)).length, 5);
  await close();
});

test('a filter fades the marks of other runs in the plots, and says so', async () => {
  const three = [run(1, { cost: 9.5, subject: { modelId: 'sample/lark-10' } }), run(2, { cost: 1 }), run(4, { cost: 0.5, seconds: 3000 })];
  const own = site({ 'site.toml': '', ...Object.fromEntries(three.map((one) => [`content/runs/${one.id}/run-record.json`, JSON.stringify(one)])) });
  const { page, close } = await open('cases/pong/index.html', { base: `${pathToFileURL(own).href}/` });
  const faint = () => page.locator('.plot').first().locator('a').evaluateAll((marks) => marks
    .filter((mark) => getComputedStyle(mark).opacity < 0.5).map((mark) => mark.textContent[0]).sort().join(''));
  assert.equal(await faint(), '');
  await page.getByRole('searchbox').fill('LARK-10');
  assert.equal(await faint(), '24');
  assert.equal(await page.getByRole('status').first().textContent(), '1 of 3 runs shown. In the plots the others are faint.');
  await page.getByRole('searchbox').fill('');
  assert.equal(await faint(), '');
  await close();
});

test('the list of all runs has one filter, its own', async () => {
  const { page, close } = await open('runs/index.html?find=lark');
  await page.getByText('Columns', { exact: true }).waitFor();
  assert.equal(await page.locator('.tools input[type=search]').count(), 0);
  assert.equal((await ids(page)).length, 5);
  await close();
});

test('a table that fits is part of the page, and a wide one scrolls in its region', async () => {
  const { page, close } = await open('cases/pong/index.html?find=lark');
  const overflow = () => page.locator('.scroll:has(> .comparison)').first().evaluate((region) => getComputedStyle(region).overflowX);
  await page.setViewportSize({ width: 700, height: 700 });
  await page.waitForFunction(() => !document.querySelector('.scroll:has(> .comparison)').classList.contains('fits'));
  assert.equal(await overflow(), 'auto');
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.getByText('Columns', { exact: true }).click();
  for (const box of await page.locator('.columns input').all()) await box.uncheck();
  await page.locator('.fits').first().waitFor();
  assert.equal(await overflow(), 'visible');
  await close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`all rows of a list are on the page, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    for (const width of [320, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 400 });
      for (const file of ['runs/index.html', 'cases/pong/index.html', 'overview/index.html']) {
        await page.goto(fileUrl(folder, file));
        const cut = await page.locator('.scroll').evaluateAll((regions) => regions.filter((region) => region.scrollHeight > region.clientHeight + 1 || region.offsetHeight < region.firstElementChild.offsetHeight).length);
        assert.equal(cut, 0, `${file} at ${width} px`);
      }
    }
    await context.close();
  });
}

test('columns can be hidden, but the first always stays', async () => {
  const { page, close } = await open('cases/pong/index.html');
  await page.getByText('Columns', { exact: true }).click();
  const boxes = page.locator('.columns input');
  for (const box of await boxes.all()) await box.uncheck();
  assert.deepEqual(await page.locator('.comparison thead th:visible').allTextContents(), ['Run', 'Run']);
  assert.equal(await page.locator('.comparison .group > th').first().getAttribute('colspan'), '1');
  await page.keyboard.press('Escape');
  assert.equal(await boxes.first().isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Columns');
  await page.reload();
  assert.equal(await page.locator('.comparison thead th:visible').count(), 2);
  await close();
});

test('what is shown is copied as Markdown, CSV and JSON, and no text becomes a formula', async () => {
  const { page, close } = await open('cases/pong/index.html?find=multi&cols=-threads', { base: server.url, permissions: ['clipboard-read', 'clipboard-write'] });
  const copied = async (name) => {
    await page.getByRole('button', { name }).click();
    await page.getByText(`Copied 1 run as ${name}.`).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const markdown = (await copied('Markdown')).trim().split('\n');
  assert.equal(markdown.length, 3);
  assert.match(markdown[0], /^\| Run \| Variant \| Model \| Harness \|/);
  assert.doesNotMatch(markdown[0], /Threads/);
  assert.match(markdown[2], /^\| \[4aaaaaaa 2026-03-04\]\(http.*\/runs\/pong-codex-.*\/index\.html\) \| multi \|/);
  assert.ok(markdown[2].includes('\\| \\<img src=x onerror=window.\\_\\_pwned=1\\>'), markdown[2]);
  assert.ok(markdown[2].includes('| 18,211 | — | 7,021 | 3,300 | $0.50 |'), markdown[2]);
  const csv = await copied('CSV');
  assert.match(csv, /^"Table","Run","Finished","Variant","Model","Harness","Harness version","State",.*"Address"\r\n/);
  assert.match(csv, /,"4aaaaaaa","2026-03-04T10:10:12Z","multi",/);
  assert.ok(csv.includes(`"'=HYPERLINK(""https://evil.example"",""x"") | <img`), csv);
  assert.ok(csv.includes(',"codex","0.31.0","failed",,18211,,7021,3300,0.5,,1200,'), csv);
  const [row] = JSON.parse(await copied('JSON'));
  const { Table, Address, ...values } = row;
  assert.match(Table, /^Runs of pong v1\.0\.0/);
  assert.match(Address, /^http.*\/index\.html$/);
  assert.deepEqual(values, {
    Run: '4aaaaaaa', Finished: '2026-03-04T10:10:12Z', Variant: 'multi', Model: HOSTILE, Harness: 'codex', 'Harness version': '0.31.0',
    State: 'failed', Rating: null, 'Uncached input': 18211, 'Cached input': null, Output: 7021, Reasoning: 3300,
    'Comparable cost in USD': 0.5, 'Actual cost in USD': null, 'Run time in seconds': 1200, 'Check title': null, Annotations: 0,
  });
  await close();
});

test('copying works where the page has no clipboard', async () => {
  const { page, close } = await open('runs/index.html');
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
  });
  await page.getByRole('button', { name: 'JSON' }).click();
  await page.getByText('Copied 5 runs as JSON.').waitFor();
  const rows = JSON.parse(await page.evaluate(() => window.copied));
  assert.deepEqual(rows.map((one) => one['Comparable cost in USD']), [1234.5, 0.5, null, 10.25, 9.5]);
  assert.deepEqual([rows[0].Case, rows[0]['Case version'], rows[0].Variant, rows[0].Finished], ['pong', 'v2.0.0', 'base', '2026-03-05T10:10:12Z']);
  assert.equal(await page.locator('textarea').count(), 0);
  await close();
});

test('picked rows lead to their comparison, two to four of them', async () => {
  const { page, close } = await open('cases/pong/index.html');
  const box = (index) => page.getByRole('checkbox', { name: `Select run ${index}aaaaaaa` });
  const bar = page.getByRole('group', { name: 'Selected runs' });
  await box(1).check();
  assert.match(await bar.innerText(), /1 run selected; one more to compare\./);
  assert.equal(await bar.getByRole('link').count(), 0);
  await box(5).check();
  await box(4).check();
  const href = await bar.getByRole('link', { name: 'Compare' }).evaluate((link) => link.href);
  const query = new URL(href).searchParams.get('runs').split(',');
  assert.equal(href.split('?')[0], fileUrl(folder, 'compare/index.html'));
  assert.deepEqual(query.map((slug) => slug.slice(-8, -7)), ['1', '5', '4'], 'in the order in which they were picked');
  await box(2).check();
  await box(3).check();
  assert.match(await bar.innerText(), /5 runs selected; at most 4 can be compared\./);
  assert.equal(await bar.getByRole('link').count(), 0);
  await bar.getByRole('button', { name: 'Clear' }).click();
  assert.equal(await bar.isVisible(), false);
  assert.equal(await page.locator('.pick input:checked').count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.type), 'checkbox');
  await close();
});

test('picked rows are copied instead of those that are shown', async () => {
  const { page, close } = await open('runs/index.html', { base: server.url, permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('checkbox', { name: 'Select run 2aaaaaaa' }).check();
  await page.locator('.selection').getByRole('button', { name: 'CSV' }).click();
  await page.getByText('Copied 1 run as CSV.').waitFor();
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n').length, 2);
  await close();
});

test('a script that replaces the rows of a table tells it, and picked rows stay picked', async () => {
  const { page, close } = await open('runs/index.html?sort=cost');
  await page.getByRole('checkbox', { name: 'Select run 2aaaaaaa' }).check();
  await page.evaluate(() => {
    const table = document.querySelector('table.runs');
    const body = table.tBodies[0];
    const rows = [...body.rows].slice(1, 4).map((row) => {
      const copy = row.cloneNode(true);
      copy.querySelector('.pick').remove();
      delete copy.dataset.order;
      return copy;
    });
    table.dispatchEvent(new CustomEvent('runpress:rows', { detail: rows.reverse() }));
    body.replaceChildren(...rows);
  });
  assert.equal(await ids(page), '125');
  assert.equal(await page.locator('.pick input').count(), 3);
  assert.equal(await page.getByRole('checkbox', { name: 'Select run 2aaaaaaa' }).isChecked(), true);
  await close();
});

test('the head and the first column of a table stay in sight, and nothing paints over them', async () => {
  const { page, close } = await open('cases/pong/index.html');
  for (const width of [1440, 768]) {
    await page.setViewportSize({ width, height: 390 });
    await page.waitForFunction((fits) => document.querySelector('.scroll:has(> .comparison)').classList.contains('fits') === fits, width > 1000);
    const seen = await page.locator('.scroll:has(> .comparison)').last().evaluate(async (region) => {
      document.body.style.paddingBottom = '60rem';
      region.scrollIntoView({ block: 'start', behavior: 'instant' });
      scrollBy({ top: 90, behavior: 'instant' });
      region.scrollTo(60, 0);
      // The head of a wide table follows with the next frame.
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      const at = (x, y) => document.elementFromPoint(x, y).closest('th, td');
      const { left, top, width: wide, bottom } = region.querySelector('thead th').getBoundingClientRect();
      return [
        [Math.round(left - region.getBoundingClientRect().left), 'the head cell is at the left'],
        [Math.abs(Math.round(top - Math.max(0, region.getBoundingClientRect().top))), 'the head cell is on top'],
        [region.querySelector('tbody th').getBoundingClientRect().top < bottom - 20, 'rows go under it'],
        [at(left + wide / 2, top + 6).textContent, 'the corner'],
        [at(left + wide + 12, top + 6).parentNode.parentNode.tagName, 'right of the corner'],
        [at(left + 6, bottom + 60).cellIndex, 'below the corner'],
      ].map(([value]) => value);
    });
    assert.deepEqual(seen, [0, 0, true, 'Run', 'THEAD', 0], `${width} px`);
  }
  await page.emulateMedia({ media: 'print' });
  const printed = await page.locator('.scroll').first().evaluate((region) => [getComputedStyle(region).maxHeight, getComputedStyle(region.querySelector('thead th')).top]);
  assert.deepEqual(printed, ['none', 'auto'], 'paper shows every row');
  await close();
});

test('long names leave room for the other columns', async () => {
  const name = `${'long-name-of-a-case-'.repeat(3)}${'w'.repeat(150)}`;
  const subject = { ...record().subject, testCaseSlug: name, modelId: `sample/${name}`, variant: name, harnessSlug: name };
  const long = site({ 'site.toml': '', 'content/a/run-record.json': JSON.stringify(record({ subject })) });
  const { page, close } = await open('overview/index.html', { base: `${pathToFileURL(long).href}/` });
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 700 });
    for (const file of ['overview/index.html', 'index.html', 'runs/index.html']) {
      await page.goto(fileUrl(long, file));
      const shares = await page.locator('.scroll:has(> table)').evaluateAll((regions) => regions.map((region) => [
        region.querySelector('th').offsetWidth / region.clientWidth, region.scrollWidth,
      ]));
      assert.ok(shares.length > 0);
      for (const [share, whole] of shares) {
        assert.ok(share < 0.55 || width === 320, `${file} at ${width}: the first column takes ${share}`);
        assert.ok(whole < (width === 320 ? 321 : 1600), `${file} at ${width}: ${whole} px`);
      }
    }
  }
  await close();
});

test('a similarity has its number and its shade, and a dash has none', async () => {
  const { page, close } = await open('cases/pong/index.html');
  const shades = page.locator('td.sim');
  assert.deepEqual(await shades.allTextContents(), ['0.05', '0.98']);
  const colours = await shades.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).backgroundColor));
  assert.notEqual(colours[0], colours[1]);
  await close();
});
