// Long sessions, made up from the kinds of rows of the samples: 40 turns, 400 calls, results of 200 KB, and a compaction; the one of
// Claude Code has three subagents.
const SESSION = '7d9f0c52-0000-4000-8000-0000000010e5';
const THREAD = '019c8a4d-8f45-7010-8b5d-7fad920aa6f9';
const TURNS = 40;
const CALLS = 9;
/** Calls of each subagent, by the turn that starts it. */
const SUBAGENTS = new Map([[5, 14], [15, 13], [25, 13]]);
const MODEL = 'sample-heron-2';
const MODULES = ['parser', 'lexer', 'printer', 'scanner', 'reader', 'writer', 'cache', 'router'];
const TASK = 'Made up as a sample: move the notes app from callbacks to promises, one module at a time, and keep all tests green.';

const clock = (second) => new Date(Date.UTC(2026, 2, 1, 9) + second * 1000).toISOString();
const module = (turn) => MODULES[turn % MODULES.length];
const prompt = (turn) => (turn ? `Now \`src/${module(turn)}.ts\`.\n\n- keep its exports\n- run the tests before you go on` : TASK);
const answer = (turn) => `## ${module(turn)} is done\n\nIts callbacks are **promises** now:\n\n| file | change |\n|---|---|\n| \`src/${module(turn)}.ts\` | 12 callbacks |\n| \`test/${module(turn)}.test.ts\` | 3 tests |\n\n\`\`\`ts\nexport const load = async (path: string) => parse(await read(path));\n\`\`\``;
/** Some 200 KB of lines, as a verbose test run prints. */
const lines = (turn) => Array.from({ length: 2_700 }, (_, n) => `  ok ${n + 1} - ${module(turn)} keeps note ${n} of ${turn}, and its title, its tags, its date`).join('\n');

/** The calls of a turn: name, arguments of Claude Code, arguments of Codex, result, and whether it failed. */
function call(turn, n) {
  const file = `src/${module(turn + n)}.ts`;
  const fails = turn % 13 === 7;
  switch (n % CALLS) {
    case 0: return { name: 'TodoWrite', input: { todos: [{ content: `Convert ${module(turn)}`, status: 'in_progress', activeForm: `Converting ${module(turn)}` }] }, result: 'Todos have been modified successfully.' };
    case 5: return { name: 'Grep', input: { pattern: 'callback\\(', path: 'src' }, result: `${file}:12:  callback(null, note)\n${file}:40:  callback(error)` };
    case 6: return { name: 'Edit', input: { file_path: `/workspace/notes/${file}`, old_string: 'callback(null, note);', new_string: 'return note;' }, result: `The file ${file} has been updated.` };
    case 7: return { name: 'mcp__notes__reindex', input: {}, result: JSON.stringify({ status: 'ok', changed: turn, files: [file] }) };
    case 8: return { name: 'Bash', input: { command: `npm test -- ${module(turn)}`, description: 'Run the tests' }, result: fails ? `Exit code 1\nnot ok 3 - ${module(turn)} rejects a broken note\n  expected "rejected", got "resolved"` : turn % 10 === 9 ? lines(turn) : `# pass ${30 + turn}\n# fail 0`, fails };
    default: return { name: 'Read', input: { file_path: `/workspace/notes/${file}` }, result: `1\timport { read } from './io';\n2\t\n3\texport function load(path, callback) {\n4\t  read(path, callback);\n5\t}` };
  }
}

const jsonl = (rows) => rows.map((row) => JSON.stringify(row)).join('\n') + '\n';

