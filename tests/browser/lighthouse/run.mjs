// Lighthouse over one page of every kind that readers land on, served as a static host serves it: compressed, on the
// loopback interface. A figure is the median of PASSES loads (3 unless the environment says otherwise), as Lighthouse
// itself advises, and the load that warms the browser counts for none. Prints the scores of each page with every
// load's performance; ends with 1 when a median is below 100.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { createGzip } from 'node:zlib';
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

import { SITE, cards, runPage } from '../support/site.mjs';

const TYPES = { '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.txt': 'text/plain; charset=utf-8' };
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  let file = path.join(SITE, path.normalize(decodeURIComponent(pathname)));
  if ((await stat(file).catch(() => null))?.isDirectory()) file = path.join(file, 'index.html');
  if (!(await stat(file).catch(() => null))?.isFile()) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream', 'content-encoding': 'gzip', 'cache-control': 'max-age=600' });
  createReadStream(file).pipe(createGzip()).pipe(response);
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const root = `http://127.0.0.1:${server.address().port}/`;

const run = cards().find((card) => card.events === 400) ?? cards()[0];
const [one, two] = cards().filter((card) => card.subject.testCaseSlug === run.subject.testCaseSlug);
const pages = {
  home: '',
  runs: 'runs/',
  case: `cases/${run.subject.testCaseSlug}/`,
  [`run of ${run.events} events`]: path.dirname(runPage(run)) + '/',
  compare: `compare/?runs=${one.slug},${two.slug}`,
  annotations: 'annotations/',
  overview: 'overview/',
  prose: 'guide/',
};

const chrome = await launch({
  chromePath: process.env.CHROME_PATH || '/usr/bin/chromium',
  chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const PASSES = Number(process.env.PASSES ?? 3);
const audit = async (address) => (await lighthouse(root + address, { port: chrome.port, logLevel: 'error' })).lhr;
const performance = (lhr) => lhr.categories.performance.score;
await audit('404.html');
let worst = 100;
for (const [name, address] of Object.entries(pages)) {
  const loads = [];
  while (loads.length < PASSES) loads.push(await audit(address));
  loads.sort((a, b) => performance(a) - performance(b));
  const lhr = loads[Math.floor(PASSES / 2)];
  const scores = Object.values(lhr.categories).map((category) => [category.title, Math.round(category.score * 100)]);
  const each = loads.map((load) => Math.round(performance(load) * 100)).join(' ');
  console.log(`${name.padEnd(20)} ${scores.map(([title, score]) => `${title} ${score}`).join(', ')} (performance of each load: ${each})`);
  for (const [, score] of scores) worst = Math.min(worst, score);
  for (const category of Object.values(lhr.categories)) {
    for (const { id, weight } of category.auditRefs) {
      const { score, title, displayValue } = lhr.audits[id];
      if (weight > 0 && score !== null && score < 0.9) console.log(`  ${category.title}: ${title} ${displayValue ?? ''}`);
    }
  }
}
await chrome.kill();
server.close();
process.exitCode = worst < 100 ? 1 : 0;
