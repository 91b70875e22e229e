// How large the site is: its own style sheets and scripts, and its pages.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { SITE, cards, pages, runPage } from './support/site.mjs';

const assets = (extension) => readdirSync(path.join(SITE, 'assets')).filter((name) => name.endsWith(extension));
const size = (file) => statSync(path.join(SITE, file)).size;
const sum = (files) => files.reduce((all, name) => all + size(path.join('assets', name)), 0);

test('all style sheets together take at most 40 KB', () => {
  assert.ok(assets('.css').length > 0);
  assert.ok(sum(assets('.css')) <= 40_960, `${sum(assets('.css'))} bytes`);
});

test('all scripts of the site together take at most 60 KB', () => {
  assert.ok(assets('.js').length > 0);
  assert.ok(sum(assets('.js')) <= 61_440, `${sum(assets('.js'))} bytes`);
});

test('the scripts that read data take at most 8 KB, and no page names them', () => {
  const bytes = size('search/find.js') + size('search/rows.js');
  assert.ok(bytes <= 8_000, `${bytes} bytes`);
  for (const page of pages()) {
    assert.doesNotMatch(readFileSync(path.join(SITE, page), 'utf8'), /<script[^>]*search\/(find|rows)/, page);
  }
});

test('the page of a run of up to 300 events takes at most 45 KB compressed', () => {
  const runs = cards().filter((card) => card.events <= 300);
  assert.ok(runs.some((card) => card.events > 200));
  for (const card of runs) {
    const bytes = gzipSync(readFileSync(path.join(SITE, runPage(card)))).length;
    assert.ok(bytes <= 45_000, `${runPage(card)}: ${bytes} bytes`);
  }
});

test('no page is larger than 1 MB, and no part of the data for scripts larger than 2 MB', () => {
  for (const page of pages()) assert.ok(size(page) <= 1_000_000, `${page}: ${size(page)} bytes`);
  for (const part of readdirSync(path.join(SITE, 'search'))) assert.ok(size(path.join('search', part)) <= 2_000_000, part);
});
