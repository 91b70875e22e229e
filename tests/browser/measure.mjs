// Measures how fluid search and facets are on a large site: `node measure.mjs FOLDER`. A tool, not a test: the
// numbers depend on the machine.
import { fileUrl, launch } from './support/browser.mjs';

const folder = process.argv[2];
const browser = await launch();
const context = await browser.newContext();
const page = await context.newPage();
await page.addInitScript(() => {
  window.tasks = [];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))))
    .observe({ type: 'longtask', buffered: true });
});
const longest = async (name) => {
  await page.waitForTimeout(300);
  const tasks = await page.evaluate(() => window.tasks.splice(0));
  console.log(`${name}: longest task ${Math.max(0, ...tasks)} ms, ${tasks.length} over 50 ms`);
};
const memory = () => page.evaluate(() => Math.round(performance.memory.usedJSHeapSize / 1e6));

await page.goto(fileUrl(folder, 'runs/index.html'));
await longest('page of runs loaded');
const started = Date.now();
await page.keyboard.press('/');
await page.keyboard.type('snake friction', { delay: 120 });
await longest('typing while the index is read');
await page.waitForFunction(() => !/Reading/.test(document.querySelector('.finder .quiet').textContent), undefined, { timeout: 120_000 });
console.log(`index read in ${Date.now() - started} ms, heap ${await memory()} MB`);
await longest('rest of the index');
for (const words of ['st', 'snake', 'collision bounds queue', 'colision', 'opus render failed', 'zzzzqq']) {
  await page.locator('.finder input').fill('');
  await page.keyboard.type(words, { delay: 150 });
  await longest(`typing “${words}”: ${await page.locator('.finder .quiet').textContent()}`);
}
await page.keyboard.press('Escape');
if (await page.locator('.facets').count()) {
  const filter = page.locator('.facets input[type="search"]');
  await filter.focus();
  await filter.pressSequentially('snake opus', { delay: 120 });
  await page.waitForFunction(() => /of 10,000/.test(document.querySelector('.facets [role=status]').textContent));
  await longest(`typing in the filter of runs: ${await page.locator('.facets [role=status]').textContent()}`);
  await filter.fill('');
  await filter.pressSequentially('a completed', { delay: 120 });
  await longest(`typing in the filter of runs: ${await page.locator('.facets [role=status]').textContent()}`);
  for (const summary of await page.locator('.facets summary').all()) {
    await summary.click();
    await page.waitForTimeout(100);
    await page.locator('.facets details[open] li:not([hidden]) input').first().check();
    await page.waitForTimeout(700);
    await longest(`${await summary.textContent()}: ${await page.locator('.facets [role=status]').textContent()}`);
    await summary.click();
    await page.locator('.facets button').filter({ hasText: /^Clear$/ }).click();
    await longest('all runs again');
  }
  console.log(`heap ${await memory()} MB`);
}
await browser.close();
