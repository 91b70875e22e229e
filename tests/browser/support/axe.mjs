// Runs axe on a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on a page: each rule with the elements that violate it. */
export async function violations(page, options = {}) {
  await page.evaluate(axe);
  const result = await page.evaluate((more) => window.axe.run(document, { resultTypes: ['violations'], ...more }), options);
  return result.violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`));
}
