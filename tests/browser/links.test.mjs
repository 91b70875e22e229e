// Permalinks: of events, of ranges, across the pages of a tape, of annotations; and the playable build.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { drawn, fileUrl, launch } from './support/browser.mjs';
import { SITE, build, cards, files, html, longest, record, richest, runPage, site } from './support/site.mjs';

let browser;
let context;
before(async () => { browser = await launch(); context = await browser.newContext({ reducedMotion: 'reduce' }); });
after(() => browser?.close());

async function at(file, hash, use, folder = SITE) {
  const page = await context.newPage();
  await page.goto(fileUrl(folder, file) + hash);
  try {
    return await use(page);
  } finally {
    await page.close();
  }
}

const background = (locator) => locator.evaluate((element) => {
  const { backgroundColor, backgroundImage } = getComputedStyle(element);
  return `${backgroundColor} ${backgroundImage}`;
});

const inWindow = (locator) => locator.evaluate((element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && Math.min(bottom, top + 40) <= innerHeight;
});

test('the link of an event marks it and brings it into sight', () => at(runPage(richest()), '#e-17', async (page) => {
  const event = page.locator('[id="e-17"]');
  assert.notEqual(await background(event), await background(page.locator('[id="e-18"]')));
  assert.ok(await inWindow(event));
}));

test('the link of an event leads to it even when what is above it grows while the page opens', async () => {
  const page = await context.newPage();
  await page.addInitScript(() => addEventListener('load', () => {
    document.documentElement.style.overflowAnchor = 'none';
    requestAnimationFrame(() => { document.querySelector('main').style.paddingTop = '3000px'; });
  }));
  await page.goto(`${fileUrl(SITE, runPage(richest()))}#e-17`);
  await page.waitForFunction(() => getComputedStyle(document.querySelector('main')).paddingTop === '3000px');
  for (let frame = 0; frame < 5; frame += 1) await drawn(page);
  assert.ok(await inWindow(page.locator('[id="e-17"]')));
  // A reload stays where the reader was.
  await page.evaluate(() => { dispatchEvent(new WheelEvent('wheel')); scrollTo(0, 500); });
  await drawn(page);
  await page.reload();
  await drawn(page);
  assert.equal(await page.evaluate(() => scrollY), 500);
  await page.close();
});

test('the link of a range marks each of its events and no other', () => at(runPage(richest()), '#e-17..21', async (page) => {
  const marked = await page.locator('.e.range').evaluateAll((events) => events.map((event) => event.id));
  assert.deepEqual(marked, ['e-17', 'e-18', 'e-19', 'e-20', 'e-21']);
  assert.notEqual(await background(page.locator('[id="e-19"]')), await background(page.locator('[id="e-22"]')));
  assert.ok(await inWindow(page.locator('[id="e-17"]')));
  await page.evaluate(() => { location.hash = '#e-3..4'; });
  await page.waitForFunction(() => document.querySelectorAll('.range').length === 2);
}));

test('the link of a range of long events leads to its first one, in a narrow window, too, and never against the reader', async () => {
  const event = (_, at) => JSON.stringify({ type: 'message', role: 'assistant', text: `${at}. ${'A long message. '.repeat(at % 4 ? 5 : 200)}` });
  const tall = site({
    'site.toml': '',
    'content/runs/a/run-record.json': JSON.stringify(record()),
    'content/runs/a/events.jsonl': `${Array.from({ length: 60 }, event).join('\n')}\n`,
  });
  const page = await context.newPage();
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('about:blank');
    await page.goto(`${fileUrl(tall, runPage(cards(tall)[0]))}#e-30..35`);
    await page.waitForFunction(() => {
      const { top } = document.getElementById('e-30').getBoundingClientRect();
      return top >= 0 && top < 120;
    });
  }
  await page.evaluate(async () => {
    location.hash = '#e-50..51';
    await new Promise((changed) => { addEventListener('hashchange', changed, { once: true }); });
    dispatchEvent(new WheelEvent('wheel'));
    scrollTo(0, 0);
  });
  await drawn(page);
  await drawn(page);
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.close();
});

