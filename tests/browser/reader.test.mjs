// Reading a timeline: annotated moments, filters, search, keys, links and quotes to copy.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { drawn, fileUrl, launch } from './support/browser.mjs';
import { serve } from './support/server.mjs';
import { SITE, cards, html, longest, record, richest, runPage, site } from './support/site.mjs';

let browser;
let context;
before(async () => {
  browser = await launch();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
});
after(() => browser?.close());

async function on(address, use) {
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  await page.goto(address);
  try {
    await use(page);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
}
const rich = () => fileUrl(SITE, runPage(richest()));
/** A run with failures, annotations and markers on one page. */
const troubled = () => cards().filter((card) => card.events < 500 && card.annotations.kinds.marker > 1)
  .find((card) => html(runPage(card)).includes('class=bad'));
const shown = (page) => page.locator('.e:visible').count();
const place = (page) => page.evaluate(() => document.activeElement?.id);
const status = (page) => page.locator('.tape-tools + [role=status]').textContent();
const statusText = (page) => page.locator('.tell[role=status]').textContent();
const pasted = (page) => page.evaluate(() => navigator.clipboard.readText());

test('every annotation is a moment with its event and the neighbours, and leads to its place', () => on(rich(), async (page) => {
  const moments = page.locator('.moments > li');
  assert.equal(await moments.count(), await page.locator('aside.an').count());
  const first = moments.first();
  assert.equal(await first.locator('.around .here').count(), 1);
  assert.ok(await first.locator('.around li').count() >= 2);
  const here = await first.locator('.around .here a').textContent();
  await first.locator('.ah a').click();
  await page.waitForURL((address) => address.hash.length > 1);
  const id = decodeURIComponent(new URL(page.url()).hash.slice(1));
  assert.equal(await page.locator(`aside[id="${id}"]`).evaluate((note) => note.closest('.e').querySelector('a').textContent), here);
}));

test('filters by kind, by failure and by annotation keep only what they name, and all of it', () => on(rich(), async (page) => {
  const all = await shown(page);
  const annotated = await page.locator('.e:has(.an)').count();
  await page.locator('.tape-tools button', { hasText: 'Annotated' }).click();
  assert.equal(await shown(page), annotated);
  assert.match(await status(page), new RegExp(`^${annotated} of ${await page.locator('.e').count()} events`));
  await page.locator('.tape-tools button', { hasText: 'Show all' }).click();
  assert.equal(await shown(page), all);

  await page.locator('.tape-tools summary', { hasText: 'Kinds of event' }).click();
  await page.locator('.choices label', { hasText: 'command' }).click();
  const kinds = await page.locator('.e:visible p:first-child > b').allTextContents();
  assert.ok(kinds.length > 0 && kinds.every((kind) => kind === 'command'));
  assert.match(page.url(), /[?&]kind=command/);
  await page.reload();
  assert.equal(await shown(page), kinds.length, 'the filter lives in the address');
  await page.locator('.tape-tools button', { hasText: 'Show all' }).click();
  assert.doesNotMatch(page.url(), /kind=/);

  await page.locator('.tape-tools summary', { hasText: 'Kinds of annotation' }).click();
  await page.locator('.choices label').filter({ visible: true }).first().click();
  assert.ok(await shown(page) > 0 && await shown(page) <= annotated);
}));

test('only failures are shown when only failures are wanted', () => on(fileUrl(SITE, runPage(troubled())), async (page) => {
  const failures = await page.locator('.e.fail').count();
  assert.ok(failures > 0);
  await page.locator('.tape-tools button', { hasText: 'Failures' }).click();
  assert.equal(await shown(page), failures);
  assert.equal(await page.locator('.gap:visible').count(), 0);
}));

test('a link to an event that a filter leaves out shows it all the same, and says so', async () => {
  const address = fileUrl(SITE, runPage(troubled()));
  await on(`${address}?failed=1#e-9`, async (page) => {
    const failures = await page.locator('.e.fail').count();
    const inSight = (id) => page.waitForFunction((of) => {
      const event = document.getElementById(of).closest('.e');
      const { top } = document.getElementById(of).getBoundingClientRect();
      return !event.hidden && top >= 0 && top < innerHeight;
    }, id);
    await inSight('e-9');
    assert.equal(await shown(page), failures + 1);
    assert.match(await status(page), /^\d+ of \d+ events on this page, and 1 linked$/);
    for (const link of ['svg.strip a[href*="#e-1"]', '.moments .ah a']) {
      await page.locator(link).first().evaluate((one) => one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })));
      await inSight(await page.evaluate(() => decodeURIComponent(location.hash.slice(1))));
      assert.ok(await shown(page) <= failures + 1, 'the one linked before is left out again');
    }
    await page.evaluate(() => { location.hash = '#e-9..11'; });
    await inSight('e-11');
    assert.equal(await page.locator('.range:visible').count(), 3);
  });
});

