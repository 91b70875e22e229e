(() => {
  // Search, on every page. Library and data are loaded on first use and read in small steps, so that typing stays
  // fluid however large the archive is.
  'use strict';
  const { root, make, button, mount, count, steps, load, cards } = window.runpress;
  // In the order of the results, each with how many are shown.
  const KINDS = { case: ['Cases', 3], model: ['Models', 3], harness: ['Harnesses', 3], run: ['Runs', 8], failure: ['Failures', 8], annotation: ['Annotations', 8], writeup: ['Writeups', 8], page: ['Pages', 8] };
  // Where one word has many results, these come first.
  const GENERAL = new Set(['case', 'model', 'harness', 'page']);
  const documents = [];
  let manifest, index, loading, done, failed, some, dialog, input, status, list, timer;

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
  // The failures of a run are one item of the data.
  const apart = (item) => (item.failures?.map(([href, what, title]) => ({
    kind: 'failure', title, text: '', about: `${what} of ${item.of}`, href: item.folder + href,
  })) ?? item);
  const read = async (part) => {
    await steps(part.flatMap(apart), (each) => index.add(documents.push(each) - 1), () => input.value.trim().length < 2 && say());
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
    some = !all.length;
    return some ? index.search(words, { ...options, combineWith: 'OR' }) : all;
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
    const { title, text, about, href, tone } = documents[result.id];
    return make('li', {}, make('a', { href: new URL(href, root) }, Object.assign(marked('b', title, result), { className: tone ? `g-${tone}` : '' }),
      ...[about, input.value && text].filter(Boolean).map((each) => marked('span', each, result))));
  };

  const say = (found) => {
    const words = [];
    if (failed) words.push('The search data could not be loaded. Reload the page to try again.');
    else if (found?.length) words.push(some && done ? `Nothing has all of these words. ${count(found.length, 'result')} with some of them.` : `${count(found.length, 'result')}.`);
    else if (found && done) words.push(`No results for “${input.value.trim()}”. Try fewer or other words.`);
    else if (done) words.push(`${count(documents.length, 'text')} can be searched.`);
    if (!done && !failed) words.push(`Reading the index: ${Math.floor(documents.length / (manifest?.documents || 1) * 100)} %`);
    if (manifest?.leftOut) words.push(`Not searched: ${count(manifest.leftOut, 'text')} of the oldest runs.`);
    status.textContent = words.join(' ');
  };

  const show = () => {
    if (list.contains(document.activeElement)) return; // A list that somebody walks through stays as it is.
    const words = input.value.trim();
    const found = index && /..|[^\0-\x7f]/.test(words) ? find(words) : undefined;
    // Before there are words: the cases, and what else can be asked for.
    const cases = words ? [] : documents.flatMap(({ kind }, id) => (kind === 'case' ? { id, terms: [] } : []));
    const groups = Map.groupBy(found ?? cases, ({ id }) => documents[id].kind);
    list.replaceChildren(...Object.entries(KINDS).filter(([kind]) => groups.has(kind)).flatMap(([kind, [name, most]]) => {
      const results = groups.get(kind);
      return [make('h2', {}, `${name} `, make('small', {}, count(results.length, found ? 'result' : 'text'))), make('ul', {}, ...results.slice(0, found ? most : 8).map(item))];
    }));
    if (!words) list.append(make('p', { className: 'quiet' }, 'Or, for example: an error message, “timed out”, a model and a case, words of an annotation, an option of a setting.'));
    say(found);
  };

  const keys = (event) => {
    if (event.key === 'Enter' && document.activeElement === input) show(); // For the words as they are now.
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
