// Every kind of page loads cleanly, from disk and from a server under a sub-path, with and without scripts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fileUrl, launch, unfold, watch } from './support/browser.mjs';
import { kinds } from './support/kinds.mjs';
import { serve } from './support/server.mjs';
import { SITE, cards, html, longest, pages, record, runPage, site } from './support/site.mjs';

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

/** Opens one page of every kind, one after the other in one window; `from` gives the address of a site's folder. */
async function eachKind(javaScriptEnabled, from, look) {
  const context = await browser.newContext({ javaScriptEnabled });
  let base;
  const problems = await watch(context, () => base);
  const page = await context.newPage();
  for (const { name, folder, page: file } of kinds()) {
    // The links of 404.html are below the base URL's path: from disk they lead nowhere.
    if (name === 'not found') continue;
    // What the page before has not finished loading belongs to its own site.
    await page.goto('about:blank');
    base = await from(folder);
    await look(page, name, base + file);
    assert.deepEqual(problems, [], name);
  }
  await context.close();
}

for (const javaScriptEnabled of [true, false]) {
  const scripts = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`every kind of page is clean and styled from disk, ${scripts}`, () => (
    eachKind(javaScriptEnabled, (folder) => `${pathToFileURL(folder).href}/`, async (page, name, address) => {
      await page.goto(address);
      await look(page, name);
      if (javaScriptEnabled) assert.ok(await isStyled(page), `${name}: not styled`);
      else assert.equal(await page.locator('body').evaluate((body) => getComputedStyle(body).margin), '0px', name);
    })
  ));

  test(`every kind of page is clean and styled under a sub-path, ${scripts}`, () => (
    eachKind(javaScriptEnabled, server, async (page, name, address) => {
      assert.equal((await page.goto(address)).status(), 200, name);
      await look(page, name);
      if (javaScriptEnabled) assert.ok(await isStyled(page), `${name}: not styled`);
    })
  ));
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
  assert.equal(await page.locator('ol.tape .e').count(), 500);
  await page.locator('#provenance').click();
  const fold = page.locator('details details', { hasText: 'The run record as written' });
  assert.equal(await fold.locator('pre').isVisible(), false);
  await fold.locator('summary').click();
  assert.equal(await fold.locator('pre').isVisible(), true);
  await page.locator('nav.pages summary').first().click();
  await page.locator('nav.pages a').nth(1).click();
  assert.match(page.url(), /events\/2\/index\.html$/);
  assert.equal(await page.locator('ol.tape .e').first().getAttribute('id'), 'e-500');
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

/** How an image lies: its box without the border, and the picture in its own size. */
const laid = (image) => image.evaluate(async (picture) => {
  await picture.decode();
  const box = picture.getBoundingClientRect();
  const style = getComputedStyle(picture);
  const border = ['borderLeftWidth', 'borderRightWidth'].reduce((sum, side) => sum + parseFloat(style[side]), 0);
  return { width: box.width - border, height: box.height - border, natural: [picture.naturalWidth, picture.naturalHeight] };
});

/** Whether an image keeps its proportions, but for less than a pixel. */
const isTrue = ({ width, height, natural: [wide, high] }) => Math.abs(width * high - height * wide) < Math.max(wide, high);

test('every image of the demo says how large it is, and is shown in its proportions', async () => {
  const illustrated = pages().filter((page) => html(page).includes('<img'));
  assert.ok(illustrated.some((page) => page.startsWith('runs/')) && illustrated.includes('reading/index.html'), illustrated.join());
  for (const width of [1440, 320]) {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    for (const file of illustrated) {
      await page.goto(fileUrl(SITE, file));
      await unfold(page);
      for (const image of await page.locator('img').all()) {
        const name = `${file} at ${width}: ${await image.getAttribute('src')}`;
        assert.ok(await image.getAttribute('width') > 0 && await image.getAttribute('height') > 0, name);
        await image.scrollIntoViewIfNeeded();
        const lies = await laid(image);
        assert.ok(isTrue(lies) && lies.width <= width, `${name}: ${JSON.stringify(lies)}`);
      }
    }
    await context.close();
  }
});

/** A PNG of that size. Chromium encodes a canvas without showing it; a screenshot needs a window that has been drawn. */
async function drawnPng(page, width, height) {
  const url = await page.evaluate(([wide, high]) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: wide, height: high });
    return canvas.toDataURL('image/png');
  }, [width, height]);
  return Buffer.from(url.split(',')[1], 'base64');
}

test('nothing moves when a picture arrives, whatever its size', async () => {
  const sizes = { small: [160, 90], wide: [2400, 300], high: [600, 1500] };
  const texts = { 'content/pages/look.md': Object.keys(sizes).map((name) => `![${name}](../${name}.png)\n`).join('\n') };
  const blocks = Object.keys(sizes).map((name) => ({ type: 'image', asset_id: name, visibility: 'public' }));
  const assets = Object.keys(sizes).map((name) => ({ id: name, visibility: 'public', name, storage: { path: `assets/${name}.png` } }));
  const messages = [{ role: 'user', content: [...blocks, { type: 'text', visibility: 'public', text: 'below' }] }];
  texts['content/runs/one/run-record.json'] = JSON.stringify(record());
  texts['content/runs/one/transcript.json'] = JSON.stringify({ _type: 'transcript', version: 2, id: 't', messages, assets });
  const sheet = await browser.newPage();
  for (const [name, [width, height]] of Object.entries(sizes)) {
    const picture = await drawnPng(sheet, width, height);
    texts[`static/${name}.png`] = picture;
    texts[`content/runs/one/assets/${name}.png`] = picture;
  }
  await sheet.close();
  const folder = site(texts);
  for (const width of [1440, 320]) {
    for (const [file, marked] of [['look/index.html', 'footer'], [runPage(cards(folder)[0]), '.turn .plain']]) {
      const context = await browser.newContext({ viewport: { width, height: 6000 } });
      const page = await context.newPage();
      const waiting = [];
      let release;
      const released = new Promise((resolve) => { release = resolve; });
      await page.route('**/*.png', async (route) => {
        waiting.push(route);
        await released;
        await route.continue();
      });
      await page.goto(fileUrl(folder, file), { waitUntil: 'domcontentloaded' });
      const top = () => page.locator(marked).first().evaluate((element) => element.getBoundingClientRect().top + scrollY);
      await page.locator('img').last().scrollIntoViewIfNeeded();
      for (let tries = 0; waiting.length < 3 && tries < 500; tries += 1) await page.waitForTimeout(20);
      assert.equal(waiting.length, 3, `${file} at ${width}`);
      const before = await top();
      release();
      const images = await page.locator('img').all();
      const lie = await Promise.all(images.map(laid));
      assert.equal(await top(), before, `${file} at ${width}: ${JSON.stringify(lie)}`);
      assert.ok(lie.every(isTrue), `${file} at ${width}: ${JSON.stringify(lie)}`);
      assert.equal(lie[0].width, 160, `${file} at ${width}`);
      assert.ok(lie.every((image) => image.width <= width), `${file} at ${width}`);
      await context.close();
    }
  }
});
