// A site whose every field holds markup, scripts, links and words without an end: nothing of it may run,
// load or push the page out of shape.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { fileUrl, launch, unfold, watch } from './support/browser.mjs';
import { VIEWS, inert } from './support/inert.mjs';
import { ALL, TEXTS as PAYLOADS } from './support/payloads.mjs';
import { BINARY, cards, html, pages, runPage, site } from './support/site.mjs';

const lines = (values) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;
const hex = (index) => index.toString(16).repeat(4);

const SCHEMA = JSON.parse(execFileSync(BINARY, ['schema', 'run-record'], { encoding: 'utf-8' }));
const FALSE = ['loaded', 'succeeded', 'reached', 'pass', 'preconditionUnmet'];

/** A value for a part of the schema, with `t` in every field that may hold it: a new field needs no line here. */
function fill(part, t, key) {
  if (part.$ref) return fill(SCHEMA.$defs[part.$ref.split('/').at(-1)], t, key);
  if (part.anyOf) return fill(part.anyOf[0], t, key);
  const known = Object.entries(part.properties ?? {}).filter(([, value]) => !value.not);
  if (known.length) return Object.fromEntries(known.map(([name, value]) => [name, fill(value, t, name)]));
  if (part.items) return [fill(part.items, t, key)];
  switch ([part.type].flat()[0]) {
    case 'object': return { [t]: part.additionalProperties ? 3 : t };
    case 'boolean': return !FALSE.includes(key);
    case 'number': case 'integer': return 1;
    default: return part.examples?.[0] ?? t;
  }
}

function run(t, index) {
  const at = `2026-03-1${index}T10:0`;
  return {
    ...fill(SCHEMA, t), id: `${hex(index)}${hex(index + 1)}-${t}`, startedAt: `${at}0:00Z`, finishedAt: `${at}9:00Z`, publishedAt: null,
    links: { sourceRepo: 'https://example.org/%22%3E', playableBuild: "https://builds.example.org/?a='b'&c" },
    toolchain: { typecheck: { ran: true, succeeded: false, output: t } },
    [t]: { unknown: t },
  };
}

function events(t) {
  const all = [
    ['agent', { message: t }], ['reasoning', { message: t }],
    ['command', { command: t, workingDirectory: t, exitCode: 1, isSuccess: false, output: t }],
    ['read', { path: t }], ['write', { path: t }], ['search', { query: t, path: t }], ['list', { path: t }],
    ['skill', { path: t, skillName: t }], ['orchestration', { action: t, subagentId: t, subagentName: t }],
    ['error', { message: t, code: t }], ['warning', { message: t, code: t }],
    ['system', { stage: t, status: t, message: t }], ['usage', { tokens: { [t]: t }, cost: t }],
    ['gg', { event: { [t]: t } }], ['unknown', { raw: t }], ['unknown', { raw: { [t]: [t] } }], [t, { message: t }],
  ];
  return lines(all.map(([type, fields], n) => ({ timestamp: `2026-03-01T10:00:${10 + n}Z`, sessionId: t, type, ...fields })))
    + t.replaceAll(/[\r\n]/g, ' ') + '\n';
}

function sidecar(t) {
  const kindsOf = ['correct', 'incorrect', 'alternative', 'note', 'marker', 'mute', 'hypothesis', 'friction', 'crystallize_here', t];
  return lines([
    { type: 'header', schema_version: 1, tape_path: t, harn_version: t },
    ...kindsOf.map((kind, n) => ({
      type: 'annotation', id: `${t}${n}`, event_id: n, kind, evidence: t,
      suggested_fix: n % 2 ? { [t]: t } : `--- a\n+++ b\n-${t}\n+${t}\n`,
      author: { id: t, kind: 'human', surface: t }, timestamp: t, span: { start_event_id: n, end_event_id: n + 2 },
      links: [{ label: t, url: "https://example.org/?a='b'&c" }, { reference: t }, { label: t, reference: t }],
      metadata: { [t]: t },
      ...(kind === 'hypothesis' && { hypothesis_status: 'active' }),
      ...(kind === 'friction' && { friction_kind: 'tool_gap' }),
    })),
  ]);
}

