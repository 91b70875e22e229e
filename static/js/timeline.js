(() => {
  // What the address names: shows it also where a filter is on, marks ranges such as #e-17..21, finds events that
  // are on a further page of their tape, and keeps the event of a link to the address that a run has left.
  'use strict';
  const { make, button } = window.runpress;
  // The events that the address names; a filter keeps them in sight.
  const linked = new Set();

  // Events get their true height only near the window, so a place moves while the page goes there. The page follows
  // until the place rests, but never against a reader who acts meanwhile.
  let landing = 0;
  const land = (target, place = 'start') => {
    cancelAnimationFrame(landing);
    let frames = 0;
    let still = 0;
    let last = 0;
    const approach = () => {
      still = Math.abs(target.getBoundingClientRect().top - last) < 1 ? still + 1 : 0;
      target.scrollIntoView({ block: target.offsetHeight < innerHeight ? place : 'start' });
      last = target.getBoundingClientRect().top;
      frames += 1;
      if (frames < 120 && (still < 5 || document.readyState !== 'complete')) landing = requestAnimationFrame(approach);
    };
    approach();
  };
  // A browser reports a new address late. A key that is pressed before that counts from the new place.
  for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(act, () => {
      follow();
      cancelAnimationFrame(landing);
    }, { capture: true, passive: true });
  }

  // What there is to say about a move is in sight until the next one.
  const word = make('p', { className: 'tell', role: 'status' });
  document.querySelector('main')?.append(word);
  const tell = (text = '', link = '') => {
    tell.end = '';
    word.replaceChildren(...(text ? [make('span', {}, text, link && ' ', link), button('Close', () => tell())] : []));
  };

  /** A link to the page of a tape that follows, or with -1 to the end of the earlier one; a filter goes along. */
  const further = (tape, direction = 1) => {
    const here = tape.parentElement.querySelector('.pages [aria-current]')?.parentElement;
    const link = (direction > 0 ? here?.nextElementSibling : here?.previousElementSibling)?.firstElementChild;
    const [, prefix, first] = /^(.*e-)(\d+)/.exec(tape.querySelector('.e')?.id) ?? [];
    if (!link || !prefix) return null;
    const address = new URL(link.href);
    address.search = location.search;
    if (direction < 0) address.hash = `${prefix}${first - 1}`;
    return make('a', { href: address.href }, link.textContent);
  };
  Object.assign(window.runpress, { linked, land, tell, further });

  const show = () => {
    for (const event of linked) event.classList.remove('range');
    linked.clear();
    tell();
    for (const link of document.querySelectorAll('[data-moved]')) link.hash = location.hash;
    let id = '';
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    const [, prefix, ...ends] = /^(.*?)e-(\d+)(?:\.\.(\d+))?$/.exec(id) ?? [];
    const [from, to] = ends[1] ? ends.map(Number).sort((a, b) => a - b) : [Number(ends[0])];
    const target = document.getElementById(to >= 0 ? `${prefix}e-${from}` : id);
    if (!target) {
      if (from >= 0 && !elsewhere(prefix, from) && document.querySelector('.tape')) tell(`This timeline has no event ${from}.`);
      return;
    }
    const event = target.closest('.e');
    if (!event) return;
    linked.add(event);
    if (to >= 0) {
      let last = 0;
      for (const one of event.parentElement.querySelectorAll(':scope > .e')) {
        last = Number(/e-(\d+)/.exec(one.id.slice(prefix.length))[1]);
        if (last < from || last > to) continue;
        one.classList.add('range');
        linked.add(one);
      }
      const link = to > last && further(event.parentElement);
      if (link) {
        link.hash = `${prefix}e-${last + 1}..${to}`;
        tell('This range continues at', link);
      }
    }
    const filtered = location.search || document.querySelector('.e[hidden]');
    for (const one of linked) one.hidden = false;
    // The browser itself goes to one event that is in sight, and back to where a reader was.
    if (to >= 0 || filtered) land(target);
  };

  // The links of a tape's pages carry the first and the last number on each. Of a very long tape only the nearer pages
  // are linked, and the nearest one leads on; otherwise an event on no page is on none.
  const elsewhere = (prefix, number) => {
    let best;
    let end = -1;
    let complete = true;
    for (const link of document.querySelectorAll('.pages a[data-first]')) {
      if (link.dataset.prefix !== prefix) continue;
      const [first, last] = [Number(link.dataset.first), Number(link.dataset.last)];
      if (first > end + 1) complete = false;
      end = Math.max(end, last);
      const distance = Math.max(first - number, number - last, 0);
      if (!best || distance < best.distance) best = { link, distance };
    }
    if (!best || best.link.hasAttribute('aria-current') || (complete && best.distance > 0)) return false;
    location.replace(best.link.href.split('#')[0] + location.hash);
    return true;
  };

  // Once for each address, whichever comes first: the event of the browser or the next act of the reader.
  let followed;
  const follow = () => {
    if (location.hash === followed) return;
    followed = location.hash;
    show();
    dispatchEvent(new Event('runpress:address'));
  };
  addEventListener('hashchange', follow);
  follow();
})();
