// What must hold of every page of a site whose recorded text is hostile: nothing of it runs, loads or pushes the page out of shape.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

import { fileUrl, unfold, watch } from './browser.mjs';
import { pages } from './site.mjs';

/** Widths of the window, each with scripts or without. */
export const VIEWS = [[1280, true], [320, true], [320, false]];

/** Opens every page of a site, and fails where its text is more than text. */
export async function inert(browser, folder, width, scripts) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: scripts });
  const problems = await watch(context, `${pathToFileURL(folder).href}/`);
  const page = await context.newPage();
  for (const file of pages(folder)) {
    if (file === '404.html') continue;
    const where = fileUrl(folder, file);
    await page.goto(where);
    if (scripts) await unfold(page);
    await page.mouse.move(width / 2, 300);
    const seen = await page.evaluate(() => ({
      pwned: window.__pwned,
      place: location.href,
      base: document.baseURI,
      injected: [...document.querySelectorAll('iframe, form, base, object, embed, img, style, [style], meta[http-equiv=refresh], svg:not(.strip, .strip svg, .glyph, .bar, .spread, .plot, [aria-hidden=true])')]
        .map((element) => element.outerHTML.slice(0, 120)),
      handlers: [...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))).length,
      scripts: [...document.scripts].filter((script) => script.type !== 'application/ld+json' && !/\/(assets\/[a-z-]+\.[0-9a-f]{10}|search\/[a-z]+-\d+\/\d+|(search|compare)\/([0-9a-f]{10}|[a-z]+(-[a-z]+)*(-[0-9a-f]{10})?))\.js$/.test(script.src)).length,
      links: [...document.links].map((link) => link.protocol).filter((protocol) => !['http:', 'https:', 'file:', 'mailto:'].includes(protocol)),
      wide: document.documentElement.scrollWidth,
      sticksOut: document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.scroll'))
        .map((element) => element.outerHTML.slice(0, 80)).slice(0, 3),
    }));
    const { wide, ...rest } = seen;
    const clean = { pwned: undefined, place: where, base: where, injected: [], handlers: 0, scripts: 0, links: [], sticksOut: [] };
    assert.deepEqual(rest, clean, file);
    assert.ok(wide <= width, `${file}: ${wide} px wide`);
  }
  assert.deepEqual(problems, []);
  await context.close();
}
