// Launches the browser, and watches pages for everything that must not happen on them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

import { serve } from './server.mjs';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

// The first is the same engine without windows: opening a page costs a quarter of the time.
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const FONTS = path.join(import.meta.dirname, 'fonts');
const isInstalled = (file) => [...readFileSync(path.join(FONTS, file), 'utf8').matchAll(/<dir>(.*)<\/dir>/g)].every(([, folder]) => existsSync(folder));
/** The sets of fonts that this machine has: each is wider or higher than the others, and lacks other characters. */
export const fontSets = () => readdirSync(FONTS).filter(isInstalled).map((file) => path.basename(file, '.conf'));

/** Starts the browser, with all fonts of the machine or with one set of them. */
export const launch = (fonts) => chromium.launch({
  executablePath: process.env.CHROME_PATH || PROGRAMS.find(existsSync),
  args: FLAGS,
  env: fonts ? { ...process.env, FONTCONFIG_FILE: path.join(FONTS, `${fonts}.conf`) } : process.env,
});

/** The address of a page that is opened from disk. */
export const fileUrl = (folder, page) => pathToFileURL(path.join(folder, page)).href;

let atRoot;

/**
 * Where a kind of page is opened: from disk. Only 404.html links from the path of the base URL (the demo has
 * none, so `/`) and needs a server.
 */
export async function address({ name, folder, page }) {
  if (name !== 'not found') return fileUrl(folder, page);
  atRoot ??= await serve(folder, '/');
  return `${atRoot.url}no/such/page/`;
}

/**
 * Notes down console errors, uncaught errors, dialogs, failed requests, and requests to anything but `base`
 * (an address that ends with a slash, or a function that gives it). Requests elsewhere are stopped.
 */
export async function watch(context, base) {
  const problems = [];
  const start = typeof base === 'function' ? base : () => base;
  await context.route((url) => !url.href.startsWith(start()) && url.protocol !== 'data:', (route) => {
    problems.push(`a request to ${route.request().url()}`);
    return route.abort();
  });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  context.on('requestfailed', (request) => {
    // What the next page cut short (an icon, say) has not failed; what the route above stopped is noted there.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()} ${reason}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest()) {
      problems.push(`status ${response.status()}: ${response.url()}`);
    }
  });
  return problems;
}

/** Waits until the page has been drawn: the scripts of the site keep what unfolds within the window by then. */
export const drawn = (page) => page.evaluate(async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
});

/** Opens every fold, as a reader would, so that what is in it is looked at too. Of folds that shut each other, the last stays open. */
export const unfold = async (page) => {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  await drawn(page);
};
