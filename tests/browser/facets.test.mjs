// Facets on the page of runs: what they show, how they count, the address, the back button, and many runs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fileUrl, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { SITE, cards, record, site } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function open(base, query = '', options = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const problems = await watch(context, base);
  const page = await context.newPage();
  await page.goto(`${base}runs/index.html${query}`);
  const facets = page.getByRole('region', { name: 'Filter the runs' });
  const status = (words) => facets.getByRole('status').filter({ hasText: words }).waitFor();
  const facet = (name) => facets.locator('details', { has: page.locator('summary', { hasText: name }) });
  const ids = () => page.locator('main table.runs tbody th small').allTextContents();
  const choose = async (name, value) => {
    if (!(await facet(name).evaluate(({ open: isOpen }) => isOpen))) await facet(name).locator('summary').click();
    await facet(name).getByRole('checkbox', { name: value }).click();
  };
  return { context, page, problems, facets, status, facet, ids, choose };
}

const disk = (folder = SITE) => `${pathToFileURL(folder).href}/`;
const short = ({ id }) => id.split('-')[0].slice(0, 8);
const wanted = (matches, all = cards()) => all.filter(matches).map(short);

for (const where of ['disk', 'a sub-path']) {
  test(`facets take the runs that were asked for, newest first, from ${where}`, async () => {
    const server = where === 'disk' ? null : await serve(SITE);
    const base = server?.url ?? disk();
    const { context, page, problems, status, ids, choose, facets } = await open(base);
    const served = await ids();
    await choose('State', /^completed/);
    await status(/^\d+ of \d+ runs/);
    assert.deepEqual(await ids(), wanted(({ state }) => state === 'completed'));
    await choose('Case', /^pong/);
    const pong = ({ state, subject }) => state === 'completed' && subject.testCaseSlug === 'pong';
    await status(`${wanted(pong).length} of ${cards().length}`);
    assert.deepEqual(await ids(), wanted(pong));
    await choose('Case', /^todo-board/);
    const both = ({ state, subject }) => state === 'completed' && ['pong', 'todo-board'].includes(subject.testCaseSlug);
    await status(`${wanted(both).length} of ${cards().length}`);
    assert.deepEqual(await ids(), wanted(both));
    const query = new URL(page.url()).searchParams;
    assert.deepEqual([query.getAll('state'), query.getAll('case')], [['completed'], ['pong', 'todo-board']]);
    await page.goBack();
    await status(`${wanted(pong).length} of ${cards().length}`);
    assert.deepEqual(await ids(), wanted(pong));
    await page.goForward();
    await status(`${wanted(both).length} of ${cards().length}`);
    await page.reload();
    await status(`${wanted(both).length} of ${cards().length}`);
    assert.deepEqual(await ids(), wanted(both));
    await facets.getByRole('button', { name: 'Clear' }).click();
    await page.waitForFunction((rows) => document.querySelectorAll('main table.runs tbody tr').length === rows, served.length);
    assert.deepEqual(await ids(), served);
    assert.equal(new URL(page.url()).search, '');
    assert.deepEqual(problems, []);
    await context.close();
    await server?.close();
  });
}

test('a row of the facets is the row of the server', async () => {
  const { context, page, choose, status } = await open(disk());
  const rows = () => page.locator('main table.runs tbody tr').evaluateAll((all) => Object.fromEntries(all.map((row) => {
    const text = (element) => [element.textContent, element.title, element.dateTime, element.href, element.className].join('|');
    return [row.cells[0].textContent, [...row.cells].map((cell) => [cell.className, cell.textContent, ...[...cell.querySelectorAll('*')].map(text)])];
  })));
  const served = await rows();
  await choose('Harness', /^codex/);
  await status(` of ${cards().length} runs`);
  const own = await rows();
  assert.ok(Object.keys(own).length > 2);
  for (const [id, cells] of Object.entries(own)) assert.deepEqual(cells, served[id], id);
  await context.close();
});

test('the counts of a facet follow the others, and not what is chosen in it', async () => {
  const { context, facet, choose, status } = await open(disk());
  await choose('Model', /^sample\/heron-2 \d/);
  await status(` of ${cards().length} runs`);
  const count = async (name, value) => Number(await facet(name).locator(`li:has(input[value="${value}"]) small`).textContent());
  const of = (matches) => wanted(matches).length;
  assert.equal(await count('Model', 'sample/lark-large'), of(({ subject }) => subject.modelId === 'sample/lark-large'));
  await facet('Rating').locator('summary').click();
  await facet('Rating').getByRole('checkbox').first().waitFor();
  for (const box of await facet('Rating').getByRole('checkbox').all()) {
    const value = await box.inputValue();
    const expected = of(({ subject, rating }) => subject.modelId === 'sample/heron-2' && (rating ?? 'unrated') === value);
    assert.equal(await count('Rating', value), expected, value);
  }
  await context.close();
});

