(() => {
  // The tapes of compared runs: their events on one axis of time, and the files that they touched.
  'use strict';
  const { root, make, link, digits, count, pause, steps, compare } = window.runpress;
  const { draw, pageOf, here, named, letter, section, quiet } = compare;
  // A long command or path ends with a digest.
  const shortened = (key) => key.replace(/…[0-9a-f]{6}$/, '…');

  // The events of a run's tape, each with the milliseconds since the first.
  const unpack = (run) => {
    if (!run.tape) return [];
    const { prefix, kinds, keys, events, pageSize } = run.tape;
    // The files of a tool call, which its words do not tell apart.
    const files = new Map();
    for (const [position, path] of run.tape.files ?? []) files.set(position, [...(files.get(position) ?? []), path.replace(/^\.\//, '')]);
    const anchors = new Map(run.tape.anchors);
    let at = 0;
    return Array.from({ length: events.length / 3 }, (_, position) => {
      const [kind, after, key] = events.slice(position * 3, position * 3 + 3);
      at += after || 0;
      const name = anchors.get(position) ?? `${prefix}e-${position}`;
      const page = Math.floor(position / pageSize) + 1;
      return {
        ...kinds[kind >> 1], failed: kind % 2 === 1, at, number: `#${name.slice(prefix.length + 2)}`,
        key: key ? keys[key - 1].replace(/^\.\//, '') : null, files: files.get(position),
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
      const svg = draw('svg', { class: 'strip', viewBox: '0 0 1000 44', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
      let last;
      await steps(tape.entries(), ([index, event]) => {
        const at = x(event, index, tape);
        const near = last && at - last.at < 2;
        // Events that are too near share a tick; a failure must not hide behind its neighbors.
        const hidden = near && (last.failed || !event.failed);
        if (hidden) return;
        if (near) last.tick.remove();
        const tick = draw('a', { href: event.href, tabindex: -1 },
          draw('path', { class: `f-${event.family}${event.failed ? ' fail' : ''}`, d: `M${at.toFixed(1)} ${event.failed ? '2v40' : '8v28'}` }));
        svg.append(tick);
        last = { at, failed: event.failed, tick };
      });
      const { tapes: all, number } = runs[run];
      const own = all[number - 1];
      const words = !own ? 'no tape' : `${own.file}: ${count(own.events, 'event')}, ${own.failures ? count(own.failures, 'failure') : 'no failure'}`
        + `, ${own.duration ?? 'no times'}${tape.length < own.events ? `; the first ${digits(tape.length)} are compared` : ''}`;
      const said = make('span', { className: 'by' }, ` ${words}`);
      all.forEach((other, at) => {
        if (at + 1 === number) return;
        const names = runs.map(({ name }, index) => (index === run ? named(runs[run].slug, at + 1) : name));
        said.append(said.children.length ? ', ' : '. Compare instead: ', link(`${here(names)}#tapes`, other.file), ` (${count(other.events, 'event')})`);
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
      // The first label begins at its tick and the last one ends there, so that none is cut off.
      label.style.translate = `-${(where / 10).toFixed(1)}%`;
      labels.append(label);
    }
    document.getElementById('compared').append(section('tapes', 'Tapes', quiet('One tick per event, taller for failures; each tick links to its event. All tapes share one axis: the time since their first event.'),
      make('figure', {}, lanes, axis, labels, make('ul', { className: 'legend' },
        ...[...new Set(tapes.flat().map((event) => event.family))].map((family) => make('li', {}, make('i', { className: `f-${family}` }), family))))));
    for (const [run, tape] of tapes.entries()) {
      await lane(tape, run);
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
      !runs[run].tape ? '' : list.length ? make('ul', { className: 'paths' }, ...list.slice(0, 200).map(([path, event]) => make('li', {}, link(event.href, shortened(path)), ' ', make('small', {}, event.word.replace('_', ' '))))) : quiet('None.'),
      ...(list.length > 200 ? [quiet(`${count(list.length - 200, 'more file')} not shown.`)] : [])));
    return section(id, 'Files that only one run touched', quiet(`${common ? count(common, 'file') : 'No file'} ${common > 1 ? 'were' : 'was'} touched by all. Each path links to the event that wrote it, or else to the first that touched it.`),
      make('div', { className: 'beside' }, ...cards));
  };

  Object.assign(compare, { shortened, unpack, strips, files });
})();
