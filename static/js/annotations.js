(() => {
  // Filters all annotations of the archive, or of one kind, by author, case and status. The selection is in the address, and
  // links to other annotation pages keep it. Loads only the files of visible cards. The data is written by
  // src/pages/view/data/cards.rs.
  'use strict';
  const { make, button, digits, count, shown, load, numbers, cards, query, root } = window.runpress;
  const main = document.querySelector('main');
  const lead = main.querySelector('.lead');
  const { shelf } = lead.dataset;
  const MOST = shelf ? 100 : 6;
  // Files loaded at a time. The first page has a section for each kind.
  const READ = shelf ? 32 : 3;
  // Files per folder and per block.
  const [IN_FOLDER, IN_BLOCK] = [1000, 64];
  if (!main.querySelector('.glimpses')) return;
  const folder = (kind) => kind.replaceAll('_', '-');
  const links = [...main.querySelectorAll('a[href*="annotations/"]')];
  const ofServer = [...main.querySelectorAll(shelf ? 'section, .board, .parts, nav.pager' : '.shelf > .parts, .shelf > .glimpses, .shelf > .glimpses ~ p')];
  const files = new Map();
  let manifest, asked;

  const selects = [['author', 'Author', 1], ['case', 'Case', 0], ['group', shelf === 'hypothesis' ? 'Status' : 'Kind', 2]].map(([name, words, at]) => {
    const select = make('select', { name, onchange: () => go() }, new Option('any', ''));
    return { name, at, select, label: make('label', {}, `${words} `, select) };
  });
  // Only some kinds have groups.
  if (!shelf || !main.querySelector('.parts')) selects.pop();
  const clear = button('Clear', () => {
    for (const { select } of selects) select.value = '';
    go();
    selects[0].select.focus();
  }, { hidden: true });
  const status = make('p.quiet', { role: 'status' });
  const filter = make('section.facets', { ariaLabel: 'Filter the annotations' }, make('div.bar', {}, ...selects.map(({ label }) => label), clear), status);
  lead.after(filter);

  // The sections with annotations: on the first page, one for each kind.
  const places = shelf ? [{ kind: shelf, after: filter }] : [...main.querySelectorAll('.shelf')].map((section) => {
    const kind = section.getAttribute('aria-labelledby');
    const small = section.querySelector('small');
    const entry = main.querySelector(`.toc a[href="#${kind}"]`);
    return { kind, section, entry, after: section.lastElementChild, small };
  });

  const choices = ({ name }, kind) => (name === 'case' ? manifest.cases : name === 'author' ? manifest.authors : manifest.shelves[kind].groups);
  // The number of annotations of each key in a block or a file.
  const sums = (text, { groups }) => {
    const flat = numbers(text);
    const size = Math.max(groups.length, 1);
    let key = 0;
    return Array.from({ length: flat.length / 2 }, (_, at) => {
      key += flat[at * 2];
      const author = Math.floor(key / size);
      return [Math.floor(author / manifest.authors.length), author % manifest.authors.length, key % size, flat[at * 2 + 1]];
    });
  };
  const total = (counts, fits) => counts.reduce((all, each) => all + (fits(each) ? each[3] : 0), 0);

  const offer = () => {
    for (const one of selects) {
      const totals = new Map();
      for (const { kind } of places) {
        for (const each of manifest.shelves[kind]?.sums ?? []) {
          const value = choices(one, kind)[each[one.at]];
          totals.set(value, (totals.get(value) ?? 0) + each[3]);
        }
      }
      const values = [...totals.keys()];
      if (one.name === 'case') values.sort();
      one.select.append(...values.map((value) => new Option(`${value} (${digits(totals.get(value))})`, value)));
    }
  };

  const file = (name) => {
    const path = `search/annotations-${name}`;
    if (!files.has(path)) files.set(path, load(path));
    // The cache holds some megabytes.
    if (files.size > 99) files.delete(files.keys().next().value);
    return files.get(path);
  };
  // Yields the files with matching annotations: the number of matches, and a function that reads them. Pages list the groups of
  // a kind one after the other, newest run first; files start with the oldest run.
  async function* find(kind, fits) {
    const of = manifest.shelves[kind];
    for (let group = 0; of && group < Math.max(of.groups.length, 1); group += 1) {
      const wanted = (key) => key[2] === group && fits(key);
      for (let block = of.blocks.length - 1; block >= 0; block -= 1) {
        if (!total(sums(of.blocks[block], of), wanted)) continue;
        const sumsOfFiles = block === of.blocks.length - 1 ? of.files : await file(`${folder(kind)}/${block}`);
        for (let at = sumsOfFiles.length - 1; at >= 0; at -= 1) {
          const number = total(sums(sumsOfFiles[at], of), wanted);
          const place = block * IN_BLOCK + at;
          if (number) yield { number, read: async () => cards(await file(`${folder(kind)}-${Math.floor(place / IN_FOLDER)}/${place % IN_FOLDER}`)).filter(({ key }) => wanted(key)).reverse() };
        }
      }
    }
  }

  // The card of an annotation.
  const card = (of, kind, named) => {
    const to = (path, ...words) => make('a', { href: new URL(`runs/${of.slug}/${path}`, root) }, ...words);
    const shelved = manifest.shelves[kind];
    const author = manifest.authors[of.key[1]];
    const head = make('p.ah', {}, to(of.href, `${String(of.event).includes(' ') ? 'events' : 'event'} ${of.event}, ${of.about}`));
    for (const tag of [of.kind, !named && of.group]) if (tag) head.append(' ', make('span.tag', {}, tag));
    const [date, time] = of.at?.split(' ') ?? [];
    if (date) head.append(' ', make('span.by', {}, shown({ iso: `${date}T${time}Z`, text: of.at, date })));
    const by = typeof of.author === 'string' ? `${of.author} (${author})` : author;
    const made = make(`li.an-${shelved.class}`, {}, ...(of.evidence ? [make('p', {}, of.evidence)] : []), head, ...(of.says ? [make('p.said', {}, make('q', {}, of.says))] : []),
      make('p.by', {}, to('index.html', of.run), ` by ${of.model}${of.key[1] < 3 ? `; annotated by ${by}` : ''}`));
    return made;
  };

  // The list for a card; on the page of a kind, groups have headings.
  const listOf = (place, group) => {
    const name = shelf && manifest.shelves[shelf].groups[group];
    if (!place.list || (name && place.group !== group)) {
      place.group = group;
      place.list = make('ul.glimpses');
      const head = name ? [make('h2', {}, name[0].toUpperCase() + name.slice(1))] : [];
      place.box.append(make(shelf ? 'section' : 'div', shelf ? { ariaLabel: name || 'Filtered annotations' } : {}, ...head, place.list));
    }
    return place.list;
  };

  // Adds the next cards to a section and returns the first of them. Adds fewer if they are spread over many files.
  const grow = async (place, mine) => {
    const next = [];
    const due = () => Math.min(MOST, place.number - place.shown);
    for (let sum = place.rest.length; sum < due() && next.length < READ;) {
      const { value } = await place.files.next();
      next.push(value);
      sum += value.number;
    }
    const found = [...place.rest, ...(await Promise.all(next.map(({ read }) => read()))).flat()];
    place.rest = found.splice(due());
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
      place.more = make('p', {}, shelf ? button(next.length < READ ? `Show ${Math.min(left, MOST)} more` : 'Show more', async ({ target }) => {
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
  // Adds the selection to a link to another annotation page.
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
    const all = sum(({ kind }) => total(manifest.shelves[kind]?.sums ?? [], () => true));
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
      const box = make(main.querySelector('.board') ? 'div.board' : 'div');
      Object.assign(place, { box, view: make('div', {}, box), number: total(manifest.shelves[kind]?.sums ?? [], fits), files: find(kind, fits), rest: [], shown: 0, list: null, more: null });
    }
    // Keep the old cards until the new ones are loaded.
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
    for (const each of Object.values(manifest.shelves)) each.sums = each.blocks.flatMap((block) => sums(block, each));
    offer();
    return show();
  }).catch(fail);
})();
