// The playable build: nothing is loaded before the reader asks, and then only into a sandbox.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { fileUrl, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { REPOSITORY, SITE, build, cards, html, record, richest, runPage, site, temporary } from './support/site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const PLAYABLE_PAGE = `<!doctype html><title>build</title><script>
  let own = 'reached'; try { parent.document.title; } catch { own = 'refused'; }
  let kept = 'reached'; try { localStorage.x = 1; } catch { kept = 'refused'; }
  document.title = own + ' ' + kept + ' ' + origin;
</script>`;

test('a build is loaded on demand into one sandboxed frame that cannot reach the page', async () => {
  const server = await serve(SITE);
  const context = await browser.newContext();
  const asked = [];
  await context.route((url) => !url.href.startsWith(server.url), (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: 'text/html', body: PLAYABLE_PAGE });
  });
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(server.url + runPage(richest()));
  await page.waitForLoadState('networkidle');
  assert.deepEqual(asked, []);
  assert.equal(await page.locator('iframe').count(), 0);

  const address = await page.locator('[data-play]').getAttribute('data-play');
  await page.getByRole('button', { name: 'Load the build here' }).click();
  const frame = page.locator('iframe');
  assert.equal(await frame.count(), 1);
  assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts allow-pointer-lock');
  assert.equal(await frame.getAttribute('src'), address);
  assert.equal(await frame.getAttribute('referrerpolicy'), 'no-referrer');
  assert.ok(await frame.getAttribute('title'));
  assert.equal(await page.getByRole('button', { name: 'Load the build here' }).count(), 0);
  await page.waitForTimeout(300);
  assert.deepEqual(asked, [address]);
  const inner = page.frames().find((candidate) => candidate.url() === address);
  assert.equal(await inner.title(), 'refused refused null');
  assert.deepEqual(errors, []);
  await context.close();
  await server.close();
});

test('the writeup precedes the build', () => {
  const text = html(runPage(richest()));
  assert.ok(text.indexOf('id="writeup"') > 0);
  assert.ok(text.indexOf('id="writeup"') < text.indexOf('id="build"'));
});

test('a host that is not allowed gets a plain link only', async () => {
  const root = temporary();
  cpSync(path.join(REPOSITORY, 'content'), path.join(root, 'content'), { recursive: true });
  const settings = readFileSync(path.join(REPOSITORY, 'site.toml'), 'utf8');
  const changed = settings.replace(/^embed_hosts = .*$/m, 'embed_hosts = ["elsewhere.example.org"]');
  assert.notEqual(changed, settings);
  writeFileSync(path.join(root, 'site.toml'), changed);
  const folder = build(root);
  const context = await browser.newContext();
  const problems = await watch(context, `file://${folder}/`);
  const page = await context.newPage();
  await page.goto(fileUrl(folder, runPage(richest())));
  assert.equal(await page.locator('[data-play], iframe, section:has(#build) button').count(), 0);
  const link = page.locator('section:has(#build) a');
  assert.equal(await link.count(), 1);
  assert.match(await link.getAttribute('href'), /^https:\/\/builds\.example\.org\//);
  assert.match(await link.getAttribute('rel'), /noopener/);
  assert.deepEqual(problems, []);
  await context.close();
});

test('hosts that only look like an allowed one are not framed', () => {
  const hosts = [
    'https://builds.example.org.evil.test/x', 'https://evil.test/builds.example.org', 'http://builds.example.org/x',
    'https://evilbuilds.example.org/x', 'https://sub.builds.example.org/x',
  ];
  const files = { 'site.toml': '[policy]\nembed_hosts = ["builds.example.org"]\n' };
  hosts.forEach((playableBuild, index) => {
    const id = `${index}f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11`;
    files[`content/${index}/run-record.json`] = JSON.stringify(record({ id, links: { sourceRepo: null, playableBuild } }));
  });
  const folder = site(files);
  const published = cards(folder);
  assert.equal(published.length, hosts.length);
  for (const card of published) {
    assert.doesNotMatch(html(runPage(card), folder), /data-play/, card.slug);
  }
});
