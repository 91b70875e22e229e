// The pages of `runpress serve`: they follow every change, keep their place while they do, and show what is wrong.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from './support/browser.mjs';
import { BINARY, files, record } from './support/site.mjs';

let browser;
let root;
const servers = [];
let url;
const RECORD = 'content/runs/first/run-record.json';
const PROSE = 'content/pages/long.md';
const long = (words) => `+++\ntitle = "Long"\n+++\n\n${words}\n\n${Array.from({ length: 200 }, (_, n) => `Paragraph ${n}.`).join('\n\n')}\n`;
const write = (name, text) => {
  // As an editor saves: a new file, then renamed.
  const file = path.join(root, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
};

/** Serves the site at `folder` to the end of the tests; answers its address. */
const serve = (folder) => {
  const server = spawn(BINARY, ['serve', '--root', folder, '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  servers.push(server);
  return new Promise((found, failed) => {
    server.on('exit', () => failed(new Error('the server ended')));
    createInterface({ input: server.stderr }).on('line', (line) => {
      const at = /Serving at (\S+)/.exec(line);
      if (at) found(at[1]);
    });
  });
};

before(async () => {
  root = files({
    'site.toml': '[site]\ntitle = "Served"\n',
    [RECORD]: JSON.stringify(record()),
    [PROSE]: long('At first.'),
  });
  url = await serve(root);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  for (const server of servers) {
    server.removeAllListeners('exit');
    server.kill('SIGINT');
  }
});

test('a page that waits for its first site says so, and does not speak of an earlier one', async () => {
  const folder = files({ 'site.toml': 'title = "no end' });
  const page = await browser.newPage();
  await page.goto(await serve(folder));
  const overlay = page.getByRole('alert');
  await overlay.waitFor();
  assert.match(await overlay.innerText(), /The site is not built yet[^]*1 error\. The site is shown as soon as a build succeeds\./);
  writeFileSync(path.join(folder, 'site.toml'), '[site]\ntitle = "Mended"\n');
  await page.getByText('Mended').first().waitFor();
  writeFileSync(path.join(folder, 'site.toml'), 'title = "no end');
  await overlay.waitFor();
  assert.match(await overlay.innerText(), /The last change is not shown[^]*You still see the last build that succeeded\./);
  await page.close();
});

test('a page is loaded anew after a change, and is scrolled to the same place', async () => {
  const page = await browser.newPage();
  const errors = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}long/`);
  await page.getByText('At first.').waitFor();
  await page.evaluate(() => scrollTo({ top: 3000, behavior: 'instant' }));
  assert.equal(await page.evaluate(() => scrollY), 3000);
  write(PROSE, long('And then.'));
  await page.getByText('And then.').waitFor();
  await page.waitForFunction(() => scrollY === 3000);
  // Another page, that the reader opens himself, begins at its top.
  await page.goto(`${url}runs/`);
  assert.equal(await page.evaluate(() => scrollY), 0);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a page whose file is gone shows that there is none, and comes back with it', async () => {
  const page = await browser.newPage();
  const name = 'content/pages/short.md';
  write(name, '+++\ntitle = "Short"\n+++\n\nShort words.\n');
  await page.goto(`${url}runs/`);
  await page.getByRole('link', { name: 'Short' }).first().waitFor({ state: 'attached' });
  await page.goto(`${url}short/`);
  await page.getByText('Short words.').waitFor();
  rmSync(path.join(root, name));
  await page.getByText('Page not found').waitFor();
  write(name, '+++\ntitle = "Short"\n+++\n\nShort words again.\n');
  await page.getByText('Short words again.').waitFor();
  rmSync(path.join(root, name));
  await page.getByText('Page not found').waitFor();
  await page.close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`problems are laid over the page and go with them (${colorScheme})`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 320, height: 640 } });
    const page = await context.newPage();
    const errors = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && errors.push(message.text()));
    await page.goto(`${url}runs/`);
    const whole = readFileSync(path.join(root, RECORD), 'utf8');
    write(RECORD, JSON.stringify(record({ finishedAt: '<img src=x onerror=alert(1)>' }), null, 2));
    const overlay = page.getByRole('alert');
    await overlay.waitFor();
    const text = await overlay.innerText();
    assert.match(text, /error/);
    assert.match(text, /content\/runs\/first\/run-record\.json:\d+:\d+/);
    assert.match(text, /record\.[a-z-]+/);
    assert.equal(await overlay.locator('img').count(), 0);
    assert.equal(await overlay.locator('li').first().locator('p').count(), 3);
    // The site is still there below, and nothing is wider than the window.
    assert.ok(await page.locator('main').innerText());
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const contrasts = await overlay.evaluate((element) => {
      const channel = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      const light = (color) => {
        const [r, g, b] = color.match(/[\d.]+/g).map((part) => channel(Number(part) / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = light(getComputedStyle(element).backgroundColor);
      return [...element.querySelectorAll('h2, p, strong, code, button')].map((inner) => {
        const ink = light(getComputedStyle(inner).color);
        return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
      });
    });
    assert.ok(contrasts.length > 4 && contrasts.every((contrast) => contrast >= 4.5), contrasts.join(' '));
    await page.keyboard.press('Escape');
    assert.equal(await overlay.count(), 0);
    // Another problem is shown again, and the button closes it.
    write(RECORD, '{');
    await overlay.waitFor();
    await overlay.getByRole('button', { name: 'Close' }).click();
    assert.equal(await overlay.count(), 0);
    write(RECORD, '{ "id"');
    await overlay.waitFor();
    write(RECORD, whole);
    await overlay.waitFor({ state: 'detached' });
    assert.deepEqual(errors, []);
    await context.close();
  });
}
