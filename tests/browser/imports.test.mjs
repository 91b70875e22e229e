// Runs that were imported from logs whose every text is hostile: markup, scripts, links, escapes of terminals, names that reorder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { fileUrl, launch, unfold } from './support/browser.mjs';
import { VIEWS, inert } from './support/inert.mjs';
import { LOGS, log } from './support/logs.mjs';
import { TEXTS } from './support/payloads.mjs';
import { BINARY, build, cards, files, runPage } from './support/site.mjs';

const KEEP = 'prompts,images,files,tracebacks,paths,identity';

let browser;
let folder;
let reports;
before(async () => {
  browser = await launch();
  const formats = Object.keys(LOGS);
  const logs = formats.flatMap((format) => Object.entries(log(format)).map(([name, text]) => [`logs/${format}/${name}`, text]));
  const root = files({ 'site.toml': '[timeline]\npage_size = 100\n', ...Object.fromEntries(logs) });
  reports = formats.map((format) => JSON.parse(execFileSync(BINARY, [
    'import', path.join(root, 'logs', format), '--root', root, '--case', TEXTS[0], '--model', TEXTS[1], '--variant', TEXTS[2],
    '--keep', KEEP, '--report', 'json',
  ], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })));
  folder = build(root);
});
after(() => browser?.close());

test('a hostile log of every format is imported and published', () => {
  const found = new Set(reports.flatMap(({ runs }) => runs.map(({ format }) => format)));
  assert.deepEqual([...found].sort(), Object.keys(LOGS).sort());
  const runs = reports.flatMap(({ runs }) => runs).filter(({ state }) => state !== 'infrastructure');
  assert.equal(cards(folder).length, runs.length);
  for (const { runs } of reports) assert.ok(runs.some((run) => run.messages.assistant > 0), runs[0].format);
});

for (const [width, scripts] of VIEWS) {
  test(`nothing of a log runs, loads or widens the page: ${width} px, scripts ${scripts ? 'on' : 'off'}`, () => inert(browser, folder, width, scripts));
}

test('what a log says can be read as it was written', async () => {
  const page = await browser.newPage();
  const texts = new Set();
  for (const card of cards(folder)) {
    await page.goto(fileUrl(folder, runPage(card)));
    await unfold(page);
    const main = await page.locator('main').innerText();
    for (const text of TEXTS) if (main.includes(text.slice(0, 30))) texts.add(text);
  }
  assert.ok(texts.size >= 6, `${texts.size} of ${TEXTS.length} texts`);
  await page.close();
});