test('kinds of annotations are a facet, and words filter further', async () => {
  const { context, page, choose, status, ids, facets } = await open(disk());
  await choose('Annotations', /^crystallize here/);
  const anchored = ({ annotations }) => annotations.kinds.crystallize_here > 0;
  await status(`${wanted(anchored).length} of ${cards().length}`);
  assert.deepEqual(await ids(), wanted(anchored));
  await facets.getByRole('searchbox').fill('weather completed');
  const dials = (card) => anchored(card) && card.subject.testCaseSlug === 'weather-dial' && card.state === 'completed';
  await status(`${wanted(dials).length} of ${cards().length}`);
  assert.deepEqual(await ids(), wanted(dials));
  assert.equal(new URL(page.url()).searchParams.get('q'), 'weather completed');
  await facets.getByRole('searchbox').fill('nothing has this');
  await status(`0 of ${cards().length} runs. Remove a filter to see more`);
  await context.close();
});

test('an address with a filter shows it at once; other parts of the address stay', async () => {
  const { context, page, status, ids, choose } = await open(disk(), '?state=completed&state=failed&cols=-threads#x');
  // Runs that do not count have states of their own, such as `excluded, failed`.
  const states = ({ state, excluded }) => !excluded && ['completed', 'failed'].includes(state);
  await status(`${wanted(states).length} of ${cards().length}`);
  // The rows of the filter, in the order that the address asks for.
  assert.deepEqual((await ids()).sort(), wanted(states).sort());
  await choose('State', /^failed/);
  await status(`${wanted(({ state }) => state === 'completed').length} of ${cards().length}`);
  const url = new URL(page.url());
  assert.deepEqual([url.searchParams.get('cols'), url.hash], ['-threads', '#x']);
  await context.close();
});

test('a facet opens, is left and is chosen from with the keyboard', async () => {
  const { context, page, facet, status } = await open(disk());
  await facet('Case').locator('summary').focus();
  await page.keyboard.press('Enter');
  await facet('Case').getByRole('checkbox').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await status(` of ${cards().length} runs`);
  assert.equal(await page.evaluate(() => document.activeElement.checked), true);
  await page.keyboard.press('Escape');
  assert.equal(await facet('Case').evaluate(({ open: isOpen }) => isOpen), false);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY');
  await context.close();
});

