(() => {
  // Shows where runs diverge: aligns the actions of two tapes into equal and different stretches.
  'use strict';
  const { make, link, digits, count, steps, compare } = window.runpress;
  const { LETTERS, letter, section, quiet, fold, table, shortened } = compare;
  // Actions of a stretch shown before folding, stretches shown, and the maximum of stretches shown.
  const FEW = 3;
  const FIRST = 5;
  const STRETCHES = 200;
  // Maximum pairs of actions compared at once.
  const CELLS = 60_000;

  // Positions, in order, at which two lists of words are equal: the common prefix and suffix, and between them the longest
  // common subsequence. Long lists are first split at words that occur once in each.
  const matches = function* (a, b, i = 0, last = a.length, j = 0, end = b.length) {
    while (i < last && j < end && a[i] === b[j]) yield [i++, j++];
    let tail = 0;
    while (last > i && end > j && a[last - 1] === b[end - 1]) {
      last -= 1;
      end -= 1;
      tail += 1;
    }
    const [high, wide] = [last - i, end - j];
    if (high * wide > CELLS) {
      for (const [x, y] of [...cuts(a, b, i, last, j, end), [last, end]]) {
        yield* matches(a, b, i, x, j, y);
        [i, j] = [x, y];
      }
    } else if (high * wide) {
      const row = wide + 1;
      const best = new Uint16Array((high + 1) * row);
      for (let x = high - 1; x >= 0; x -= 1) {
        for (let y = wide - 1; y >= 0; y -= 1) {
          const at = x * row + y;
          best[at] = a[i + x] === b[j + y] ? best[at + row + 1] + 1 : Math.max(best[at + row], best[at + 1]);
        }
      }
      for (let x = 0, y = 0; x < high && y < wide;) {
        const at = x * row + y;
        if (a[i + x] === b[j + y]) yield [i + x++, j + y++];
        else if (best[at + row] >= best[at + 1]) x += 1;
        else y += 1;
      }
    }
    for (; tail; tail -= 1) yield [last++, end++];
  };
  const cuts = (a, b, i, last, j, end) => {
    const once = (list, from, to) => {
      const found = new Map();
      for (let at = from; at < to; at += 1) found.set(list[at], found.has(list[at]) ? -1 : at);
      return found;
    };
    const others = once(b, j, end);
    // Their longest increasing subsequence, by patience sorting.
    const piles = [];
    for (const [word, x] of once(a, i, last)) {
      const y = others.get(word);
      if (x < 0 || !(y >= 0)) continue;
      let at = 0;
      for (let to = piles.length; at < to;) {
        const middle = (at + to) >> 1;
        if (piles[middle][1] < y) at = middle + 1;
        else to = middle;
      }
      piles[at] = [x, y, piles[at - 1]];
    }
    const found = [];
    for (let one = piles.at(-1); one; [, , one] = one) found.unshift(one);
    return found.length ? found : [[(i + last) >> 1, (j + end) >> 1]];
  };

  // Equal and different stretches of two lists, alternating.
  const aligned = async (a, b) => {
    const stretches = [];
    let [i, j] = [0, 0];
    const apart = (x, y) => {
      if (x > i || y > j) stretches.push({ sides: [a.slice(i, x), b.slice(j, y)] });
    };
    // Numbers instead of words, because they are compared often.
    const known = new Map();
    const words = (list) => list.map(({ word, key }) => {
      const name = `${word} ${key}`;
      if (!known.has(name)) known.set(name, known.size);
      return known.get(name);
    });
    await steps(matches(words(a), words(b)), ([x, y]) => {
      apart(x, y);
      let last = stretches.at(-1);
      if (!last?.same) stretches.push(last = { same: true, sides: [[], []] });
      last.sides[0].push(a[x]);
      last.sides[1].push(b[y]);
      [i, j] = [x + 1, y + 1];
    });
    apart(a.length, b.length);
    return stretches;
  };

  const acts = (tape) => tape.filter((event) => event.key !== null);

  const action = (event) => make('li', {}, link(event.href, event.number), ` ${event.word} `, make('code', {}, shortened(event.key)),
    ...(event.failed ? [' ', make('span.badge.b-bad', {}, 'failed')] : []));
  const actions = (list) => make('ul.actions', {}, ...list.map(action));
  const stretch = ({ same, sides }, runs, isFirst) => {
    const few = same && sides[0].length > 2 ? 0 : FEW;
    const cells = sides.map((list) => {
      const shown = list.slice(0, few);
      const more = list.length - shown.length;
      const words = few ? `${digits(more)} more` : `${list[0].number} to ${list.at(-1).number}`;
      return make('td', {}, list.length ? actions(shown) : make('span.quiet', {}, 'none'),
        ...(more ? [fold(words, () => actions(list.slice(few, 500)))] : []));
    });
    const lengths = sides.map((list, side) => `${LETTERS[runs[side].at]} ${digits(list.length)}`);
    const head = make('th', { scope: 'row' }, ...(same ? ['Same '] : [make('b.differs', {}, '≠'), ' Different ']),
      make('small', {}, `${same ? count(sides[0].length, 'action') : lengths.join(', ')}${isFirst ? ': the runs diverge here' : ''}`));
    return make(isFirst ? 'tr.here' : 'tr', {}, head, ...cells);
  };
  const pair = async (runs, lists) => {
    const stretches = await aligned(...lists);
    const same = stretches.reduce((sum, each) => sum + (each.same ? each.sides[0].length : 0), 0);
    const first = stretches.findIndex((each) => !each.same);
    const start = first > 0 ? stretches[0].sides[0].length : 0;
    const words = first < 0 ? same === 1 ? 'The only action is the same.' : `All ${count(same, 'action')} are the same, in the same order.`
      : `${!first ? 'They diverge at the first action.' : `The first ${start === 1 ? 'action is' : `${count(start, 'action')} are`} the same; then they diverge.`}${
        same > start ? ' Later they converge:' : ''} ${digits(same)} of the ${count(lists[0].length, 'action')} of ${LETTERS[runs[0].at]} and the ${digits(lists[1].length)} of ${LETTERS[runs[1].at]} ${same === 1 ? 'is' : 'are'} the same, in the same order.`;
    const drawn = async (from, to) => {
      const body = make('tbody');
      await steps(stretches.slice(from, to).entries(), ([at, each]) => body.append(stretch(each, runs, from + at === first)));
      return table(`Stretches of ${LETTERS[runs[0].at]} and ${LETTERS[runs[1].at]}${from ? ', continued' : ''}`, 'Actions', runs, [body]);
    };
    return { words, drawn, length: stretches.length };
  };
  const parting = async (runs, tapes) => {
    const lists = tapes.map(acts);
    const [base, ...others] = runs.filter((run) => lists[run.at].length);
    const missing = runs.filter((run) => !lists[run.at].length);
    const parts = [];
    if (missing.length) parts.push(quiet(`${missing.map((run) => LETTERS[run.at]).join(' and ')} recorded no commands and no paths to align.`));
    if (others.length) {
      parts.push(quiet(`Actions are commands, reads, writes, searches and calls of other agents; they are the same when their kind and command or path are.${
        others.length > 1 ? ` Each run is aligned with ${LETTERS[base.at]}.` : ''}`));
    }
    for (const [at, other] of others.entries()) {
      const { words, drawn, length } = await pair([base, other], [lists[base.at], lists[other.at]]);
      if (others.length > 1) parts.push(make('h3', {}, letter(base.at), ' and ', letter(other.at)));
      parts.push(make('p', {}, words));
      // The first pair is shown at once, the others on request.
      if (at) parts.push(fold(count(length, 'stretch', 'stretches'), () => drawn(0, STRETCHES)));
      else parts.push(await drawn(0, FIRST), ...(length > FIRST ? [fold(`${length - FIRST} more of ${length} stretches`, () => drawn(FIRST, STRETCHES))] : []));
      if (length > STRETCHES) parts.push(quiet(`Only the first ${STRETCHES} stretches are listed.`));
    }
    return section('parting', 'Where they diverge', ...parts);
  };

  compare.parting = parting;
})();