test('the slash leads to the search, which paints what it finds and leaves the rest out', () => on(rich(), async (page) => {
  const all = await shown(page);
  await page.keyboard.press('/');
  await page.keyboard.type('READ');
  await page.waitForFunction((before) => document.querySelectorAll('.e:not([hidden])').length < before, all);
  const texts = await page.locator('.e:visible').evaluateAll((events) => events.map((event) => event.textContent.toLowerCase()));
  assert.ok(texts.length > 0 && texts.every((text) => text.includes('read')));
  assert.ok(await page.evaluate(() => CSS.highlights.get('found').size) >= texts.length);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('no event says this');
  await page.waitForFunction(() => document.querySelectorAll('.e:not([hidden])').length === 0);
  assert.match(await status(page), /^0 of /);
}));

test('j and k walk over events, the brackets over annotations, f over failures', () => on(fileUrl(SITE, runPage(troubled())), async (page) => {
  const ids = await page.locator('.e').evaluateAll((events) => events.map((event) => event.id));
  const notes = await page.locator('.ans > .an').evaluateAll((all) => all.map((note) => note.id));
  const failures = await page.locator('.e.fail:not(.uncounted)').evaluateAll((events) => events.map((event) => event.id));
  const walk = async (keys) => {
    const seen = [];
    for (const key of keys) {
      await page.keyboard.press(key);
      seen.push(await place(page));
    }
    return seen;
  };
  assert.deepEqual(await walk(['j', 'j', 'j', 'k']), [ids[0], ids[1], ids[2], ids[1]]);
  assert.deepEqual(await walk([']', ']', '[']), [notes[0], notes[1], notes[0]]);
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  assert.equal((await walk(['f']))[0], failures[0]);
  for (let index = 1; index < failures.length; index += 1) await page.keyboard.press('f');
  assert.equal(await place(page), failures.at(-1));
  await page.keyboard.press('f');
  assert.equal(await place(page), failures.at(-1));
  assert.match(await statusText(page), /^No further failure on this page/);
  assert.ok(await page.locator('.tell').evaluate((word) => word.getBoundingClientRect().bottom <= innerHeight), 'the message is where the reader is');
  await page.keyboard.press('k');
  assert.equal(await statusText(page), '');
}));

test('a key pressed right after a click on an event number starts from that event', () => on(rich(), async (page) => {
  const [from, to] = await page.evaluate(async () => {
    const numbers = [...document.querySelectorAll('.e > p:first-child > a')];
    const changed = new Promise((done) => { addEventListener('hashchange', () => setTimeout(done), { once: true }); });
    numbers[3].focus();
    numbers[3].click();
    numbers[3].dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }));
    await changed;
    return [numbers[3], numbers[4]].map((number) => number.closest('.e').id);
  });
  assert.equal(new URL(page.url()).hash, `#${from}`);
  assert.equal(await page.locator('.e.at').getAttribute('id'), to);
  assert.equal(await page.locator('.e:has(.et)').getAttribute('id'), to);
}));

test('the keys bring the head of what they lead to into sight, however tall it and the events before it are', async () => {
  const event = (_, at) => JSON.stringify({ type: 'message', role: 'assistant', text: `${at}. ${'A long message. '.repeat(at % 4 ? 5 : 400)}` });
  const note = { type: 'annotation', id: 'n', event_id: 31, kind: 'note', evidence: 'A long note.\n\n'.repeat(60), author: { id: 'sample', kind: 'human' } };
  const tall = site({
    'site.toml': '',
    'content/a/run-record.json': JSON.stringify(record()),
    'content/a/events.jsonl': `${Array.from({ length: 60 }, event).join('\n')}\n`,
    'content/a/events.jsonl.annotations.jsonl': `{"type":"header","schema_version":1}\n${JSON.stringify(note)}\n`,
  });
  await on(fileUrl(tall, runPage(cards(tall)[0])), async (page) => {
    await page.setViewportSize({ width: 320, height: 900 });
    for (const key of [']', 'k']) {
      await page.keyboard.press(key);
      await page.waitForFunction(() => {
        const { top } = document.activeElement.getBoundingClientRect();
        return top >= 0 && top < 600;
      });
    }
    assert.equal(await place(page), 'e-31');
  });
});

