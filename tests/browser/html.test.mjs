// The Nu HTML checker on one page of every kind, over a loopback server, so that 'self' of the policy means
// something to it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { kinds } from './support/kinds.mjs';
import { serve } from './support/server.mjs';

test('the Nu HTML checker has nothing to say about any kind of page', async () => {
  const jar = createRequire(import.meta.url)('vnu-jar');
  const servers = new Map();
  const names = new Map();
  for (const { name, folder, page } of kinds()) {
    if (!servers.has(folder)) servers.set(folder, await serve(folder));
    names.set(servers.get(folder).url + page, name);
  }
  const flags = ['-Dnu.validator.servlet.allow-forbidden-hosts=true', '-jar', jar, '--exit-zero-always', '--format', 'json'];
  const { stderr } = await promisify(execFile)('java', [...flags, ...names.keys()], { maxBuffer: 1 << 28 });
  for (const server of servers.values()) await server.close();
  const { messages } = JSON.parse(stderr);
  const reported = messages.map(({ type, subType, url, lastLine, message, extract }) => (
    `${names.get(url) ?? url}, line ${lastLine}: ${subType ?? type}: ${message} (${extract?.trim().slice(0, 120)})`));
  assert.deepEqual([...new Set(reported)].slice(0, 40), []);
});
