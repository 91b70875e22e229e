// Long sessions as people have them, made up from the rows of the samples: their pages are small, fast, and begin with what matters.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { fileUrl, launch, watch } from './support/browser.mjs';
import { claudeCode, codex } from './support/session.mjs';
import { BINARY, build, cards, files, runPage } from './support/site.mjs';

const LOGS = { 'claude-code': claudeCode(), codex: codex() };
let browser;
let folder;
before(async () => {
  browser = await launch();
  const logs = Object.entries(LOGS).flatMap(([name, texts]) => Object.entries(texts).map(([file, text]) => [`logs/${name}/${file}`, text]));
  const root = files({ 'site.toml': '', ...Object.fromEntries(logs) });
  for (const name of Object.keys(LOGS)) execFileSync(BINARY, ['import', path.join(root, 'logs', name), '--root', root, '--case', name], { stdio: 'ignore' });
  folder = build(root);
});
after(() => browser?.close());

const pageOf = (format) => runPage(cards(folder).find(({ subject }) => subject.testCaseSlug === format));

for (const format of Object.keys(LOGS)) {
  test(`the page of a long session of ${format} is at most 45 KB compressed, and its first step is on the first screen`, async () => {
    const bytes = gzipSync(readFileSync(path.join(folder, pageOf(format)))).length;
    assert.ok(bytes <= 45_000, `${bytes} bytes`);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    const problems = await watch(context, new URL('.', fileUrl(folder, 'index.html')).href);
    const page = await context.newPage();
    await page.goto(fileUrl(folder, pageOf(format)));
    const times = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd);
    assert.ok(times < 5_000, `${times} ms`);
    assert.match(await page.locator('h1').innerText(), /^Made up as a sample: move the notes app/);
    assert.match(await page.locator('.excerpt').innerText(), /^The agent’s last message: .*is done/);
    assert.ok((await page.locator('.tape .e').first().boundingBox()).y < 860);
    // A command and an argument that its line already says is there once.
    assert.match(await page.locator('.e:has-text("npm test -- parser") > p').first().innerText(), /npm test -- parser(?!.*npm test)/);
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test('what is folded is opened by its address, with scripts and without', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await page.goto(fileUrl(folder, pageOf('claude-code')));
    const work = page.locator('.fold.sub').first();
    assert.match(await work.locator('summary').first().innerText(), /^subagent Explore, \d+ events/);
    const id = await work.locator('.e').nth(3).getAttribute('id');
    await page.goto('about:blank');
    await page.goto(`${fileUrl(folder, pageOf('claude-code'))}#${id}`);
    await page.locator(`[id="${id}"]`).waitFor({ state: 'visible' });
    await context.close();
  }
});

test('at the end of a page its last section is the current one, however short', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(fileUrl(folder, pageOf('claude-code')));
  // The events on the way get their true height only when they come near, so the end is reached in several steps.
  await page.waitForFunction(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    return document.querySelector('.toc [aria-current]')?.hash === '#record';
  });
  await page.close();
});
