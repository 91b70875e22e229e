(() => {
  // Facets, a filter by words and an order over all runs of the archive. The page stays as served until they are used;
  // then the needed columns and the visible rows are loaded. The selection is in the address.
  'use strict';
  const { root, make, link, button, mount, digits: count, sorted, shown, steps, load, query } = window.runpress;
  const summary = document.querySelector('[data-runs]');
  const table = document.querySelector('main table.runs');
  if (!summary || !table) return;
  const SIZE = 100;
  const FEW = 10;
  const body = table.tBodies[0];
  const served = [...body.rows];
  // Cloned before another script adds to the row.
  const sample = served[0].cloneNode(true);
  const columns = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.col);
  const ofServer = document.querySelectorAll('main nav.pager, [data-runs]');
  const paged = ofServer.length > 1;
  // The first rows are shown before the files and the layout of the others; rows of a single page are sorted together.
  const [FIRST, NEXT] = paged ? [10, 45] : [SIZE, SIZE];
  const pause = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  const facets = [
    ['case', 'Case'], ['variant', 'Variant'], ['model', 'Model'], ['harness', 'Harness'],
    ['state', 'State'], ['rating', 'Rating'], ['annotation', 'Annotations'],
  ].map(([key, name]) => ({ key, name, chosen: new Set(), items: new Map(), totals: new Map() }));
  let order = {};
  let archive;
  let page = 1;
  let loading, timer, asked;

  const prepare = async () => {
    archive = await (await load('search/rows'))(window.runpress);
    for (const { key, totals } of facets) {
      const { names, counts } = archive.columns[key];
      names.forEach((values, at) => values.forEach((value) => totals.set(value, (totals.get(value) ?? 0) + counts[at])));
    }
  };

  const filter = make('input', { type: 'search', autocomplete: 'off', placeholder: 'Filter by words', ariaLabel: 'Filter the runs by words' });
  const clear = button('Clear', () => {
    for (const { chosen } of facets) chosen.clear();
    filter.value = '';
    go();
    filter.focus();
  }, { hidden: true });
  const status = make('p.quiet', { role: 'status' });
  const pager = make('nav.pager', { hidden: true, ariaLabel: 'Pages of the filtered runs' });
  const place = make('section.facets', { ariaLabel: 'Filter the runs' }, make('div.bar', {}, filter, ...facets.map((facet) => {
    facet.summary = make('summary', {}, facet.name);
    facet.list = make('ul.choices');
    facet.details = make('details.choice', { name: 'facet', ontoggle: () => facet.details.open && use() }, facet.summary, facet.list);
    return facet.details;
  }), clear), status);
  mount(place, '.facets', (filters) => summary.after(filters));
  table.closest('.scroll').after(pager);

  const use = () => {
    status.textContent ||= 'Loading the runs …';
    loading ??= prepare();
    loading.then(show).catch(() => { status.textContent = 'The data of the runs could not be loaded.'; });
  };

  const wanted = () => filter.value.toLowerCase().split(/\s+/).filter(Boolean);

  const show = async () => {
    const mine = (asked = {});
    const typed = wanted();
    const filtered = typed.length > 0 || facets.some(({ chosen }) => chosen.size);
    let found = [];
    const counts = facets.map(() => new Map());
    // Load only columns that are selected or unfolded.
    const used = facets.map(({ chosen, details }) => chosen.size || details.open);
    const columns = await Promise.all(facets.map(({ key }, at) => used[at] && archive.column(key)));
    const named = facets.map(({ key }) => archive.columns[key].names);
    const fits = facets.map(({ chosen }, at) => named[at].map((values) => values.some((value) => chosen.has(value))));
    const has = await archive.having(typed);
    // In steps, to keep the page responsive; a newer query replaces this one.
    await steps(archive.runs, (run) => {
      if (!has(run)) return;
      const failed = facets.filter(({ chosen }, at) => chosen.size && !fits[at][columns[at][run]]);
      if (!failed.length) found.push(run);
      facets.forEach((facet, at) => { // Counts ignore the selection in the facet itself.
        if (!used[at] || failed.length > 1 || (failed.length && failed[0] !== facet)) return;
        for (const value of named[at][columns[at][run]]) counts[at].set(value, (counts[at].get(value) ?? 0) + 1);
      });
    });
    if (asked !== mine) return;
    facets.forEach((facet, at) => { facet.counts = counts[at]; });
    if (order.column) found = sorted(found, await archive.keyOf(order.column), order.way);
    if (asked !== mine) return;
    facets.forEach(list);
    await pause();
    if (asked !== mine) return;
    const own = filtered || order.column;
    const pages = own ? Math.max(1, Math.ceil(found.length / SIZE)) : 1;
    page = Math.min(page, pages);
    const due = own ? found.slice((page - 1) * SIZE, page * SIZE) : served;
    let [at, end] = [0, FIRST];
    do {
      if (at) await pause();
      const some = due.slice(at, end);
      const made = own ? (await archive.rows(some)).map(line) : some;
      if (asked !== mine) return;
      table.dispatchEvent(new CustomEvent('runpress:rows', { bubbles: true, detail: made }));
      if (at) body.append(...made);
      else {
        clear.hidden = !filtered;
        for (const element of ofServer) element.hidden = own;
        turn(pages, found.length);
        body.replaceChildren(...made);
      }
      [at, end] = [end, end + NEXT];
    } while (at < due.length);
    status.textContent = own ? `${count(found.length)} of ${count(archive.runs.length)} runs${found.length ? '' : '. Remove a filter to see more'}.` : '';
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

  // A row with the columns of the table.
  const line = (row) => {
    const made = sample.cloneNode(false);
    if (made.dataset.run) made.dataset.run = row.slug;
    columns.forEach((column, at) => {
      const place = made.appendChild(sample.cells[at].cloneNode(false));
      const cell = row[column];
      if (!cell) return;
      if (!at) {
        place.append(link(new URL(cell.href, root), cell.title, { className: `g-${row.state.tone}` }), ' ', make('small', {}, cell.text));
        return;
      }
      place.append(shown(cell), ...(row.small[column] ? [' ', make('small', {}, row.small[column])] : []));
      if (column in row.order) place.dataset.v = row.order[column];
    });
    return made;
  };

  const read = () => {
    const now = new URLSearchParams(location.search);
    for (const facet of facets) facet.chosen = new Set(now.getAll(facet.key));
    filter.value = now.get('q') ?? '';
    page = Math.max(1, Number.parseInt(now.get('page'), 10) || 1);
    if (order.column || ['q', 'page', ...facets.map(({ key }) => key)].some((key) => now.has(key)) || loading) use();
  };

  const go = (at = 1, how = 'pushState') => {
    query((now) => {
      for (const key of [...facets.map(({ key }) => key), 'q', 'page']) now.delete(key);
      for (const { key, chosen } of facets) for (const value of chosen) now.append(key, value);
      if (wanted().length) now.set('q', filter.value.trim());
      if (at > 1) now.set('page', at);
    }, how);
    page = at;
    use();
  };

  filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(go, 150, 1, 'replaceState');
  });
  // A list of several pages is sorted as a whole.
  table.addEventListener('runpress:sort', (event) => {
    if (!paged) return;
    event.preventDefault();
    order = columns.includes(event.detail.column) ? event.detail : {};
    read();
  });
  addEventListener('popstate', read);
  read();
})();
