(() => {
  // Opens folded text that a link points into, marks ranges such as #e-17..21, finds events that stand on a
  // further page of their tape, and keeps the event of a link to the address that a run has left.
  'use strict';
  // The events that the address names; a filter keeps them in sight.
  const linked = new Set();
  window.runpress.linked = linked;

  // Events get their true height only near the window, so a place moves while the page goes there. The page follows
  // until the place rests, but never against a reader who acts meanwhile.
  let landing = 0;
  const land = (target) => {
    cancelAnimationFrame(landing);
    let frames = 0;
    let still = 0;
    let last = 0;
    const follow = () => {
      still = Math.abs(target.getBoundingClientRect().top - last) < 1 ? still + 1 : 0;
      target.scrollIntoView();
      last = target.getBoundingClientRect().top;
      frames += 1;
      if (frames < 120 && (still < 5 || document.readyState !== 'complete')) landing = requestAnimationFrame(follow);
    };
    follow();
  };
  for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(act, () => cancelAnimationFrame(landing), { capture: true, passive: true });
  }

  const show = () => {
    for (const event of linked) event.classList.remove('range');
    linked.clear();
    for (const link of document.querySelectorAll('[data-moved]')) link.hash = location.hash;
    let id = '';
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    const [, prefix, from, to] = /^(.*?)e-(\d+)(?:\.\.(\d+))?$/.exec(id) ?? [];
    const target = document.getElementById(to ? `${prefix}e-${from}` : id);
    if (!target) return from && elsewhere(prefix, Number(from));
    const event = target.closest('.e');
    if (!event) return;
    linked.add(event);
    for (let number = Number(from); number <= Number(to); number += 1) {
      const one = document.getElementById(`${prefix}e-${number}`);
      if (!one) break;
      one.classList.add('range');
      linked.add(one);
    }
    const filtered = location.search || document.querySelector('.e[hidden]');
    for (const one of linked) one.hidden = false;
    // The browser itself goes to one event that is in sight, and back to where a reader was.
    if (to || filtered) land(target);
  };

  // The links of a tape's pages say which events stand there: "events 500 to 999 of 3,000". Of a very long tape
  // only the nearer pages are linked, and the nearest one leads on; otherwise an event on no page is on none.
  const elsewhere = (prefix, number) => {
    let best;
    let end = -1;
    let complete = true;
    for (const link of document.querySelectorAll('.pages a')) {
      const words = /events ([\d,]+) to ([\d,]+)/.exec(link.textContent);
      const tape = /\/events\/(?:([a-z0-9-]+)\/)?\d+\/index\.html$/.exec(link.pathname);
      if (!words || (tape && (tape[1] ? `${tape[1]}.` : '') !== prefix)) continue;
      const [first, last] = words.slice(1).map((digits) => Number(digits.replaceAll(',', '')));
      if (first > end + 1) complete = false;
      end = Math.max(end, last);
      const distance = Math.max(first - number, number - last, 0);
      if (!best || distance < best.distance) best = { link, distance };
    }
    if (!best || best.link.hasAttribute('aria-current') || (complete && best.distance > 0)) return;
    location.replace(best.link.href.split('#')[0] + location.hash);
  };

  addEventListener('hashchange', show);
  show();
})();
