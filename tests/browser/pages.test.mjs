// Every kind of page loads cleanly, from disk and from a server under a sub-path, with and without scripts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { drawn, fileUrl, launch, watch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { SITE, html, kinds, longest, pages, runPage } from './support/site.mjs';

let browser;
const servers = new Map();
before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  for (const server of servers.values()) await server.close();
});

async function server(folder) {
  if (!servers.has(folder)) servers.set(folder, await serve(folder));
  return servers.get(folder).url;
}

/** The background of the page's body as the style sheet sets it; a browser without the sheet has none. */
const isStyled = (page) => page.evaluate(() => {
  const style = getComputedStyle(document.body);
  return style.margin === '0px' && style.backgroundColor !== 'rgba(0, 0, 0, 0)'
    && [...document.styleSheets].some((sheet) => sheet.href?.includes('/assets/site.'));
});

async function look(page, name) {
  assert.ok(await page.locator('meta[http-equiv="Content-Security-Policy"]').count(), `${name}: no CSP`);
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  assert.match(policy, /^default-src 'none'; script-src 'self'( 'sha256-[\w+/]+=')?; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.equal(await page.locator('h1').count(), 1, `${name}: headings of the first level`);
  assert.ok((await page.locator('main').innerText()).length > 20, `${name}: nothing in main`);
}

for (const javaScriptEnabled of [true, false]) {
  const scripts = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`every kind of page is clean and styled from disk, ${scripts}`, async () => {
    for (const { name, folder, page: file } of kinds()) {
      // The links of 404.html stand below the base URL's path: from disk they lead nowhere.
      if (name === 'not found') continue;
      const context = await browser.newContext({ javaScriptEnabled });
      const problems = await watch(context, `${pathToFileURL(folder).href}/`);
      const page = await context.newPage();
      await page.goto(fileUrl(folder, file));
      await look(page, name);
      if (javaScriptEnabled) assert.ok(await isStyled(page), `${name}: not styled`);
      else assert.equal(await page.locator('body').evaluate((body) => getComputedStyle(body).margin), '0px', name);
      assert.deepEqual(problems, [], name);
      await context.close();
    }
  });

  test(`every kind of page is clean and styled under a sub-path, ${scripts}`, async () => {
    for (const { name, folder, page: file } of kinds()) {
      if (name === 'not found') continue;
      const base = await server(folder);
      const context = await browser.newContext({ javaScriptEnabled });
      const problems = await watch(context, base);
      const page = await context.newPage();
      assert.equal((await page.goto(base + file)).status(), 200, name);
      await look(page, name);
      if (javaScriptEnabled) assert.ok(await isStyled(page), `${name}: not styled`);
      assert.deepEqual(problems, [], name);
      await context.close();
    }
  });
}

test('an unknown address shows the page for it, which leads home', async () => {
  // 404.html links from the path of the site's base URL; the demo has none, so it is served at the root.
  const root = await serve(SITE, '/');
  try {
    const context = await browser.newContext();
    const problems = await watch(context, root.url);
    const page = await context.newPage();
    const answer = await page.goto(`${root.url}runs/no/such/run/`);
    assert.equal(answer.status(), 404);
    assert.ok(await isStyled(page));
    await look(page, 'not found');
    await page.getByRole('link', { name: 'All runs' }).click();
    assert.equal(page.url(), `${root.url}runs/index.html`);
    assert.deepEqual(problems.filter((problem) => !problem.includes('404')), []);
    await context.close();
  } finally {
    await root.close();
  }
});

test('without scripts the content is there, folds open, and links lead on', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(fileUrl(SITE, runPage(longest())));
  assert.equal(await page.locator('ol.tape > li.e').count(), 500);
  const fold = page.locator('details', { hasText: 'The run record as written' });
  assert.equal(await fold.locator('pre').isVisible(), false);
  await fold.locator('summary').click();
  assert.equal(await fold.locator('pre').isVisible(), true);
  await page.locator('nav.pages a').nth(1).click();
  assert.match(page.url(), /events\/2\/index\.html$/);
  assert.equal(await page.locator('ol.tape > li.e').first().getAttribute('id'), 'e-500');
  await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Runs' }).click();
  assert.match(page.url(), /\/runs\/index\.html$/);
  assert.equal(await page.locator('[data-play] button').count(), 0);
  await context.close();
});

test('no page of the demo holds an inline style, an inline script or an event handler', () => {
  for (const page of pages()) {
    const text = html(page).replaceAll(/<pre[^>]*>[\s\S]*?<\/pre>/g, '');
    assert.doesNotMatch(text, /<[a-z][^<>]*\s(style|on[a-z]+)\s*=/i, page);
    assert.doesNotMatch(text, /<style|<script(?![^>]*\ssrc=| type="application\/ld\+json")/i, page);
  }
});

test('nothing moves when the scripts put their controls there', async () => {
  const places = (page) => page.evaluate(() => {
    const own = '.facets, .tools, .pager, .selection, .choices, .awaited';
    return [...document.querySelectorAll('main h1, main h2, main p, main th, main td')]
      .filter((element) => !element.closest(own))
      .map((element) => {
        const { top, left } = element.getBoundingClientRect();
        return [element.textContent.slice(0, 30), Math.round(top), Math.round(left)];
      });
  });
  for (const { name, folder, page: file } of kinds().filter((kind) => ['home', 'runs', 'case'].includes(kind.name))) {
    for (const width of [320, 500, 960, 1280]) {
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.route(/\.js$/, (route) => route.abort());
      await page.goto(fileUrl(folder, file));
      const before = await places(page);
      await page.unroute(/\.js$/);
      await page.reload();
      await page.locator('.top .find:enabled').waitFor();
      await page.locator('.pick').first().waitFor();
      await drawn(page);
      const after = await places(page);
      assert.equal(after.length, before.length);
      const moved = after.filter(([, top, left], at) => Math.abs(top - before[at][1]) > 1 || Math.abs(left - before[at][2]) > 1);
      assert.deepEqual(moved.slice(0, 3), [], `${name}, ${width} px`);
      await context.close();
    }
  }
});
