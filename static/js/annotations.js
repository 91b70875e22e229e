(() => {
  // Filters the annotations of a page by the kind of their author and by case. What is chosen stands in the address,
  // and the links to other pages of annotations take it along.
  'use strict';
  const { make } = window.runpress;
  const cards = [...document.querySelectorAll('li[data-case]')];
  if (!cards.length) return;
  const paged = document.querySelector('nav.pager, .shelf');
  const links = [...document.querySelectorAll('main a[href*="annotations/"], main nav.pager a, main .parts a')];
  const place = make('section', { className: 'facets', ariaLabel: 'Filter the annotations' });
  const bar = make('div', { className: 'bar' });
  const status = make('p', { className: 'quiet', role: 'status' });
  const selects = [['author', 'Author'], ['case', 'Case']].map(([key, name]) => {
    const counts = new Map();
    for (const { dataset } of cards) counts.set(dataset[key], (counts.get(dataset[key]) ?? 0) + 1);
    const select = make('select', { name: key });
    select.append(new Option('any', ''), ...[...counts.keys()].sort().map((value) => new Option(`${value} (${counts.get(value)})`, value)));
    select.addEventListener('change', () => {
      const url = new URL(location);
      url.searchParams.delete(key);
      if (select.value) url.searchParams.set(key, select.value);
      history.pushState({}, '', url);
      show();
    });
    bar.append(make('label', {}, `${name} `, select));
    return select;
  });
  place.append(bar, status);
  document.querySelector('main .lead').after(place);

  function show() {
    const query = new URLSearchParams(location.search);
    const chosen = {};
    for (const select of selects) {
      const value = query.get(select.name) ?? '';
      // What another page has and this one has not can still be chosen.
      if (value && ![...select.options].some((option) => option.value === value)) select.append(new Option(`${value} (0)`, value));
      select.value = value;
      if (value) chosen[select.name] = value;
    }
    const keys = Object.keys(chosen);
    for (const card of cards) card.hidden = !keys.every((key) => card.dataset[key] === chosen[key]);
    for (const list of document.querySelectorAll('.glimpses, .board ul')) {
      const part = list.closest('section');
      if (part && !part.querySelector('.board')) part.classList.toggle('none', !part.querySelector('li[data-case]:not([hidden])'));
    }
    for (const link of links) {
      for (const { name, value } of selects) {
        const url = new URL(link.href);
        url.searchParams.delete(name);
        if (value) url.searchParams.set(name, value);
        link.href = url;
      }
    }
    const shown = cards.filter(({ hidden }) => !hidden).length;
    status.textContent = keys.length ? `${shown} of the ${cards.length} annotations ${paged ? 'on this page' : 'here'}.${paged ? ' The filter stays on when you go to another page of annotations.' : ''}` : '';
  }

  addEventListener('popstate', show);
  show();
})();
