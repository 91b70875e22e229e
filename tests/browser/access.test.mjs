// What overflows, and what a keyboard reaches.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { drawn, launch, unfold } from './support/browser.mjs';
import { kinds } from './support/kinds.mjs';
import { SITE, richest, runPage } from './support/site.mjs';
import { eachKind, open, overflow } from './support/windows.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

test('text at 200 % loses nothing and does not widen the page', async () => {
  await eachKind(browser, { bypassCSP: true, width: 1280 }, async (page, kind) => {
    await page.addStyleTag({ content: 'html { font-size: 200% }' });
    await unfold(page);
    for (const width of [1280, 480]) {
      await page.setViewportSize({ width, height: 900 });
      await drawn(page);
      assert.deepEqual(await overflow(page), [], `${kind.name}, ${width} px`);
    }
  });
});

/** Opens one menu after the other; answers the name of each, and what is wrong with its place. */
const menus = (page) => page.evaluate(async () => {
  const found = [];
  for (const menu of document.querySelectorAll('details.choice')) {
    if (!menu.checkVisibility()) continue;
    const toggled = new Promise((done) => { menu.addEventListener('toggle', done, { once: true }); });
    menu.open = true;
    await toggled;
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const { left, right, width } = menu.lastElementChild.getBoundingClientRect();
    const { clientWidth, scrollWidth } = document.documentElement;
    const wrong = width < 100 || left < 0 || right > clientWidth || scrollWidth > clientWidth;
    found.push({ name: menu.firstElementChild.textContent, wrong: wrong && `${left} to ${right} of ${clientWidth} px, page ${scrollWidth}` });
    menu.open = false;
  }
  return found;
});