test('rows that are picked stay picked on the other pages of the list', async () => {
  const files = { 'site.toml': '' };
  for (let n = 0; n < 130; n += 1) {
    files[`content/${n}/run-record.json`] = JSON.stringify(record({ id: `${n.toString(16).padStart(8, '0')}-0000`, finishedAt: new Date(Date.UTC(2026, 3, 1, n)).toISOString() }));
  }
  const folder = site(files);
  const { context, page, problems, status, facets } = await open(disk(folder));
  const selection = page.getByRole('group', { name: 'Selected runs' });
  await page.getByRole('checkbox', { name: 'Select run 00000081' }).check();
  await page.getByRole('link', { name: '2', exact: true }).or(page.getByRole('link', { name: /Next|Older/ })).first().click();
  await page.waitForURL(/runs\/page\/2\//);
  await selection.getByText('1 run selected, 1 on other pages; one more to compare.').waitFor();
  await page.getByRole('checkbox', { name: 'Select run 00000001' }).check();
  assert.match(await selection.getByRole('link', { name: 'Compare' }).getAttribute('href'), /\?runs=[a-z0-9-]+-00000081,[a-z0-9-]+-00000001$/);
  await page.goto(`${disk(folder)}runs/index.html`);
  assert.equal(await page.getByRole('checkbox', { name: 'Select run 00000081' }).isChecked(), true);
  await selection.getByText('2 runs selected, 1 on other pages.').waitFor();
  await facets.getByRole('searchbox').fill('00000001');
  await status('1 of 130 runs');
  assert.equal(await page.getByRole('checkbox', { name: 'Select run 00000001' }).isChecked(), true);
  // The rows of other pages are copied as they stood there.
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await selection.getByRole('button', { name: 'CSV' }).click();
  await selection.getByText('Copied 2 runs as CSV.').waitFor();
  const [, ...lines] = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\r\n');
  for (const line of lines) assert.match(line, /,"000000[08]1","2026-04-0.*Z","pong","v1\.0\.0","base","sample\/lark-1","codex","failed",0\.421,612\.5,/);
  await selection.getByRole('button', { name: 'Clear' }).click();
  await page.reload();
  await status('1 of 130 runs');
  assert.equal(await selection.count(), 0);
  assert.deepEqual(problems, []);
  await context.close();
});

test('other scripts are notified when the rows change', async () => {
  const { context, page, choose, status } = await open(disk());
  await page.evaluate(() => {
    window.rowEvents = 0;
    document.querySelector('main table.runs').addEventListener('runpress:rows', () => { window.rowEvents += 1; });
  });
  await choose('State', /^completed/);
  await status(` of ${cards().length} runs`);
  assert.ok(await page.evaluate(() => window.rowEvents) > 0);
  await context.close();
});

test('many runs are shown 100 at a time, and long facets fold', async () => {
  const files = { 'site.toml': '' };
  for (let n = 0; n < 260; n += 1) {
    const at = new Date(Date.UTC(2026, 0, 1, n)).toISOString();
    files[`content/${n}/run-record.json`] = JSON.stringify(record({
      id: `${n.toString(16).padStart(8, '0')}-0000`, startedAt: '2025-12-31T00:00:00Z', finishedAt: at,
      subject: { ...record().subject, modelId: `sample/model-${n % 40}` }, status: { state: n % 2 ? 'completed' : 'failed' },
    }));
  }
  const folder = site(files);
  const { context, page, facet, choose, status, ids, facets, problems } = await open(disk(folder));
  await facets.getByRole('searchbox').fill('sample');
  await status('260 of 260 runs');
  assert.equal((await ids()).length, 100);
  const pager = page.getByRole('navigation', { name: 'Pages of the filtered runs' });
  await pager.getByRole('button', { name: 'Next' }).click();
  await pager.getByText('Page 2 of 3').waitFor();
  await pager.getByRole('button', { name: 'Next' }).click();
  await pager.getByText('Page 3 of 3: runs 201 to 260 of 260').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('main table.runs tbody tr').length === 60);
  assert.deepEqual(await ids(), wanted(() => true, cards(folder)).slice(200));
  assert.equal(await page.locator('main nav.pager:visible').count(), 1);
  await page.goBack();
  await pager.getByText('Page 2 of 3').waitFor();
  await page.goto(`${disk(folder)}runs/page/2/index.html`);
  // A list over several pages is put into order as a whole.
  await page.getByRole('button', { name: 'Finished', exact: true }).click();
  await status('260 of 260 runs');
  assert.deepEqual(await ids(), wanted(() => true, cards(folder)).reverse().slice(0, 100));
  await page.goto(`${disk(folder)}runs/page/2/index.html`);
  await choose('Model', /^sample\/model-12 /);
  await status('7 of 260 runs');
  assert.equal(await facet('Model').getByRole('checkbox').count(), 10);
  await facet('Model').getByRole('button', { name: '30 more' }).click();
  assert.equal(await facet('Model').getByRole('checkbox').count(), 40);
  await page.locator('main table.runs tbody th a').first().click();
  await page.waitForURL(/runs\/pong-codex-sample-model-12-[0-9a-f]{8}\/index\.html$/);
  assert.deepEqual(problems, []);
  await context.close();
});

