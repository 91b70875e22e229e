// Opens kinds of pages in windows of their own size and theme.
import { address } from './browser.mjs';
import { kinds } from './kinds.mjs';

/** An empty page. The policy of the site is lifted where a test has to put its own script in. */
async function blank(browser, { bypassCSP = false, width = 1280, height = 900, scheme = 'light' } = {}) {
  const context = await browser.newContext({ bypassCSP, colorScheme: scheme, reducedMotion: 'reduce', viewport: { width, height } });
  return { page: await context.newPage(), close: () => context.close() };
}

/** A kind of page in a window of its own. */
export async function open(browser, kind, options) {
  const { page, close } = await blank(browser, options);
  await page.goto(await address(kind));
  return { page, close };
}

/** Looks at one page of every kind, one after the other in one window: opening a window costs more than most pages. */
export async function eachKind(browser, options, look) {
  const { page, close } = await blank(browser, options);
  const size = page.viewportSize();
  for (const kind of kinds()) {
    await page.setViewportSize(size);
    await page.goto(await address(kind));
    await look(page, kind);
  }
  await close();
}

/** What sticks out of the window to the right, except what scrolls in a region of its own. */
export const overflow = (page) => page.evaluate(() => {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > most + 1 && !element.closest('.scroll'))
    .slice(0, 5)
    .map((element) => element.outerHTML.slice(0, 160));
});