for (const data of ['there', 'on its way']) {
  test(`no menu leaves the window, at any width or size of text, with its data ${data}`, async () => {
    const seen = new Set();
    for (const kind of [kinds().find(({ name }) => name === 'runs'), { name: 'run', folder: SITE, page: runPage(richest()) }]) {
      const { page, close } = await open(browser, kind, { bypassCSP: true });
      if (data === 'on its way') await page.route(/search\/runs/, () => {});
      for (const size of [100, 200]) {
        await page.addStyleTag({ content: `html { font-size: ${size}% }` });
        for (const width of [320, 480, 640, 800, 880, 960, 1040, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          for (const { name, wrong } of await menus(page)) {
            assert.equal(wrong, false, `${name} on ${kind.name}, ${width} px, ${size} %`);
            seen.add(name);
          }
        }
      }
      await close();
    }
    for (const name of ['Case', 'Annotations', 'Kinds of event']) assert.ok(seen.has(name), name);
  });
}

test('a menu closes on Escape, which gives the focus back, and on a click elsewhere', async () => {
  const { page, close } = await open(browser, { folder: SITE, page: runPage(richest()) });
  const menu = page.locator('details.choice', { hasText: 'Kinds of event' });
  const isOpen = () => menu.evaluate(({ open: is }) => is);
  await menu.locator('summary').click();
  await menu.getByRole('checkbox').first().focus();
  await page.keyboard.press('Escape');
  assert.equal(await isOpen(), false);
  assert.equal(await page.locator(':focus').textContent(), 'Kinds of event');
  await menu.locator('summary').click();
  assert.equal(await isOpen(), true);
  await page.locator('h1').click();
  assert.equal(await isOpen(), false);
  await close();
});

test('every table is in a region that scrolls and can be reached by keyboard', async () => {
  await eachKind(browser, { width: 320 }, async (page, kind) => {
    const loose = await page.locator('table').evaluateAll((tables) => tables.filter((table) => {
      const region = table.closest('[role=region][aria-label], [role=group][aria-label]');
      // One that fits, as a table of cards does, has nothing to scroll.
      const fits = region?.classList.contains('fits') && region.scrollWidth <= region.clientWidth;
      return !region || region.tabIndex !== 0 || (getComputedStyle(region).overflowX !== 'auto' && !fits);
    }).length);
    assert.equal(loose, 0, kind.name);
  });
});

test('the run and comparison tables of the demo fit a window of 1280 px', async () => {
  const fitting = kinds().filter(({ name }) => ['home', 'runs', 'case', 'model'].includes(name));
  for (const kind of fitting) {
    const { page, close } = await open(browser, kind);
    // The matrix has a column for each model, and scrolls when there are many.
    const cut = await page.locator('.scroll:not(:has(> .matrix))').evaluateAll((regions) => regions
      .filter((region) => region.scrollWidth > region.clientWidth)
      .map((region) => `${region.ariaLabel}: ${region.scrollWidth} in ${region.clientWidth} px`));
    assert.deepEqual(cut, [], kind.name);
    await close();
  }
});

test('the first stop of the keyboard is the skip link, and it leads to the content', async () => {
  await eachKind(browser, {}, async (page, kind) => {
    await page.keyboard.press('Tab');
    const skip = page.locator(':focus');
    assert.equal(await skip.innerText(), 'Skip to the content', kind.name);
    const box = await skip.boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0 && box.width > 50, `${kind.name}: the skip link is not in sight`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const inside = await page.evaluate(() => Boolean(document.activeElement.closest('main, footer')));
    assert.ok(inside, `${kind.name}: the next stop is not in the content`);
  });
});

test('every stop of the keyboard has a visible focus and is in sight', async () => {
  await eachKind(browser, {}, async (page, kind) => {
    const seen = new Set();
    for (let stop = 0; stop < 60; stop += 1) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        // A link that goes on in the next line begins somewhere in its box; a region higher than the window above it.
        const start = element.getClientRects()[0];
        const top = document.elementFromPoint(start.x + Math.min(start.width, 20) / 2, Math.max(start.y, 0) + Math.min(start.height, 12) / 2);
        return {
          html: element.outerHTML.slice(0, 140),
          outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
          inSight: box.bottom > 0 && box.top < innerHeight && (element.contains(top) || Boolean(top?.contains(element))),
        };
      });
      if (!found) break;
      assert.ok(found.outlined, `${kind.name}: no focus to see on ${found.html}`);
      assert.ok(found.inSight, `${kind.name}: hidden while focused: ${found.html}`);
      seen.add(found.html);
    }
    assert.ok(seen.size > 5, `${kind.name}: only ${seen.size} stops`);
  });
});

test('an annotation is framed and labelled, and the recording is not', async () => {
  const { page, close } = await open(browser, { folder: SITE, page: runPage(richest()) });
  const looks = await page.locator('aside.an').evaluateAll((notes) => notes.map((note) => ({
    frame: getComputedStyle(note).borderTopStyle,
    label: getComputedStyle(note, '::before').content,
    name: note.ariaLabel,
  })));
  assert.ok(looks.length > 3);
  for (const { frame, label, name } of looks) {
    assert.equal(frame, 'solid');
    assert.match(label, /annotation/);
    assert.match(name, /^Annotation: /);
  }
  const framed = await page.locator('li.e > pre').evaluateAll((all) => all.filter((pre) => getComputedStyle(pre).borderTopStyle !== 'none').length);
  assert.equal(framed, 0);
  await close();
});

test('nothing moves for readers who ask for that', async () => {
  const { page, close } = await open(browser, kinds()[0]);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), 'auto');
  await close();
});

test('on paper the folds are open, the navigation is gone and no table is cut', async () => {
  const { page, close } = await open(browser, { folder: SITE, page: runPage(richest()) }, { width: 800 });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('navigation', { name: 'Site' }).isVisible(), false);
  assert.equal(await page.locator('details pre').last().isVisible(), true);
  assert.equal(await page.locator('.e').first().evaluate((event) => getComputedStyle(event).contentVisibility), 'visible');
  await close();
});
