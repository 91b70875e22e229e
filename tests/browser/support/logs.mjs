// Logs of other systems whose every text is hostile: the samples of the repository, with a payload behind each of their texts.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { TEXTS } from './payloads.mjs';
import { REPOSITORY } from './site.mjs';

const SAMPLES = path.join(REPOSITORY, 'tests/fixtures/import');
/** A sample of each format, a file or a folder. */
export const LOGS = {
  atif: 'atif/letta-tool-calls/input.json',
  'claude-code': 'claude-code/ccl-showcase',
  codex: 'codex/localpush/sessions',
  harbor: 'harbor',
  inspect: 'inspect/log_read_sample.json',
  'mini-swe-agent': 'mini-swe-agent/made-toolcall.traj.json',
  openhands: 'openhands/v0-basic.json',
  'swe-agent': 'swe-agent/function_calling_simple.traj',
};
// What a row is, and when: with other words it would be passed over.
const KEPT = new Set([
  'type', 'role', 'kind', 'source', 'action', 'observation', 'event', 'timestamp', 'started_at', 'finished_at', 'created', 'completed',
  'schema_version', 'trajectory_format', 'subtype', 'operation', 'message_type', 'phase', 'eval_id', 'value',
]);

const payload = (text) => TEXTS[[...text].reduce((sum, char) => sum + char.codePointAt(0), 0) % TEXTS.length];

/** The same texts become the same, so that ids still belong together. */
function hostile(value, key) {
  if (Array.isArray(value)) return value.map((item) => hostile(item, key));
  if (value && typeof value === 'object') {
    const members = Object.entries(value).map(([name, member]) => [name, hostile(member, name)]);
    const isOpen = ['arguments', 'input', 'args', 'metadata', 'scores', 'extra', 'payload'].includes(key);
    return { ...Object.fromEntries(members), ...(isOpen && { [TEXTS[0]]: TEXTS[1] }) };
  }
  if (typeof value !== 'string' || KEPT.has(key)) return value;
  try {
    const inner = JSON.parse(value);
    if (inner && typeof inner === 'object') return JSON.stringify(hostile(inner, key));
  } catch { /* It is no JSON. */ }
  return `${value} ${payload(value)}`;
}

function text(file) {
  const whole = readFileSync(file, 'utf8');
  try {
    return JSON.stringify(hostile(JSON.parse(whole)));
  } catch { /* It has several lines of JSON, or is none. */ }
  const line = (row) => {
    try {
      return JSON.stringify(hostile(JSON.parse(row)));
    } catch {
      return row;
    }
  };
  return whole.split('\n').map(line).join('\n');
}

/** The files of a hostile log, path to text. */
export function log(format) {
  const start = path.join(SAMPLES, LOGS[format]);
  if (!statSync(start).isDirectory()) return { [path.basename(start)]: text(start) };
  const below = readdirSync(start, { recursive: true }).filter((file) => /\.jsonl?$/.test(file));
  return Object.fromEntries(below.sort().map((file) => [file, text(path.join(start, file))]));
}
