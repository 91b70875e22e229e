// Reloads the page after each build, keeps its scroll position, and shows the problems of a failed build.
(() => {
  'use strict';

  const script = document.currentScript;
  const build = script.dataset.build;
  const KEY = 'runpress-live';
  const folds = () => [...document.querySelectorAll('details')];

  // Saves the scroll position for the reload.
  const remember = () => {
    const open = folds().flatMap((fold, index) => (fold.open ? [index] : []));
    const place = { path: location.pathname, x: scrollX, y: scrollY, folds: folds().length, open };
    try {
      sessionStorage.setItem(KEY, JSON.stringify(place));
    } catch {
      // Without storage, the browser restores the position as it can.
    }
  };
  const recall = () => {
    try {
      const place = JSON.parse(sessionStorage.getItem(KEY));
      sessionStorage.removeItem(KEY);
      return place && place.path === location.pathname ? place : null;
    } catch {
      return null;
    }
  };
  const place = recall();
  if (place) {
    if (place.folds === folds().length) {
      folds().forEach((fold, index) => {
        fold.open = place.open.includes(index);
      });
    }
    const back = () => scrollTo({ left: place.x, top: place.y, behavior: 'instant' });
    back();
    // The page's own scripts and late images may move it again.
    addEventListener('load', () => requestAnimationFrame(back), { once: true });
  }

  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = '/.runpress/live.css';
  document.head.append(style);

  const element = (name, words, kind) => {
    const made = document.createElement(name);
    if (words) made.textContent = words;
    if (kind) made.className = `runpress-${kind}`;
    return made;
  };
  const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;

  let overlay = null;
  let closed = '';
  let before = null;
  const close = () => {
    if (!overlay) return;
    const had = overlay.contains(document.activeElement);
    overlay.remove();
    overlay = null;
    if (had && before && before.isConnected) before.focus();
  };
  const problem = (told) => {
    const item = element('li');
    const line = element('p', '', 'message');
    line.append(element('strong', told.severity, told.severity), ` ${told.message}`);
    const at = [told.path, told.line, told.column].filter((part) => part !== null).join(':');
    const where = element('p', '', 'place');
    where.append(element('code', at), ' ', element('code', told.code));
    item.append(line, where, element('p', told.help, 'help'));
    return item;
  };
  const show = (message, data) => {
    close();
    if (data === closed) return;
    closed = '';
    overlay = element('div', '', 'overlay');
    overlay.setAttribute('role', 'alert');
    const head = element('div', '', 'head');
    const button = element('button', 'Close');
    button.type = 'button';
    button.addEventListener('click', () => {
      closed = data;
      close();
    });
    head.append(element('h2', message.has_build ? 'The last change is not shown' : 'The site is not built yet'), button);
    const counts = [];
    if (message.errors) counts.push(count(message.errors, 'error'));
    if (message.warnings) counts.push(count(message.warnings, 'warning'));
    const more = message.errors + message.warnings - message.diagnostics.length;
    const list = element('ol');
    list.append(...message.diagnostics.map(problem));
    const seen = message.has_build
      ? 'You still see the last build that succeeded.'
      : 'The site is shown as soon as a build succeeds.';
    overlay.append(head, element('p', `${counts.join(', ')}. ${seen}`), list);
    if (more > 0) overlay.append(element('p', `${more} more on the terminal.`));
    before = document.activeElement;
    document.body.append(overlay);
  };
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && overlay) overlay.querySelector('button').click();
  });

  let source = null;
  const listen = () => {
    if (source) return;
    source = new EventSource('/.runpress/events');
    source.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data);
      if (message.build !== build) {
        source.close();
        remember();
        location.reload();
      } else if (message.failed) {
        show(message, data);
      } else {
        closed = '';
        close();
      }
    });
  };
  // Browsers allow few connections per host, so a hidden page disconnects until it is visible again.
  const attend = () => {
    if (document.visibilityState === 'hidden') {
      source?.close();
      source = null;
    } else {
      listen();
    }
  };
  document.addEventListener('visibilitychange', attend);
  attend();
})();
