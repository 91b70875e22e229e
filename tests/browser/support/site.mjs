// The sites under test as files, and how further sites are built.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The demo site, built by the caller. */
export const SITE = path.resolve(required('RUNPRESS_SITE', 'the folder of the built demo site'));
export const BINARY = path.resolve(required('RUNPRESS_BIN', 'the runpress binary'));
if (!existsSync(path.join(SITE, 'index.html'))) throw new Error(`RUNPRESS_SITE holds no site: ${SITE}`);
if (!existsSync(BINARY)) throw new Error(`RUNPRESS_BIN does not exist: ${BINARY}`);

/** The root of the repository: the folder of the demo's site.toml. */
export const REPOSITORY = path.resolve(import.meta.dirname, '../../..');

function required(name, what) {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} to ${what}; see tests/browser/README.md.`);
  return value;
}

const folders = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder that is removed at the end of the process. */
export function temporary() {
  const folder = mkdtempSync(path.join(tmpdir(), 'runpress-browser-'));
  folders.push(folder);
  return folder;
}

/** Builds the site whose site.toml is in `root`; answers the folder of the built site. */
export function build(root, ...options) {
  const out = path.join(temporary(), 'site');
  execFileSync(BINARY, ['build', '--root', root, '--out', out, '-q', ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  return out;
}

/** Writes files (path to text) into a new folder; answers the folder. */
export function files(texts) {
  const root = temporary();
  mkdirSync(path.join(root, 'content'));
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

/** Writes files (path to text) into a new folder and builds it. */
export const site = (texts, ...options) => build(files(texts), ...options);

/** A small run record that keeps every rule; `over` replaces its fields. */
export const record = (over = {}) => ({
  id: '4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11',
  startedAt: '2026-03-01T10:00:00Z',
  finishedAt: '2026-03-01T10:10:12Z',
  subject: {
    testCaseSlug: 'pong', testCaseVersion: 'v1.0.0', variant: 'base',
    harnessSlug: 'codex', harnessVersion: '0.31.0', modelId: 'sample/lark-1',
  },
  tooling: { testCabinetCommit: '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c' },
  environment: { os: 'Debian GNU/Linux 12', containerImage: 'test-cabinet/codex:latest', nodeVersion: 'v22.14.0' },
  metrics: {
    runTimeSeconds: 612.5,
    tokens: { uncachedInput: 18211, cachedInput: null, output: 7021, reasoning: 3300 },
    cost: { comparable: 0.421, actual: null },
  },
  validation: { loaded: false, detail: 'The page stayed empty.', install: null, build: null, checks: [] },
  links: { sourceRepo: null, playableBuild: null },
  status: { state: 'failed', detail: 'The agent gave up.' },
  ...over,
});

/** Paths of all pages of a site, relative to its root. */
export const pages = (folder = SITE) => readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.html')).sort();

export const html = (page, folder = SITE) => readFileSync(path.join(folder, page), 'utf8');

/** The cards of the runs of a site. */
export const cards = (folder = SITE) => JSON.parse(readFileSync(path.join(folder, 'feeds/runs.json'), 'utf8')).runs;

export const runPage = (card) => `runs/${card.slug}/index.html`;

/** The run of the demo with the most kinds of annotations, a review and a playable build. */
export function richest() {
  const whole = cards().filter((card) => card.events <= 500 && card.rating && html(runPage(card)).includes('data-play='));
  const score = (card) => Object.keys(card.annotations.kinds).length * 100 + card.annotations.count;
  return whole.sort((a, b) => score(b) - score(a))[0];
}

/** The run of the demo that goes on on further pages. */
export const longest = () => cards().find((card) => card.events >= 3000);
