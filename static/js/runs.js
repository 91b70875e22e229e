// Facets and a filter over all runs of the archive, above the table of the page of runs. The data is loaded on
// first use; without a filter the page stays as it came. What is chosen stands in the address.
(() => {
  'use strict';
  const { root, make, load } = window.runpress;
  const summary = document.querySelector('[data-runs]');
  const table = document.querySelector('main table.runs');
  if (!summary || !table) return;
  const SIZE = 100;
  const FEW = 10;
  const body = table.tBodies[0];
  const served = [...body.rows];
  // Taken before another script adds to the row.
  const sample = served[0].cloneNode(true);
  const COLUMNS = ['run', 'finished', 'case', 'variant', 'model', 'harness', 'state', 'rating', 'cost', 'time', 'events', 'annotations', 'threads'];
  const columns = [...table.tHead.rows[0].cells].map((cell, at) => cell.dataset.col ?? COLUMNS[at]);
  const text = (cell) => cell.text ?? cell;
  const FACETS = [
    ['case', 'Case', (row) => [row[2][1]]],
    ['variant', 'Variant', (row) => [text(row[4])]],
    ['model', 'Model', (row) => [row[5][1]]],
    ['harness', 'Harness', (row) => [row[6][1]]],
    ['state', 'State', (row) => [row[7][0]]],
    ['rating', 'Rating', (row) => [row[8][0]]],
    ['annotation', 'Annotations', (row) => Object.keys(row[14])],
  ].map(([key, name, of]) => ({ key, name, of, chosen: new Set(), all: false }));
  const rows = [];
  let page = 1;
  let loading, loaded, timer;

  const count = (number) => number.toLocaleString('en');

  // Each row with what it is filtered by.
  function add(data) {
    for (const row of data) {
      const values = FACETS.map(({ of }) => of(row));
      const words = [row[0][1], row[0][0].split('/')[1], row[3], row[1][0].slice(0, 10), ...values.flat()].join(' ').toLowerCase();
      rows.push({ row, values, words });
    }
  }

  async function prepare() {
    let parts = 0;
    window.runpress.runs = (part, data) => {
      if (part) add(data);
      else parts = data;
    };
    await load('runs');
    for (let part = 1; part <= parts; part += 1) await load(`runs-${part}`);
    loaded = true;
  }

  const filter = make('input', '', { type: 'search', autocomplete: 'off', placeholder: 'Filter by words' });
  filter.setAttribute('aria-label', 'Filter the runs by words');
  const clear = make('button', 'Clear', { type: 'button', hidden: true });
  const status = make('p', '', { className: 'quiet', role: 'status' });
  const pager = make('nav', '', { className: 'pager', hidden: true, ariaLabel: 'Pages of the filtered runs' });
  const bar = make('div', '', { className: 'bar' });
  const place = make('section', '', { className: 'facets', ariaLabel: 'Filter the runs' });
  const serverPart = document.querySelectorAll('main nav.pager, [data-runs]');

  for (const facet of FACETS) {
    facet.details = make('details', '', { name: 'facet' });
    facet.summary = make('summary', facet.name);
    facet.list = make('ul', '', { ariaLabel: facet.name });
    facet.details.append(facet.summary, facet.list);
    facet.details.addEventListener('toggle', () => facet.details.open && use());
    bar.append(facet.details);
  }
  bar.prepend(filter);
  bar.append(clear);
  place.append(bar, status);
  summary.after(place);
  (table.closest('.scroll') ?? table).after(pager);

  function use() {
    loading ??= prepare();
    if (!loaded) status.textContent = 'Loading the runs …';
    loading.then(show, () => {
      loading = undefined;
      status.textContent = 'The data of the runs could not be loaded.';
    });
  }

  const wanted = () => filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isFiltered = () => wanted().length > 0 || FACETS.some(({ chosen }) => chosen.size);

  function show() {
    const words = wanted();
    const found = [];
    for (const facet of FACETS) facet.counts = new Map();
    for (const each of rows) {
      if (!words.every((word) => each.words.includes(word))) continue;
      let failed = -1;
      let fails = 0;
      for (let at = 0; at < FACETS.length && fails < 2; at += 1) {
        const { chosen } = FACETS[at];
        if (!chosen.size || each.values[at].some((value) => chosen.has(value))) continue;
        failed = at;
        fails += 1;
      }
      if (fails === 0) found.push(each);
      // A facet counts what there would be if nothing were chosen in it.
      FACETS.forEach(({ counts }, at) => {
        if (fails > 1 || (fails === 1 && at !== failed)) return;
        for (const value of each.values[at]) counts.set(value, (counts.get(value) ?? 0) + 1);
      });
    }
    for (const facet of FACETS) list(facet);
    const filtered = isFiltered();
    clear.hidden = !filtered;
    for (const element of serverPart) element.hidden = filtered;
    const pages = Math.max(1, Math.ceil(found.length / SIZE));
    page = Math.min(page, pages);
    turn(filtered ? pages : 1, found.length);
    status.textContent = filtered
      ? `${count(found.length)} of ${count(rows.length)} runs${found.length ? ', newest first' : '. Take a filter away to see more'}.`
      : '';
    body.replaceChildren(...(filtered ? found.slice((page - 1) * SIZE, page * SIZE).map(({ row }) => tr(row)) : served));
    table.dispatchEvent(new CustomEvent('runpress:rows', { bubbles: true }));
  }

  function list(facet) {
    const { chosen, counts, details, summary } = facet;
    summary.replaceChildren(facet.name, ...(chosen.size ? [' ', make('small', `${chosen.size} chosen`)] : []));
    if (!details.open) return;
    facet.order ??= [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
    const known = [...new Set([...facet.order, ...counts.keys(), ...chosen])].filter((value) => counts.has(value) || chosen.has(value));
    const few = facet.all || known.length <= FEW + 2 ? known : known.filter((value, at) => at < FEW || chosen.has(value));
    const focused = facet.list.contains(document.activeElement) && document.activeElement.value;
    facet.list.replaceChildren(...few.map((value) => {
      const box = make('input', '', { type: 'checkbox', value, checked: chosen.has(value) });
      box.addEventListener('change', () => {
        if (box.checked) chosen.add(value);
        else chosen.delete(value);
        go();
      });
      const label = make('label');
      label.append(box, make('span', value.replaceAll('_', ' ')), make('small', count(counts.get(value) ?? 0)));
      const item = make('li');
      item.append(label);
      return item;
    }));
    if (few.length < known.length) {
      const more = make('button', `${count(known.length - few.length)} more`, { type: 'button' });
      more.addEventListener('click', () => {
        facet.all = true;
        list(facet);
        facet.list.querySelectorAll('input')[few.length]?.focus();
      });
      facet.list.appendChild(make('li')).append(more);
    }
    if (focused !== false) [...facet.list.querySelectorAll('input')].find(({ value }) => value === focused)?.focus();
  }

  function turn(pages, total) {
    pager.hidden = pages < 2;
    const from = (page - 1) * SIZE;
    const words = make('p', `Page ${page} of ${pages}: runs ${count(from + 1)} to ${count(Math.min(total, from + SIZE))} of ${count(total)}`);
    const buttons = [['Previous', page - 1], ['Next', page + 1]].filter(([, to]) => to > 0 && to <= pages).map(([name, to]) => {
      const button = make('button', name, { type: 'button' });
      button.addEventListener('click', () => {
        page = to;
        go(page);
        place.scrollIntoView();
        [...pager.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.focus({ preventScroll: true });
      });
      return button;
    });
    const controls = make('p');
    controls.append(...buttons);
    pager.replaceChildren(words, controls);
  }

  // A row as the server would have written it, with the same columns.
  function tr(row) {
    const at = (href) => new URL(href, root).href;
    const link = ([href, words]) => [make('a', words, { href: at(href) })];
    const badge = ([words, tone]) => [make('span', words, { className: `badge b-${tone}` })];
    const cell = (value) => {
      if (typeof value === 'string') return [value];
      return [make(value.known ? 'span' : 'abbr', value.text, { title: value.title, className: value.known ? '' : 'unknown' })];
    };
    const [run, [iso, full], kase, version, variant, model, harness, state, rating, cost, time, events, annotations, threads] = row;
    const content = {
      run: () => link(run),
      finished: () => [make('time', iso.slice(0, 10), { dateTime: iso, title: full })],
      case: () => [...link(kase), ' ', make('small', version)],
      variant: () => cell(variant),
      model: () => link(model),
      harness: () => link(harness),
      state: () => badge(state),
      rating: () => badge(rating),
      cost: () => cell(cost),
      time: () => cell(time),
      events: () => cell(events),
      annotations: () => cell(annotations),
      threads: () => cell(threads),
    };
    const line = sample.cloneNode(false);
    if ('run' in line.dataset) line.dataset.run = run[0].split('/')[1];
    columns.forEach((column, index) => {
      const made = sample.cells[index].cloneNode(false);
      made.append(...(content[column]?.() ?? []));
      line.append(made);
    });
    return line;
  }

  function read() {
    const query = new URLSearchParams(location.search);
    for (const { key, chosen } of FACETS) {
      chosen.clear();
      for (const value of query.getAll(key)) chosen.add(value);
    }
    filter.value = query.get('q') ?? '';
    page = Math.max(1, Number.parseInt(query.get('page'), 10) || 1);
  }

  function go(at = 1, how = 'pushState') {
    page = at;
    const url = new URL(location);
    for (const key of [...FACETS.map(({ key }) => key), 'q', 'page']) url.searchParams.delete(key);
    for (const { key, chosen } of FACETS) for (const value of chosen) url.searchParams.append(key, value);
    if (filter.value.trim()) url.searchParams.set('q', filter.value.trim());
    if (page > 1) url.searchParams.set('page', page);
    if (url.href !== location.href) history[how]({}, '', url);
    use();
  }

  filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => go(1, 'replaceState'), 150);
  });
  clear.addEventListener('click', () => {
    for (const { chosen } of FACETS) chosen.clear();
    filter.value = '';
    go();
    filter.focus();
  });
  document.addEventListener('click', ({ target }) => {
    for (const { details } of FACETS) if (details.open && target.isConnected && !details.contains(target)) details.open = false;
  });
  place.addEventListener('keydown', (event) => {
    const open = event.key === 'Escape' && FACETS.find(({ details }) => details.open);
    if (!open) return;
    open.details.open = false;
    open.summary.focus();
  });
  addEventListener('popstate', () => {
    read();
    use();
  });
  read();
  if (isFiltered()) use();
})();
