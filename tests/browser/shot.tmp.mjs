// node shot.mjs kind scheme width selector|y height [out]
import { fileUrl, launch } from './support/browser.mjs';
import { kinds } from './support/site.mjs';
const [kind, scheme, width, at, height, out] = process.argv.slice(2);
const browser = await launch();
const ctx = await browser.newContext({ colorScheme: scheme, viewport: { width: +width, height: +height }, reducedMotion: 'reduce' });
const page = await ctx.newPage();
const k = kinds().find((k) => k.name.startsWith(kind)) ?? { folder: '/tmp/b-site', page: kind };
await page.goto(fileUrl(k.folder, k.page));
if (/^\d+$/.test(at)) await page.evaluate((y) => scrollTo(0, y), +at); else await page.evaluate((s) => document.querySelector(s).scrollIntoView(), at);
await page.waitForTimeout(200);
await page.screenshot({ path: out ?? '/tmp/shot.png' });
await browser.close();