test('parts of ids find the runs that have them, and ids of all kinds are in order', async () => {
  const names = ['00000000', 'ffffffff', 'sample-pong-2', '0a0b0c0d', 'deadbeef', '4f1c2d3e-8a60', '4f1c2d3e-9b71', 'ulid7zz', '00c0ffee'];
  const files = { 'site.toml': '' };
  names.forEach((id, n) => {
    const at = `2026-03-0${n + 1}T10:00:00Z`;
    files[`content/${n}/run-record.json`] = JSON.stringify(record({ id: n === 4 ? id.toUpperCase() : id, startedAt: at, finishedAt: at }));
  });
  const folder = site(files);
  const { context, page, problems, facets, status, ids } = await open(disk(folder));
  const newest = (await ids()).map((id) => id.toLowerCase());
  assert.equal(newest.length, names.length);
  for (const word of ['00', 'ff', '0c0', 'DEAD', 'c0ffee', '3e-9', '4f1c2d3e', 'zz', 'beef', '0000000', 'ffffffff']) {
    await facets.getByRole('searchbox').fill(word);
    const found = newest.filter((id) => id.includes(word.toLowerCase()));
    assert.ok(found.length, word);
    await page.waitForURL((url) => url.searchParams.get('q') === word);
    await status(new RegExp(`^${found.length} of 9 runs`));
    // The runs of the last word may be as many, so neither the status nor the number of rows tells whose they are.
    const now = async () => (await ids()).map((id) => id.toLowerCase());
    for (const end = Date.now() + 5_000; `${await now()}` !== `${found}` && Date.now() < end;) await page.waitForTimeout(20);
    assert.deepEqual(await now(), found, word);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test('the columns that were chosen are those of the other pages of the list, too', async () => {
  const files = { 'site.toml': '' };
  for (let n = 0; n < 130; n += 1) files[`content/${n}/run-record.json`] = JSON.stringify(record({ id: `${n.toString(16).padStart(8, '0')}-0000` }));
  const { context, page, facets, status, problems } = await open(disk(site(files)));
  const cost = page.locator('th[data-col=cost]');
  await page.getByText('Columns', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Comparable cost' }).uncheck();
  await facets.getByRole('searchbox').fill('0000007');
  await status(/ of 130 runs/);
  await facets.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/runs\/page\/2\/index\.html\?cols=-cost$/);
  assert.equal(await cost.isVisible(), false);
  await page.getByRole('link', { name: 'First' }).click();
  await page.waitForURL(/runs\/index\.html\?cols=-cost$/);
  assert.equal(await cost.isVisible(), false);
  await page.getByText('Columns', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Comparable cost' }).check();
  assert.match(await page.getByRole('link', { name: 'Last' }).getAttribute('href'), /page\/2\/index\.html$/);
  assert.deepEqual(problems, []);
  await context.close();
});

test('the order that an address asks for is that of all runs, on each of its pages', async () => {
  const files = { 'site.toml': '' };
  for (let n = 0; n < 130; n += 1) {
    const at = new Date(Date.UTC(2026, 0, 1, n)).toISOString();
    files[`content/${n}/run-record.json`] = JSON.stringify(record({
      id: `${n.toString(16).padStart(8, '0')}-0000`, startedAt: '2025-12-31T00:00:00Z', finishedAt: at, status: { state: n % 2 ? 'completed' : 'failed' },
    }));
  }
  const folder = site(files);
  const oldest = wanted(() => true, cards(folder)).reverse();
  const { context, page, choose, status, ids, problems } = await open(disk(folder), '?sort=finished');
  await status('130 of 130 runs');
  assert.deepEqual(await ids(), oldest.slice(0, 100));
  await page.reload();
  await status('130 of 130 runs');
  assert.deepEqual(await ids(), oldest.slice(0, 100));
  await page.locator('main table.runs tbody th a').first().click();
  await page.goBack();
  await status('130 of 130 runs');
  assert.deepEqual(await ids(), oldest.slice(0, 100));
  await page.goto(`${disk(folder)}runs/index.html?sort=-finished&page=2`);
  await status('130 of 130 runs');
  assert.deepEqual(await ids(), [...oldest].reverse().slice(100));
  await page.getByRole('button', { name: 'Finished', exact: true }).click();
  await page.waitForFunction(() => !location.search);
  await page.getByRole('button', { name: 'Finished', exact: true }).click();
  await status('130 of 130 runs');
  assert.deepEqual(await ids(), oldest.slice(0, 100), 'another order begins with its first page');
  await choose('State', /^failed/);
  await status('65 of 130 runs');
  await page.reload();
  await status('65 of 130 runs');
  assert.deepEqual(await ids(), wanted(({ state }) => state === 'failed', cards(folder)).reverse());
  await page.goto(`${disk(folder)}runs/index.html?sort=nothing`);
  await page.waitForFunction(() => document.querySelector('.tools'));
  assert.deepEqual(await ids(), [...oldest].reverse().slice(0, 100));
  assert.deepEqual(problems, []);
  await context.close();
});

test('hostile words in a facet are words', async () => {
  const payload = '<img src=x onerror=window.__pwned=1></script>&amp; "\' javascript:alert(1)';
  const folder = site({
    'site.toml': '',
    'content/a/run-record.json': JSON.stringify(record({ subject: { ...record().subject, modelId: payload, variant: payload }, status: { state: payload } })),
  });
  const { context, page, choose, status, problems } = await open(disk(folder), `?harness=${encodeURIComponent(payload)}`);
  await status('0 of 1 runs');
  await page.getByRole('button', { name: 'Clear' }).click();
  for (const name of ['Model', 'State', 'Variant', 'Harness']) {
    await choose(name, name === 'Harness' ? /codex/ : payload.slice(0, 20));
    await status('1 of 1 runs');
  }
  assert.equal(new URL(page.url()).searchParams.get('model'), payload);
  assert.equal(await page.locator('main img').count(), 0);
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  assert.deepEqual(problems, []);
  await context.close();
});

test('without scripts the page is the table alone', async () => {
  const { context, page, ids } = await open(disk(), '?state=completed', { javaScriptEnabled: false });
  assert.equal(await page.locator('button, input, .facets, .tools').filter({ visible: true }).count(), 0);
  const room = await page.locator('.awaited').evaluateAll((all) => all.map((element) => element.offsetHeight));
  assert.deepEqual(room, room.map(() => 0), 'no room is kept for what will not come');
  assert.equal((await ids()).length, cards().length);
  await context.close();
});
