(() => {
  // Search: a dialog on every page, and the page of its own, whose address has the query (`?q=`). The search code and the index
  // parts for a word are loaded on first use.
  'use strict';
  const { root, make, link, button, mount, count, load, query } = window.runpress;
  // In the order of the results, each with the number of results shown.
  const KINDS = { case: ['Cases', 3], model: ['Models', 3], harness: ['Harnesses', 3], run: ['Runs', 8], message: ['Messages', 8], failure: ['Failures', 8], annotation: ['Annotations', 8], writeup: ['Writeups', 8], page: ['Pages', 8] };
  const own = document.getElementById('search');
  const MOST = Object.fromEntries(Object.entries(KINDS).map(([kind, [, most]]) => [kind, own ? most * 5 : most]));
  let manifest, finder, loading, failed, asked, dialog, input, status, list, timer;

  const prepare = async () => {
    try {
      manifest = await load('search/index');
      finder = (await load('search/find'))(window.runpress);
    } catch {
      failed = true;
    }
    show();
  };

  // A text with the matches marked; a long text is cut around the first match.
  const marked = (name, text, pattern) => {
    const element = make(name);
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

  const patternOf = (names) => {
    const words = names.map((term) => `${finder.dense.test(term) ? '' : '(?<![\\p{L}\\p{N}])'}${term}${finder.dense.test(term) ? '' : '[\\p{L}\\p{N}]*'}`);
    return new RegExp(words.join('|') || '$^', 'giu');
  };
  const item = (pattern) => ({ title, text, about, href, tone }) => make('li', {}, make('a', { href: new URL(href, root) },
    Object.assign(marked('b', title, pattern), { className: tone ? `g-${tone}` : '' }), ...[about, text].filter(Boolean).map((each) => marked('span', each, pattern))));

  const say = (words, { groups, some, similar } = {}) => {
    const total = groups?.reduce((sum, group) => sum + group.total, 0);
    const results = total && `${groups.some(({ more }) => more) ? 'More than ' : ''}${count(total, 'result')}`;
    if (failed) status.textContent = 'The search data could not be loaded. Reload the page.';
    else if (!manifest) status.textContent = 'Loading the index …';
    else if (!groups) status.textContent = words ? 'Searching …' : `${count(manifest.documents, 'text')} can be searched.`;
    else if (!total) status.textContent = `No results for “${words}”. Try fewer or other words.`;
    else if (some) status.textContent = `Nothing has all of these words. ${results} with some of them.`;
    else status.textContent = similar ? `${results}, also for similar words.` : `${results}.`;
  };

  const put = (groups, pattern, noun) => list.replaceChildren(...Object.entries(KINDS).flatMap(([kind, [name]]) => {
    const group = groups.find((each) => each.kind === kind);
    return group ? [make('h2', {}, `${name} `, make('small', {}, `${group.more ? 'more than ' : ''}${count(group.total, noun)}`)), make('ul', {}, ...group.results.map(item(pattern)))] : [];
  }));

  // Shows the results for the current words.
  const show = async () => {
    if (!own && list.contains(document.activeElement)) return; // Keep a list that has the focus.
    const mine = (asked = {});
    const words = input.value.trim();
    say(words);
    if (!finder || failed) return;
    // Without words, and on the page without results: the cases.
    const offer = () => {
      const [total, some] = manifest.cases;
      put(total ? [{ kind: 'case', total, results: some.map(finder.document) }] : [], /$^/g, 'text');
    };
    if (!words) return offer();
    let found = { groups: [], names: [] };
    try {
      if (/..|[^\0-\x7f]/.test(words)) found = await finder.find(words, manifest, MOST);
    } catch {
      failed = true;
    }
    if (asked !== mine) return;
    say(words, found);
    if (own && !found.groups.length) return offer();
    put(found.groups, patternOf(found.names), 'result');
    if (!own && found.groups.length) list.append(make('p', {}, link(addressOf(words), 'All results')));
  };
  const addressOf = (words) => `${new URL('search/index.html', root).href}?q=${encodeURIComponent(words)}`;

  const keys = async (event) => {
    const all = () => [input, ...list.querySelectorAll('a')];
    const at = all().indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Enter: at ? -1 : 1 }[event.key];
    if (event.key === 'Escape') dialog.close();
    else if (!all()[to] && !(event.key === 'Enter' && !at)) return;
    event.preventDefault();
    if (event.key === 'Enter') await show(); // For the current words.
    all()[to]?.focus();
    if (event.key === 'Enter') all()[to]?.click();
  };

  const typed = (after) => {
    clearTimeout(timer);
    timer = setTimeout(after, 80);
  };
  // The field, the number of results, and the results.
  const build = (fields, ...more) => {
    input = make('input', { type: 'search', ariaLabel: 'Search', autocomplete: 'off', placeholder: 'Runs, cases, models, pages, annotations', ...fields });
    status = make('p.quiet', { role: 'status' });
    list = make('div.found');
    return [make('p.ask', {}, input, ...more), status, list];
  };

  const asPage = () => {
    const { title } = document;
    const asked = () => new URLSearchParams(location.search).get('q') ?? '';
    const follow = async () => {
      const words = input.value.trim();
      document.title = words ? `${words} – ${title}` : title;
      await show();
    };
    const keep = () => query((parameters) => (input.value.trim() ? parameters.set('q', input.value.trim()) : parameters.delete('q')));
    own.append(...build({ value: asked(), oninput: () => typed(() => {
      keep();
      return follow();
    }), onkeydown: ({ key }) => {
      keep();
      // A browser that does not let a page on disk change its address loads the new one.
      if (key === 'Enter' && asked() !== input.value.trim()) location.assign(addressOf(input.value.trim()));
    } }));
    prepare();
    follow();
  };

  const open = () => {
    if (own) {
      input.focus();
      input.select();
      return;
    }
    if (!dialog) {
      dialog = make('dialog.finder', { ariaLabel: 'Search this site', onkeydown: keys, onclick: ({ target }) => {
        if (target === dialog || target.closest('a')) dialog.close();
      } }, ...build({ onfocus: show, oninput: () => typed(show) }, button('Close', () => dialog.close())));
      document.body.append(dialog);
    }
    dialog.showModal();
    input.select();
    loading ??= prepare();
  };

  // On a page with tools for its events, "/" searches them.
  const slash = !document.querySelector('.reader');
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
  if (own) asPage();
})();
