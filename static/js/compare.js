// Draws the comparison of the runs that the address names, `?runs=a,b`: each run's `compare.js` is loaded as a
// classic script that calls `runpress.run`. All recorded text becomes text nodes.
(() => {
  'use strict';
  const root = new URL('../', document.currentScript.src).href;
  const place = document.getElementById('compared');
  if (!place) return;
  const MOST = 4;
  const NS = 'http://www.w3.org/2000/svg';
  const ACTIONS = 4;
  const received = new Map();
  const asked = [...new Set((new URLSearchParams(location.search).get('runs') || '').split(/[\s,]+/).filter(Boolean))];

  const make = (name, props, ...children) => {
    const { className, text, ...rest } = props || {};
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    for (const [key, value] of Object.entries(rest)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const link = (href, text, props) => make('a', { href, text, ...props });
  const pageOf = (run) => `${root}runs/${run.slug}/index.html`;
  const here = (slugs) => `${location.pathname}${slugs.length ? `?runs=${slugs.join()}` : ''}`;
  const go = (slugs) => location.assign(here(slugs));
  const counted = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
  const differ = (values) => values.some((value) => value !== values[0]);
  const LETTERS = 'ABCD';
  const letter = (index) => make('b', { className: 'letter', text: LETTERS[index] });
  const unknown = (reason) => make('abbr', { className: 'unknown', title: reason, text: '—' });

  const section = (id, title, ...children) => make('section', { 'aria-labelledby': id }, make('h2', { id, text: title }), ...children);
  const quiet = (text) => make('p', { className: 'quiet', text });
  function table(caption, first, runs, bodies) {
    const heads = runs.map((run, index) => make('th', { scope: 'col' }, letter(index), ' ', link(pageOf(run), run.model)));
    const made = make('table', { className: 'sides' }, make('caption', { className: 'sr', text: caption }),
      make('thead', {}, make('tr', {}, make('th', { scope: 'col', text: first }), ...heads)), ...bodies);
    made.style.minWidth = `${7 + 9 * runs.length}rem`;
    return make('div', { className: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, made);
  }
  // A difference is marked by a sign and a word, not by colour alone.
  function line(name, values, cell, marked = true) {
    const differs = marked && differ(values);
    const head = make('th', { scope: 'row' }, name);
    if (differs) head.append(' ', make('span', { className: 'differs', title: 'differs', text: '≠' }), make('span', { className: 'sr', text: ' differs' }));
    return make('tr', { className: differs ? 'differ' : 'same' }, head, ...values.map((value, index) => make('td', {}, cell(value, index))));
  }

  function measure(text, part) {
    const width = Math.min(part > 0 ? Math.max(part * 100, 0.5) : 0, 100).toFixed(1);
    return make('div', { className: 'measure' }, make('span', { text }),
      draw('svg', { class: 'meter', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, draw('rect', { width, height: 4 })));
  }

  function fields(runs) {
    const bodies = runs[0].groups.map(([title, list], group) => make('tbody', {},
      make('tr', { className: 'group' }, make('th', { scope: 'rowgroup', colspan: runs.length + 1, text: title })),
      ...list.map(([name], at) => line(name, runs.map((run) => run.groups[group][1][at][1]), (text) => (text === null ? unknown('not recorded') : text)))));
    const box = make('input', { type: 'checkbox', checked: '' });
    const shown = table('Fields of the runs', 'Field', runs, bodies);
    shown.classList.add('only');
    box.addEventListener('change', () => shown.classList.toggle('only', box.checked));
    return section('fields', 'Fields', make('p', {}, make('label', {}, box, ' Only what differs')), shown);
  }

  function metrics(runs) {
    const rows = runs[0].metrics.map(([name], at) => {
      const values = runs.map((run) => run.metrics[at]);
      const most = Math.max(...values.map(([, value]) => value || 0));
      return line(name, values.map(([, value]) => value), (value, index) => {
        if (value === null) return unknown('not recorded');
        return measure(values[index][2], most > 0 ? value / most : 0);
      }, false);
    });
    return section('metrics', 'Metrics', quiet('The bars of a row have one scale, from 0 to the largest value of the row. What was not recorded has no bar.'),
      table('Metrics of the runs', 'Metric', runs, [make('tbody', {}, ...rows)]));
  }

  function checks(runs) {
    const views = [...new Map(runs.flatMap((run) => run.checks.map(([view, name]) => [view, name])))];
    if (!views.length) return section('checks', 'Checks', quiet('None of these runs has a visual check.'));
    const rows = views.map(([view, name]) => {
      const found = runs.map((run) => run.checks.find((check) => check[0] === view));
      return line(name, found.map((check) => (check ? check[2] : undefined)), (value, index) => {
        if (!found[index]) return unknown('this run has no such check');
        return value === null ? found[index][3] : measure(found[index][3], value);
      });
    });
    return section('checks', 'Checks', quiet('Similarity of each view to its reference, from 0 to 1: a signal, not a verdict. A view that was not reached is not a failure.'),
      table('Checks of the runs', 'Check', runs, [make('tbody', {}, ...rows)]));
  }

  // The events of a run's first tape, each with the milliseconds since the first.
  function unpack(run) {
    if (!run.tape) return [];
    const { kinds, keys, events, pageSize } = run.tape;
    let at = 0;
    return events.map(([kind, after, failed, key, anchor], position) => {
      at += after || 0;
      const name = anchor || `e-${position}`;
      const page = Math.floor(position / pageSize) + 1;
      return {
        word: kinds[kind][0], family: kinds[kind][1], failed: failed === 1, at, timed: after !== null, name,
        key: key < 0 ? null : keys[key],
        href: `${root}runs/${run.slug}/${page > 1 ? `events/${page}/` : ''}index.html#${name}`,
      };
    });
  }

  function duration(ms) {
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
    return `${Math.floor(seconds / 3600)} h${Math.floor((seconds % 3600) / 60) ? ` ${Math.floor((seconds % 3600) / 60)} min` : ''}`;
  }
  function step(length) {
    const nice = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
    return (nice.find((seconds) => length / (seconds * 1000) <= 6) || 86400 * Math.ceil(length / (6 * 86400000))) * 1000;
  }
  function strips(runs, tapes) {
    if (!tapes.some((tape) => tape.length)) return section('tapes', 'Tapes', quiet('None of these runs has a tape.'));
    const length = Math.max(...tapes.map((tape) => (tape.length ? tape.at(-1).at : 0)));
    const x = (event, index, tape) => (length ? 4 + (event.at / length) * 992 : 4 + (index / Math.max(tape.length - 1, 1)) * 992);
    const lanes = tapes.map((tape, run) => {
      const svg = draw('svg', { class: 'strip', viewBox: '0 0 1000 44', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
      let last;
      for (const [index, event] of tape.entries()) {
        const at = x(event, index, tape);
        // Events that stand too near share a tick; a failure must not hide behind its neighbours.
        if (last && at - last.at < 2 && (last.failed || !event.failed)) continue;
        if (last && at - last.at < 2) last.tick.remove();
        const tick = draw('a', { href: event.href, tabindex: -1 },
          draw('path', { class: `f-${event.family}${event.failed ? ' fail' : ''}`, d: `M${at.toFixed(1)} ${event.failed ? '2v40' : '8v28'}` }));
        svg.append(tick);
        last = { at, failed: event.failed, tick };
      }
      const failures = tape.filter((event) => event.failed).length;
      const { total = 0 } = runs[run].tape || {};
      const words = !runs[run].tape ? 'no tape' : `${counted(total, 'event')}, ${failures ? counted(failures, 'failure') : 'no failure'}`
        + `${tape.some((event) => event.timed) ? `, ${duration(tape.at(-1).at)}` : ', no times'}${tape.length < total ? `; the first ${tape.length.toLocaleString('en')} are drawn` : ''}`;
      return make('li', {}, make('p', {}, letter(run), ' ', link(`${pageOf(runs[run])}#timeline`, runs[run].model), make('span', { className: 'by', text: ` ${words}` })), svg);
    });
    const axis = draw('svg', { class: 'axis', viewBox: '0 0 1000 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    const labels = make('p', { className: 'ticks', 'aria-hidden': 'true' });
    for (let at = 0; length && at <= length; at += step(length)) {
      const where = 4 + (at / length) * 992;
      axis.append(draw('path', { d: `M${where.toFixed(1)} 0v8` }));
      const label = make('span', { text: duration(at) });
      label.style.left = `${(where / 10).toFixed(1)}%`;
      labels.append(label);
    }
    return section('tapes', 'Tapes', quiet('One tick per event, taller where something failed; every tick leads to its event. All tapes have one axis: the time since the first event of each. Gaps are not folded here.'),
      make('figure', {}, make('ol', { className: 'lanes' }, ...lanes), axis, labels, make('ul', { className: 'legend' },
        ...[...new Set(tapes.flat().map((event) => event.family))].map((family) => make('li', {}, make('i', { className: `f-${family}` }), family)))));
  }

  const acts = (tape) => tape.filter((event) => event.key !== null);
  const same = (a, b) => Boolean(a && b) && a.word === b.word && a.key.replace(/^\.\//, '') === b.key.replace(/^\.\//, '');
  const shortened = (key) => key.replace(/…[0-9a-f]{6}$/, '…');
  function parting(runs, tapes) {
    const id = 'parting';
    const lists = tapes.map(acts);
    const missing = runs.filter((run, index) => !lists[index].length);
    if (missing.length) return section(id, 'Where they part', quiet(`${missing.map((run) => LETTERS[runs.indexOf(run)]).join(' and ')} recorded no command and no path, so there is nothing to align.`));
    let at = 0;
    while (lists.every((list) => same(list[at], lists[0][at]))) at += 1;
    const ended = lists.every((list) => at >= list.length);
    const words = ended ? `All ${counted(at, 'action')} are the same, in the same order.`
      : at === 0 ? 'They part at the first action.' : `The first ${at === 1 ? 'action is' : `${counted(at, 'action')} are`} the same; then they part.`;
    const rows = [];
    const from = Math.max(0, at - 2);
    for (let index = from; index < at + (ended ? 0 : ACTIONS); index += 1) {
      if (!lists.some((list) => list[index])) break;
      const cells = lists.map((list) => {
        const event = list[index];
        if (!event) return make('td', {}, make('span', { className: 'quiet', text: 'ended' }));
        return make('td', {}, link(event.href, `#${event.name.replace(/^e-/, '')}`), ` ${event.word} `, make('code', { text: shortened(event.key) }),
          ...(event.failed ? [' ', make('span', { className: 'badge b-bad', text: 'failed' })] : []));
      });
      const head = make('th', { scope: 'row', text: `${index + 1}` });
      if (index === at) head.append(make('small', { text: ' parts here' }));
      rows.push(make('tr', { className: index === at ? 'here' : '' }, head, ...cells));
    }
    return section(id, 'Where they part', make('p', { text: words }),
      quiet('Actions are commands, reads, writes, searches and calls of other agents; they are the same when their kind and their command or path are. What was said in between is left out.'),
      table('The actions around the point where the runs part', 'Action', runs, [make('tbody', {}, ...rows)]));
  }

  function files(runs, tapes) {
    const id = 'files';
    const touched = tapes.map((tape) => {
      const paths = new Map();
      for (const event of acts(tape)) {
        if (!/^(read|write|list|file_\w+)$/.test(event.word)) continue;
        const path = event.key.replace(/^\.\//, '');
        const known = paths.get(path);
        if (!known || (event.family === 'write' && known.family !== 'write')) paths.set(path, event);
      }
      return paths;
    });
    const lists = touched.map((paths, run) => [...paths].filter(([path]) => touched.every((other, index) => index === run || !other.has(path))).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (touched.every((paths) => !paths.size)) return section(id, 'Files', quiet('None of these tapes names a file.'));
    const common = [...touched[0].keys()].filter((path) => touched.every((paths) => paths.has(path))).length;
    const cards = lists.map((list, run) => make('div', {}, make('h3', {}, letter(run), ' ', counted(list.length, 'file'), ' of its own'),
      list.length ? make('ul', { className: 'paths' }, ...list.slice(0, 200).map(([path, event]) => make('li', {}, link(event.href, shortened(path)), ' ', make('small', { text: event.word.replace('_', ' ') })))) : quiet('None.'),
      ...(list.length > 200 ? [quiet(`${counted(list.length - 200, 'more file')} not shown.`)] : [])));
    return section(id, 'Files that only one of them touched', quiet(`${counted(common, 'file')} ${common === 1 ? 'was' : 'were'} touched by all. A path leads to the event that wrote it, or else to the first that touched it.`),
      make('div', { className: 'beside' }, ...cards));
  }

  function writeups(runs) {
    if (!runs.some((run) => run.writeup)) return section('writeups', 'Writeups', quiet('None of these runs has a writeup.'));
    const TAGS = { h: 'h4', p: 'p', li: 'li', pre: 'pre' };
    const cards = runs.map((run, index) => {
      const card = make('div', {}, make('h3', {}, letter(index), ' ', run.model));
      if (!run.writeup) return make('div', {}, ...card.childNodes, quiet('This run has no writeup.'));
      const [blocks, more] = run.writeup;
      let list;
      for (const [tag, text] of blocks) {
        const block = make(TAGS[tag] || 'p', { text });
        if (tag === 'li') {
          if (!list) card.append(list = make('ul'));
          list.append(block);
        } else {
          list = undefined;
          card.append(block);
        }
      }
      card.append(make('p', {}, link(`${pageOf(run)}#writeup`, more ? 'All of the writeup' : 'The writeup on its page')));
      return card;
    });
    return section('writeups', 'Writeups', make('div', { className: 'beside' }, ...cards));
  }

  function slugOf(text) {
    const path = /runs\/([a-z0-9-]+)(?:\/|$)/.exec(text);
    return path ? path[1] : text.trim();
  }
  function picker(runs) {
    const slugs = runs.map((run) => run.slug);
    const list = make('ol', { className: 'chosen' }, ...runs.map((run, index) => {
      const away = link(here(slugs.filter((slug) => slug !== run.slug)), 'Remove', { 'aria-label': `Remove ${LETTERS[index]}` });
      return make('li', {}, make('p', {}, letter(index), ' ', link(pageOf(run), run.model), `, ${run.harness}`),
        make('p', { className: 'by', text: `${run.title}, ${run.date}, ${run.id}` }), make('p', { className: 'by' }, away));
    }));
    const parts = [];
    if (runs.length) parts.push(list);
    if (runs.length === 1) parts.push(make('p', { text: 'One more run makes a comparison.' }));
    const free = new Map(runs.flatMap((run) => run.peers ?? []).filter(([slug]) => !slugs.includes(slug)));
    if (runs.length < MOST && runs.length) {
      const form = make('form', { className: 'adding' });
      const input = make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'address of a run' });
      let select;
      if (free.size) {
        select = make('select', {}, make('option', { value: '', text: 'Choose a run of the same case' }),
          ...[...free].map(([slug, words]) => make('option', { value: slug, text: words })));
        select.addEventListener('change', () => { if (select.value) go([...slugs, select.value]); });
        form.append(make('label', {}, 'Compare with ', select));
      } else form.append(quiet('There is no other run of this case.'));
      form.append(make('label', {}, select ? 'or ' : 'Compare with ', input), make('button', { type: 'submit', text: 'Add' }));
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        const slug = slugOf(input.value);
        if (slug) go([...slugs, slug]);
      });
      parts.push(form);
    }
    return parts;
  }

  function show() {
    const runs = asked.map((slug) => received.get(slug)).filter(Boolean).slice(0, MOST);
    const lost = asked.filter((slug) => !received.has(slug));
    const parts = [];
    if (lost.length) {
      parts.push(make('div', { className: 'empty', role: 'status' }, make('p', {}, `${lost.length === 1 ? 'One address leads' : 'These addresses lead'} to no published run: `,
        ...lost.flatMap((slug, index) => [index ? ', ' : '', make('code', { text: slug.slice(0, 200) })]), '.'),
      make('p', { text: 'It may have been set aside, renamed or mistyped. The other runs are compared all the same.' })));
    }
    if (asked.length - lost.length > MOST) parts.push(quiet(`At most ${MOST} runs can be compared; the first ${MOST} are.`));
    parts.push(...picker(runs));
    if (runs.length > 1) {
      const tapes = runs.map(unpack);
      // The fields that make runs comparable: case, version, variant, orchestrator, engine.
      const apart = [0, 1, 2, 7, 8].map((at) => runs.map((run) => run.groups[0][1][at])).filter((list) => differ(list.map(([, text]) => text)));
      if (apart.length) parts.push(make('p', { className: 'apart', text: `These runs differ in ${apart.map(([[name]]) => name.toLowerCase()).join(', ')}: they did not face the same task, so their figures are no contest.` }));
      parts.push(metrics(runs), fields(runs), checks(runs), strips(runs, tapes), parting(runs, tapes), files(runs, tapes), writeups(runs));
      document.title = `${runs.map((run) => run.model).join(' and ')} – ${document.title}`;
    }
    place.replaceChildren(...parts);
    document.getElementById('pick').hidden = runs.length > 1;
  }

  window.runpress = { ...window.runpress, run: (data) => received.set(data.slug, data) };
  const load = (slug) => new Promise((done) => {
    // Only what the build can have written is asked for.
    if (!/^[a-z0-9-]{1,400}$/.test(slug)) return done();
    const script = make('script', { src: `${root}runs/${slug}/compare.js` });
    script.addEventListener('load', done);
    script.addEventListener('error', done);
    document.head.append(script);
  });
  if (asked.length) {
    place.append(quiet('Loading the runs…'));
    Promise.all(asked.slice(0, 2 * MOST).map(load)).then(show);
  }
})();
