// What axe finds, in both themes.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { violations } from './support/axe.mjs';
import { launch, unfold } from './support/browser.mjs';
import { kinds } from './support/kinds.mjs';
import { SITE } from './support/site.mjs';
import { eachKind, open } from './support/windows.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// All that the dark theme can break: it changes nothing but colors, which a test below checks.
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

// axe checks that controls are large enough for a finger only when it is asked to.
const ALL_RULES = { rules: { 'target-size': { enabled: true } } };

for (const width of [1280, 320]) {
  test(`axe finds nothing on any kind of page, light or dark, ${width} px wide`, async () => {
    const all = [];
    await eachKind(browser, { bypassCSP: true, width }, async (page, kind) => {
      if (!/3,000|further/.test(kind.name)) {
        // What is far from the window has its real place, too: else events overlap.
        await page.addStyleTag({ content: '.e, main section { content-visibility: visible !important }' });
        await unfold(page);
      }
      for (const [colorScheme, rules] of [['light', ALL_RULES], ['dark', { runOnly: OF_COLORS }]]) {
        await page.emulateMedia({ colorScheme });
        const found = await violations(page, rules);
        all.push(...found.map((violation) => `${kind.name}, ${colorScheme}: ${violation}`));
      }
      await page.emulateMedia({ colorScheme: 'light' });
    });
    assert.deepEqual(all, []);
  });
}

test('the dark theme changes nothing but the values of colors', async () => {
  const { page, close } = await open(browser, kinds()[0]);
  const sheets = readdirSync(path.join(SITE, 'assets')).filter((name) => name.endsWith('.css'));
  const texts = sheets.map((name) => readFileSync(path.join(SITE, 'assets', name), 'utf8'));
  const declarations = await page.evaluate((all) => {
    const found = [];
    const read = (rules, isDark) => {
      for (const { conditionText, cssRules, selectorText, style } of rules) {
        if (isDark && style) {
          for (const name of style) found.push({ selector: selectorText, name, isColor: CSS.supports('color', style.getPropertyValue(name)) });
        }
        if (cssRules) read(cssRules, isDark || Boolean(conditionText?.includes('prefers-color-scheme')));
      }
    };
    for (const text of all) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      read(sheet.cssRules, false);
    }
    return found;
  }, texts);
  assert.ok(declarations.length > 10, `${declarations.length} declarations`);
  assert.deepEqual(declarations.filter(({ selector, name, isColor }) => selector !== ':root' || !name.startsWith('--') || !isColor), []);
  await close();
});

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing in the search dialog and in an open facet, ${scheme}, and neither is wider than 320 px`, async () => {
    const all = [];
    const look = async (page, name) => {
      all.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, name);
    };
    const kind = kinds().find(({ name }) => name === 'runs');
    const { page, close } = await open(browser, kind, { bypassCSP: true, width: 320, scheme });
    await page.locator('.facets summary').first().click();
    await page.locator('.facets [open] input').first().check();
    await page.locator('.facets [role=status]', { hasText: /of \d+/ }).waitFor();
    await look(page, 'facets');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('.finder input').fill('annotation');
    await page.locator('.finder mark').first().waitFor();
    await look(page, 'search');
    await close();
    assert.deepEqual(all, []);
  });
}
