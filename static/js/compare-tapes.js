(() => {
  // The tapes of compared runs: their events on one time axis, and the files that they touched.
  'use strict';
  const { root, make, link, digits, count, pause, compare } = window.runpress;
  const { draw, pageOf, here, named, letter, section, quiet } = compare;
  // Long commands and paths end with a digest, which is removed for display.
  const shortened = (key) => key.replace(/…[0-9a-f]{6}$/, '…');

  // The events of a run's tape, each with the milliseconds since the first.
  const unpack = (run) => {
    if (!run.tape) return [];
    const { prefix, kinds, keys, events, pageSize } = run.tape;
    // The files of tool calls, which have no other distinguishing text.
    const files = new Map();
    for (const [position, path] of run.tape.files ?? []) files.set(position, [...(files.get(position) ?? []), path]);
    const anchors = new Map(run.tape.anchors);
    let at = 0;
    return Array.from({ length: events.length / 3 }, (_, position) => {
      const [kind, after, key] = events.slice(position * 3, position * 3 + 3);
      at += after * 100;
      const [word, family, path] = kinds[kind >> 1];
      const name = anchors.get(position) ?? `${prefix}e-${position}`;
      const page = Math.floor(position / pageSize) + 1;
      return {
        word, family, path, failed: kind % 2 === 1, at, number: `#${name.slice(prefix.length + 2)}`,
        key: key ? keys[key - 1] : null, files: files.get(position),
        href: `${root}runs/${run.folder ?? run.slug}/${page > 1 ? `events/${prefix.replace('.', '/')}${page}/` : ''}index.html#${name}`,
      };
    });
  };

  const clock = (seconds) => {
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return `${hours ? `${hours}:${minutes < 10 ? 0 : ''}` : ''}${minutes}:${`${seconds % 60}`.padStart(2, 0)}`;
  };
  const step = (seconds) => [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 10800, 21600].find((each) => seconds / each <= 6) ?? 86400 * Math.ceil(seconds / 518400);
  const text = (x, y, words) => draw('text', { x: `${x / 10}%`, y, 'text-anchor': x < 30 ? 'start' : x > 970 ? 'end' : 'middle' }, words);

  // The strip of a run page (src/pages/draw/strip.rs) without annotations and folded gaps: all strips share one axis.
  const FAMILIES = ['speech', 'reasoning', 'command', 'read', 'write', 'tool', 'delegation', 'warning', 'other'];
  const strip = (tape, length) => {
    const isLong = tape.length > 600;
    const families = FAMILIES.filter((family) => tape.some((event) => event.family === family));
    const bottom = 18 * (1 + Math.max(families.length, isLong ? 4 : 1));
    const end = length || Math.max(tape.length - 1, 1);
    const place = (at) => Math.round((Math.min(Math.max(at, 0), end) / end) * 1000);
    const time = (index) => (length ? tape[index].at : index);
    const lines = Object.fromEntries([...families, 'fail'].map((family) => [family, '']));
    const inner = draw('svg', { viewBox: `0 0 1000 ${bottom + 18}`, preserveAspectRatio: 'none' });
    const svg = draw('svg', { class: 'strip', height: bottom + 18, 'aria-hidden': 'true' }, inner);
    const columns = Array.from({ length: 100 }, () => ({}));
    const links = [];
    const failures = [];
    let area = -1;
    for (const [index, event] of tape.entries()) {
      const x = place(time(index));
      const column = Math.min(Math.floor(x / 10), 99);
      const kind = event.failed && isLong ? 'fail' : event.family;
      columns[column][kind] = (columns[column][kind] ?? 0) + 1;
      if (!isLong && lines[kind] !== undefined) {
        const until = Math.min(index + 1 < tape.length ? time(index + 1) : time(index), time(index) + (length ? 30000 : 1));
        lines[kind] += `M${x} ${27 + families.indexOf(kind) * 18}H${Math.max(place(until) - 1, x + 3)}`;
      }
      if (Math.min(x, 999) > area) {
        area = Math.floor(Math.min(x, 999) / 25) * 25 + 24;
        links.push([event, area - 24]);
      }
      if (event.failed) failures.push({ event, x: isLong ? column * 10 + 5 : x });
    }
    if (isLong) {
      const most = Math.max(...columns.map((column) => Object.values(column).reduce((sum, each) => sum + each, 0)));
      for (const [at, column] of columns.entries()) {
        let below = 0;
        const y = () => Math.ceil((below / most) * (bottom - 18));
        for (const family of Object.keys(lines).filter((each) => column[each])) {
          const from = y();
          below += column[family];
          lines[family] += `M${at * 10 + 5} ${bottom - from}V${bottom - y()}`;
        }
      }
    }
    const drawn = draw('g', isLong ? { class: 'stacks', 'stroke-width': 9 } : {});
    for (const [family, d] of Object.entries(lines)) drawn.append(draw('path', { class: families.includes(family) ? `f-${family}` : family, d }));
    const leading = (event, ...children) => draw('a', { href: event.href, tabindex: -1 }, ...children);
    inner.append(drawn, ...links.map(([event, x]) => leading(event, draw('rect', { x }))));
    if (!isLong) inner.append(...failures.map(({ event, x }) => leading(event, draw('path', { class: 'fail', d: `M${x} 16V${bottom}` }))));
    const numbers = draw('g', { class: 'nos' });
    for (let at = 0; at < failures.length;) {
      const { event, x } = failures[at];
      const near = failures.slice(at).filter((each) => Math.abs(each.x - x) < (isLong ? 40 : 90));
      const count = near.length;
      const first = event.number.slice(1);
      if (isLong) numbers.append(leading(event, draw('circle', { r: 8, cy: 9, cx: `${x / 10}%` }), text(x, 13, count)));
      else numbers.append(text(x, 13, count > 1 ? `${first} +${count - 1}` : first));
      at += count;
    }
    svg.append(numbers);
    const seconds = length / 1000;
    for (let at = 0; length && at <= seconds; at += step(seconds)) svg.append(text(place(at * 1000), bottom + 14, clock(at)));
    const row = (family, name, number) => make('li', {}, make(`i.f-${family}`, {}), `${name} ${digits(number)}`);
    const rows = families.map((family) => row(family, family, tape.filter((event) => event.family === family).length));
    return make('div.lane', {}, make('ul.legend', {}, row('error', 'failures', failures.length), ...(isLong ? rows.reverse() : rows)), svg);
  };
  const strips = async (runs, tapes) => {
    if (!tapes.some((tape) => tape.length)) return section('tapes', 'Tapes', quiet('None of these runs has a tape.'));
    // Recorded clocks may go back.
    const length = tapes.flat().reduce((most, { at }) => Math.max(most, at), 0);
    const lanes = make('ol.lanes');
    document.getElementById('compared').append(section('tapes', 'Tapes', quiet('Each tape as on the page of its run, without folded gaps: all share one axis, the time since their first event. A place on a strip links to the first event there.'), lanes));
    for (const [at, tape] of tapes.entries()) {
      const run = runs[at];
      const own = run.tapes[run.number - 1];
      const words = !own ? 'no tape' : `${own.file}: ${count(own.events, 'event')}, ${own.failures ? count(own.failures, 'failure') : 'no failure'}`
        + `, ${own.duration ?? 'no times'}${tape.length < own.events ? `; the first ${digits(tape.length)} are compared` : ''}`;
      const note = make('span.by', {}, ` ${words}`);
      run.tapes.forEach((other, index) => {
        if (index + 1 === run.number) return;
        const names = runs.map(({ name }, each) => (each === at ? named(run.slug, index + 1) : name));
        note.append(note.children.length ? ', ' : '. Compare instead: ', link(`${here(names)}#tapes`, other.file), ` (${count(other.events, 'event')})`);
      });
      lanes.append(make('li', {}, make('p', {}, letter(at), ' ', link(`${pageOf(run)}#timeline`, run.title), note), ...(tape.length ? [strip(tape, length)] : [])));
      await pause();
    }
    return '';
  };

  const files = (runs, tapes) => {
    const id = 'files';
    const touched = tapes.map((tape) => {
      const paths = new Map();
      for (const event of tape) {
        for (const path of event.files ?? (event.key !== null && event.path ? [event.key] : [])) {
          const known = paths.get(path);
          if (!known || (event.family === 'write' && known.family !== 'write')) paths.set(path, event);
        }
      }
      return paths;
    });
    const lists = touched.map((paths, run) => [...paths].filter(([path]) => touched.every((other, index) => index === run || !other.has(path))).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (touched.every((paths) => !paths.size)) return section(id, 'Files', quiet('None of these tapes mentions a file.'));
    const common = [...touched[0].keys()].filter((path) => touched.every((paths) => paths.has(path))).length;
    const cards = lists.map((list, run) => make('div', {}, make('h3', {}, letter(run), ' ', runs[run].tape ? `${count(list.length, 'file')} only here` : 'no tape'),
      !runs[run].tape ? '' : list.length ? make('ul.paths', {}, ...list.slice(0, 200).map(([path, event]) => make('li', {}, link(event.href, shortened(path)), ' ', make('small', {}, event.word.replace('_', ' '))))) : quiet('None.'),
      ...(list.length > 200 ? [quiet(`${count(list.length - 200, 'more file')} not shown.`)] : [])));
    return section(id, 'Files that only one run touched', quiet(`${common ? count(common, 'file') : 'No file'} ${common > 1 ? 'were' : 'was'} touched by all. Each path links to the event that wrote it, or else to the first that touched it.`),
      make('div.beside', {}, ...cards));
  };

  Object.assign(compare, { shortened, unpack, strips, files });
})();
