// The search engine. Loaded on the first search, next to the index of the build. Index parts are chosen by the first letters of
// a word, and texts are read only when shown. src/pages/render/terms.rs and src/pages/render/index.rs write the index.
runpress.search((site) => {
  'use strict';
  const { load, numbers, cards } = site;
  const KINDS = ['case', 'model', 'harness', 'page', 'run', 'failure', 'annotation', 'writeup', 'message'];
  const WEIGHED = 4;
  const LONGEST = 40;
  const BLOCK = 4096;
  // Maximum parts read for a prefix, and the longest list that is ranked by the number of matching words.
  const PARTS = 4;
  const SOME = 5000;
  const [SLOTS, IN_FOLDER] = [256, 1000];

  const files = new Map();
  const file = (path) => {
    if (!files.has(path)) files.set(path, load(`search/${path}`));
    return files.get(path);
  };

  const plain = (text) => text.replace(/[\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff\uff01-\uff5e]/g, (letter) => {
    const [base, ...more] = letter.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
    return more.length ? letter : base;
  }).toLowerCase().replace(/[\u0300-\u036f]/g, '').replaceAll('ς', 'σ');
  // In scripts without spaces between words, each pair of letters is a term, and so is the last letter of a text.
  const DENSE = '\\u0e00-\\u0e7f\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}';
  const dense = new RegExp(`^[${DENSE}]`, 'u');
  const runs = new RegExp(`[${DENSE}]+|[\\u2190-\\u2bff\\u{1f000}-\\u{1faff}]|(?:(?![${DENSE}])[\\p{Alphabetic}\\p{N}])+`, 'gu');
  const terms = (text) => [...new Set((plain(text).match(runs) ?? []).flatMap((run) => {
    const letters = [...run];
    if (!dense.test(run)) return letters.slice(0, LONGEST).join('');
    return letters.length < 2 ? run : letters.slice(1).map((letter, at) => letters[at] + letter);
  }))];

  // The weight of the word in each text.
  const texts = (gaps, kind, exact) => {
    let last;
    return new Map(gaps.map((gap) => {
      last = last === undefined ? gap : last - gap;
      return kind < WEIGHED ? [last >> 2, (last & 3) + exact] : [last, exact];
    }));
  };
  // The postings of a term, by kind: blocks of texts, newest first. Blocks without `texts` are not loaded.
  const lists = ([text, name], exact) => {
    const all = [];
    const given = numbers(text);
    for (let at = 0; at < given.length;) {
      const head = given[at++];
      const kind = head >> 1;
      const size = given[at++];
      const list = [{ texts: texts(given.slice(at, at += size), kind, exact) }];
      const older = head & 1 ? given.slice(at + 1, at += given[at] + 1) : [];
      let from = 0;
      older.forEach((gap, block) => list.splice(1, 0, { from: (from += gap) >> (kind < WEIGHED ? 2 : 0), read: async () => texts(numbers(await file(`lists/${name.slice(0, 2)}/${name.slice(2)}-${kind}-${block}`)), kind, exact) }));
      list[0].from = [...list[0].texts.keys()].at(-1);
      list.size = size + older.length * BLOCK;
      all[kind] = list;
    }
    return all;
  };

  // The edit distance of two words; `most` + 1 if their lengths differ by more than `most`.
  const distance = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let row = [...b, ''].map((_, at) => at);
    for (let i = 1; i <= a.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= b.length; j += 1) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      row = next;
    }
    return row[b.length];
  };

  // The matches of a word: the term itself, terms with this prefix, or, if there are none, similar terms.
  const match = async (term, { parts }, most) => {
    const found = { all: [], names: [], more: false };
    const take = (part, fits) => {
      for (let at = 0; at < part.length; at += 2) if (fits(part[at])) found.all.push(lists([].concat(part[at + 1]), part[at] === term ? 4 : 0));
    };
    const begins = term.length > 2 || dense.test(term) ? (other) => other.startsWith(term) : (other) => other === term;
    const first = parts.findLastIndex(([from]) => from <= term);
    let at = Math.max(first, 0);
    for (; at < parts.length && (at <= first || begins(parts[at][0])); at += 1) {
      found.more = at - first >= most;
      if (found.more) break;
      take(await file(`terms-${parts[at][1]}`), begins);
    }
    // Merges the lists that are completely loaded.
    const whole = () => {
      found.kinds = KINDS.map((_, kind) => {
        const all = found.all.flatMap((each) => (each[kind] ? [each[kind]] : []));
        const short = all.filter((list) => list.length === 1);
        if (short.length < 2) return all;
        const union = new Map();
        for (const [block] of short) for (const [text, weight] of block.texts) union.set(text, Math.max(weight, union.get(text) ?? 0));
        return [...all.filter((list) => list.length > 1), Object.assign([{ texts: union, from: 0 }], { size: union.size })];
      });
      return found;
    };
    const wrong = Math.round(term.length * 0.15);
    if (!found.all.length && term.length > 4 && first >= 0) {
      take(await file(`terms-${parts[first][1]}`), (other) => distance(term, other, wrong) <= wrong && found.names.push(other));
    }
    return whole();
  };

  // Whether a list has a text: its weight plus one, 0, or the block that must be loaded to find out.
  const look = (all, text) => {
    let best = 0;
    let unread;
    for (const list of all) {
      const block = list.find(({ from }) => text >= from);
      if (block && !block.texts) unread = block;
      else if (block?.texts.has(text)) best = Math.max(best, block.texts.get(text) + 1);
    }
    return best || (unread ?? 0);
  };
  const fill = async (block) => { block.texts ??= await block.read(); };

  // The texts of a kind with all words, newest first: at least `most`, and the number of further ones known without loading
  // more.
  const select = async (words, most) => {
    const size = (all) => all.reduce((sum, list) => sum + list.size, 0);
    const [fewest, ...others] = [...words].sort((a, b) => size(a) - size(b));
    const ids = [];
    const seen = new Set();
    for (;;) {
      // Newer texts than this are completely known.
      const open = fewest.flatMap((list) => {
        const at = list.findIndex((block) => !block.texts);
        return at < 0 ? [] : [{ from: list[at - 1].from, block: list[at] }];
      }).sort((a, b) => b.from - a.from)[0];
      const known = new Set(fewest.flatMap((list) => list.flatMap((block) => [...block.texts?.keys() ?? []])));
      const next = [...known].filter((text) => !seen.has(text) && !(text < open?.from)).sort((a, b) => b - a);
      next: for (const text of next) {
        seen.add(text);
        for (const other of others) {
          let has = look(other, text);
          while (has.read) {
            if (ids.length >= most) return { ids, total: ids.length, more: true };
            await fill(has);
            has = look(other, text);
          }
          if (!has) continue next;
        }
        ids.push(text);
      }
      if (!open || ids.length >= most) return { ids, total: fewest.length === 1 && !others.length ? fewest[0].size : ids.length, more: Boolean(open) && (fewest.length > 1 || others.length > 0) };
      await fill(open.block);
    }
  };

  const unpack = async (kind, [folder, run, tone, text, rated], of, { kinds }) => {
    if (kind === 'run') return { title: run, text, about: '', href: `${folder}index.html`, tone };
    if (kind === 'writeup') return { title: run, text: of[1], about: rated, href: `${folder}index.html#writeup` };
    if (kind === 'failure' || kind === 'message') return { title: of[3], text: '', about: `${of[2]} of ${run}`, href: folder + of[1] };
    // All others are cards, in the files of their kind.
    const name = kinds[of % kinds.length];
    const number = Math.floor(of / kinds.length);
    const part = Math.floor(number / SLOTS);
    const card = cards(await file(`annotations-${name}-${Math.floor(part / IN_FOLDER)}/${part % IN_FOLDER}`))[number % SLOTS];
    const title = card.kind ?? name.replaceAll('-', ' ');
    return { title: card.group ? `${title}: ${card.group}` : title, text: card.evidence, about: `${String(card.event).includes(' ') ? 'events' : 'event'} ${card.event} of ${run}`, href: folder + card.href };
  };
  const document = ([kind, title, about, href, text]) => ({ kind: KINDS[kind], title, about, href, text });
  // Reads a text.
  const read = async (kind, number, manifest) => {
    const part = Math.floor(number / SLOTS);
    const items = await file(`${KINDS.indexOf(kind) < WEIGHED ? 'about' : 'texts'}-${Math.floor(part / IN_FOLDER)}/${part % IN_FOLDER}`);
    let slot = number % SLOTS;
    for (const item of items) {
      if (typeof item[0] === 'number') {
        if (!slot) return document(item);
        slot -= 1;
      } else if (slot < item.length) return { kind, ...await unpack(kind, item[0], item[slot], manifest) };
      else slot -= item.length;
    }
    throw new Error(`no text ${number}`);
  };

  // The texts with all words or, if there are none, with some of them: by kind, with the first ones loaded.
  const find = async (asked, manifest, most) => {
    const words = await Promise.all(terms(asked).map((term, _, { length }) => match(term, manifest, Math.ceil(PARTS / length))));
    const each = (work) => Promise.all(KINDS.map((name, kind) => work(words.map(({ kinds }) => kinds[kind]), kind, most[name])));
    if (!words.length) return { groups: [], names: [] };
    let found = await each((all, kind, some) => select(all, kind < WEIGHED ? Infinity : some));
    const some = words.length > 1 && !found.some(({ ids }) => ids.length);
    const score = (all, text) => all.reduce((sum, of) => sum + (Number(look(of, text)) || 0), 0);
    const hits = (all, text) => all.filter((of) => Number(look(of, text))).length;
    if (some) found = await each((all, kind) => select([all.flat()], kind < WEIGHED ? Infinity : SOME));
    const groups = await each(async (all, kind, shown) => {
      const { ids, total, more } = found[kind];
      const by = kind < WEIGHED ? score : hits;
      if (kind < WEIGHED || some) {
        const keyed = ids.slice(0, SOME).map((text, at) => [by(all, text), at, text]);
        keyed.sort((a, b) => b[0] - a[0] || (kind < WEIGHED ? a[2] - b[2] : a[1] - b[1]));
        keyed.forEach(([, , text], at) => { ids[at] = text; });
      }
      return { kind: KINDS[kind], total, more: more || words.some((word) => word.more && word.kinds[kind].length), results: await Promise.all(ids.slice(0, shown).map((text) => read(KINDS[kind], text, manifest))) };
    });
    return { some, groups: groups.filter(({ total }) => total), names: [...plain(asked).match(runs), ...words.flatMap(({ names }) => names)].sort((a, b) => b.length - a.length), similar: words.some(({ names }) => names.length) };
  };

  return { find, document, dense };
});
