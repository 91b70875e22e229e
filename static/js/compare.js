(() => {
  // Draws the comparison of the runs that the address names, `?runs=a,b`, with their first tapes; `b~2` is b with its
  // second. Each run's `compare.js` is loaded as a script of data, and `compare-2.js` for a further tape. All recorded
  // text becomes text nodes. The page is drawn part by part, so that it answers.
  'use strict';
  const { root, make, count, pause, steps, load, archive } = window.runpress;
  const place = document.getElementById('compared');
  if (!place) return;
  const MOST = 4;
  const LETTERS = 'ABCD';
  // Actions of a stretch that are shown unfolded, stretches that are, and how many there are at most.
  const FEW = 3;
  const FIRST = 5;
  const STRETCHES = 200;
  // Pairs of actions that are weighed at once.
  const CELLS = 60_000;
  const OPTIONS = 300;
  // The fields that make runs comparable: case, version, variant, orchestrator, engine.
  const COMPARABLE = [0, 1, 2, 7, 8];
  const received = new Map();
  const asked = [...new Set((new URLSearchParams(location.search).get('runs') ?? '').match(/[^\s,]+/g))];
  const pick = document.getElementById('pick');

  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const link = (href, text, fields) => make('a', { href, ...fields }, text);
  const pageOf = (run) => `${root}runs/${run.slug}/index.html`;
  const here = (names) => `${location.pathname}${names.length ? `?runs=${names.join()}` : ''}`;
  const named = (slug, tape) => (tape > 1 ? `${slug}~${tape}` : slug);
  const go = (names) => location.assign(here(names));
  const differ = (values) => values.some((value) => value !== values[0]);
  const letter = (index) => make('b', { className: 'letter' }, LETTERS[index]);
  const unknown = (reason) => make('abbr', { className: 'unknown', title: reason }, '—');

  const section = (id, title, ...children) => make('section', { ariaLabel: title }, make('h2', { id }, title), ...children);
  const quiet = (...words) => make('p', { className: 'quiet' }, ...words);
  // What is folded is made when it is opened.
  const fold = (words, content) => {
    const made = make('details', { ontoggle: async () => {
      made.ontoggle = null;
      made.append(await content());
    } }, make('summary', {}, words));
    return made;
  };
  const table = (caption, first, runs, bodies) => {
    const heads = runs.map((run) => make('th', { scope: 'col' }, letter(run.at), ' ', link(pageOf(run), run.model)));
    const made = make('table', { className: 'sides' }, make('caption', { className: 'sr' }, caption),
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, first), ...heads)), ...bodies);
    made.style.minWidth = `${7 + 9 * runs.length}rem`;
    return make('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: caption }, made);
  };
  // A difference is marked by a sign and a word, not by colour alone.
  const line = (name, values, cell, marked = true) => {
    const differs = marked && differ(values);
    const head = make('th', { scope: 'row' }, name);
    if (differs) head.append(' ', make('span', { className: 'differs', title: 'differs' }, '≠'), make('span', { className: 'sr' }, ' differs'));
    return make('tr', { className: differs ? 'differ' : 'same' }, head, ...values.map((value, index) => make('td', {}, cell(value, index))));
  };

  const measure = (text, part) => {
    const width = Math.min(part > 0 ? Math.max(part * 100, 0.5) : 0, 100).toFixed(1);
    return make('div', { className: 'measure' }, make('span', {}, text),
      draw('svg', { class: 'meter', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, draw('rect', { width, height: 4 })));
  };

  const fields = (runs) => {
    const bodies = runs[0].groups.map(([title, list], group) => make('tbody', {},
      make('tr', { className: 'group' }, make('th', { scope: 'rowgroup', colSpan: runs.length + 1 }, title)),
      ...list.map(([name], at) => line(name, runs.map((run) => run.groups[group][1][at][1]), (text) => (text === null ? unknown('not recorded') : text)))));
    const shown = table('Fields of the runs', 'Field', runs, bodies);
    shown.classList.add('only');
    const box = make('input', { type: 'checkbox', checked: true, onchange: () => shown.classList.toggle('only') });
    return section('fields', 'Fields', make('p', {}, make('label', {}, box, ' Only what differs')), shown);
  };

  const metrics = (runs) => {
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
  };

  const checks = (runs) => {
    const views = [...new Map(runs.flatMap((run) => run.checks.map(([view, name]) => [view, name])))];
    if (!views.length) return section('checks', 'Checks', quiet('None of these runs has a visual check.'));
    const rows = views.map(([view, name]) => {
      const found = runs.map((run) => run.checks.find((check) => check[0] === view));
      return line(name, found.map((check) => (check ? check[2] : undefined)), (value, index) => {
        if (!found[index]) return unknown('this run’s case version has no such check');
        return value === null ? found[index][3] : measure(found[index][3], value);
      });
    });
    return section('checks', 'Checks', quiet('Similarity of each view to its reference, from 0 to 1: a signal, not a verdict. A view that was not reached is not a failure.'),
      table('Checks of the runs', 'Check', runs, [make('tbody', {}, ...rows)]));
  };

  // The events of a run's tape, each with the milliseconds since the first.
  const unpack = (run) => {
    if (!run.tape) return [];
    const { prefix, kinds, keys, events, pageSize } = run.tape;
    // The files of a tool call, which its words do not tell apart.
    const files = new Map();
    for (const [position, path] of run.tape.files ?? []) files.set(position, [...(files.get(position) ?? []), path.replace(/^\.\//, '')]);
    let at = 0;
    return events.map(([kind, after, failed, key, anchor], position) => {
      at += after || 0;
      const name = anchor || `${prefix}e-${position}`;
      const page = Math.floor(position / pageSize) + 1;
      return {
        word: kinds[kind][0], family: kinds[kind][1], failed: failed === 1, at, number: `#${name.slice(prefix.length + 2)}`,
        key: key < 0 ? null : keys[key].replace(/^\.\//, ''), files: files.get(position),
        href: `${root}runs/${run.slug}/${page > 1 ? `events/${prefix.replace('.', '/')}${page}/` : ''}index.html#${name}`,
      };
    });
  };

  const duration = (ms) => {
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
    return `${Math.floor(seconds / 3600)} h${Math.floor((seconds % 3600) / 60) ? ` ${Math.floor((seconds % 3600) / 60)} min` : ''}`;
  };
  const step = (length) => {
    const nice = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
    return (nice.find((seconds) => length / (seconds * 1000) <= 6) || 86400 * Math.ceil(length / (6 * 86400000))) * 1000;
  };
  const strips = async (runs, tapes) => {
    if (!tapes.some((tape) => tape.length)) return section('tapes', 'Tapes', quiet('None of these runs has a tape.'));
    // Recorded clocks may go back.
    const length = tapes.flat().reduce((most, { at }) => Math.max(most, at), 0);
    const x = (event, index, tape) => 4 + (length ? Math.max(event.at, 0) / length : index / Math.max(tape.length - 1, 1)) * 992;
    const lanes = make('ol', { className: 'lanes' });
    const lane = async (tape, run) => {
      const svg = draw('svg', { class: 'strip', viewBox: '0 0 1000 44', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
      let last;
      await steps(tape.entries(), ([index, event]) => {
        const at = x(event, index, tape);
        const near = last && at - last.at < 2;
        // Events that stand too near share a tick; a failure must not hide behind its neighbours.
        const hidden = near && (last.failed || !event.failed);
        if (hidden) return;
        if (near) last.tick.remove();
        const tick = draw('a', { href: event.href, tabindex: -1 },
          draw('path', { class: `f-${event.family}${event.failed ? ' fail' : ''}`, d: `M${at.toFixed(1)} ${event.failed ? '2v40' : '8v28'}` }));
        svg.append(tick);
        last = { at, failed: event.failed, tick };
      });
      const { tapes: all, number } = runs[run];
      const [file, total, failures, length] = all[number - 1] ?? [];
      const words = !file ? 'no tape' : `${file}: ${count(total, 'event')}, ${failures ? count(failures, 'failure') : 'no failure'}`
        + `, ${length ?? 'no times'}${tape.length < total ? `; the first ${tape.length.toLocaleString('en')} are compared` : ''}`;
      const said = make('span', { className: 'by' }, ` ${words}`);
      all.forEach(([other, events], at) => {
        if (at + 1 === number) return;
        const names = runs.map(({ name }, index) => (index === run ? named(runs[run].slug, at + 1) : name));
        said.append(said.children.length ? ', ' : '. Compare instead: ', link(`${here(names)}#tapes`, other), ` (${count(events, 'event')})`);
      });
      lanes.append(make('li', {}, make('p', {}, letter(run), ' ', link(`${pageOf(runs[run])}#timeline`, runs[run].model), said), svg));
    };
    const axis = draw('svg', { class: 'axis', viewBox: '0 0 1000 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    const labels = make('p', { className: 'ticks', ariaHidden: 'true' });
    for (let at = 0; length && at <= length; at += step(length)) {
      const where = 4 + (at / length) * 992;
      axis.append(draw('path', { d: `M${where.toFixed(1)} 0v8` }));
      const label = make('span', {}, duration(at));
      label.style.left = `${(where / 10).toFixed(1)}%`;
      labels.append(label);
    }
    place.append(section('tapes', 'Tapes', quiet('One tick per event, taller where something failed; every tick leads to its event. All tapes have one axis: the time since the first event of each.'),
      make('figure', {}, lanes, axis, labels, make('ul', { className: 'legend' },
        ...[...new Set(tapes.flat().map((event) => event.family))].map((family) => make('li', {}, make('i', { className: `f-${family}` }), family))))));
    for (const [run, tape] of tapes.entries()) {
      await lane(tape, run);
      await pause();
    }
    return '';
  };

  const acts = (tape) => tape.filter((event) => event.key !== null);
  const shortened = (key) => key.replace(/…[0-9a-f]{6}$/, '…');

  // Positions, in order, at which two lists of words are the same: first where they begin and end alike, in between
  // the longest common subsequence. Long lists are cut before at the words that each of them has once.
  const matches = function* (a, b, i = 0, last = a.length, j = 0, end = b.length) {
    while (i < last && j < end && a[i] === b[j]) yield [i++, j++];
    let tail = 0;
    while (last > i && end > j && a[last - 1] === b[end - 1]) {
      last -= 1;
      end -= 1;
      tail += 1;
    }
    const [high, wide] = [last - i, end - j];
    if (high * wide > CELLS) {
      for (const [x, y] of [...cuts(a, b, i, last, j, end), [last, end]]) {
        yield* matches(a, b, i, x, j, y);
        [i, j] = [x, y];
      }
    } else if (high * wide) {
      const row = wide + 1;
      const best = new Uint16Array((high + 1) * row);
      for (let x = high - 1; x >= 0; x -= 1) {
        for (let y = wide - 1; y >= 0; y -= 1) {
          const at = x * row + y;
          best[at] = a[i + x] === b[j + y] ? best[at + row + 1] + 1 : Math.max(best[at + row], best[at + 1]);
        }
      }
      for (let x = 0, y = 0; x < high && y < wide;) {
        const at = x * row + y;
        if (a[i + x] === b[j + y]) yield [i + x++, j + y++];
        else if (best[at + row] >= best[at + 1]) x += 1;
        else y += 1;
      }
    }
    for (; tail; tail -= 1) yield [last++, end++];
  };
  const cuts = (a, b, i, last, j, end) => {
    const once = (list, from, to) => {
      const found = new Map();
      for (let at = from; at < to; at += 1) found.set(list[at], found.has(list[at]) ? -1 : at);
      return found;
    };
    const others = once(b, j, end);
    // The longest rising row of them, by patience.
    const piles = [];
    for (const [word, x] of once(a, i, last)) {
      const y = others.get(word);
      if (x < 0 || !(y >= 0)) continue;
      let at = 0;
      for (let to = piles.length; at < to;) {
        const middle = (at + to) >> 1;
        if (piles[middle][1] < y) at = middle + 1;
        else to = middle;
      }
      piles[at] = [x, y, piles[at - 1]];
    }
    const found = [];
    for (let one = piles.at(-1); one; [, , one] = one) found.unshift(one);
    return found.length ? found : [[(i + last) >> 1, (j + end) >> 1]];
  };

  // What two lists have in common and what not, in turn: pairs of stretches, and whether they are the same.
  const aligned = async (a, b) => {
    const stretches = [];
    let [i, j] = [0, 0];
    const apart = (x, y) => {
      if (x > i || y > j) stretches.push({ sides: [a.slice(i, x), b.slice(j, y)] });
    };
    // Numbers for words: they are compared often.
    const known = new Map();
    const words = (list) => list.map(({ word, key }) => {
      const name = `${word} ${key}`;
      if (!known.has(name)) known.set(name, known.size);
      return known.get(name);
    });
    await steps(matches(words(a), words(b)), ([x, y]) => {
      apart(x, y);
      let last = stretches.at(-1);
      if (!last?.same) stretches.push(last = { same: true, sides: [[], []] });
      last.sides[0].push(a[x]);
      last.sides[1].push(b[y]);
      [i, j] = [x + 1, y + 1];
    });
    apart(a.length, b.length);
    return stretches;
  };

  const action = (event) => make('li', {}, link(event.href, event.number), ` ${event.word} `, make('code', {}, shortened(event.key)),
    ...(event.failed ? [' ', make('span', { className: 'badge b-bad' }, 'failed')] : []));
  const actions = (list) => make('ul', { className: 'actions' }, ...list.map(action));
  const stretch = ({ same, sides }, runs, isFirst) => {
    const few = same && sides[0].length > 2 ? 0 : FEW;
    const cells = sides.map((list) => {
      const shown = list.slice(0, few);
      const more = list.length - shown.length;
      const words = few ? `${more.toLocaleString('en')} more` : `${list[0].number} to ${list.at(-1).number}`;
      return make('td', {}, list.length ? actions(shown) : make('span', { className: 'quiet' }, 'nothing here'),
        ...(more ? [fold(words, () => actions(list.slice(few, 500)))] : []));
    });
    const lengths = sides.map((list, side) => `${LETTERS[runs[side].at]} ${list.length.toLocaleString('en')}`);
    const head = make('th', { scope: 'row' }, same ? 'Same ' : make('span', { className: 'differs' }, '≠ Apart '),
      make('small', {}, `${same ? count(sides[0].length, 'action') : lengths.join(', ')}${isFirst ? ': they part here' : ''}`));
    return make('tr', { className: isFirst ? 'here' : '' }, head, ...cells);
  };
  const pair = async (runs, lists) => {
    const stretches = await aligned(...lists);
    const same = stretches.reduce((sum, each) => sum + (each.same ? each.sides[0].length : 0), 0);
    const first = stretches.findIndex((each) => !each.same);
    const start = first > 0 ? stretches[0].sides[0].length : 0;
    const words = first < 0 ? same === 1 ? 'The only action is the same.' : `All ${count(same, 'action')} are the same, in the same order.`
      : `${!first ? 'They part at the first action.' : `The first ${start === 1 ? 'action is' : `${count(start, 'action')} are`} the same; then they part.`}${
        same > start ? ' Further on they meet again:' : ''} ${same.toLocaleString('en')} of the ${count(lists[0].length, 'action')} of ${LETTERS[runs[0].at]} and the ${lists[1].length.toLocaleString('en')} of ${LETTERS[runs[1].at]} ${same === 1 ? 'is' : 'are'} the same, in the same order.`;
    const drawn = async (from, to) => {
      const body = make('tbody');
      await steps(stretches.slice(from, to).entries(), ([at, each]) => body.append(stretch(each, runs, from + at === first)));
      return table(`Stretches of ${LETTERS[runs[0].at]} and ${LETTERS[runs[1].at]}${from ? ', further on' : ''}`, 'Actions', runs, [body]);
    };
    return { words, drawn, length: stretches.length };
  };
  const parting = async (runs, tapes) => {
    const lists = tapes.map(acts);
    const [base, ...others] = runs.filter((run) => lists[run.at].length);
    const missing = runs.filter((run) => !lists[run.at].length);
    const parts = [];
    if (missing.length) parts.push(quiet(`${missing.map((run) => LETTERS[run.at]).join(' and ')} recorded no command and no path, so there is nothing to align.`));
    if (others.length) {
      parts.push(quiet(`Actions are commands, reads, writes, searches and calls of other agents; they are the same when their kind and their command or path are.${
        others.length > 1 ? ` Each run is laid beside ${LETTERS[base.at]}.` : ''}`));
    }
    for (const [at, other] of others.entries()) {
      const { words, drawn, length } = await pair([base, other], [lists[base.at], lists[other.at]]);
      if (others.length > 1) parts.push(make('h3', {}, letter(base.at), ' and ', letter(other.at)));
      parts.push(make('p', {}, words));
      // One pair is seen at once, the others when they are asked for.
      if (at) parts.push(fold(count(length, 'stretch').replace(/hs$/, 'hes'), () => drawn(0, STRETCHES)));
      else parts.push(await drawn(0, FIRST), ...(length > FIRST ? [fold(`${length - FIRST} more of ${length} stretches`, () => drawn(FIRST, STRETCHES))] : []));
      if (length > STRETCHES) parts.push(quiet(`The first ${STRETCHES} stretches are listed.`));
    }
    return section('parting', 'Where they part', ...parts);
  };

  const files = (runs, tapes) => {
    const id = 'files';
    const touched = tapes.map((tape) => {
      const paths = new Map();
      for (const event of tape) {
        for (const path of event.files ?? (event.key !== null && /^(read|write|list|file_\w+)$/.test(event.word) ? [event.key] : [])) {
          const known = paths.get(path);
          if (!known || (event.family === 'write' && known.family !== 'write')) paths.set(path, event);
        }
      }
      return paths;
    });
    const lists = touched.map((paths, run) => [...paths].filter(([path]) => touched.every((other, index) => index === run || !other.has(path))).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (touched.every((paths) => !paths.size)) return section(id, 'Files', quiet('None of these tapes names a file.'));
    const common = [...touched[0].keys()].filter((path) => touched.every((paths) => paths.has(path))).length;
    const cards = lists.map((list, run) => make('div', {}, make('h3', {}, letter(run), ' ', runs[run].tape ? `${count(list.length, 'file')} of its own` : 'no tape'),
      !runs[run].tape ? '' : list.length ? make('ul', { className: 'paths' }, ...list.slice(0, 200).map(([path, event]) => make('li', {}, link(event.href, shortened(path)), ' ', make('small', {}, event.word.replace('_', ' '))))) : quiet('None.'),
      ...(list.length > 200 ? [quiet(`${count(list.length - 200, 'more file')} not shown.`)] : [])));
    return section(id, 'Files that only one of them touched', quiet(`${count(common, 'file')} ${common === 1 ? 'was' : 'were'} touched by all. A path leads to the event that wrote it, or else to the first that touched it.`),
      make('div', { className: 'beside' }, ...cards));
  };

  const writeups = (runs) => {
    if (!runs.some((run) => run.writeup)) return section('writeups', 'Writeups', quiet('None of these runs has a writeup.'));
    const TAGS = { h: 'h4', p: 'p', li: 'li', pre: 'pre' };
    const cards = runs.map((run, index) => {
      const card = make('div', {}, make('h3', {}, letter(index), ' ', run.model));
      if (!run.writeup) return make('div', {}, ...card.childNodes, quiet('This run has no writeup.'));
      const [blocks, more] = run.writeup;
      let list;
      for (const [tag, text] of blocks) {
        const block = make(TAGS[tag] || 'p', {}, text);
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
  };

  // The runs of the archive to choose from, loaded when somebody is about to.
  const adding = (names, slugs) => {
    const all = [];
    const offered = new Map();
    const select = make('select', { onchange: () => select.value && go([...names, select.value]) }, new Option('Choose a run of the same case', ''));
    const input = make('input', { type: 'text', autocomplete: 'off', spellcheck: false, placeholder: 'words, or the address of a run' });
    const list = make('datalist', { id: 'every-run' });
    const status = make('p', { className: 'quiet', role: 'status' });
    input.setAttribute('list', list.id);
    let loading, timer, asking;
    const add = ([[href, label], [finished], kase, version, variant, [, model], [, harness]]) => {
      const words = `${finished.slice(0, 10)}, ${model}, ${harness}, ${variant.known === false ? 'no variant' : variant.text ?? variant} ${version}, ${label}`;
      const slug = href.split('/')[1];
      all.push({ slug, words, kase: kase[0], name: `${kase[1]}, ${words}` });
    };
    const prepare = async () => {
      await archive(add);
      const cases = new Set(all.filter(({ slug }) => slugs.includes(slug)).map(({ kase }) => kase));
      const free = all.filter(({ slug, kase }) => cases.has(kase) && !slugs.includes(slug));
      await steps(free.slice(0, OPTIONS), ({ slug, words }) => select.append(new Option(words, slug)));
      select.disabled = !free.length;
      if (!free.length) select.options[0].text = 'There is no other run of this case';
      else if (free.length > OPTIONS) select.append(make('option', { disabled: true }, `and ${count(free.length - OPTIONS, 'older run')}`));
    };
    const use = () => (loading ??= prepare().catch(() => { status.textContent = 'The list of runs could not be loaded; an address still works.'; }));
    // The runs that hold all words that were typed.
    const find = async (most) => {
      const mine = (asking = {});
      const words = input.value.toLowerCase().split(/[\s,]+/);
      const found = [];
      await use();
      await steps(all, (each) => {
        if (found.length < most && !slugs.includes(each.slug) && words.every((word) => each.name.toLowerCase().includes(word))) found.push(each);
      });
      return asking === mine ? found : [];
    };
    const suggest = async () => {
      const found = await find(100);
      if (found.length) list.replaceChildren(...found.map(({ name }) => new Option(name)));
      for (const { name, slug } of found) offered.set(name, slug);
    };
    input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(suggest, 100);
    });
    const form = make('form', { className: 'adding', onsubmit: async (event) => {
      event.preventDefault();
      const typed = input.value.trim();
      const wanted = offered.get(typed) ?? /runs\/([a-z0-9-]+)(?:\/|$)/.exec(typed)?.[1] ?? typed;
      if (!typed) return;
      await use();
      if (!all.length || all.some(({ slug }) => slug === wanted)) return go([...names, wanted]);
      const found = await find(2);
      if (found.length === 1) return go([...names, found[0].slug]);
      status.textContent = found.length ? 'More than one run has these words: choose one from the list.' : 'No other run has this address or these words.';
    } }, make('label', {}, 'Compare with ', select), make('label', {}, 'or any other run ', input), list, make('button', {}, 'Add'), status);
    form.addEventListener('focusin', () => use().then(() => list.firstChild || suggest()));
    if (names.length === 1) use();
    return form;
  };
  const picker = (runs) => {
    const names = runs.map((run) => run.name);
    const list = make('ol', { className: 'chosen' }, ...runs.map((run) => {
      const away = link(here(names.filter((name) => name !== run.name)), 'Remove', { ariaLabel: `Remove ${LETTERS[run.at]}` });
      return make('li', {}, make('p', {}, letter(run.at), ' ', link(pageOf(run), run.model), `, ${run.harness}`),
        make('p', { className: 'by' }, `${run.title}, ${run.date}, ${run.id}`), make('p', { className: 'by' }, away));
    }));
    return [
      ...(runs.length ? [list] : []),
      ...(runs.length === 1 ? [make('p', {}, 'One more run makes a comparison.')] : []),
      ...(runs.length && runs.length < MOST ? [adding(names, runs.map((run) => run.slug))] : []),
    ];
  };

  const show = async () => {
    const runs = asked.map((name) => received.get(name)).filter(Boolean).slice(0, MOST);
    runs.forEach((run, at) => { run.at = at; });
    const lost = asked.filter((name) => !received.has(name));
    const parts = [];
    if (lost.length) {
      parts.push(make('div', { className: 'empty', role: 'status' }, make('p', {}, `${lost.length === 1 ? 'One address leads' : 'These addresses lead'} to no published run: `,
        ...lost.flatMap((name, index) => [index ? ', ' : '', make('code', {}, name.slice(0, 200))]), '.'),
      make('p', {}, 'It may have been set aside, renamed or mistyped. The other runs are compared all the same.')));
    }
    if (asked.length - lost.length > MOST) parts.push(quiet(`At most ${MOST} runs can be compared; the first ${MOST} are.`));
    pick.hidden = runs.length > 1;
    place.replaceChildren(...parts, ...picker(runs));
    if (runs.length > 1) await sections(runs);
    place.ariaBusy = null;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  const sections = async (runs) => {
    document.title = `${runs.map((run) => run.model).join(' and ')} – ${document.title}`;
    const apart = COMPARABLE.map((at) => runs.map((run) => run.groups[0][1][at])).filter((list) => differ(list.map(([, text]) => text)));
    if (apart.length) place.append(make('p', { className: 'apart' }, `These runs differ in ${apart.map(([[name]]) => name.toLowerCase()).join(', ')}: they did not face the same task, so their figures are no contest.`));
    const tapes = [];
    for (const run of runs) {
      await pause();
      tapes.push(unpack(run));
    }
    for (const part of [metrics, fields, checks, strips, parting, files, writeups]) {
      await pause();
      place.append(await part(runs, tapes));
    }
  };

  // Only what the build can have written is asked for.
  const fetched = async (name) => {
    const [, slug, tape = 1] = /^([a-z0-9-]{1,400})(?:~([1-9]\d{0,2}))?$/.exec(name) ?? [];
    if (!slug) return;
    const run = await load(`runs/${slug}/compare`);
    const number = Number(tape);
    if (number > 1) run.tape = await load(`runs/${slug}/compare-${number}`);
    received.set(name, Object.assign(run, { name, number }));
  };
  if (asked.length) {
    place.append(quiet('Loading the runs…'));
    place.ariaBusy = 'true';
    pick.hidden = asked.length > 1;
    Promise.allSettled(asked.slice(0, 2 * MOST).map(fetched)).then(pause).then(show);
  }
})();
