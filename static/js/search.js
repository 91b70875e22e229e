(() => {
  // Search, on every page. Library and data are loaded on first use and read in small steps, so that typing stays
  // fluid however large the archive is.
  'use strict';
  const { root, make, button, mount, count, steps, load, cards } = window.runpress;
  const KINDS = { case: 'Cases', model: 'Models', harness: 'Harnesses', page: 'Pages', run: 'Runs', writeup: 'Writeups', annotation: 'Annotations' };
  // Where one word has many results, these come first.
  const GENERAL = new Set(['case', 'model', 'harness', 'page']);
  const documents = [];
  let manifest, index, loading, done, failed, dialog, input, status, list, timer;

  const plain = (term) => term.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  // Some scripts set no spaces between words. Each pair of their letters is a term, and the last letter of a text.
  const DENSE = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}';
  const dense = new RegExp(`[${DENSE}]`, 'u');
  const parts = new RegExp(`[${DENSE}]+|[^${DENSE}]+`, 'gu');
  const pairs = (part, field) => {
    const letters = [...part];
    const all = letters.map((letter, at) => letter + (letters[at + 1] ?? ''));
    return field || all.length < 2 ? all : all.slice(0, -1);
  };
  const terms = (word, field) => {
    const whole = plain(word);
    return dense.test(whole) ? whole.match(parts).flatMap((part) => (dense.test(part) ? pairs(part, field) : part)) : whole;
  };

  const annotation = (kind, of) => ({
    kind: 'annotation', title: `${of.kind ?? kind.replaceAll('_', ' ')}${of.group ? `: ${of.group}` : ''}`, text: of.evidence,
    about: `event ${of.event} of ${of.run} by ${of.model}`, href: `runs/${of.slug}/${of.href}`,
  });
  const read = async (part) => {
    await steps(part, (each) => index.add(documents.push(each) - 1), () => input.value.trim().length < 2 && say());
    show();
  };
  const prepare = async () => {
    try {
      manifest = await load('search/index');
      await load('search/minisearch');
      index = new window.MiniSearch({
        fields: ['title', 'text', 'about'],
        extractField: (id, field) => (field === 'id' ? id : documents[id][field]),
        processTerm: terms,
      });
      for (const part of manifest.parts) {
        await read(await load(`search/search-${part}`));
      }
      const names = manifest.annotations.length && await load('search/annotations');
      for (const [kind, path] of manifest.annotations) {
        await read((await cards(path, names)).filter(({ evidence }) => evidence).map((each) => annotation(kind, each)));
      }
      done = true;
    } catch {
      failed = true;
    }
    show();
  };

  const find = (words) => {
    const options = {
      prefix: (term) => term.length > 2 || dense.test(term),
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
      boost: { title: 3, about: 0.7 },
      boostDocument: (id) => (GENERAL.has(documents[id].kind) ? 2 : 1),
      combineWith: 'AND',
    };
    const all = index.search(words, options);
    return all.length ? all : index.search(words, { ...options, combineWith: 'OR' });
  };

  // A text with the words that were found marked; of a long one, what is around the first of them.
  const marked = (name, text, found) => {
    const element = make(name);
    const asked = plain(input.value).match(parts)?.filter((part) => dense.test(part)) ?? [];
    const words = found.terms.concat(asked).map((term) => term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).sort((a, b) => b.length - a.length);
    const pattern = new RegExp(words.join('|') || '$^', 'giu');
    const first = text.search(pattern);
    const start = text.length > 180 && first > 90 ? Math.min(first, text.indexOf(' ', first - 60) + 1 || first - 60) : 0;
    const cut = `${start ? '… ' : ''}${text.slice(start, start + 180)}${text.length > start + 180 ? ' …' : ''}`;
    let last = 0;
    for (const match of cut.matchAll(pattern)) {
      element.append(cut.slice(last, match.index), make('mark', {}, match[0]));
      last = match.index + match[0].length;
    }
    element.append(cut.slice(last));
    return element;
  };

  const item = (result) => {
    const { title, text, about, href } = documents[result.id];
    return make('li', {}, make('a', { href: new URL(href, root) }, marked('b', title, result),
      ...[about, text].filter(Boolean).map((each) => marked('span', each, result))));
  };

  const say = (found) => {
    const words = [];
    if (failed) words.push('The search data could not be loaded. Reload the page to try again.');
    else if (found?.length) words.push(`${count(found.length, 'result')}.`);
    else if (found && done) words.push(`No results for “${input.value.trim()}”. Try fewer or other words.`);
    else if (done) words.push(`${count(documents.length, 'text')} can be searched.`);
    if (!done && !failed) words.push(`Reading the index: ${Math.floor(documents.length / (manifest?.documents || 1) * 100)} %`);
    if (manifest?.leftOut) words.push(`Not searched: ${count(manifest.leftOut, 'writeup')} and annotations of the oldest runs.`);
    status.textContent = words.join(' ');
  };

  const show = () => {
    if (list.contains(document.activeElement)) return; // A list that somebody walks through stays as it is.
    const words = input.value.trim();
    const found = index && /..|[^\0-\x7f]/.test(words) ? find(words) : undefined;
    // The kind of the best result comes first.
    const groups = new Map();
    for (const result of found ?? []) {
      const { kind } = documents[result.id];
      groups.set(kind, groups.get(kind) ?? []);
      groups.get(kind).push(result);
    }
    list.replaceChildren(...[...groups].flatMap(([kind, results]) => [
      make('h2', {}, `${KINDS[kind]} `, make('small', {}, count(results.length, 'result'))),
      make('ul', {}, ...results.slice(0, 8).map(item)),
    ]));
    say(found);
  };

  const keys = (event) => {
    const all = [input, ...list.querySelectorAll('a')];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Enter: at ? -1 : 1 }[event.key];
    if (event.key === 'Escape') dialog.close();
    else if (!all[to]) return;
    event.preventDefault();
    all[to]?.focus();
    if (event.key === 'Enter') all[to].click();
  };

  const open = () => {
    if (!dialog) {
      input = make('input', { type: 'search', ariaLabel: 'Search', autocomplete: 'off', placeholder: 'Runs, cases, models, pages, annotations', onfocus: show, oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(show, 80);
      } });
      status = make('p', { className: 'quiet', role: 'status' });
      list = make('div', { className: 'found' });
      dialog = make('dialog', { className: 'finder', ariaLabel: 'Search this site', onkeydown: keys, onclick: ({ target }) => {
        if (target === dialog || target.closest('a')) dialog.close();
      } }, make('p', {}, input, button('Close', () => dialog.close())), status, list);
      document.body.append(dialog);
    }
    dialog.showModal();
    input.select();
    loading ??= prepare();
  };

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

  const opener = button('Search ', open, { className: 'find', ariaHasPopup: 'dialog' });
  opener.append(make('kbd', { ariaHidden: 'true' }, slash ? '/' : 'Ctrl K'));
  mount(make('li', {}, opener), '.top li', (item) => document.querySelector('.top nav ul')?.append(item));
})();
