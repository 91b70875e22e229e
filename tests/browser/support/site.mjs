// The sites under test as files: which page stands for which kind, and how further sites are built.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The demo site, built by the caller. */
export const SITE = path.resolve(required('RUNPRESS_SITE', 'the folder of the built demo site'));
export const BINARY = path.resolve(required('RUNPRESS_BIN', 'the runpress binary'));
if (!existsSync(path.join(SITE, 'index.html'))) throw new Error(`RUNPRESS_SITE holds no site: ${SITE}`);
if (!existsSync(BINARY)) throw new Error(`RUNPRESS_BIN does not exist: ${BINARY}`);

/** The root of the repository: where the demo's site.toml stands. */
export const REPOSITORY = path.resolve(import.meta.dirname, '../../..');

function required(name, what) {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} to ${what}; see README.md beside the tests.`);
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

/** Builds the site whose site.toml stands in `root`; answers the folder of the built site. */
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

let made;

/** One page of every kind: its name, the folder of its site, its path there. */
export function kinds() {
  made ??= make();
  return made;
}

function make() {
  const find = (name, matches, folder = SITE) => {
    const page = pages(folder).find(matches);
    if (!page) throw new Error(`No page of the kind: ${name}`);
    return { name, folder, page };
  };
  const under = (prefix) => (page) => page.startsWith(prefix) && page !== `${prefix}index.html`;
  const isRun = (page) => /^runs\/(?!page\/)[^/]+\/index\.html$/.test(page);
  const broken = record({ id: '9e1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b22', finishedAt: '2025-01-01T00:00:00Z' });
  const sparse = site({
    'site.toml': '',
    'content/runs/plain/run-record.json': JSON.stringify(record()),
    'content/runs/broken/run-record.json': JSON.stringify(broken),
  }, '--keep-going');
  const empty = site({ 'site.toml': '' });
  const corrected = record({ id: '5b1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b44' });
  const before = site({
    'site.toml': '',
    'content/runs/plain/run-record.json': JSON.stringify(record()),
    'content/runs/gone/run-record.json': JSON.stringify(record({ id: broken.id })),
    'content/runs/corrected/run-record.json': JSON.stringify(corrected),
  });
  const changed = site({
    'site.toml': '',
    'content/withdrawn.toml': `[[run]]\nid = "${broken.id}"\nreason = "It was started twice."\n`,
    'content/runs/plain/run-record.json': JSON.stringify(record({ validation: { loaded: true } })),
    'content/runs/corrected/run-record.json': JSON.stringify({ ...corrected, subject: { ...corrected.subject, modelId: 'sample/wren-2' } }),
    'content/runs/new/run-record.json': JSON.stringify(record({ id: '0a1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b33' })),
  }, '--previous', before);
  return [
    { name: 'home', folder: SITE, page: 'index.html' },
    { name: 'runs', folder: SITE, page: 'runs/index.html' },
    { name: 'run with everything', folder: SITE, page: runPage(richest()) },
    find('run without tape or review', (page) => isRun(page) && !html(page, sparse).includes('quarantined'), sparse),
    { name: 'run of 3,000 events', folder: SITE, page: runPage(longest()) },
    { name: 'further page of events', folder: SITE, page: `runs/${longest().slug}/events/2/index.html` },
    { name: 'story', folder: SITE, page: `runs/${richest().slug}/story/index.html` },
    find('run with a Harn tape', (page) => isRun(page) && html(page).includes('<dd>Harn tape')),
    find('run with debug scripts', (page) => isRun(page) && html(page).includes('debug-scripts')),
    { name: 'overview', folder: SITE, page: 'overview/index.html' },
    { name: 'overview, empty', folder: empty, page: 'overview/index.html' },
    { name: 'compare', folder: SITE, page: 'compare/index.html' },
    { name: 'compare, empty', folder: empty, page: 'compare/index.html' },
    find('case', under('cases/')),
    find('model', under('models/')),
    find('harness', under('harnesses/')),
    { name: 'cases', folder: SITE, page: 'cases/index.html' },
    { name: 'models', folder: SITE, page: 'models/index.html' },
    { name: 'guide', folder: SITE, page: 'guide/index.html' },
    { name: 'annotations', folder: SITE, page: 'annotations/index.html' },
    { name: 'friction', folder: SITE, page: 'annotations/friction/index.html' },
    { name: 'hypotheses', folder: SITE, page: 'annotations/hypothesis/index.html' },
    { name: 'feeds', folder: SITE, page: 'feeds/index.html' },
    { name: 'annotations, empty', folder: empty, page: 'annotations/index.html' },
    { name: 'review threads', folder: SITE, page: 'threads/index.html' },
    { name: 'review threads, empty', folder: empty, page: 'threads/index.html' },
    { name: 'problems, none', folder: SITE, page: 'problems/index.html' },
    { name: 'problems, some', folder: sparse, page: 'problems/index.html' },
    find('quarantined run', (page) => isRun(page) && html(page, sparse).includes('quarantined'), sparse),
    { name: 'changes', folder: changed, page: 'changes/index.html' },
    find('moved run', (page) => isRun(page) && html(page, changed).includes('has moved'), changed),
    find('withdrawn run', (page) => isRun(page) && html(page, changed).includes('was withdrawn'), changed),
    find('prose', (page) => /^(?!annotations|cases|changes|harnesses|models|feeds|compare|overview|runs|problems|threads)[^/]+\/index\.html$/.test(page) && html(page).includes('class=scroll'), SITE),
    { name: 'not found', folder: SITE, page: '404.html' },
    { name: 'home, empty', folder: empty, page: 'index.html' },
    { name: 'runs, empty', folder: empty, page: 'runs/index.html' },
  ];
}