/** The files of a session of Claude Code, path to text. */
export function claudeCode() {
  let second = 0;
  const files = {};
  const writer = (agent) => {
    const rows = [];
    let last = null;
    const add = (type, fields) => {
      const uuid = `${agent || 'main'}-${rows.length}`;
      second += 3;
      rows.push({ type, uuid, parentUuid: last, isSidechain: !!agent, userType: 'external', cwd: '/workspace/notes', sessionId: SESSION, version: '2.1.241', gitBranch: 'main', timestamp: clock(second), ...(agent && { agentId: agent }), ...fields });
      last = uuid;
    };
    return {
      rows,
      user: (content) => add('user', { message: { role: 'user', content } }),
      assistant: (content, stop) => add('assistant', { message: { id: `msg_${agent}${rows.length}`, type: 'message', role: 'assistant', model: MODEL, content: [].concat(content), stop_reason: stop, stop_sequence: null, usage: { input_tokens: 4, cache_creation_input_tokens: 310, cache_read_input_tokens: 22_000 + rows.length * 40, output_tokens: 90 } } }),
      compact() {
        second += 40;
        rows.push({ type: 'system', subtype: 'compact_boundary', timestamp: clock(second), parentUuid: null, logicalParentUuid: last, isSidechain: false, userType: 'external', cwd: '/workspace/notes', sessionId: SESSION, version: '2.1.241', uuid: 'compact', content: 'Conversation compacted', level: 'info', compactMetadata: { trigger: 'auto', preTokens: 155_000 } });
        last = 'compact';
      },
    };
  };
  const calls = (to, made) => {
    to.assistant(made.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })), 'tool_use');
    for (const { id, result, fails } of made) to.user([{ type: 'tool_result', tool_use_id: id, content: result, is_error: !!fails }]);
  };
  const main = writer('');
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (turn === 30) main.compact();
    main.user(prompt(turn));
    main.assistant({ type: 'thinking', thinking: `First the tests of ${module(turn)}, then its callers.`, signature: 'bWFkZSB1cA==' }, 'end_turn');
    for (let n = 0; n < CALLS; n += 1) {
      const id = `toolu_${turn}_${n}`;
      if (n === 0 && SUBAGENTS.has(turn)) {
        const agent = `helper${turn}`;
        const task = `Find every caller of ${module(turn)} and report them.`;
        main.assistant({ type: 'tool_use', id, name: 'Agent', input: { description: `Callers of ${module(turn)}`, subagent_type: 'Explore', prompt: task } }, 'tool_use');
        const below = writer(agent);
        below.user(task);
        for (let inner = 0; inner < SUBAGENTS.get(turn); inner += 1) calls(below, [{ id: `${id}_${inner}`, ...call(turn, 1 + inner % 5) }]);
        const report = `**${module(turn)}** has 7 callers, all in \`src/\`.`;
        below.assistant({ type: 'text', text: report }, 'end_turn');
        const folder = `${SESSION}/subagents/agent-${agent}`;
        files[`${folder}.jsonl`] = jsonl(below.rows);
        files[`${folder}.meta.json`] = JSON.stringify({ agentType: 'Explore', description: `Callers of ${module(turn)}`, toolUseId: id });
        main.user([{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: report }] }]);
      } else if (n === 1 && turn % 2) {
        // Four reads at once.
        calls(main, [1, 2, 3, 4].map((at) => ({ id: `toolu_${turn}_${at}`, ...call(turn, at) })));
        n = 4;
      } else {
        calls(main, [{ id, ...call(turn, n) }]);
      }
    }
    main.assistant({ type: 'text', text: answer(turn) }, 'end_turn');
    second += turn === 20 ? 1_800 : 25;
  }
  files[`${SESSION}.jsonl`] = jsonl(main.rows);
  return files;
}

/** The files of a thread of Codex, path to text. */
export function codex() {
  let second = 0;
  const rows = [];
  const add = (type, payload) => {
    second += 3;
    rows.push({ timestamp: clock(second), type, payload });
  };
  const item = (payload) => add('response_item', payload);
  const message = (role, text) => item({ type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] });
  add('session_meta', { id: THREAD, timestamp: clock(0), cwd: '/workspace/notes', originator: 'codex_cli_rs', cli_version: '0.99.0', source: 'cli', model_provider: 'sample' });
  for (let turn = 0; turn < TURNS; turn += 1) {
    add('turn_context', { cwd: '/workspace/notes', model: MODEL, approval_policy: 'never', sandbox_policy: { type: 'read-only' } });
    if (turn === 30) add('compacted', { message: '' });
    message('user', prompt(turn));
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: `First the tests of ${module(turn)}.` }] });
    for (let n = 0; n < CALLS + 1; n += 1) {
      const id = `call_${turn}_${n}`;
      const { name, input, result, fails } = call(turn, n % CALLS);
      if (name === 'Edit') {
        item({ type: 'custom_tool_call', name: 'apply_patch', call_id: id, input: `*** Begin Patch\n*** Update File: src/${module(turn)}.ts\n-${input.old_string}\n+${input.new_string}\n*** End Patch` });
        item({ type: 'custom_tool_call_output', call_id: id, output: 'Done!' });
        continue;
      }
      const command = { Read: `cat ${input.file_path}`, Grep: `rg '${input.pattern}' src`, Bash: input.command }[name];
      item({ type: 'function_call', name: command ? 'exec_command' : 'update_plan', call_id: id, arguments: JSON.stringify(command ? { cmd: command } : {}) });
      item({ type: 'function_call_output', call_id: id, output: command ? `Wall time: 0.1 seconds\nProcess exited with code ${fails ? 1 : 0}\nOutput:\n${result}` : 'Plan updated' });
    }
    message('assistant', answer(turn));
  }
  return { [`sessions/2026/03/01/rollout-2026-03-01T09-00-00-${THREAD}.jsonl`]: jsonl(rows) };
}
