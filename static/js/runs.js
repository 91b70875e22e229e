(() => {
  // Facets, a filter by words and an order over all runs of the archive. The data is loaded on first use; until then
  // the page stays as it came. What is chosen stands in the address.
  'use strict';
  const { root, make, button, settle, steps, archive } = window.runpress;
  const summary = document.querySelector('[data-runs]');
  const table = document.querySelector('main table.runs');
  if (!summary || !table) return;
  const SIZE = 100;
  // Rows that are laid out at once.
  const SOME = 35;
  const FEW = 10;
  const RATINGS = ['broken', 'poor', 'scuffed', 'neutral', 'passable', 'great', 'incredible', 'flawless'];
  const COLUMNS = ['run', 'finished', 'case', 'variant', 'model', 'harness', 'state', 'rating', 'cost', 'time', 'events', 'annotations', 'threads'];
  const CELLS = [['variant', 4], ['cost', 9], ['time', 10], ['events', 11], ['annotations', 12], ['threads', 13]];
  const body = table.tBodies[0];
  const served = [...body.rows];
  // Taken before another script adds to the row.
  const sample = served[0].cloneNode(true);
  const columns = [...table.tHead.rows[0].cells].map((cell, at) => cell.dataset.col ?? COLUMNS[at]);
  const ofServer = document.querySelectorAll('main nav.pager, [data-runs]');
  const paged = ofServer.length > 1;
  const text = (cell) => cell.text ?? cell;
  const slug = (row) => row[0][0].split('/')[1];
  const pause = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  const count = (number) => number.toLocaleString('en');
  const facets = [
    ['case', 'Case', (row) => [row[2][1]]],
    ['variant', 'Variant', (row) => [text(row[4])]],
    ['model', 'Model', (row) => [row[5][1]]],
    ['harness', 'Harness', (row) => [row[6][1]]],
    ['state', 'State', (row) => [row[7][0]]],
    ['rating', 'Rating', (row) => [row[8][0]]],
    ['annotation', 'Annotations', (row) => Object.keys(row[14])],
  ].map(([key, name, of]) => ({ key, name, of, chosen: new Set(), items: new Map(), totals: new Map() }));
  const rows = [];
  let order = {};
  let page = 1;
  let loading, timer, asked;

  const add = (row) => {
    const values = facets.map(({ of }) => of(row));
    const words = [row[0][1], slug(row), row[3], row[1][0].slice(0, 10), ...values.flat()].join(' ').toLowerCase();
    rows.push({ row, values, words, at: rows.length });
    facets.forEach(({ totals }, at) => values[at].forEach((value) => totals.set(value, (totals.get(value) ?? 0) + 1)));
  };

  const filter = make('input', { type: 'search', autocomplete: 'off', placeholder: 'Filter by words', ariaLabel: 'Filter the runs by words' });
  const clear = button('Clear', () => {
    for (const { chosen } of facets) chosen.clear();
    filter.value = '';
    go();
    filter.focus();
  }, { hidden: true });
  const status = make('p', { className: 'quiet', role: 'status' });
  const pager = make('nav', { className: 'pager', hidden: true, ariaLabel: 'Pages of the filtered runs' });
  const place = make('section', { className: 'facets', ariaLabel: 'Filter the runs' }, make('div', { className: 'bar' }, filter, ...facets.map((facet) => {
    facet.summary = make('summary', {}, facet.name);
    facet.list = make('ul', { className: 'choices' });
    facet.details = make('details', { name: 'facet', className: 'choice', ontoggle: () => facet.details.open && use() }, facet.summary, facet.list);
    return facet.details;
  }), clear), status);
  settle(place, '.facets', (filters) => summary.after(filters));
  table.closest('.scroll').after(pager);

  const use = () => {
    status.textContent ||= 'Loading the runs …';
    loading ??= archive(add);
    loading.then(show, () => { status.textContent = 'The data of the runs could not be loaded.'; });
  };

  const wanted = () => filter.value.toLowerCase().split(/\s+/).filter(Boolean);

  const show = async () => {
    const mine = (asked = {});
    const words = wanted();
    const filtered = words.length > 0 || facets.some(({ chosen }) => chosen.size);
    let found = [];
    const counts = facets.map(() => new Map());
    // In steps, so that the page answers in between; who asks again in the meantime is served instead.
    await steps(rows, (each) => {
      if (!words.every((word) => each.words.includes(word))) return;
      const failed = facets.filter(({ chosen }, at) => chosen.size && !each.values[at].some((value) => chosen.has(value)));
      if (!failed.length) found.push(each);
      facets.forEach((facet, at) => { // It counts what there would be if nothing were chosen in it.
        if (failed.length > 1 || (failed.length && failed[0] !== facet)) return;
        for (const value of each.values[at]) counts[at].set(value, (counts[at].get(value) ?? 0) + 1);
      });
    });
    if (asked !== mine) return;
    facets.forEach((facet, at) => { facet.counts = counts[at]; });
    if (order.column) found = sorted(found);
    facets.forEach(list);
    await pause();
    if (asked !== mine) return;
    const own = filtered || order.column;
    const pages = own ? Math.max(1, Math.ceil(found.length / SIZE)) : 1;
    page = Math.min(page, pages);
    const made = own ? [] : [...served];
    if (own) await steps(found.slice((page - 1) * SIZE, page * SIZE), ({ row }) => made.push(line(row)));
    if (asked !== mine) return;
    table.dispatchEvent(new CustomEvent('runpress:rows', { bubbles: true, detail: made }));
    clear.hidden = !filtered;
    for (const element of ofServer) element.hidden = own;
    turn(pages, found.length);
    body.replaceChildren(...made.splice(0, SOME));
    while (made.length) {
      await pause();
      if (asked !== mine) return;
      body.append(...made.splice(0, SOME));
    }
    status.textContent = own ? `${count(found.length)} of ${count(rows.length)} runs${found.length ? '' : '. Take a filter away to see more'}.` : '';
  };

  // By the column that was asked for; what is unknown comes last.
  const sorted = (found) => {
    const { column, way } = order;
    const at = { run: 0, finished: 1, case: 2, model: 5, harness: 6, state: 7 }[column];
    const key = ({ row }) => {
      if (column === 'rating') return RATINGS.indexOf(row[8][0]);
      if (column === 'time') return Number.parseFloat(row[10].title);
      if (at !== undefined) return row[at][[1, 7].includes(at) ? 0 : 1];
      const word = text(row[CELLS.find(([name]) => name === column)[1]]);
      if (column === 'variant') return word === '—' ? -1 : word;
      return word === '—' ? -1 : Number(word.replace(/[$,]/g, ''));
    };
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    const keyed = found.map((each) => [key(each), each]);
    keyed.sort(([a, x], [b, y]) => (a === -1) - (b === -1)
      || way * (typeof a === 'number' ? a - b : compare(a, b)) || x.at - y.at);
    return keyed.map(([, each]) => each);
  };

  const list = (facet) => {
    const { name, chosen, counts, items, totals } = facet;
    facet.summary.replaceChildren(name, ...(chosen.size ? [' ', make('small', {}, `${chosen.size} chosen`)] : []));
    if (!facet.details.open) return;
    for (const [value] of [...totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).concat([...chosen].map((each) => [each]))) {
      if (items.has(value)) continue;
      const box = make('input', { type: 'checkbox', value, onchange: () => {
        if (box.checked) chosen.add(value);
        else chosen.delete(value);
        go();
      } });
      const label = make('label', {}, box, make('span', {}, value.replaceAll('_', ' ')), make('small'));
      facet.list.append(make('li', {}, label));
      items.set(value, label);
    }
    let shown = 0;
    for (const [value, label] of items) {
      const [box, , small] = label.children;
      box.checked = chosen.has(value);
      small.textContent = count(counts.get(value) ?? 0);
      label.parentNode.hidden = !box.checked && (!counts.has(value) || (!facet.all && shown >= FEW && counts.size > FEW + 2));
      if (!label.parentNode.hidden) shown += 1;
    }
    facet.more?.remove();
    const folded = counts.size - shown;
    if (facet.all || folded < 1) return;
    facet.more = button(`${count(folded)} more`, () => {
      facet.all = true;
      const next = [...items.values()].find(({ parentNode }) => parentNode.hidden);
      list(facet);
      next.firstChild.focus();
    });
    facet.list.append(facet.more);
  };

  const turn = (pages, total) => {
    pager.hidden = pages < 2;
    const from = (page - 1) * SIZE;
    const controls = [['Previous', page - 1], ['Next', page + 1]].map(([name, to]) => button(name, () => {
      go(to);
      place.scrollIntoView();
    }, { disabled: to < 1 || to > pages }));
    pager.replaceChildren(make('p', {}, `Page ${page} of ${pages}: runs ${count(from + 1)} to ${count(Math.min(total, from + SIZE))} of ${count(total)}`), make('p', {}, ...controls));
  };

  // A row as the server would have written it, with the columns of the table.
  const line = (row) => {
    const link = ([href, words]) => [make('a', { href: new URL(href, root) }, words)];
    const badge = ([words, tone]) => [make('span', { className: `badge b-${tone}` }, words)];
    const cell = (value) => (typeof value === 'string' ? [value]
      : [make(value.known ? 'span' : 'abbr', { title: value.title, className: value.known ? '' : 'unknown' }, value.text)]);
    const [run, [dateTime, title], kase, version] = row;
    const content = {
      run: link(run),
      finished: [make('time', { dateTime, title }, dateTime.slice(0, 10))],
      case: [...link(kase), ' ', make('small', {}, version)],
      model: link(row[5]),
      harness: link(row[6]),
      state: badge(row[7]),
      rating: badge(row[8]),
    };
    for (const [name, at] of CELLS) content[name] = cell(row[at]);
    const made = sample.cloneNode(false);
    if (made.dataset.run) made.dataset.run = slug(row);
    columns.forEach((column, at) => {
      const place = made.appendChild(sample.cells[at].cloneNode(false));
      place.append(...(content[column] ?? []));
      if (column === 'rating') place.dataset.v = RATINGS.indexOf(row[8][0]) + 1 || '';
      if (column === 'time') place.dataset.v = Number.parseFloat(row[10].title);
    });
    return made;
  };

  const read = () => {
    const query = new URLSearchParams(location.search);
    for (const facet of facets) facet.chosen = new Set(query.getAll(facet.key));
    filter.value = query.get('q') ?? '';
    page = Math.max(1, Number.parseInt(query.get('page'), 10) || 1);
    if (order.column || ['q', 'page', ...facets.map(({ key }) => key)].some((key) => query.has(key)) || loading) use();
  };

  const go = (at = 1, how = 'pushState') => {
    const url = new URL(location);
    const query = url.searchParams;
    for (const key of [...facets.map(({ key }) => key), 'q', 'page']) query.delete(key);
    for (const { key, chosen } of facets) for (const value of chosen) query.append(key, value);
    if (wanted().length) query.set('q', filter.value.trim());
    if (at > 1) query.set('page', at);
    page = at;
    if (url.href !== location.href) history[how]({}, '', url);
    use();
  };

  filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(go, 150, 1, 'replaceState');
  });
  // A list that goes on over pages is put into another order as a whole.
  table.addEventListener('runpress:sort', (event) => {
    if (!paged) return;
    event.preventDefault();
    order = columns.includes(event.detail.column) ? event.detail : {};
    read();
  });
  addEventListener('popstate', read);
  read();
})();
