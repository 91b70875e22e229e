(() => {
  // Filters all annotations of the archive, or all of a kind, by author, case and status. What is chosen is in the
  // address, and links to other pages of annotations take it along. Of the data only those parts are read that hold
  // what is shown.
  'use strict';
  const { make, button, digits, count, shown, load, cards, query, root } = window.runpress;
  const main = document.querySelector('main');
  const lead = main.querySelector('.lead');
  const { shelf } = lead.dataset;
  const MOST = shelf ? 100 : 6;
  if (!main.querySelector('.glimpses')) return;
  const folder = (kind) => kind.replaceAll('_', '-');
  const links = [...main.querySelectorAll('a[href*="annotations/"]')];
  const ofServer = [...main.querySelectorAll(shelf ? 'section, .board, .parts, nav.pager' : '.shelf > .parts, .shelf > .glimpses, .shelf > .glimpses ~ p')];
  const parts = new Map();
  let manifest, asked;

  const selects = [['author', 'Author', 1], ['case', 'Case', 0], ['group', shelf === 'hypothesis' ? 'Status' : 'Kind', 2]].map(([name, words, at]) => {
    const select = make('select', { name, onchange: () => go() }, new Option('any', ''));
    return { name, at, select, label: make('label', {}, `${words} `, select) };
  });
  // Only some kinds have parts.
  if (!shelf || !main.querySelector('.parts')) selects.pop();
  const clear = button('Clear', () => {
    for (const { select } of selects) select.value = '';
    go();
    selects[0].select.focus();
  }, { hidden: true });
  const status = make('p', { className: 'quiet', role: 'status' });
  const filter = make('section', { className: 'facets', ariaLabel: 'Filter the annotations' }, make('div', { className: 'bar' }, ...selects.map(({ label }) => label), clear), status);
  lead.after(filter);

  // Where annotations are: on the first page there is a place for each kind.
  const places = shelf ? [{ kind: shelf, after: filter }] : [...main.querySelectorAll('.shelf')].map((section) => {
    const kind = section.getAttribute('aria-labelledby');
    const small = section.querySelector('small');
    const entry = main.querySelector(`.toc a[href="#${kind}"]`);
    return { kind, section, entry, after: section.lastElementChild, small };
  });

  const choices = ({ name }, kind) => (name === 'case' ? manifest.cases : name === 'author' ? manifest.authors : manifest.shelves[kind].groups);
  // How many annotations of each key a part holds.
  const sums = (flat) => Array.from({ length: flat.length / 4 }, (_, at) => flat.slice(at * 4, at * 4 + 4));
  const partsOf = (kind) => manifest.shelves[kind]?.parts ?? [];
  const total = (lists, fits) => lists.flatMap(sums).reduce((all, each) => all + (fits(each) ? each[3] : 0), 0);

  const offer = () => {
    for (const one of selects) {
      const totals = new Map();
      for (const { kind } of places) {
        for (const each of partsOf(kind).flatMap(sums)) {
          const value = choices(one, kind)[each[one.at]];
          totals.set(value, (totals.get(value) ?? 0) + each[3]);
        }
      }
      const values = [...totals.keys()];
      if (one.name === 'case') values.sort();
      one.select.append(...values.map((value) => new Option(`${value} (${digits(totals.get(value))})`, value)));
    }
  };

  // The annotations of a kind that are asked for; parts without one are passed over. The pages list the groups of a kind one
  // after the other, the data has the newest run first.
  async function* find(kind, fits) {
    const { groups = [], names = [] } = manifest.shelves[kind] ?? {};
    for (let group = 0; group < Math.max(groups.length, 1); group += 1) {
      const wanted = (key) => key[2] === group && fits(key);
      for (const [at, held] of partsOf(kind).entries()) {
        if (!total([held], wanted)) continue;
        const name = `search/annotations-${folder(kind)}-${names[at]}`;
        if (!parts.has(name)) parts.set(name, cards(name, manifest));
        const rows = await parts.get(name);
        // Some megabytes are kept.
        if (parts.size > 20) parts.delete(parts.keys().next().value);
        yield* rows.filter(({ key }) => wanted(key));
      }
    }
  }

  // A card of the pages.
  const card = (of, kind, named) => {
    const to = (path, ...words) => make('a', { href: new URL(`runs/${of.slug}/${path}`, root) }, ...words);
    const shelved = manifest.shelves[kind];
    const author = manifest.authors[of.key[1]];
    const head = make('p', { className: 'ah' }, to(of.href, make('span', { ariaHidden: 'true' }, shelved.sign), ` ${of.kind ?? kind.replaceAll('_', ' ')}${of.group && !named ? `: ${of.group}` : ''}`));
    const [date, time] = of.at?.split(' ') ?? [];
    if (date) head.append(' ', make('span', { className: 'by' }, shown({ iso: `${date}T${time}Z`, text: of.at, date })));
    const said = make('p', { className: 'said' }, `event ${of.event}, ${of.event_kind}`);
    if (of.says) said.append(': ', make('q', {}, of.says));
    const by = of.author === null ? author : `${of.author} (${author})`;
    const made = make('li', { className: `an-${shelved.class}` }, ...(of.evidence ? [make('p', {}, of.evidence)] : []), head, said,
      make('p', { className: 'by' }, to('index.html', of.run), ` by ${of.model}${of.key[1] < 3 ? `; annotated by ${by}` : ''}`));
    return made;
  };

  // The list that a card belongs into; on the page of a kind its parts have headings.
  const listOf = (place, group) => {
    const name = shelf && manifest.shelves[shelf].groups[group];
    if (!place.list || (name && place.group !== group)) {
      place.group = group;
      place.list = make('ul', { className: 'glimpses' });
      const head = name ? [make('h2', {}, name[0].toUpperCase() + name.slice(1))] : [];
      place.box.append(make(shelf ? 'section' : 'div', shelf ? { ariaLabel: name || 'Filtered annotations' } : {}, ...head, place.list));
    }
    return place.list;
  };

  // Adds the next cards to a place; answers the first of them.
  const grow = async (place, mine) => {
    const found = [];
    while (found.length < Math.min(MOST, place.number - place.shown)) found.push((await place.rows.next()).value);
    if (asked !== mine) return undefined;
    const made = found.map((row) => {
      const element = card(row, place.kind, shelf && manifest.shelves[shelf].groups[row.key[2]]);
      listOf(place, row.key[2]).append(element);
      return element;
    });
    place.shown += made.length;
    place.more?.remove();
    const left = place.number - place.shown;
    if (left) {
      place.more = make('p', {}, shelf ? button(`Show ${Math.min(left, MOST)} more`, async ({ target }) => {
        target.disabled = true;
        const first = await grow(place, mine).catch(fail);
        say(mine);
        first?.querySelector('a').focus();
      }) : carry(make('a', { href: new URL(`annotations/${folder(place.kind)}/index.html`, root) }, `All ${count(place.number, 'annotation')}`)));
      place.view.append(place.more);
    }
    return made[0];
  };

  const put = (now, { name, select }) => {
    now.delete(name);
    if (select.value) now.set(name, select.value);
  };
  // A link to another page of annotations takes along what is chosen.
  const carry = (link) => {
    const url = new URL(link.href);
    for (const one of selects) if (one.name !== 'group') put(url.searchParams, one);
    link.href = url;
    return link;
  };

  const say = (mine) => {
    if (asked !== mine) return;
    const sum = (of) => places.reduce((all, place) => all + of(place), 0);
    const found = sum(({ number }) => number);
    const all = sum(({ kind }) => total(partsOf(kind), () => true));
    const rest = !found ? '. Remove a filter to see more' : shelf && found > places[0].shown ? `; ${digits(places[0].shown)} are shown` : '';
    status.textContent = `${digits(found)} of ${count(all, 'annotation')}${rest}.`;
  };

  const fail = () => { status.textContent = 'The data of the annotations could not be loaded.'; };

  const show = async () => {
    const mine = (asked = {});
    const now = new URLSearchParams(location.search);
    for (const { name, select } of selects) {
      const value = now.get(name) ?? '';
      if (value && ![...select.options].some((option) => option.value === value)) select.append(new Option(`${value} (0)`, value));
      select.value = value;
    }
    const chosen = selects.filter(({ select }) => select.value);
    links.forEach(carry);
    clear.hidden = !chosen.length;
    status.textContent = chosen.length ? 'Loading the annotations …' : '';
    const old = places.map(({ view }) => view);
    for (const place of places) {
      const { kind } = place;
      const wanted = manifest.shelves[kind] ? chosen.map((one) => [one.at, choices(one, kind).indexOf(one.select.value)]) : [];
      const fits = (key) => wanted.every(([at, value]) => key[at] === value);
      const box = make('div', { className: main.querySelector('.board') ? 'board' : '' });
      Object.assign(place, { box, view: make('div', {}, box), number: total(partsOf(kind), fits), rows: find(kind, fits), shown: 0, list: null, more: null });
    }
    // The cards from before stay until there is something to show.
    if (chosen.length) await Promise.all(places.map((place) => grow(place, mine)));
    if (asked !== mine) return;
    for (const element of ofServer) element.hidden = chosen.length;
    places.forEach((place, at) => {
      old[at]?.remove();
      if (chosen.length) place.after.after(place.view);
      if (!place.section) return;
      for (const element of [place.section, place.entry.parentNode]) element.hidden = chosen.length && !place.number;
      place.small.textContent = count(place.number, 'annotation');
      place.entry.nextSibling.textContent = ` ${digits(place.number)}`;
    });
    if (chosen.length) say(mine);
  };

  const go = () => {
    query((now) => selects.forEach((one) => put(now, one)), 'pushState');
    show().catch(fail);
  };

  addEventListener('popstate', () => manifest && show().catch(fail));
  load('search/annotations').then((data) => {
    manifest = data;
    offer();
    return show();
  }).catch(fail);
})();