test('the keys leave text fields and key combinations alone', () => on(rich(), async (page) => {
  await page.locator('.tape-tools input').first().focus();
  await page.keyboard.type('jk[]');
  assert.equal(await page.locator('.tape-tools input').first().inputValue(), 'jk[]');
  assert.equal(await page.locator('.at').count(), 0);
}));

test('the help names every key and closes', () => on(rich(), async (page) => {
  await page.keyboard.press('?');
  const sheet = page.locator('dialog.sheet');
  assert.ok(await sheet.isVisible());
  for (const key of ['j', 'k', '[', ']', 'm', 'f', '/', '?']) assert.equal(await sheet.locator('kbd', { hasText: key }).count() > 0, true, key);
  await page.keyboard.press('Escape');
  assert.ok(!await sheet.isVisible());
}));

test('m and M lead to the next and the previous marker from where the reader is', async () => {
  const address = fileUrl(SITE, runPage(troubled()));
  await on(address, async (page) => {
    const markers = await page.locator('.ans > .an-marker').evaluateAll((notes) => notes.map((note) => note.id));
    assert.ok(markers.length > 1);
    for (const marker of markers) {
      await page.keyboard.press('m');
      assert.equal(await place(page), marker);
    }
    await page.keyboard.press('m');
    assert.match(await statusText(page), /^No further marker on this page\./);
    await page.keyboard.press('M');
    assert.equal(await place(page), markers.at(-2));
    await page.goto('about:blank');
    await page.goto(`${address}#${markers[0]}`);
    await page.keyboard.press('m');
    assert.equal(await place(page), markers[1]);
  });
});

test('m continues on the next page of the tape', async () => {
  const event = (_, at) => JSON.stringify({ type: 'message', role: 'assistant', text: `Message ${at}.` });
  const note = (id) => JSON.stringify({ type: 'annotation', id: `m${id}`, event_id: id, kind: 'marker', evidence: `Look at ${id}.`, author: { id: 'sample', kind: 'human', surface: 'desk' }, timestamp: '2026-03-01T12:00:00Z' });
  const long = site({
    'site.toml': '',
    'content/a/run-record.json': JSON.stringify(record()),
    'content/a/events.jsonl': `${Array.from({ length: 700 }, event).join('\n')}\n`,
    'content/a/events.jsonl.annotations.jsonl': `{"type":"header","schema_version":1}\n${note(3)}\n${note(600)}\n`,
  });
  await on(fileUrl(long, runPage(cards(long)[0])), async (page) => {
    await page.keyboard.press('m');
    assert.equal(await place(page), 'a-m3');
    await page.keyboard.press('m');
    await page.keyboard.press('m');
    await page.waitForURL(/events\/2\/index\.html$/);
    await page.keyboard.press('m');
    assert.equal(await place(page), 'a-m600');
  });
});

test('Escape leaves the search for the timeline, also where the event of before is left out', () => on(rich(), async (page) => {
  await page.keyboard.press('j');
  await page.keyboard.press('/');
  await page.keyboard.type('no event says this');
  await page.waitForFunction(() => document.querySelectorAll('.e:not([hidden])').length === 0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('f');
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'INPUT');
  assert.doesNotMatch(await page.locator('.tape-tools input').first().inputValue(), /f$/);
}));

