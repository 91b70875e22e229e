(() => {
  // Shared by all scripts of the site: elements, data, clipboard, menus. The first script of every page.
  'use strict';
  const root = new URL('../', document.currentScript.src || location);
  // An element with classes (`p.quiet`), properties and children.
  const make = (name, fields, ...children) => {
    const [tag, ...classes] = name.split('.');
    // An empty class attribute would match style sheets as a class.
    const element = Object.assign(document.createElement(tag), classes.length && { className: classes.join(' ') }, fields);
    element.append(...children);
    return element;
  };
  const link = (href, text, fields) => make('a', { href, ...fields }, text);
  const button = (text, onclick, fields) => make('button', { type: 'button', onclick, ...fields }, text);
  // Controls go into the space that the page reserves for them.
  const mount = (element, selector, put) => {
    const place = document.querySelector(`${selector}.awaited`);
    if (place) place.replaceWith(element);
    else put(element);
  };
  const digits = (number) => number.toLocaleString('en');
  const count = (number, noun, nouns = `${noun}s`) => `${digits(number)} ${number === 1 ? noun : nouns}`;
  // Parses a formatted number.
  const number = (text) => Number(text.replace(/[$,]/g, ''));
  // Sorts a list by key: items without a key (null) go last, and equal items keep their order.
  const collate = new Intl.Collator(undefined, { numeric: true }).compare;
  const sorted = (list, keyOf, way) => {
    const keyed = list.map((each, at) => ({ each, at, key: keyOf(each) }));
    keyed.sort((a, b) => (a.key === null) - (b.key === null)
      || (a.key !== null && way * (typeof a.key === 'number' && typeof b.key === 'number' ? a.key - b.key : collate(a.key, b.key)))
      || a.at - b.at);
    return keyed.map(({ each }) => each);
  };
  // A data cell is plain text, a link, a time, a badge, or a value with a title. `words` is its plain text, `shown` its
  // element.
  const words = (cell) => cell.date ?? cell.code ?? cell.word ?? cell.text ?? cell;
  const shown = (cell) => {
    if (cell.href) return link(new URL(cell.href, root), cell.text);
    if (cell.iso) return make('time', { dateTime: cell.iso, title: cell.text }, cell.date);
    if (cell.tone) return make(`span.badge.b-${cell.tone}`, cell.code && { title: cell.code }, cell.word);
    return cell.title ? make(cell.known ? 'span' : 'abbr.unknown', { title: cell.title }, cell.text) : cell;
  };
  const pause = () => new Promise((go) => setTimeout(go));
  // Works 12 ms at a time, so that the page stays responsive.
  const steps = async (list, work, between) => {
    let until = performance.now() + 12;
    for (const one of list) {
      work(one);
      if (performance.now() < until) continue;
      await pause();
      between?.();
      until = performance.now() + 12;
    }
  };
  // Loads a data script and returns its data.
  let received;
  const receive = (...data) => { received = data.at(-1); };
  const load = (path) => new Promise((done, onerror) => {
    document.head.append(make('script', { src: new URL(`${path}.js`, root), onerror, onload: () => {
      done(received);
      received = undefined;
    } }));
  });
  // Decodes numbers in digits of five bits, low digits first.
  const numbers = (text) => {
    const all = [];
    let value = 0;
    let shift = 0;
    for (const digit of text) {
      const code = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(digit);
      value += (code & 31) << shift;
      shift += 5;
      if (code > 31) continue;
      all.push(value);
      value = shift = 0;
    }
    return all;
  };
  // The annotations of a data file, which src/pages/view/data/cards.rs writes.
  const cards = (items) => items.flatMap(([[slug, run, model, place], ...rows]) => rows.map(([who, part, evidence, href, event, about, says, at, author, group, kind]) => (
    { key: [place, who, part], slug, run, model, evidence, href, event, about, says, at, author, group, kind })));
  // Changes the query of the address. Browsers may forbid this for local files; everything else still works.
  const query = (edit, how = 'replaceState') => {
    const url = new URL(location);
    edit(url.searchParams);
    if (url.href === location.href) return;
    try {
      history[how](history.state, '', url);
    } catch {
      // The address is unchanged.
    }
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const focus = document.activeElement;
      // Fallback without the clipboard API.
      const area = make('textarea.sr', { value: text });
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      focus.focus();
      return done;
    }
  };
  // Escapes text for Markdown: no markup, image or link, and no code that ends early.
  const escaped = (text) => text.replace(/[\\`*_[\]<>|#~!&]|:(?=\/\/)|(?<=www)\./gi, '\\$&');
  const fenced = (text, least = 1) => '`'.repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  // The menu of `details.choice` overlays the page. Escape or a click elsewhere closes it, and it stays inside the viewport.
  const MENU = 'details.choice[open]';
  const keepInViewport = ({ lastElementChild: menu }) => {
    menu.style.translate = '';
    const { left, right } = menu.getBoundingClientRect();
    const over = Math.min(left, right - document.documentElement.clientWidth + 8);
    if (over > 0) menu.style.translate = `${-over}px`;
  };
  const sizes = new ResizeObserver((seen) => {
    for (const { target } of seen) keepInViewport(target.closest('details'));
  });
  document.addEventListener('toggle', ({ target }) => {
    if (!target.matches('details.choice')) return;
    for (const element of [target, target.lastElementChild]) sizes[target.open ? 'observe' : 'unobserve'](element);
  }, true);
  addEventListener('resize', () => document.querySelectorAll(MENU).forEach(keepInViewport));
  document.addEventListener('click', ({ target }) => {
    for (const menu of document.querySelectorAll(MENU)) if (target.isConnected && !menu.contains(target)) menu.open = false;
  });
  document.addEventListener('keydown', ({ key, target }) => {
    const menu = key === 'Escape' && document.querySelector(MENU);
    if (!menu) return;
    if (menu.contains(target)) menu.firstElementChild.focus();
    menu.open = false;
  });
  // Data files call the functions named after them.
  window.runpress = {
    root, make, link, button, mount, digits, count, number, sorted, words, shown, pause, steps, load, numbers, cards, query, copy, escaped, fenced,
    search: receive, runs: receive, run: receive, annotations: receive,
  };
})();