const tape = (t) => lines([
  { type: 'header', version: 1, harn_version: t, script_path: t, argv: [t, t] },
  ...[
    { kind: 'file_read', path: t, content_hash: t, len_bytes: 1 }, { kind: 'file_write', path: t, content_hash: t, len_bytes: 1 },
    { kind: 'file_delete', path: t }, { kind: 'clock_sleep', duration_ms: 1 },
    { kind: t }, { kind: 'clock_sleep', duration_ms: 1 },
  ].map((kind, seq) => ({ type: 'record', seq, virtual_time_ms: 0, monotonic_ms: seq, kind })),
]);

const transcript = (t) => JSON.stringify({
  _type: 'transcript', version: 2, id: t, state: t,
  messages: [
    { role: t, content: t },
    { role: 'assistant', content: [{ type: 'text', text: t, visibility: 'public' }, { type: t, text: t, visibility: 'public' }, { type: 'tool_call', name: t, arguments: { [t]: t }, visibility: 'public' }] },
  ],
  events: [{ kind: t, text: t, visibility: 'public', role: t }],
});
const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
const threads = (t) => JSON.stringify({
  annotations: [{ id: t, turnId: t, resource: 'file:///workspace/src/x.ts', range, resolved: false, entries: [{ id: t, text: t }, { id: `${t}2`, text: { markdown: t } }] },
    { id: `${t}b`, turnId: t, resource: t, resolved: true, entries: [{ id: t, text: t }] }],
});

const trace = (t) => lines([
  {
    type: 'trace', schemaVersion: 1, importer: { format: t, version: 1 }, sources: [{ name: t, bytes: 1, blake3: t }],
    agents: [{ id: t, name: t, call: t, model: t }], withheld: { [t]: 1 },
  },
  ...[
    { type: 'message', role: 'user', text: t, model: t }, { type: 'message', role: 'assistant', text: t, phase: 'final' },
    { type: 'reasoning', text: t }, { type: 'tool_call', name: t, call: t, arguments: { [t]: t }, status: t },
    { type: 'tool_result', call: t, ok: false, exitCode: 1, text: t, status: t }, { type: 'tool_call', name: t, argumentsText: t },
    { type: 'edit', path: t, change: 'rename', to: t, diff: `@@ -1 +1 @@\n-${t}\n+${t}`, call: t },
    { type: 'subagent', action: 'started', id: t, name: t, call: t }, { type: 'compaction', trigger: t },
    { type: 'score', name: t, value: { [t]: t }, scorer: t }, { type: 'error', message: t, code: t },
    { type: 'usage', tokens: { output: 1 }, model: t, calls: [t] }, { type: 'note', kind: t, text: t }, { type: 'unknown', kind: t },
    { type: t, text: t },
  ].map((event, seq) => ({ seq, ...event, localTime: t, branch: t, source: { file: 0, member: t, line: 1, pointer: t, id: t } })),
]);

const toml = (text) => JSON.stringify(text).replaceAll('\u007f', '\\u007F');

function hostile() {
  const first = PAYLOADS.join(' ');
  const front = `+++\ntitle = ${toml(first)}\ndescription = ${toml(first)}\n+++\n\n${PAYLOADS.join('\n\n')}\n`;
  const files = {
    'site.toml': `[site]\ntitle = ${toml(first)}\ndescription = ${toml(first)}\nauthor = ${toml(first)}\nnotice = ${toml(first)}\n`
      + `[policy]\nlicence = ${toml(first)}\nembed_hosts = ["builds.example.org"]\n[timeline]\npage_size = 7\n`,
    'content/pages/index.md': front,
    'content/pages/about.md': front,
    'content/runs/broken <img src=x onerror=alert(1)>/run-record.json': JSON.stringify({ ...run(PAYLOADS[0], 9), finishedAt: PAYLOADS[0] }),
  };
  PAYLOADS.forEach((t, index) => {
    const folder = `content/runs/${index} "><img src=x onerror=alert(1)>`;
    const one = t.replaceAll(/[\n\r:]/g, ' ');
    files[`${folder}/run-record.json`] = JSON.stringify(run(t, index));
    files[`${folder}/events.jsonl`] = events(t);
    files[`${folder}/events.jsonl.annotations.jsonl`] = sidecar(t);
    files[`${folder}/x'><b>.tape`] = tape(t);
    files[`${folder}/y'><b>.trace.jsonl`] = trace(t);
    files[`${folder}/transcript.json`] = transcript(t);
    files[`${folder}/annotations.json`] = threads(t);
    files[`${folder}/implementation/src/x.ts`] = `${t}\n${t}\n`;
    files[`${folder}/raw.jsonl`] = lines([{ stream: 'stdout', line: t }]);
    files[`${folder}/writeup.md`] = `---\nrating.${one}: great\nreview.${one}: pass ${one}\n---\n\n${t}\n`;
  });
  return site(files, '--keep-going');
}