for (const where of ['from disk', 'under a sub-path']) {
  test(`an event is copied as a link and as a Markdown quote, ${where}`, async () => {
    const server = where === 'from disk' ? null : await serve(SITE);
    const address = server ? server.url + runPage(troubled()) : fileUrl(SITE, runPage(troubled()));
    await on(`${address}?annotated=1`, async (page) => {
      await page.locator('.tape-tools button', { hasText: 'Show all' }).click();
      await page.keyboard.press('f');
      const event = page.locator('.e.at');
      const [id, number] = [await event.getAttribute('id'), await event.locator('p > a').first().textContent()];
      await event.locator('button', { hasText: 'Copy link' }).click();
      assert.equal(await pasted(page), `${address}#${id}`);
      await event.locator('button', { hasText: 'Copy quote' }).click();
      const text = await pasted(page);
      assert.match(text, new RegExp(`^> \\*\\*${number} `));
      assert.match(text, /failed/);
      assert.ok(text.includes(`(<${address}#${id}>)`), text);
      await page.goto('about:blank');
      await page.goto(`${address}#${id}`);
      assert.ok(await page.locator(`[id="${id}"]`).evaluate((element) => element.matches(':target')));
    });
    await server?.close();
  });
}

test('a copied quote is no live Markdown: its marks are escaped, and its code cannot be left', async () => {
  const image = '![x](https://evil.example/x.png)';
  const at = (second, fields) => JSON.stringify({ timestamp: `2026-03-01T10:00:0${second}Z`, ...fields });
  const note = (event) => JSON.stringify({ type: 'annotation', id: `a${event}`, event_id: event, kind: 'note', evidence: `\`${image}\` <img src=x> https://evil.example/` });
  const model = `m ${image}`;
  const folder = site({
    'site.toml': '',
    'content/runs/a/run-record.json': JSON.stringify(record({ subject: { ...record().subject, modelId: model } })),
    'content/runs/a/events.jsonl': `${at(0, { type: 'command', command: `a \`\` ${image} \`\` b`, output: `\`\`\`\`\n${image}` })}\n${at(1, { type: 'agent', message: image })}\n`,
    'content/runs/a/events.jsonl.annotations.jsonl': `${JSON.stringify({ type: 'header', schema_version: 1 })}\n${note(0)}\n${note(1)}\n`,
  });
  await on(fileUrl(folder, runPage(cards(folder)[0])), async (page) => {
    const seen = new Set();
    for (let event = 0; event < 2; event += 1) {
      await page.keyboard.press('j');
      seen.add(await page.locator('.e.at').getAttribute('id'));
      await page.locator('.e.at').locator('button', { hasText: 'Copy quote' }).click();
      const text = await pasted(page);
      // What is left without code and without escaped characters is Markdown.
      const lines = text.replaceAll(/^> (`{3,})\n(?:>.*\n)*?> \1$/gm, '');
      const live = lines.replaceAll(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '').replaceAll(/\\./g, '');
      assert.doesNotMatch(live, /!\[|<img|https:\/\/evil/, text);
      assert.ok(text.includes('evil.example'), text);
    }
    assert.equal(seen.size, 2);
  });
});

test('in a narrow window what copies an event covers nothing of it, and does not follow the pointer', () => on(`${rich()}#e-9`, async (page) => {
  await page.setViewportSize({ width: 320, height: 900 });
  const tools = page.locator('.et');
  const covers = () => tools.evaluate((element) => {
    const over = element.getBoundingClientRect();
    return [...element.parentElement.querySelectorAll(':scope > :not(.et)')].filter((part) => [...part.getClientRects()]
      .some((box) => box.left < over.right && box.right > over.left && box.top < over.bottom && box.bottom > over.top)).length;
  });
  assert.equal(await covers(), 0);
  await page.locator('[id="e-10"] b').hover();
  await page.mouse.move(60, 300, { steps: 5 });
  assert.equal(await tools.evaluate((element) => element.closest('.e').id), 'e-9');
  await page.locator('[id="e-11"] b').click();
  assert.equal(await tools.evaluate((element) => element.closest('.e').id), 'e-11');
  assert.equal(await covers(), 0);
}));

test('a strip fits a window of any width, and its labels do not cover each other', () => on(rich(), async (page) => {
  const strip = page.locator('svg.strip').first();
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    const found = await strip.evaluate((svg) => {
      const boxes = (selector) => [...svg.querySelectorAll(selector)].map((one) => one.getBoundingClientRect()).filter((box) => box.width);
      const rows = [boxes('.nos text'), boxes(':scope > text, .broad > text:not(.nos text)'), boxes('.pin')];
      const covered = rows.flatMap((row) => row.filter((box, at) => row.some((other, next) => next > at && other.left < box.right && box.left < other.right)));
      const out = boxes('text, circle, path').filter((box) => box.left < 0 || box.right > innerWidth);
      return { covered: covered.length, out: out.length, scrolls: svg.closest('.lane').scrollWidth - svg.closest('.lane').clientWidth };
    });
    assert.deepEqual(found, { covered: 0, out: 0, scrolls: 0 }, `${width} px`);
    const pin = await strip.locator('.pin').first().boundingBox();
    assert.ok(Math.abs(pin.height - pin.width) < 1, `${pin.width} by ${pin.height}`);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}));

