(() => {
  // Shows the target of the address even if a filter hides it, marks ranges such as #e-17..21, finds events on other pages of
  // their tape, and keeps the event when a link goes to a former address of a run.
  'use strict';
  const { make, button } = window.runpress;
  // The target events of the address, which a filter never hides.
  const linked = new Set();

  // Events get their true height only near the viewport, so the target moves while the page scrolls to it. Scrolling follows
  // the target until it rests, but stops when the reader acts.
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
  // Browsers report a new address late. A key pressed before that starts from the new position.
  for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(act, () => {
      follow();
      cancelAnimationFrame(landing);
    }, { capture: true, passive: true });
  }

  /** Opens the folds that contain an event. */
  const unfold = (event) => {
    for (let fold = event.closest('.fold > details'); fold; fold = fold.parentElement.closest('.fold > details')) fold.open = true;
  };

  // A message about a move stays visible until the next move.
  const word = make('p.tell', { role: 'status' });
  document.querySelector('main')?.append(word);
  const tell = (text = '', link = '') => {
    tell.end = '';
    word.replaceChildren(...(text ? [make('span', {}, text, link && ' ', link), button('Close', () => tell())] : []));
  };

  /** A link to the next page of a tape, or with -1 to the end of the previous one. The link keeps the filter. */
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
  Object.assign(window.runpress, { linked, land, tell, further, unfold });

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
    const folded = target.closest('details');
    if (!event && folded) folded.open = true;
    if (!event) return;
    linked.add(event);
    if (to >= 0) {
      let last = 0;
      for (const one of event.closest('.tape').querySelectorAll('.e')) {
        // A result is below its call, before events with lower numbers.
        const number = Number(/e-(\d+)/.exec(one.id.slice(prefix.length))[1]);
        last = Math.max(last, number);
        if (number < from || number > to) continue;
        one.classList.add('range');
        linked.add(one);
      }
      const link = to > last && further(event.closest('.tape'));
      if (link) {
        link.hash = `${prefix}e-${last + 1}..${to}`;
        tell('This range continues at', link);
      }
    }
    const filtered = location.search || document.querySelector('.e[hidden]');
    for (const one of linked) {
      one.hidden = false;
      unfold(one);
    }
    // The browser itself scrolls to a single visible event, and restores the position on back. On a newly opened page it may
    // stop far from the event, because content above still grows.
    const opens = document.readyState !== 'complete' && performance.getEntriesByType('navigation')[0]?.type === 'navigate';
    if (to >= 0 || filtered || opens) land(target);
  };

  // Links to the pages of a tape have the numbers of the first and last event on each page. A very long tape links only nearby
  // pages, and the nearest one leads on; on other tapes, an event outside all ranges does not exist.
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

  // Handles each address once, on the browser's event or the next action of the reader, whichever comes first.
  let followed;
  const follow = () => {
    if (location.hash === followed) return;
    followed = location.hash;
    show();
    dispatchEvent(new Event('runpress:address'));
  };
  addEventListener('hashchange', follow);
  follow();

  // Each strip describes the event under the pointer in its caption, and has a slim copy above its tape that shows the current
  // position.
  const tapes = document.querySelectorAll('.tape');
  document.querySelectorAll('.lane').forEach((lane, at) => {
    const strip = lane.lastElementChild;
    const line = lane.parentElement.querySelector('p');
    const caption = line.textContent;
    const placeOf = (link) => Number(/(?:M| x=")(\d+)[" ]/.exec(link.innerHTML)?.[1] ?? parseFloat(link.querySelector('[cx]').getAttribute('cx')) * 10);
    const numberOf = (text) => Number(/e-(\d+)/.exec(text)?.[1]);
    const links = [...strip.querySelectorAll('a')].map((link) => ({ link, x: placeOf(link), number: numberOf(link.href.baseVal) })).sort((a, b) => a.x - b.x);
    let on;
    const say = (link) => {
      on?.classList.remove('on');
      on = link;
      link?.classList.add('on');
      const { hash } = new URL(link?.href.baseVal ?? '', location);
      const event = link && document.getElementById(decodeURIComponent(hash.slice(1)))?.closest('.e');
      const part = (name) => event.querySelector(name)?.textContent.slice(0, 200) ?? '';
      line.textContent = !link ? caption : event ? `#${part('a')} ${part('a + i')} ${part('b')}: ${part('code') || part('pre')}` : `#${numberOf(hash)} on a further page`;
    };
    strip.addEventListener('pointerover', ({ target }) => say(target.closest('a')));
    strip.addEventListener('pointerleave', () => say());
    const range = make('input', { type: 'range', max: links.length - 1, value: 0, ariaLabel: 'Place on the strip', onblur: () => say() });
    range.oninput = range.onfocus = () => {
      say(links[range.value].link);
      range.ariaValueText = line.textContent;
    };
    range.onkeydown = ({ key }) => {
      if (key === 'Enter') location.assign(links[range.value].link.href.baseVal);
    };
    if (links.length) lane.append(range);

    const tape = tapes[at];
    const copy = strip.firstElementChild.cloneNode(true);
    const mark = copy.querySelector('path')?.cloneNode();
    if (!mark || !tape) return;
    for (const link of copy.querySelectorAll('a')) link.remove();
    copy.append(mark);
    mark.setAttribute('class', 'mark');
    mark.removeAttribute('d');
    copy.classList.add('strip', 'now');
    copy.ariaHidden = 'true';
    const place = tape.parentElement.querySelector('.now');
    if (place) place.replaceWith(copy);
    else tape.before(copy);
    const known = links.filter(({ number }) => number >= 0).sort((a, b) => a.number - b.number);
    // A gap has no event, so the next one counts. A fold has several, so the first counts.
    const eventOf = (item) => item && (item.matches('.e') ? item : item.querySelector('.e') ?? eventOf(item.nextElementSibling));
    const follow = () => {
      const { left, top } = tape.getBoundingClientRect();
      const { top: edge, bottom } = copy.getBoundingClientRect();
      // Above the tape, the strip itself or the tools are visible.
      copy.classList.toggle('off', top > edge);
      const number = numberOf(eventOf(document.elementFromPoint(left + 40, bottom + 9)?.closest('.tape li'))?.id);
      if (!(number >= 0)) return;
      const next = known.findIndex((each) => each.number > number);
      const last = known.at(Math.max(next, 0) - 1);
      if (last) mark.setAttribute('d', `M${last.x} 0V999`);
    };
    addEventListener('scroll', () => requestAnimationFrame(follow), { passive: true });
    follow();
  });
})();
