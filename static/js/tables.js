(() => {
  // Enhances tables of runs: sort, filter, choose columns, copy, and pick runs to compare. Order, filter and columns are in the
  // address. A script that replaces the rows of a table first dispatches `runpress:rows` on it with the new rows, and uses the
  // resulting order. A script that sorts a table itself prevents the default of `runpress:sort`.
  'use strict';
  const { root, make, button, mount, count, number, sorted, query, escaped, copy: put } = window.runpress;
  const MOST = 4;
  const tables = [...document.querySelectorAll('table.runs, table.comparison')];
  if (!tables.length) return;
  const picked = new Map();
  const recalled = new WeakMap();
  const elsewhere = new Set();
  // The list of all runs has its own filter over all pages.
  const faceted = document.querySelector('[data-runs]');
  const storageKey = `runpress rows ${root}`;
  // Names of the second value of a copied cell.
  const SECOND = { run: 'Finished', case: 'Case version', harness: 'Harness version' };
  const UNITS = { time: ' in seconds', cost: ' in USD', actual: ' in USD' };
  let state;
  let find;
  let status;
  let boxes = [];
  let bar;

  const heads = (table) => [...table.tHead.rows[0].cells];
  const rows = (table) => [...table.querySelectorAll('tr[data-run]')];
  const words = (element) => element.textContent.replace(/\s+/g, ' ').trim();
  const runs = (number) => count(number, 'run');

  const read = () => {
    const now = new URLSearchParams(location.search);
    const hidden = now.getAll('cols').filter((name) => name[0] === '-').map((name) => name.slice(1));
    state = { sort: now.get('sort') || '', find: (!faceted && now.get('find')) || '', hidden: new Set(hidden) };
  };
  const write = (edits = {}) => query((now) => {
    for (const key of ['sort', 'find', 'cols']) now.delete(key);
    if ('sort' in edits) now.delete('page'); // Another order begins with its first page.
    if (state.sort) now.set('sort', state.sort);
    if (state.find) now.set('find', state.find);
    for (const name of state.hidden) now.append('cols', `-${name}`);
  });

  // Links to the other pages of a list keep order, filter and columns.
  const carry = () => {
    for (const link of document.querySelectorAll('.pager a')) link.search = location.search;
  };

  // Unknown values are marked; a missing rating has an empty number.
  const isUnknown = (cell) => !cell.textContent.trim() || cell.dataset.v === '' || cell.querySelector(':scope > .unknown') !== null;
  // The value of a cell: a number, a word, or null if unknown. A cell with its own sort order returns that.
  const value = (cell, numeric, order) => {
    if (!cell || isUnknown(cell)) return null;
    // Shortened numbers and plain-language states have the recorded value as their title.
    const [shown, title] = [words(cell), cell.querySelector('[title]')?.title];
    const exact = title && (!Number.isNaN(number(title)) || title.replaceAll('_', ' ') === shown) && title;
    const text = order || cell.querySelector('time')?.dateTime || exact || shown;
    const digits = number(text);
    return (numeric || order) && !Number.isNaN(digits) ? digits : text;
  };
  const wanted = () => [state.sort.replace(/^-/, ''), state.sort[0] === '-' ? -1 : 1];

  const sort = (table, asked) => {
    const [column, way] = wanted();
    for (const head of heads(table)) {
      head.ariaSort = head.dataset.col !== column ? null : way < 0 ? 'descending' : 'ascending';
    }
    if (asked) {
      const event = new CustomEvent('runpress:sort', { cancelable: true, detail: { column, way } });
      if (table.dispatchEvent(event)) elsewhere.delete(table);
      else elsewhere.add(table);
    }
    for (const body of table.tBodies) {
      const now = [...body.rows].filter((row) => row.dataset.run);
      const then = ordered(table, now);
      if (then.some((row, at) => row !== now[at])) body.append(...then); // Rows in order are not moved.
    }
  };
  const ordered = (table, list) => {
    if (elsewhere.has(table)) return list;
    const [column, way] = wanted();
    const at = heads(table).findIndex((head) => head.dataset.col === column);
    const numeric = heads(table)[at]?.classList.contains('num');
    const served = [...list].sort((a, b) => a.dataset.order - b.dataset.order);
    return sorted(served, (row) => value(row.cells[at], numeric, row.cells[at]?.dataset.v), way);
  };

  const filter = () => {
    const parts = state.find.toLowerCase().split(/\s+/).filter(Boolean);
    let all = 0;
    let shown = 0;
    for (const body of tables.flatMap((table) => [...table.tBodies])) {
      const group = body.querySelector('.group');
      const before = shown;
      for (const row of body.rows) {
        if (row === group) continue;
        const text = parts.length && `${words(row)} ${group ? words(group) : ''}`.toLowerCase();
        row.hidden = !parts.every((part) => text.includes(part));
        all += 1;
        shown += !row.hidden;
      }
      if (group) group.hidden = shown === before;
    }
    const plots = fade(parts.length);
    say(parts.length ? `${shown} of ${runs(all)} shown.${plots}` : '');
  };
  // Plots fade the marks of hidden rows. A mark for several runs is not faded.
  const fade = (filtered) => {
    const visible = new Set(tables.flatMap(rows).filter((row) => !row.hidden).map((row) => row.querySelector('a').getAttribute('href')));
    const marks = [...document.querySelectorAll('.plot a')];
    const single = marks.filter((mark) => !mark.querySelector('.many'));
    for (const mark of single) mark.classList.toggle('faint', filtered > 0 && !visible.has(mark.getAttribute('href')));
    if (!single.some((mark) => mark.matches('.faint'))) return single.length < marks.length ? ' The plots show all runs.' : '';
    return ` In the plots the others are faint${single.length < marks.length ? ', except marks of several runs' : ''}.`;
  };

  const hide = (table, list = rows(table)) => {
    const gone = heads(table).map((head, index) => index > 0 && state.hidden.has(head.dataset.col));
    for (const row of [table.tHead.rows[0], ...list]) {
      for (const [index, cell] of [...row.cells].entries()) cell.hidden = gone[index];
    }
    for (const cell of table.querySelectorAll('.group > [colspan]')) cell.colSpan = gone.filter((is) => !is).length;
  };

  const say = (text) => {
    if (status) status.textContent = text;
  };
  const apply = (asked) => {
    for (const note of document.querySelectorAll('.newest')) note.hidden = state.sort !== '';
    for (const table of tables) {
      sort(table, asked);
      hide(table);
    }
    filter();
    if (find && find.value.trim() !== state.find) find.value = state.find;
    for (const box of boxes) box.checked = !state.hidden.has(box.value);
    carry();
  };
  const change = (edits) => {
    Object.assign(state, edits);
    write(edits);
    apply(true);
  };

  // For each cell of a row: the displayed text and its plain values. A second value is in small print.
  const facts = (row) => recalled.get(row) ?? [...row.cells].map((cell, at) => {
    const main = cell.cloneNode(true);
    const small = main.querySelector('small');
    if (small && !at && !small.firstElementChild) return [words(cell), words(small)];
    small?.remove();
    const numeric = cell.classList.contains('num');
    return [words(cell), value(main, numeric, numeric && cell.dataset.v), ...(small ? [value(small)] : [])];
  });

  // The rows to copy: the picked rows, or else the visible ones.
  const chosen = () => {
    return tables.map((table, number) => {
      const own = [...picked.values()].filter((row) => table.contains(row) || (!number && !row.isConnected));
      const shown = heads(table).filter((head) => !head.hidden);
      const head = shown.map((cell) => [words(cell), cell.dataset.col]);
      // Values in the header of a group apply to all its rows.
      const shared = (body) => [...body.querySelectorAll('.group [data-as]')];
      head.splice(1, 0, ...shared(table.tBodies[0]).map(({ dataset }) => [dataset.as]));
      return {
        name: table.caption.textContent,
        head,
        rows: (picked.size ? own : rows(table).filter((row) => !row.hidden)).map((row) => {
          const all = facts(row);
          const cells = shown.map(({ cellIndex }) => all[cellIndex]);
          cells.splice(1, 0, ...shared(row.parentNode ?? table.tHead).map((cell) => facts({ cells: [cell] })[0]));
          return { href: row.querySelector('a').href, cells };
        }),
      };
    }).filter((part) => part.rows.length);
  };
  // Rows as objects of plain values by name.
  const records = (parts) => parts.flatMap(({ name, head, rows: list }) => list.map(({ href, cells }) => Object.fromEntries([
    ['Table', name],
    ...head.flatMap(([title, column], at) => cells[at].slice(1).map((value, second) => [
      second ? SECOND[column] : column?.startsWith('check-') ? `Check ${title}` : title + (UNITS[column] ?? ''), value ?? null,
    ])),
    ['Address', href],
  ])));
  // A spreadsheet would run some texts as formulas; an apostrophe prevents that.
  const guarded = (text) => (text === '' || typeof text === 'number' ? text : `"${(/^[=+\-@＝＋－＠\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text).replaceAll('"', '""')}"`);
  const FORMATS = {
    Markdown: (parts) => parts.map(({ name, head, rows: list }) => [
      ...(parts.length > 1 ? [`**${escaped(name)}**`, ''] : []),
      `| ${head.map(([title]) => escaped(title)).join(' | ')} |`,
      `|${' --- |'.repeat(head.length)}`,
      ...list.map(({ href, cells: [[first], ...rest] }) => `| ${[`[${escaped(first)}](${href})`, ...rest.map(([text]) => escaped(text))].join(' | ')} |`),
    ].join('\n')).join('\n\n'),
    CSV: (parts) => {
      const all = records(parts);
      const names = new Set(all.flatMap(Object.keys));
      names.delete('Address');
      names.add('Address'); // It is the last column.
      const lines = all.map((one) => [...names].map((name) => one[name] ?? ''));
      return [[...names], ...lines].map((line) => line.map(guarded).join(',')).join('\r\n');
    },
    JSON: (parts) => JSON.stringify(records(parts), null, 2),
  };
  const copy = async (name) => {
    const parts = chosen();
    const done = await put(`${FORMATS[name](parts)}\n`);
    const all = parts.reduce((sum, part) => sum + part.rows.length, 0);
    const result = done ? `Copied ${runs(all)} as ${name}.` : 'The browser blocked copying.';
    if (picked.size) bar.note.textContent = result;
    else say(result);
  };
  const copying = () => make('span.copies', {}, 'Copy as', ...Object.keys(FORMATS).map((name) => button(name, () => copy(name))));

  const mark = (row) => {
    const on = picked.has(row.dataset.run);
    const box = row.querySelector('.pick input');
    row.classList.toggle('picked', on);
    if (box) box.checked = on;
  };
  // Picks in the list of all runs are kept across its pages, if storage is available.
  const keep = () => {
    const all = [...picked].map(([run, row]) => [run, row.querySelector('a').href, facts(row)]);
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(all));
    } catch {
      // Picks apply to this page only.
    }
  };
  const recall = () => {
    try {
      for (const [run, href, cells] of JSON.parse(sessionStorage.getItem(storageKey)) ?? []) {
        const row = make('tr', {}, make('th', {}, make('a', { href })));
        row.dataset.run = run;
        recalled.set(row, cells);
        picked.set(run, row);
      }
    } catch {
      // Storage is not available.
    }
  };
  const show = () => {
    if (faceted) keep();
    if (!bar) {
      const note = make('p', { role: 'status' });
      const link = make('a', {}, 'Compare');
      const clear = button('Clear', () => {
        const all = [...picked.values()];
        picked.clear();
        all.forEach(mark);
        show();
        tables[0].querySelector('.pick input')?.focus();
      });
      bar = { note, link, box: make('div.selection', { role: 'group', ariaLabel: 'Selected runs' }, note, link, copying(), clear) };
      document.querySelector('main').append(bar.box);
    }
    const count = picked.size;
    bar.box.hidden = !count;
    bar.link.hidden = count < 2 || count > MOST;
    bar.link.href = `${root}compare/index.html?runs=${[...picked.keys()].join()}`;
    const away = [...picked.values()].filter((row) => !row.isConnected).length;
    bar.note.textContent = `${runs(count)} selected${away ? `, ${away} on other pages` : ''}${count < 2 ? '; one more to compare.' : count > MOST ? `; at most ${MOST} can be compared.` : '.'}`;
  };

  const prepare = (table, list = rows(table)) => {
    for (const [order, row] of list.entries()) {
      const { run } = row.dataset;
      row.dataset.order ??= order;
      if (!row.querySelector('.pick')) {
        const box = make('input', { type: 'checkbox', ariaLabel: `Select run ${facts({ cells: [row.cells[0]] })[0][1]}` });
        box.onchange = () => {
          if (box.checked) picked.set(run, row);
          else picked.delete(run);
          mark(row);
          show();
        };
        row.cells[0].prepend(make('label.pick', {}, box));
      }
      if (picked.has(run)) picked.set(run, row);
      mark(row);
    }
  };

  const tools = () => {
    const names = new Map(tables.flatMap((table) => heads(table).filter((head, at) => at && !('aside' in head.dataset)).map((head) => [head.dataset.col, words(head)])));
    find = make('input', { type: 'search', autocomplete: 'off', spellcheck: false });
    find.oninput = () => {
      state.find = find.value.trim();
      write();
      filter();
      carry();
    };
    boxes = [...names.keys()].map((value) => make('input', { type: 'checkbox', value, onchange: () => {
      state.hidden[boxes.find((box) => box.value === value).checked ? 'delete' : 'add'](value);
      change();
    } }));
    const chooser = make('details.columns', {}, make('summary', {}, 'Columns'),
      make('fieldset', {}, make('legend.sr', {}, 'Visible columns'),
        ...boxes.map((box) => make('label', {}, box, ` ${names.get(box.value)}`))));
    chooser.onkeydown = (event) => {
      if (event.key !== 'Escape') return;
      chooser.open = false;
      chooser.firstChild.focus();
    };
    status = make('p.said', { role: 'status' });
    const first = tables[0].closest('.scroll');
    mount(make('div.tools', {}, ...(faceted ? [] : [make('label', {}, 'Filter these rows ', find)]), chooser, copying(), status),
      '.tools', (bar) => (tables.length > 1 ? first.closest('section') : first).before(bar));
  };

  // A table that fits needs no scroll region, and its header then sticks to the viewport.
  const fit = new ResizeObserver((entries) => {
    for (const { target } of entries) target.classList.toggle('fits', target.scrollWidth <= target.clientWidth);
  });
  if (faceted) recall();
  for (const table of tables) {
    fit.observe(table.parentNode);
    prepare(table);
    for (const head of heads(table)) {
      const name = head.dataset.col;
      const sorting = button('', () => {
        const [now, way] = wanted();
        change({ sort: now !== name ? name : way > 0 ? `-${name}` : '' });
      }, { className: 'sort' });
      sorting.append(...head.childNodes);
      head.append(sorting);
    }
    table.addEventListener('runpress:rows', ({ detail }) => {
      prepare(table, detail);
      hide(table, detail);
      detail.splice(0, detail.length, ...ordered(table, detail));
      carry();
    });
  }
  // A short list of the newest runs needs no tools.
  if (!tables.every((table) => table.hasAttribute('data-brief'))) tools();
  addEventListener('popstate', () => {
    read();
    apply(true);
  });
  read();
  // By then, every script of the page listens for events.
  addEventListener('DOMContentLoaded', () => apply(true));
  if (picked.size) show();
})();
