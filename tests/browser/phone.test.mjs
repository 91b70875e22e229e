// Two of the walks of a first visit: which model finishes a case and at what cost, and the same on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { fileUrl, launch } from './support/browser.mjs';
import { SITE, cards, html, runPage } from './support/site.mjs';

const LISTS = ['index.html', 'runs/index.html', 'overview/index.html', 'cases/index.html', 'models/index.html', 'cases/pong/index.html', 'cases/markdown-notes/index.html', 'models/sample-heron-2/index.html', 'harnesses/codex/index.html', 'feeds/index.html'];
// What is hidden below the edge of the window, to its right, or by its style is not visible.
const inSight = (element) => {
  const { left, top, right, bottom, width } = element.getBoundingClientRect();
  return width > 0 && left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight && element.checkVisibility();
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function open(file, viewport) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.addInitScript(`window.inSight = ${inSight}`);
  await page.goto(fileUrl(SITE, file));
  return { page, close: () => context.close() };
}

test('the first table of a case answers which model finishes it, how reliably and at what cost', async () => {
  const { page, close } = await open('cases/todo-board/index.html', { width: 1440, height: 900 });
  const rows = await page.locator('table').first().locator('tbody tr:not(.group)').evaluateAll((all) => all.map((row) => ({
    seen: [...row.cells].every(window.inSight),
    model: row.cells[0].innerText.trim(),
    glyphs: row.querySelectorAll('.glyphs a').length,
    completed: row.cells[2].innerText,
    dots: row.querySelectorAll('.dots a').length,
  })));
  assert.ok(rows.length >= 6);
  for (const row of rows) {
    assert.ok(row.seen, `${row.model} is in the window without scrolling`);
    const [, done, all] = /^(\d+) of (\d+)$/.exec(row.completed);
    assert.ok(done <= all && row.glyphs === Number(all) && row.dots <= row.glyphs, row.model);
  }
  assert.equal(await page.locator('table').first().evaluate((table) => table.classList[0]), 'reliability');
  await close();
});

for (const width of [390, 320]) {
  test(`no list, plot or table needs sideways scrolling at ${width} px`, async () => {
    for (const file of LISTS) {
      const { page, close } = await open(file, { width, height: 844 });
      const wide = await page.evaluate(() => [...document.querySelectorAll('html, main .scroll, main svg, main figure')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible' || element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => `${element.localName}.${element.getAttribute('class')}`));
      assert.deepEqual(wide, [], file);
      await close();
    }
  });

  test(`no text of a row is over that of another cell at ${width} px`, async () => {
    for (const file of LISTS.concat('compare/index.html', 'harnesses/claude/index.html')) {
      const { page, close } = await open(file, { width, height: 844 });
      const over = await page.locator('main tr').evaluateAll((rows) => rows.flatMap((row) => {
        // Text can be wider than its element.
        const boxesOf = (part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return [...range.getClientRects()];
        };
        const boxes = [...row.cells].filter((cell) => cell.checkVisibility()).flatMap((cell) => [...cell.querySelectorAll('a, .badge')].flatMap(boxesOf).map((box) => ({ cell, box })));
        return boxes.filter(({ cell, box }) => boxes.some((other) => other.cell !== cell
          && Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 1 && Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 3)).map(({ cell }) => cell.textContent);
      }));
      assert.deepEqual(over, [], file);
      await close();
    }
  });

  test(`a run in a list shows outcome, case, model and cost within ${width} px`, async () => {
    const { page, close } = await open('runs/index.html', { width, height: 844 });
    const rows = await page.locator('table.runs tbody tr').evaluateAll((all) => all.slice(0, 8).map((row) => {
      row.scrollIntoView({ block: 'center' });
      const cells = ['th a', '.c-st .badge', '.c-mo a', '.c-co', '.c-ti'].map((part) => row.querySelector(part));
      return { seen: cells.map((cell) => window.inSight(cell)), text: row.innerText, height: row.offsetHeight, columns: [cells[1].closest('td'), cells[3]].map((cell) => cell.getBoundingClientRect().left) };
    }));
    assert.equal(rows.length, 8);
    for (const { seen, text, height, columns } of rows) {
      assert.deepEqual(columns, rows[0].columns, `${text} is in line with the others`);
      assert.deepEqual(seen, [true, true, true, true, true], text);
      // A task takes up to three lines.
      assert.ok(height < 130, `${height} px for ${text}`);
    }
    await close();
  });
}

test('the reasons of a run leave room for its steps on the first screen of a phone, and are one click away', async () => {
  const troubled = cards().map(runPage).filter((page) => html(page).includes('<section class="why"'));
  assert.ok(troubled.length > 4);
  for (const file of troubled) {
    const { page, close } = await open(file, { width: 390, height: 844 });
    const { height } = await page.locator('.why').last().boundingBox();
    assert.ok(height < 150, `${file}: ${height}`);
    assert.ok(await page.locator('section:has(> .tape) h2').first().evaluate((heading) => window.inSight(heading)), file);
    const more = page.locator('.why > details');
    if (await more.count()) {
      await more.locator('summary').click();
      const hidden = await page.locator('.why :is(p, li)').evaluateAll((all) => all.filter((each) => !each.checkVisibility()).map((each) => each.textContent));
      assert.deepEqual(hidden, [], file);
    }
    await close();
  }
});

test('a table keeps its roles when its rows are cards', async () => {
  const { page, close } = await open('runs/index.html', { width: 390, height: 844 });
  const table = page.getByRole('table');
  assert.equal(await table.count(), 1);
  assert.ok(await table.getByRole('row').count() > 30);
  assert.ok(await table.getByRole('columnheader').count() >= 6);
  assert.equal(await table.getByRole('rowheader').count(), await table.locator('tbody tr').count());
  await close();
});
