(() => {
  // The timeline: filters, search, keyboard navigation, links and quotes to copy. Works on the events of the current page; the
  // search for words also covers the other pages of a tape. The filter is kept in the address.
  'use strict';
  const { root, make, link: anchor, button, load, query, copy: put, escaped, fenced, linked, land, tell, further, unfold } = window.runpress;
  const tapes = [...document.querySelectorAll('.tape')];
  if (!tapes.length) return;
  /** The line of an event: its number, time, kind and headline. */
  const headOf = (element) => element.querySelector('p');
  const events = tapes.flatMap((tape) => [...tape.querySelectorAll('.e')]).map((element) => ({
    element,
    kind: element.querySelector('b').textContent,
    failed: element.classList.contains('fail'),
    notes: [...element.querySelectorAll(':scope > .ans > .an')],
  }));
  // A fold is open while it contains events that pass the filter. Without a filter, it is as the reader left it.
  const folds = tapes.flatMap((tape) => [...tape.querySelectorAll('.fold')]);
  const gaps = tapes.flatMap((tape) => [...tape.querySelectorAll('.gap')]);
  const noteKind = (note) => note.ariaLabel.slice('Annotation: '.length);
  // The exact time of each event. The first one of a tape has its start, and the milliseconds that are not displayed.
  const moments = new Map();
  for (const tape of tapes) {
    const times = [...tape.querySelectorAll(':is(.e, .was) > p:first-child > a + i')];
    times.forEach((time, at) => {
      const { start, ms } = times[0].dataset;
      const clock = time.textContent.replace('-', '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
      const since = clock * 1000 + Number(ms.slice(at * 3, at * 3 + 3));
      moments.set(time, new Date(Date.parse(start) + (time.textContent.startsWith('-') ? -since : since)).toISOString());
    });
  }

  const counted = (names) => {
    const counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  };

  // The filter

  const isFailure = ({ element }) => element.matches('.fail:not(.uncounted)');
  const isPart = tapes.some((tape) => further(tape) || further(tape, -1));
  // Failures are counted for the whole tapes, even if this page has only some of their events.
  const failures = tapes.reduce((sum, { dataset }) => sum + Number(dataset.failures), 0);
  // The texts of the other pages of each tape, beginning with the next page; loaded on the first search.
  const others = tapes.flatMap(({ dataset: { texts, pages, page } }) => Array.from({ length: texts ? pages - 1 : 0 }, (_, at) => texts + ((Number(page) + at) % pages + 1)));
  const whole = isPart ? 'Filters cover this page, words all pages.' : '';
  const status = make('p.quiet', { role: 'status' }, whole);
  // The filter as in the address: `kind` and `note` may repeat; `failed`, `annotated` and `find` occur once.
  const NAMES = ['kind', 'note', 'failed', 'annotated', 'find'];
  const filter = new URLSearchParams();
  const controls = [];
  const isOn = () => filter.size > 0;
  const sought = () => (filter.get('find') ?? '').toLowerCase();

  const apply = () => {
    let shown = 0;
    let linkedOnly = 0;
    const [kinds, notes, words] = [filter.getAll('kind'), filter.getAll('note'), sought()];
    const matches = (event) => (!filter.has('failed') || event.failed)
      && (!filter.has('annotated') || event.notes.length > 0)
      && (!kinds.length || kinds.includes(event.kind))
      && (!notes.length || event.notes.some((note) => notes.includes(noteKind(note))))
      && (!words || (event.text ??= event.element.textContent.toLowerCase()).includes(words));
    for (const event of events) {
      const match = matches(event);
      const keep = !match && linked.has(event.element);
      event.element.hidden = !match && !keep;
      shown += match;
      linkedOnly += keep;
    }
    for (const gap of gaps) gap.hidden = isOn();
    // Events that only report usage are shown if they pass a filter.
    for (const tape of tapes) tape.classList.toggle('all', isOn());
    for (const fold of folds) {
      const details = fold.firstElementChild;
      fold.hidden = !fold.querySelector('.e:not([hidden])');
      fold.wasOpen ??= details.open;
      details.open = isOn() || fold.wasOpen;
      if (!isOn()) delete fold.wasOpen;
    }
    status.textContent = isOn() ? `${shown} of ${events.length} events on this page${linkedOnly ? `, and ${linkedOnly} linked` : ''}` : whole;
    reset.hidden = !isOn();
    for (const control of controls) control();
    highlight();
    remember();
    seekElsewhere(words);
  };

  const loaded = {};
  let asked;
  // Adds to the status how many events on other pages have the words, with a link to the next one. Other filters only work on this page.
  const seekElsewhere = async (words) => {
    const mine = (asked = {});
    if (!words || filter.size > 1 || !others.length) return;
    const hits = [];
    let least = '';
    for (const path of others) {
      const { href, events: texts, cut } = await (loaded[path] ??= load(path)).catch(() => ({ events: [], cut: true }));
      if (asked !== mine) return;
      if (cut) least = 'at least ';
      for (const [id, text] of texts) {
        if (text.toLowerCase().includes(words)) hits.push(`${href}${location.search}#${id}`);
      }
    }
    const number = `${least}${hits.length}`;
    status.append(', ', hits.length ? anchor(new URL(hits[0], root), number) : number, ' on other pages');
  };

  // Highlights matches without changing the recorded text.
  const highlight = () => {
    if (!CSS.highlights) return;
    CSS.highlights.delete('found');
    const wanted = sought();
    if (!wanted) return;
    const ranges = [];
    for (const { element } of events) {
      if (element.hidden) continue;
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && ranges.length < 2000; node = walker.nextNode()) {
        const text = node.data.toLowerCase();
        // Skip text with characters whose lower case is longer, because positions would shift.
        if (text.length !== node.data.length) continue;
        for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };

  const remember = () => query((now) => {
    for (const name of [...now.keys()]) now.delete(name);
    for (const [name, value] of filter) now.append(name, value);
  });

  const toggle = (name, words, title) => {
    const element = button(words, () => {
      if (filter.has(name)) filter.delete(name);
      else filter.set(name, '1');
      apply();
    }, { ariaPressed: false, ...title && { title } });
    controls.push(() => { element.ariaPressed = filter.has(name); });
    return element;
  };

  const choice = (name, words, counts, title) => {
    const summary = make('summary', {}, words);
    const list = make('div.choices');
    for (const [value, count] of counts) {
      const box = make('input', { type: 'checkbox', onchange: () => {
        filter[box.checked ? 'append' : 'delete'](name, value);
        apply();
      } });
      controls.push(() => { box.checked = filter.has(name, value); });
      list.append(make('label', {}, box, ` ${value} `, make('small', {}, count)));
    }
    controls.push(() => { summary.textContent = filter.has(name) ? `${words}: ${filter.getAll(name).join(', ')}` : words; });
    return make('details.choice', title && { title }, summary, list);
  };

  let typing;
  const find = make('input', { type: 'search', placeholder: 'Find words', ariaLabel: 'Find in this timeline', ariaKeyShortcuts: '/', spellcheck: false, oninput: () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      const words = find.value.trim();
      if (words) filter.set('find', words);
      else filter.delete('find');
      apply();
    }, 120);
  } });
  controls.push(() => { if (find.value.trim() !== (filter.get('find') ?? '')) find.value = filter.get('find') ?? ''; });
  const reset = button('Show all', () => {
    for (const name of NAMES) filter.delete(name);
    apply();
  }, { hidden: true });

  const annotated = events.filter((event) => event.notes.length).length;
  const bar = make('div.tape-tools', { role: 'group', ariaLabel: 'Timeline' }, find,
    choice('kind', 'Kinds of event', counted(events.map((event) => event.kind))));
  if (annotated) bar.append(choice('note', 'Kinds of annotation', counted(events.flatMap((event) => event.notes.map(noteKind))), 'Annotations of a kind'));
  const here = events.filter(isFailure).length;
  if (failures) bar.append(toggle('failed', `Failures ${here < failures ? `${here} of ` : ''}${failures}`));
  if (annotated) bar.append(toggle('annotated', `Annotated events ${annotated}`, 'Events with annotations'));
  bar.append(reset);
  if (moments.size) {
    const clock = button('UTC', () => {
      const absolute = clock.ariaPressed !== 'true';
      clock.ariaPressed = absolute;
      for (const [time, moment] of moments) {
        time.dataset.since ??= time.textContent;
        time.textContent = absolute ? moment.slice(11, 19) : time.dataset.since;
      }
    }, { ariaPressed: false, title: 'Time of day' });
    bar.append(clock);
  }
  bar.append(button('Keys', () => help(), { title: 'Keyboard shortcuts (?)' }));
  const place = document.querySelector('.reader');
  if (place) place.append(bar, status);
  else if (location.search) tapes[0].before(bar, status);

  let current = null;
  // Keys move the current event; the tools also follow the pointer.
  let equipped = null;
  const link = button('Copy link', (click) => copy(address(equipped), click.currentTarget));
  const quote = button('Copy quote', (click) => copy(quoted(equipped), click.currentTarget));
  const tools = make('span.et', {}, link, quote);

  const equip = (event) => {
    equipped = event;
    headOf(event.element).append(tools);
  };

  const select = (event) => {
    tell();
    current?.element.classList.remove('at');
    current = event;
    event.element.classList.add('at');
    equip(event);
  };

  const eventOf = (target) => {
    const element = target instanceof Element && target.closest('.e');
    return element && events.find((event) => event.element === element);
  };
  // In a narrow viewport the tools have their own line, which must not appear and disappear under a pointer.
  const narrow = matchMedia('(max-width: 48rem)');
  for (const tape of tapes) {
    for (const name of ['pointermove', 'focusin', 'click']) {
      tape.addEventListener(name, ({ type, target, movementX, movementY }) => {
        const isMove = type === 'pointermove';
        if (isMove && movementX === 0 && movementY === 0) return; // Scrolling under a resting pointer is not a move.
        const event = isMove && narrow.matches ? null : eventOf(target);
        if (event && event !== equipped) equip(event);
        if (moments.has(target)) target.title = `${moments.get(target).replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC`;
      });
    }
    tape.addEventListener('click', (click) => { // Shift-click links the range from the last linked event to this one.
      const number = click.shiftKey && click.target instanceof Element && click.target.closest(':is(.e, .was) > p:first-child > a');
      const last = /^#(.*e-)(\d+)(?:\.\.\d+)?$/.exec(location.hash);
      const here = number && /^#(.*e-)(\d+)$/.exec(number.hash);
      if (!last || !here || last[1] !== here[1]) return;
      click.preventDefault();
      const [from, to] = [Number(last[2]), Number(here[2])].sort((a, b) => a - b);
      location.hash = `${here[1]}${from}..${to}`;
    });
  }
  for (const { element, notes } of events) { // A span links to all events that it covers.
    for (const note of notes) {
      const span = note.querySelector('a.span');
      if (span) span.hash = `${element.id.replace(/\d+(-\d+)?$/, '')}${span.dataset.range}`;
    }
  }

  const go = (event, target = event.element) => {
    unfold(event.element);
    select(event);
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    land(target, 'center');
  };

  /** The position of an element in the window. An element in a closed fold has the position of the fold. */
  const top = (element) => (element.closest('.fold > details:not([open])') ?? element).getBoundingClientRect().top;
  /** The next of `places` (pairs of event and element) in a direction, from the focused element or the top of the window. */
  const seek = (places, direction, what) => {
    const from = document.activeElement?.closest('.e, .an') ?? null;
    const after = (place) => from
      ? Boolean(from.compareDocumentPosition(place.element) & (direction > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING))
        && (direction > 0 || !place.element.contains(from) || what === 'event')
      : direction > 0 ? top(place.element) > 60 : top(place.element) < 60;
    return direction > 0 ? places.find(after) : places.findLast(after);
  };
  const step = (places, direction, what) => {
    const isShown = ({ event: { element } }) => !element.hidden && element.getClientRects().length + !element.matches('.u') > 0;
    const next = seek(places.filter(isShown), direction, what);
    if (next) go(next.event, next.element);
    else end(direction, what);
  };
  const beyond = (direction) => [current?.element.closest('.tape'), ...tapes].map((tape) => tape && further(tape, direction)).find(Boolean);
  /** Reports that there is no further element on this page; the same key again leads to the next page of the tape. */
  const end = (direction, what) => {
    const text = `No ${direction > 0 ? 'further' : 'earlier'} ${what} on this page.`;
    const link = beyond(direction);
    if (!link) tell(text);
    else if (tell.end === direction + what) location.assign(link.href);
    else {
      tell(`${text} Press the key again to go to`, link);
      tell.end = direction + what;
    }
  };
  const places = {
    event: events.map((event) => ({ event, element: event.element })),
    annotation: events.flatMap((event) => event.notes.map((element) => ({ event, element }))),
    marker: events.flatMap((event) => event.notes.filter(({ classList }) => classList.contains('an-marker')).map((element) => ({ event, element }))),
    failure: events.filter(isFailure).map((event) => ({ event, element: event.element })),
  };

  // Links and quotes

  const address = ({ element }) => new URL(`#${element.id}`, location.href.split('?')[0].split('#')[0]).href;

  /** The event as Markdown: its number and kind, the beginning of its text, its annotations, and its address. */
  const quoted = (event) => {
    const { element } = event;
    const head = headOf(element);
    const words = (node) => node?.textContent.trim() ?? '';
    const title = words(head.querySelector('code'));
    const number = words(head.firstElementChild);
    const parts = [`**${escaped(`${number} ${event.kind}`)}**`];
    if (title) parts.push(escaped(title.replaceAll(/\s+/g, ' ')));
    if (event.failed) parts.push('failed');
    const lines = [parts.join(' ')];
    const source = element.querySelector('.was') ?? element;
    const text = words(source.querySelector('.raw > pre') ?? source.querySelector(':scope > :is(pre, .md), :scope > details > :is(pre, .md)'));
    if (text) {
      const cut = text.length > 600 ? `${text.slice(0, 600)}…` : text;
      const fence = fenced(cut, 3);
      lines.push('', fence, ...cut.split('\n'), fence);
    }
    for (const note of event.notes) {
      const says = words(note.querySelector('.md')).replaceAll(/\s+/g, ' ');
      lines.push('', `*${escaped(noteKind(note))}*${says ? `: ${escaped(says)}` : ''}`);
    }
    const page = escaped(document.title);
    return `${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n[${page}, event ${escaped(number)}](<${address(event)}>)\n`;
  };

  const copy = async (text, pressed) => {
    const done = await put(text);
    const before = pressed.textContent;
    pressed.textContent = status.textContent = done ? 'Copied' : 'Not copied';
    setTimeout(() => { pressed.textContent = before; }, 1500);
  };

  // Keys

  const walk = (what) => (direction) => step(places[what], direction, what);
  // Each entry: the key, the key for the opposite direction, the description, and the action.
  const KEYS = [
    ['j', 'k', 'next and previous event', walk('event')],
    [']', '[', 'next and previous annotation', walk('annotation')],
    ['f', 'F', 'next and previous failure', walk('failure')],
    ['m', 'M', 'next and previous marker', walk('marker')],
    ...place ? [['/', '', 'find in the timeline', () => {
      find.scrollIntoView({ block: 'center' });
      find.focus();
      find.select();
    }]] : [],
    ['?', '', 'help', () => help()],
  ];
  const sheet = make('dialog.sheet', { ariaLabel: 'Keys' });
  const help = () => {
    if (!sheet.isConnected) {
      const list = make('dl');
      for (const [key, other, words] of KEYS) {
        const term = make('dt', {}, make('kbd', {}, key));
        if (other) term.append(' ', make('kbd', {}, other));
        list.append(make('div', {}, term, make('dd', {}, words)));
      }
      sheet.append(make('h2', {}, 'Keys'), list,
        make('p.quiet', {}, 'Shift-click an event number to link a range of events.'),
        button('Close', () => sheet.close()));
      document.body.append(sheet);
    }
    sheet.showModal();
  };

  document.addEventListener('keydown', (pressed) => {
    if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || pressed.defaultPrevented) return;
    const { target, key } = pressed;
    if (target === find && key === 'Escape') {
      find.blur();
      if (current && !current.element.hidden) go(current);
      return;
    }
    if (target instanceof Element && target.closest('input, textarea, select, dialog[open]')) return;
    if (key === 'Escape') tell();
    const action = KEYS.find(([one, other, , act]) => act && [one, other].includes(key));
    if (!action) return;
    pressed.preventDefault();
    action[3](key === action[0] ? 1 : -1);
  });

  addEventListener('beforeprint', () => {
    for (const { element } of events) unfold(element);
  });

  const arrive = () => {
    if (isOn()) apply();
    const first = events.find(({ element }) => linked.has(element));
    if (first) equip(first);
  };
  addEventListener('runpress:address', arrive);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (NAMES.includes(name)) filter.append(name, value);
  }
  arrive();
})();
