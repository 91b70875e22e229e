// Search, on every page. Library and data are loaded on first use and read in small steps, so that typing stays
// fluid however large the archive is.
(() => {
  'use strict';
  const root = new URL('../', document.currentScript.src);
  const KINDS = ['Cases', 'Models', 'Harnesses', 'Pages', 'Runs', 'Writeups', 'Annotations'];
  const FIELDS = ['kind', 'title', 'text', 'about'];
  const documents = [];
  let received, manifest, index, loading, done, failed, dialog, input, status, list, timer;

  // An element with text and properties; `load` adds a script of search/. Other scripts of the site use them, too.
  const make = (name, text = '', fields = {}) => Object.assign(document.createElement(name), { textContent: text, ...fields });
  const load = (name) => new Promise((onload, onerror) => {
    document.head.append(make('script', '', { src: new URL(`search/${name}.js`, root), onload, onerror }));
  });
  window.runpress = { ...window.runpress, root, make, load, search: (part, data) => { received = data; } };

  const plain = (term) => term.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

  async function prepare() {
    try {
      await load('index');
      manifest = received;
      await load('minisearch');
      index = new window.MiniSearch({
        fields: FIELDS.slice(1),
        extractField: (id, field) => (field === 'id' ? id : documents[id][FIELDS.indexOf(field)]),
        processTerm: plain,
      });
      for (let part = 1; part <= manifest.parts; part += 1) {
        await load(`search-${part}`);
        await read(received);
        show();
      }
      done = true;
    } catch {
      failed = true;
    }
    show();
  }

  // 12 ms at a time; in between the page answers.
  async function read(data) {
    let until = performance.now() + 12;
    for (const each of data) {
      index.add(documents.push(each) - 1);
      if (performance.now() < until) continue;
      await new Promise((go) => setTimeout(go));
      if (input.value.trim().length < 2) say();
      until = performance.now() + 12;
    }
  }

  function find(words) {
    const options = {
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
      boost: { title: 3, about: 0.7 },
      boostDocument: (id) => (documents[id][0] < 4 ? 2 : 1),
      combineWith: 'AND',
    };
    const all = index.search(words, options);
    return all.length ? all : index.search(words, { ...options, combineWith: 'OR' });
  }

  // A text with the words that were found marked; of a long one, what stands around the first of them.
  function marked(name, text, { terms }) {
    const element = make(name);
    const words = terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).sort((a, b) => b.length - a.length);
    const pattern = new RegExp(words.join('|') || '$^', 'giu');
    const first = text.search(pattern);
    const start = text.length > 180 && first > 90 ? Math.min(first, text.indexOf(' ', first - 60) + 1) : 0;
    const cut = `${start ? '… ' : ''}${text.slice(start, start + 180)}${text.length > start + 180 ? ' …' : ''}`;
    let last = 0;
    for (const match of cut.matchAll(pattern)) {
      element.append(cut.slice(last, match.index), make('mark', match[0]));
      last = match.index + match[0].length;
    }
    element.append(cut.slice(last));
    return element;
  }

  function item(result) {
    const [, title, text, about, href] = documents[result.id];
    const link = make('a', '', { href: new URL(href, root) });
    link.append(marked('b', title, result), ...[about, text].filter(Boolean).map((each) => marked('span', each, result)));
    const entry = make('li');
    entry.append(link);
    return entry;
  }

  function say(found) {
    const words = [];
    if (failed) words.push('The search data could not be loaded. Load the page again to try once more.');
    else if (found?.length) words.push(`${count(found.length, 'result')}.`);
    else if (found && done) words.push(`Nothing was found for “${input.value.trim()}”. Try fewer or other words.`);
    else if (done) words.push(`${count(documents.length, 'text')} can be searched.`);
    if (!done && !failed) words.push(`Reading the index: ${Math.floor(documents.length / (manifest?.documents || 1) * 100)} %`);
    if (manifest?.leftOut) words.push(`Not searched: ${count(manifest.leftOut, 'writeup')} and annotations of the oldest runs.`);
    status.textContent = words.join(' ');
  }

  function show() {
    const words = input.value.trim();
    // A list that somebody walks through stays as it is.
    if (list.contains(document.activeElement)) return;
    const found = index && /..|[^\0-\x7f]/.test(words) ? find(words) : undefined;
    const groups = KINDS.map(() => []);
    for (const result of found ?? []) groups[documents[result.id][0]].push(result);
    const kinds = [...groups.keys()].filter((kind) => groups[kind].length);
    kinds.sort((a, b) => groups[b][0].score - groups[a][0].score);
    list.replaceChildren(...kinds.flatMap((kind) => {
      const heading = make('h2', `${KINDS[kind]} `);
      heading.append(make('small', count(groups[kind].length, 'result')));
      const items = make('ul');
      items.append(...groups[kind].slice(0, 8).map(item));
      return [heading, items];
    }));
    say(found);
  }

  function keys(event) {
    const all = [input, ...list.querySelectorAll('a')];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Enter: at ? -1 : 1 }[event.key];
    if (event.key === 'Escape') dialog.close();
    else if (!all[to]) return;
    event.preventDefault();
    all[to]?.focus();
    if (event.key === 'Enter') all[to].click();
  }

  function open() {
    if (!dialog) {
      dialog = make('dialog', '', { className: 'finder', onkeydown: keys, ariaLabel: 'Search this site' });
      input = make('input', '', { type: 'search', ariaLabel: 'Search', autocomplete: 'off', placeholder: 'Runs, cases, models, pages, annotations' });
      status = make('p', '', { className: 'quiet', role: 'status' });
      list = make('div', '', { className: 'found' });
      input.addEventListener('input', () => {
        clearTimeout(timer);
        timer = setTimeout(show, 80);
      });
      input.addEventListener('focus', show);
      dialog.addEventListener('click', ({ target }) => {
        if (target === dialog || target.closest('a')) dialog.close();
      });
      const head = make('p');
      head.append(input, make('button', 'Close', { type: 'button', onclick: () => dialog.close() }));
      dialog.append(head, status, list);
      document.body.append(dialog);
    }
    dialog.showModal();
    input.select();
    loading ??= prepare();
  }

  // On the page of a run, "/" looks in the run itself.
  const slash = !document.querySelector('ol.tape');
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    const modified = ctrlKey || metaKey;
    const asked = modified ? key.toLowerCase() === 'k' : slash && key === '/' && !target.closest('input, textarea, select');
    if (!asked || altKey || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    open();
  });

  const button = make('button', 'Search ', { type: 'button', className: 'find', ariaHasPopup: 'dialog', onclick: open });
  button.append(make('kbd', slash ? '/' : 'Ctrl K', { ariaHidden: 'true' }));
  const entry = make('li');
  entry.append(button);
  document.querySelector('.top nav ul')?.append(entry);
})();
