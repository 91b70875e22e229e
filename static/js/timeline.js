// Opens folded text that a link points into, marks ranges such as #e-17..21, and finds events that
// stand on a further page of their tape.
(() => {
  'use strict';
  const marked = [];

  function show() {
    for (const event of marked.splice(0)) event.classList.remove('range');
    let id = '';
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    const match = /^(.*?)e-(\d+)(?:\.\.(\d+))?$/.exec(id);
    if (!match) return;
    const [, prefix, from, to] = match;
    const target = document.getElementById(`${prefix}e-${from}`);
    if (!target) return elsewhere(prefix, Number(from));
    if (!to) return;
    for (let number = Number(from); number <= Number(to); number += 1) {
      const event = document.getElementById(`${prefix}e-${number}`);
      if (!event) break;
      event.classList.add('range');
      marked.push(event);
    }
    target.scrollIntoView();
  }

  // The links of a tape's pages say which events stand there: "events 501 to 1,000 of 3,000".
  function elsewhere(prefix, number) {
    for (const link of document.querySelectorAll('.pages a:not([aria-current])')) {
      const words = /events ([\d,]+) to ([\d,]+)/.exec(link.textContent);
      const tape = /\/events\/(?:([a-z0-9-]+)\/)?\d+\/index\.html$/.exec(link.pathname);
      if (!words || (tape && (tape[1] ? `${tape[1]}.` : '') !== prefix)) continue;
      const [first, last] = words.slice(1).map((digits) => Number(digits.replaceAll(',', '')) - 1);
      if (number >= first && number <= last) {
        location.replace(link.href + location.hash);
        return;
      }
    }
  }

  addEventListener('hashchange', show);
  show();
})();