test('the link of an event on a further page of the tape leads there', () => at(runPage(longest()), '#e-600', async (page) => {
  await page.waitForURL(/events\/2\/index\.html#e-600$/);
  // The address is there before the page is.
  await page.waitForFunction(() => document.readyState === 'complete');
  await drawn(page);
  assert.ok(await inWindow(page.locator('[id="e-600"]')));
}));

test('a range on a further page is marked there, and a link back finds the first page', async () => {
  await at(runPage(longest()), '#e-2100..2103', async (page) => {
    await page.waitForURL(/events\/5\/index\.html#e-2100\.\.2103$/);
    await page.waitForFunction(() => document.querySelectorAll('.range').length === 4);
  });
  await at(`runs/${longest().slug}/events/3/index.html`, '#e-12', async (page) => {
    await page.waitForURL(new RegExp(`${longest().slug}/index\\.html#e-12$`));
  });
});

test('a range that continues on the next page has a link to it', () => at(runPage(longest()), '#e-498..503', async (page) => {
  const marked = () => page.locator('.e.range').evaluateAll((events) => events.map((event) => event.id));
  assert.deepEqual(await marked(), ['e-498', 'e-499']);
  assert.match(await page.locator('.tell').textContent(), /^This range continues at events 500 to 999/);
  await page.locator('.tell a').click();
  await page.waitForURL(/events\/2\/index\.html#e-500\.\.503$/);
  assert.deepEqual(await marked(), ['e-500', 'e-501', 'e-502', 'e-503']);
  assert.equal(await page.locator('.tell').textContent(), '');
}));

test('a range with its ends exchanged is the same range', () => at(runPage(richest()), '#e-9..5', async (page) => {
  assert.equal(await page.locator('.e.range').count(), 5);
}));

test('what is linked is marked where colours are forced, too', async () => {
  const page = await browser.newPage({ forcedColors: 'active' });
  const outline = (id) => page.locator(`[id="${id}"]`).evaluate((event) => getComputedStyle(event).outlineStyle);
  for (const hash of ['#e-17', '#e-17..17']) {
    await page.goto(fileUrl(SITE, runPage(richest())) + hash);
    assert.deepEqual([await outline('e-17'), await outline('e-18')], ['solid', 'none'], hash);
  }
  await page.close();
});

test('the link of an event that is not there says so', async () => {
  for (const [card, hash] of [[richest(), '#e-99999'], [longest(), '#e-99999'], [richest(), '#e-99999..100001']]) {
    await at(runPage(card), hash, async (page) => {
      assert.match(await page.locator('.tell').textContent(), /^This timeline has no event 99999\./);
      await page.locator('.tell button').click();
      assert.equal(await page.locator('.tell').textContent(), '');
    });
  }
});

test('a link to an event of a run that has moved leads to the event at its new address', async () => {
  const event = (text) => JSON.stringify({ type: 'message', role: 'assistant', text });
  const root = files({
    'site.toml': '',
    'content/runs/a/run-record.json': JSON.stringify(record()),
    'content/runs/a/events.jsonl': `${['One.', 'Two.', 'Three.'].map(event).join('\n')}\n`,
  });
  const before = build(root);
  const [{ slug }] = cards(before);
  const { subject } = record();
  writeFileSync(path.join(root, 'content/runs/a/run-record.json'), JSON.stringify(record({ subject: { ...subject, modelId: 'sample/lark-2' } })));
  const moved = build(root, '--previous', before);
  await at(`runs/${slug}/index.html`, '#e-2', async (page) => {
    assert.equal(await page.locator('h1').innerText(), 'This run has moved');
    await page.locator('main [data-moved]').click();
    await page.waitForURL(/lark-2-[0-9a-f]+\/index\.html#e-2$/);
    assert.match(await page.locator('[id="e-2"]').innerText(), /Three\./);
  }, moved);
});

test('an address that names no event does no harm', async () => {
  for (const hash of ['#e-999999', '#e-5..1', '#e-1..99999999', '#%', '#e-17..', '#x', '#constructor']) {
    await at(runPage(richest()), hash, async (page) => {
      const errors = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.evaluate((value) => { location.hash = ''; location.hash = value; }, hash);
      await page.waitForTimeout(50);
      assert.deepEqual(errors, [], hash);
    });
  }
});

test('every tick and pin of a strip leads to something that is there', async () => {
  for (const card of [richest(), longest()]) {
    await at(runPage(card), '', async (page) => {
      const links = await page.locator('svg.strip a').evaluateAll((all) => all.map((a) => a.href.baseVal));
      assert.ok(links.length > 20);
      const ids = new Map();
      for (const link of new Set(links)) {
        const address = new URL(link, fileUrl(SITE, runPage(card)));
        const file = decodeURIComponent(address.pathname).slice(SITE.length + 1);
        if (!ids.has(file)) ids.set(file, new Set([...html(file).matchAll(/ id="?([^"> ]+)/g)].map((match) => match[1])));
        assert.ok(ids.get(file).has(address.hash.slice(1)), link);
      }
      const pins = await page.locator('svg.strip a:has(.pin) text').allTextContents();
      assert.equal(pins.reduce((sum, sign) => sum + (Number(sign) || 1), 0), card.annotations.count);
    });
  }
});

test('a click on a pin shows its annotation', () => at(runPage(richest()), '', async (page) => {
  const pin = page.locator('svg.strip a:has(.pin)').first();
  await pin.click();
  const id = decodeURIComponent(new URL(page.url()).hash.slice(1));
  const note = page.locator(`aside[id="${id}"]`);
  assert.ok(await inWindow(note));
  assert.equal(await note.evaluate((element) => getComputedStyle(element).outlineStyle), 'solid');
}));

test('the anchors of annotations are unique and lead to themselves', () => at(runPage(richest()), '', async (page) => {
  const anchors = await page.locator('aside.an').evaluateAll((notes) => notes.map((note) => [note.id, note.querySelector('.ah a').getAttribute('href')]));
  assert.equal(new Set(anchors.map(([id]) => id)).size, anchors.length);
  for (const [id, href] of anchors) assert.equal(href, `#${id}`);
}));

test('the contents of the page stay in sight and do not hide what they lead to', () => at(runPage(richest()), '', async (page) => {
  for (const [width, inColumns] of [[1100, false], [1440, true]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.locator('nav.toc a', { hasText: 'Record' }).click();
    const toc = await page.locator('nav.toc').boundingBox();
    const heading = await page.locator('#record').boundingBox();
    assert.ok(toc.y >= 0 && toc.y < 40, `${width}: ${toc.y}`);
    assert.ok(inColumns ? heading.x >= toc.x + toc.width : heading.y >= toc.y + toc.height, `${width}`);
  }
}));

test('without scripts, a link to the last section of a run leads to its heading', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, javaScriptEnabled: false });
  await page.goto(`${fileUrl(SITE, runPage(richest()))}#provenance`);
  await page.waitForTimeout(500);
  const { y } = await page.locator('#provenance').boundingBox();
  // Folded sections below it are short: the page may end before the heading is at the top.
  assert.ok(y >= 0 && y < 880, `the heading is ${y} px below the top of the window`);
  await page.close();
});

test('with motion, too, a link on the page of a run ends where it leads', async () => {
  const moving = await browser.newContext({ reducedMotion: 'no-preference' });
  const page = await moving.newPage();
  const isAtTop = (id) => page.waitForFunction((of) => {
    const { top } = document.getElementById(of).getBoundingClientRect();
    return top >= 0 && top < 120;
  }, id);
  await page.goto(`${fileUrl(SITE, runPage(richest()))}#e-40`);
  await isAtTop('e-40');
  for (const id of ['timeline', 'writeup']) {
    await page.locator(`nav.toc a[href^="#${id}"]`).first().click();
    await isAtTop((await page.evaluate(() => location.hash)).slice(1));
  }
  await moving.close();
});
