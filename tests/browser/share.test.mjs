// The file of `runpress share`: it asks for nothing, reads without scripts, and works like the page of a run on a site.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { violations } from './support/axe.mjs';
import { launch, unfold, watch } from './support/browser.mjs';
import { LOGS, log } from './support/logs.mjs';
import { BINARY, REPOSITORY, files, temporary } from './support/site.mjs';
import { overflow } from './support/windows.mjs';

const SAMPLES = path.join(REPOSITORY, 'tests/fixtures/import');

let browser;
let shared;
before(async () => {
  browser = await launch();
  const folder = temporary();
  const share = (name, source) => {
    const file = path.join(folder, `${name}.html`);
    execFileSync(BINARY, ['share', source, '-o', file, '-q'], { stdio: ['ignore', 'ignore', 'pipe'] });
    return [name, pathToFileURL(file).href];
  };
  const hostile = Object.keys(LOGS)[0];
  const texts = Object.entries(log(hostile)).map(([name, text]) => [`logs/${name}`, text]);
  const root = files(Object.fromEntries(texts));
  shared = new Map([
    share('log', path.join(SAMPLES, 'codex/localpush/sessions/2026/02/23/rollout-2026-02-23T12-41-04-019c8a4d-8f45-7010-8b5d-7fad920aa6f9.jsonl')),
    share('run', path.join(REPOSITORY, 'src/author/starter/run')),
    share('hostile', path.join(root, texts[0][0])),
  ]);
});
after(() => browser?.close());

/** Opens a file of its own in a context that notes down every request but that for the file. */
async function open(name, options = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const problems = await watch(context, shared.get(name));
  const page = await context.newPage();
  await page.goto(shared.get(name));
  return { page, problems, close: () => context.close() };
}

test('a file asks for nothing, reports nothing and runs nothing of a log', async () => {
  for (const name of shared.keys()) {
    const { page, problems, close } = await open(name);
    await unfold(page);
    await page.waitForLoadState('networkidle');
    assert.deepEqual(problems, [], name);
    assert.equal(await page.evaluate(() => performance.getEntriesByType('resource').filter((entry) => !entry.name.startsWith('data:')).length), 0, name);
    assert.match(await page.title(), /\S/);
    await close();
  }
});

test('without scripts the whole run is readable', async () => {
  for (const name of shared.keys()) {
    const { page, problems, close } = await open(name, { javaScriptEnabled: false });
    assert.ok((await page.locator('.tape .e').count()) > 0, name);
    assert.ok((await page.locator('main').innerText()).length > 500, name);
    assert.match(await page.locator('#left-out').innerText(), /^Left out or replaced: /);
    assert.deepEqual(problems, [], name);
    await close();
  }
});

test('search, filters, keys and links of the timeline work from disk', async () => {
  const { page, problems, close } = await open('log');
  const all = await page.locator('.tape .e').count();
  await page.keyboard.press('/');
  await page.keyboard.type('stdin');
  await page.locator('[role=status]', { hasText: /of \d+ events/ }).waitFor();
  const found = await page.locator('.tape .e:not([hidden])').count();
  assert.ok(found > 0 && found < all, `${found} of ${all}`);
  await page.getByRole('button', { name: 'Show all' }).first().click();
  assert.equal(await page.locator('.tape .e:not([hidden])').count(), all);
  await page.locator('h1').click();
  await page.keyboard.press('j');
  assert.match(await page.locator('.e.at').getAttribute('id'), /^e-\d+$/);
  await page.goto(`${shared.get('log')}#e-17`);
  assert.ok(await page.locator('#e-17').isVisible());
  assert.deepEqual(problems, []);
  await close();
});

for (const [width, colorScheme] of [[320, 'light'], [1440, 'dark'], [1440, 'light']]) {
  test(`axe finds nothing and nothing sticks out: ${width} px, ${colorScheme}`, async () => {
    const all = [];
    for (const name of shared.keys()) {
      const { page, close } = await open(name, { bypassCSP: true, colorScheme, viewport: { width, height: 900 } });
      assert.deepEqual(await overflow(page), [], name);
      await page.addStyleTag({ content: '.e, main section { content-visibility: visible !important }' });
      await unfold(page);
      assert.deepEqual(await overflow(page), [], name);
      all.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
      await close();
    }
    assert.deepEqual(all, []);
  });
}

test('a file prints with its events and without controls', async () => {
  const { page, close } = await open('log');
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.tape .e').first().isVisible());
  assert.equal(await page.locator('.reader input[type=search]').first().isVisible(), false);
  assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
  await close();
});