let browser;
let folder;
before(async () => { browser = await launch(); folder = hostile(); });
after(() => browser?.close());

test('the hostile site has all its runs, and the broken one is quarantined', () => {
  assert.ok(ALL.length >= 60, `${ALL.length} payloads`);
  assert.equal(cards(folder).length, PAYLOADS.length);
  assert.equal(pages(folder).filter((page) => html(page, folder).includes('quarantined')).length >= 2, true);
});

for (const [width, scripts] of VIEWS) {
  test(`nothing of it runs, loads or widens the page: ${width} px, scripts ${scripts ? 'on' : 'off'}`, () => inert(browser, folder, width, scripts));
}

test('search, facets, tables and the comparison treat it as text, too', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const problems = await watch(context, `${pathToFileURL(folder).href}/`);
  const page = await context.newPage();
  const safe = async (what) => {
    await page.waitForTimeout(300);
    const look = () => page.evaluate(() => ({
      pwned: window.__pwned,
      injected: [...document.querySelectorAll('iframe, form, base, object, embed, img, style, meta[http-equiv=refresh]')].map((element) => element.outerHTML.slice(0, 120)),
      handlers: [...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))).length,
      links: [...document.links].map((link) => link.protocol).filter((protocol) => !['http:', 'https:', 'file:', 'mailto:'].includes(protocol)),
      hidden: [...document.querySelectorAll('*')].flatMap((element) => [
        ...element.getAttributeNames().map((name) => element.getAttribute(name)),
        ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data),
      ]).filter((text) => /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\u{e0000}-\u{e0fff}]/u.test(text)),
    }));
    // A key may lead to another page while this one is read.
    const seen = await look().catch(async () => {
      await page.waitForLoadState();
      return look();
    });
    assert.deepEqual(seen, { pwned: undefined, injected: [], handlers: 0, links: [], hidden: [] }, what);
  };
  await page.goto(fileUrl(folder, 'index.html'));
  await page.keyboard.press('Control+k');
  for (const words of ['script', 'onerror pwned', '"><img src=x onerror=window.__pwned=1>']) {
    await page.keyboard.press('Control+a');
    await page.keyboard.type(words);
    await safe(`search: ${words}`);
  }
  await page.goto(fileUrl(folder, 'runs/index.html'));
  for (const summary of await page.locator('main summary').all()) await summary.click({ force: true });
  await page.locator('main input[type=search]').first().fill('script');
  await safe('facets');
  for (const group of [cards(folder).slice(0, 4), cards(folder).slice(4, 8)]) {
    await page.goto(`${fileUrl(folder, 'compare/index.html')}?runs=${group.map(({ slug }) => slug).join(',')}`);
    await page.waitForFunction(() => document.querySelectorAll('main table').length > 1);
    await safe('compare');
  }
  await page.goto(`${fileUrl(folder, runPage(cards(folder)[0]))}?find=%3Cimg&kind=%22%3E%3Cscript%3E`);
  await safe('the filter of a timeline');
  for (const key of ['j', 'm', 'm', '?']) await page.keyboard.press(key);
  await safe('the keys');
  assert.deepEqual(problems, []);
  await context.close();
});

test('what was recorded can still be read as it was written', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const card = cards(folder).find(({ id }) => id.includes(`<script>`));
  await page.goto(fileUrl(folder, runPage(card)));
  await unfold(page);
  const text = await page.locator('main').innerText();
  assert.ok(text.includes(ALL[0]));
  await context.close();
});

test('a frame for a build from a hostile record is still sandboxed', async () => {
  const context = await browser.newContext();
  await context.route(/^https:/, (route) => route.fulfill({ contentType: 'text/html', body: `<script>try { parent.__pwned = 1 } catch {} try { top.location = 'https://evil.example/' } catch {}</script>` }));
  const page = await context.newPage();
  const where = fileUrl(folder, runPage(cards(folder)[0]));
  await page.goto(where);
  await page.getByRole('button', { name: 'Load the build here' }).click();
  await page.waitForTimeout(300);
  assert.equal(await page.locator('iframe').getAttribute('sandbox'), 'allow-scripts allow-pointer-lock');
  assert.equal(await page.evaluate(() => window.__pwned), undefined);
  assert.equal(page.url(), where);
  await context.close();
});