test('a click with shift on a number links all events from the one linked before', () => on(`${rich()}#e-3`, async (page) => {
  await page.locator('[id="e-6"] > p > a').click({ modifiers: ['Shift'] });
  assert.match(page.url(), /#e-3\.\.6$/);
  await page.waitForFunction(() => document.querySelectorAll('.e.range').length === 4);
}));

test('the span of an annotation leads to all events that it covers', () => on(rich(), async (page) => {
  const span = page.locator('.an a.span').first();
  const [first, last] = (await span.textContent()).match(/\d+/g).map(Number);
  await span.click();
  await page.waitForFunction((count) => document.querySelectorAll('.range').length === count, last - first + 1);
}));

test('times can be read as the time of day', () => on(rich(), async (page) => {
  const times = page.locator('.tape').first().locator('.e > p > a + i');
  const time = times.first();
  const since = await time.textContent();
  const clock = page.locator('.tape-tools button', { hasText: 'UTC' });
  await clock.click();
  const start = Date.parse(await time.getAttribute('data-start'));
  const milliseconds = (await time.getAttribute('data-ms')).slice(-3);
  const shown = await times.last().textContent();
  await clock.click();
  assert.equal(await time.textContent(), since);
  const seconds = (await times.last().textContent()).split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  const exact = new Date(start + seconds * 1000 + Number(milliseconds)).toISOString();
  assert.equal(shown, exact.slice(11, 19));
  await times.last().hover();
  assert.equal(await times.last().getAttribute('title'), `${exact.replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC`);
}));

test('a further page of a tape is read with the same keys', () => on(fileUrl(SITE, `runs/${longest().slug}/events/2/index.html`), async (page) => {
  await page.keyboard.press('j');
  assert.match(await place(page), /^e-\d+$/);
  assert.ok(await page.locator('.tape-tools').isVisible());
}));

for (const where of ['disk', 'a server']) {
  test(`words are found on all pages of a timeline, from ${where}`, async () => {
    const events = Array.from({ length: 9 }, (_, n) => ({ timestamp: `2026-03-01T10:00:0${n}Z`, type: n === 4 ? 'error' : 'agent', message: [1, 4, 7, 8].includes(n) ? `a Quokka <b> ${n}` : `nothing ${n}` }));
    events[5].message = `${'long '.repeat(600)}wombat`;
    const folder = site({
      'site.toml': '[timeline]\npage_size = 3\n',
      'content/a/run-record.json': JSON.stringify(record()),
      'content/a/events.jsonl': events.map((event) => `${JSON.stringify(event)}\n`).join(''),
    });
    const server = where === 'disk' ? null : await serve(folder);
    const base = server?.url ?? `${pathToFileURL(folder).href}/`;
    const [slug] = readdirSync(path.join(folder, 'runs')).filter((name) => name !== 'index.html');
    const run = `runs/${slug}/`;
    await on(`${base}${run}events/2/index.html`, async (page) => {
      const asked = [];
      page.on('request', (request) => asked.push(request.url()));
      const find = page.getByRole('searchbox', { name: 'Find in this timeline' });
      const waitForStatus = (words) => page.waitForFunction((of) => document.querySelector('.tape-tools + [role=status]').textContent === of, words);
      await waitForStatus('Filters cover this page, words all pages.');
      await find.fill('QUOKKA <b>');
      await waitForStatus('1 of 3 events on this page, 3 on other pages');
      assert.deepEqual(asked.map((url) => url.slice(base.length + run.length)).sort(), ['events/1.js', 'events/3.js'], 'loaded when words are sought');
      await find.fill('nothing 6');
      await waitForStatus('0 of 3 events on this page, 1 on other pages');
      await page.locator('.tape-tools + [role=status] a').click();
      await page.waitForURL(`${base}${run}events/3/index.html?find=nothing+6#e-6`);
      await waitForStatus('1 of 3 events on this page, at least 0 on other pages');
      await find.fill('quokka');
      await waitForStatus('2 of 3 events on this page, and 1 linked, at least 2 on other pages');
      await page.locator('.tape-tools + [role=status] a').click();
      await page.waitForURL(`${base}${run}index.html?find=quokka#e-1`);
      await page.getByRole('button', { name: 'Failures 0 of 1' }).click();
      await waitForStatus('0 of 3 events on this page, and 1 linked');
      await page.goto(`${base}${run}index.html?find=wombat`);
      await waitForStatus('0 of 3 events on this page, at least 0 on other pages');
    });
    await server?.close();
  });
}

test('at the end of a page the same key again leads to the next page of the tape, with the filter', () => on(`${fileUrl(SITE, runPage(longest()))}?failed=1`, async (page) => {
  const last = page.locator('.e.fail').last();
  await page.waitForFunction(() => document.querySelector('.tape-tools'));
  await last.evaluate((event) => { event.tabIndex = -1; event.focus(); });
  await page.keyboard.press('f');
  assert.match(await statusText(page), /^No further failure on this page\. Press the key again to go to events 500 to 999,/);
  await page.keyboard.press('f');
  await page.waitForURL(/events\/2\/index\.html\?failed=1$/);
  await page.locator('.tape-tools button', { hasText: 'Show all' }).click();
  assert.match(await status(page), /^Filters cover this page,/);
  await page.locator('.e').first().evaluate((event) => { event.tabIndex = -1; event.focus(); });
  for (const key of ['k', 'k']) await page.keyboard.press(key);
  await page.waitForURL(/\/index\.html#e-499$/);
}));

test('the contents list follows the reader', () => on(rich(), async (page) => {
  for (const section of ['moments', 'timeline', 'writeup']) {
    await page.evaluate((id) => document.getElementById(id).scrollIntoView({ behavior: 'instant' }), section);
    await page.waitForFunction((id) => document.querySelector('.toc [aria-current]')?.hash === `#${id}`, section);
  }
}));

test('folded content opens in place and can be closed at its head', () => on(rich(), async (page) => {
  const fold = page.locator('.e details:has(> pre)').first();
  const summary = fold.locator('summary');
  // Events above are laid out when they come near, which may move the head out of the window again.
  for (let turn = 0; turn < 5; turn += 1) await summary.scrollIntoViewIfNeeded();
  const before = (await summary.boundingBox()).y;
  assert.ok(before >= 0 && before < 900, `the head is in sight: ${before}`);
  await summary.click();
  assert.ok(Math.abs((await summary.boundingBox()).y - before) < 2, 'opening does not move the head');
  await fold.evaluate((details) => scrollBy({ top: details.getBoundingClientRect().bottom - 120, behavior: 'instant' }));
  const { y } = await summary.boundingBox();
  assert.ok(y >= 0 && y < 900, `the head stays in sight: ${y}`);
}));

test('a folded event is found by its address, by a filter and by a key, and is printed', async () => {
  const address = fileUrl(SITE, `${runPage(longest()).replace(/index\.html$/, '')}events/2/index.html`);
  let id;
  await on(address, async (page) => {
    assert.ok(await page.locator('li.fold').count() > 3);
    assert.equal(await page.locator('li.fold .e:visible').count(), 0);
    assert.equal(await page.locator('li.fold .fail').count(), 0);
    const folded = page.locator('li.fold').first().locator('.e').nth(1);
    id = await folded.getAttribute('id');
    const words = await folded.locator('p code').textContent();
    await page.locator('.tape-tools input').first().fill(words);
    await folded.waitFor({ state: 'visible' });
    await page.locator('.tape-tools button', { hasText: 'Show all' }).click();
    assert.equal(await page.locator('li.fold .e:visible').count(), 0, 'folds are as before the filter');
    await page.emulateMedia({ media: 'print' });
    assert.ok(await folded.isVisible());
  });
  await on(`${address}#${id}`, async (page) => {
    await page.locator(`#${id}`).waitFor({ state: 'visible' });
    const before = page.locator(`.e:has(+ #${id})`);
    await page.locator('li.fold details').first().evaluate((fold) => { fold.open = false; });
    await page.locator('.e').first().evaluate((event) => { event.tabIndex = -1; event.focus(); });
    await page.keyboard.press('j');
    await before.waitFor({ state: 'visible' });
    assert.equal(await place(page), await before.getAttribute('id'));
  });
});
