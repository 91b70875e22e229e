(() => {
  // Runs side by side: the building blocks of all sections of a comparison, and the sections that are plain tables. All
  // recorded text becomes text nodes.
  'use strict';
  const { root, make, link } = window.runpress;
  const LETTERS = 'ABCD';
  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const pageOf = (run) => `${root}runs/${run.folder ?? run.slug}/index.html`;
  const here = (names) => `${location.pathname}${names.length ? `?runs=${names.join()}` : ''}`;
  const named = (slug, tape) => (tape > 1 ? `${slug}~${tape}` : slug);
  const go = (names) => location.assign(here(names));
  const differ = (values) => values.some((value) => value !== values[0]);
  const letter = (index) => make('b.letter', {}, LETTERS[index]);
  const unknown = (reason) => make('abbr.unknown', { title: reason }, '—');

  const section = (id, title, ...children) => make('section', { ariaLabel: title }, make('h2', { id }, title), ...children);
  const quiet = (...words) => make('p.quiet', {}, ...words);
  // Folded content is created when it is opened.
  const fold = (words, content) => {
    const made = make('details', { ontoggle: async () => {
      made.ontoggle = null;
      made.append(await content());
    } }, make('summary', {}, words));
    return made;
  };
  const table = (caption, first, runs, bodies) => {
    const heads = runs.map((run) => make('th', { scope: 'col' }, letter(run.at), ' ', link(pageOf(run), run.title)));
    const made = make('table.sides', {}, make('caption.sr', {}, caption),
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, first), ...heads)), ...bodies);
    made.style.minWidth = `${5 + 6 * runs.length}rem`;
    return make('div.scroll', { tabIndex: 0, role: 'region', ariaLabel: caption }, made);
  };
  // A difference is marked by a sign and a word, not by color alone.
  const line = (name, values, cell, marked = true) => {
    const differs = marked && differ(values);
    const head = make('th', { scope: 'row' }, name);
    if (differs) head.append(' ', make('b.differs', {}, '≠'), make('span.sr', {}, ' differs'));
    return make(differs ? 'tr.differ' : 'tr.same', {}, head, ...values.map((value, index) => make('td', {}, cell(value, index))));
  };

  const measure = (text, part, exact) => {
    const width = Math.min(part > 0 ? Math.max(part * 100, 0.5) : 0, 100).toFixed(1);
    return make('div.measure', {}, make('span', exact, text),
      draw('svg', { class: 'meter', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, draw('rect', { width, height: 4 })));
  };

  // How each run ended and what it took, before all details. Ratios need runs of one task.
  const verdicts = (runs, areComparable) => {
    const metrics = (name) => runs.map((run) => run.metrics.find((each) => each.name === name));
    const field = (name) => runs.map((run) => run.groups.flatMap((group) => group.fields).find((each) => each.name === name).text);
    const rows = [];
    const add = (name, values, cell) => values.some((value) => value !== null) && rows.push(line(name, values, cell ?? ((text) => text ?? unknown('not recorded'))));
    add('How it ended', field('State').map((state) => state?.replaceAll('_', ' ') ?? null));
    const outcomes = [...new Set(runs.flatMap((run) => (run.outcomes ?? []).map(([name]) => name)))];
    for (const name of outcomes) add(name, runs.map((run) => run.outcomes?.find(([other]) => other === name)?.[1] ?? null));
    add('Screens', runs.map(({ checks }) => checks.length ? `${checks.filter(({ similarity }) => similarity !== null).length}/${checks.length}` : null));
    add('Rating', field('Rating'));
    for (const name of ['Comparable cost', 'Actual cost', 'Run time']) {
      const found = metrics(name);
      const base = !runs[0].excluded && found[0].value;
      add(name, found.map(({ value }) => value), (value, at) => {
        if (value === null) return unknown('not recorded');
        const ratio = areComparable && at && base > 0 && value > 0 && !runs[at].excluded ? Number((value / base).toPrecision(2)) : 0;
        return make('span', found[at].exact, found[at].text, ...(ratio ? [' ', make('small', {}, `${ratio} × ${LETTERS[0]}`)] : []));
      });
    }
    return section('verdicts', 'Verdicts', table('Verdicts of the runs', 'Verdict', runs, [make('tbody', {}, ...rows)]));
  };

  const fields = (runs) => {
    const bodies = runs[0].groups.map((group, at) => make('tbody', {},
      make('tr.group', {}, make('th', { scope: 'rowgroup', colSpan: runs.length + 1 }, group.name)),
      ...group.fields.map(({ name }) => line(name, runs.map((run) => run.groups[at].fields.find((field) => field.name === name).text), (text) => text ?? unknown('not recorded')))));
    const shown = table('Fields of the runs', 'Field', runs, bodies);
    shown.classList.add('only');
    const box = make('input', { type: 'checkbox', checked: true, onchange: () => shown.classList.toggle('only') });
    return section('fields', 'Fields', make('p', {}, make('label', {}, box, ' Only differences')), shown);
  };

  const metrics = (runs) => {
    const rows = runs[0].metrics.map(({ name }) => {
      const found = runs.map((run) => run.metrics.find((metric) => metric.name === name));
      const most = Math.max(...found.map(({ value }, at) => (!runs[at].excluded && value) || 0));
      const bars = found.map(({ value, text, exact }, at) => make('li', {}, letter(at), value === null ? unknown('not recorded') : measure(text, most > 0 && !runs[at].excluded ? value / most : 0, exact)));
      return make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, make('ul.stack', {}, ...bars)));
    });
    return section('metrics', 'Metrics', quiet('The bars of a metric share one scale, from 0 to the largest value. Values that were not recorded and runs that do not count have no bar.'),
      table('Metrics of the runs', 'Metric', [], [make('tbody', {}, ...rows)]));
  };

  const checks = (runs) => {
    const views = [...new Map(runs.flatMap((run) => run.checks.map(({ view, name }) => [view, name])))];
    if (!views.length) return section('checks', 'Checks', quiet('None of these runs has visual checks.'));
    const rows = views.map(([view, name]) => {
      const found = runs.map((run) => run.checks.find((check) => check.view === view));
      return line(name, found.map((check) => check?.similarity), (value, index) => {
        if (!found[index]) return unknown('the case version of this run lacks this check');
        return value === null ? found[index].text : measure(found[index].text, value);
      });
    });
    return section('checks', 'Checks', quiet('Similarity of each view to its reference, from 0 to 1: a signal, not a verdict. A view that was not reached is not a failure.'),
      table('Checks of the runs', 'Check', runs, [make('tbody', {}, ...rows)]));
  };

  const writeups = (runs) => {
    if (!runs.some((run) => run.writeup)) return section('writeups', 'Writeups', quiet('None of these runs has a writeup.'));
    const TAGS = { h: 'h4', p: 'p', li: 'li', pre: 'pre' };
    const cards = runs.map((run, index) => {
      const card = make('div', {}, make('h3', {}, letter(index), ' ', run.title));
      if (!run.writeup) return make('div', {}, ...card.childNodes, quiet('This run has no writeup.'));
      const { blocks, more } = run.writeup;
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
      card.append(make('p', {}, link(`${pageOf(run)}#writeup`, more ? 'Full writeup' : 'Writeup on the run page')));
      return card;
    });
    return section('writeups', 'Writeups', make('div.beside', {}, ...cards));
  };

  window.runpress.compare = {
    LETTERS, draw, pageOf, here, named, go, differ, letter, unknown, section, quiet, fold, table,
    verdicts, metrics, fields, checks, writeups,
  };
})();
