// One page of every kind, and of every kind of content that a run may have.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { BINARY, REPOSITORY, SITE, build, files, html, longest, pages, record, richest, runPage, site } from './site.mjs';

const FIXTURES = path.join(REPOSITORY, 'tests/fixtures');
const PROSE = new Set(readdirSync(path.join(REPOSITORY, 'content/pages')).map((file) => `${path.basename(file, '.md')}/index.html`));
const lines = (values) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;

/** A log whose clock goes back twice, with a command that fails. */
const BACKWARDS = lines([0, 40, 12, 90, 30].map((second, index) => ({
  timestamp: `2026-03-01T10:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}Z`, sessionId: 's', type: 'command',
  command: `step ${index}`, exitCode: index % 2, isSuccess: index % 2 === 0,
})));

/** A site of the samples of every format that is imported, and of the cases that readers once read wrongly. */
function samples() {
  const transcripts = readdirSync(path.join(FIXTURES, 'cases'), { recursive: true }).filter((file) => path.basename(file) === 'transcript.json').sort();
  const one = (index, over) => JSON.stringify(record({ id: `7a9c2d3${index}-8a60-4d2e-9a51-0c9f6f1f2b11`, ...over }));
  const root = files({
    'site.toml': '[site]\nstories = "annotated"\n[policy]\npublish_implementation = true\n',
    'content/runs/backwards/run-record.json': one(1, { status: { state: 'completed' } }),
    'content/runs/backwards/events.jsonl': BACKWARDS,
    ...Object.fromEntries(transcripts.flatMap((file, index) => {
      const folder = `content/runs/${path.dirname(file)}`;
      return [[`${folder}/run-record.json`, one(index + 2)], [`${folder}/transcript.json`, readFileSync(path.join(FIXTURES, 'cases', file))]];
    })),
  });
  cpSync(path.join(FIXTURES, 'cases/late-layout'), path.join(root, 'content/runs/late-layout'), { recursive: true });
  const formats = readdirSync(path.join(FIXTURES, 'import'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const logs = [...formats.map(({ name }) => [name, `import/${name}`]), ['lower-bound', 'codes/import.lower-bound/logs']];
  for (const [name, folder] of logs) {
    try {
      execFileSync(BINARY, ['import', path.join(FIXTURES, folder), '--root', root, '--case', `samples of ${name}`], { stdio: 'ignore' });
    } catch {
      // Some samples are damaged on purpose: what can be read is imported.
    }
  }
  return build(root, '--keep-going');
}

/** What makes a page look different: the classes of its elements, the sections of a run, and the format that it was imported from. */
function contents(page, folder) {
  const text = html(page, folder);
  const classes = [...text.matchAll(/<[a-z][^<>]*?\sclass=(?:"([^"]*)"|([^\s>"]+))/g)].flatMap(([, several, one]) => (several ?? one).split(' '));
  // Colors of code and of terminals, and steps of a scale, have one look.
  const found = new Set(classes.filter((name) => !/^(language-.*|[kq]|t[a-z])$|\d$/.test(name)));
  if (/^runs\/[^/]+\/index\.html$/.test(page)) {
    for (const [, id] of text.matchAll(/<h2 id="?([\w-]+)/g)) found.add(`#${id}`);
    for (const [, format] of text.matchAll(/Made from(?:<\/dt>)?<dd>([\w-]+)/g)) found.add(`imported from ${format}`);
    for (const [mark] of text.matchAll(/≥|run backwards/g)) found.add(mark);
  }
  return found;
}

/** Pages of the demo and of the samples with contents that no page before has, those with the most contents first. */
function further(visited) {
  const seen = new Set(visited.flatMap(({ folder, page }) => [...contents(page, folder)]));
  const kinds = [];
  for (const [where, folder] of [['samples', samples()], ['demo', SITE]]) {
    const all = pages(folder).map((page) => ({ page, found: contents(page, folder) })).sort((a, b) => b.found.size - a.found.size);
    for (const { page, found } of all) {
      const news = [...found].filter((name) => !seen.has(name));
      if (!news.length) continue;
      for (const name of news) seen.add(name);
      kinds.push({ name: `${where}, ${path.dirname(page)} (${news.slice(0, 3).join(' ')})`, folder, page });
    }
  }
  return kinds;
}

let made;

/** One page of every kind: its name, the folder of its site, its path there. */
export function kinds() {
  if (!made) {
    const named = make();
    const isNew = (page) => /^[^/]+\/index\.html$/.test(page) && !PROSE.has(page) && !named.some((kind) => kind.page === page);
    named.push(...pages(SITE).filter(isNew).map((page) => ({ name: path.dirname(page), folder: SITE, page })));
    made = [...named, ...further(named)];
  }
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
    find('prose', (page) => PROSE.has(page) && html(page).includes('class=scroll'), SITE),
    { name: 'not found', folder: SITE, page: '404.html' },
    { name: 'home, empty', folder: empty, page: 'index.html' },
    { name: 'runs, empty', folder: empty, page: 'runs/index.html' },
  ];
}
