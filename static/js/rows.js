// The runs of the archive: the columns for filters and sorting, and the rows. Loaded on first use by the page of runs and the
// picker of a comparison. The data is written by src/pages/view/data/rows.rs.
runpress.runs(async (site) => {
  'use strict';
  const { load, words } = site;
  const ROWS = 8;
  const IN_FOLDER = 1000;
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/.-:=^!*?()[]{}@%$#_,;';
  const { total, columns, filters, cells, letters } = await load('search/runs');
  const digit = Object.fromEntries([...DIGITS].map((each, at) => [each, at]));
  const files = new Map();
  const file = (path, read) => {
    if (!files.has(path)) files.set(path, load(`search/${path}`).then(read));
    return files.get(path);
  };
  for (const [name, column] of Object.entries(columns)) {
    if (name === 'rating') {
      column.orders = column.values.map(([, order]) => order);
      column.values = column.values.map(([badge]) => badge);
    }
    // The names shown in a facet.
    column.names = column.values.map((value) => (name === 'annotation' ? value : [words(value)]));
  }
  // Numbers of `width` digits each, low digits first.
  const decoded = (text, width) => Uint32Array.from({ length: text.length / width }, (_, each) => {
    let value = 0;
    for (let at = width - 1; at >= 0; at -= 1) value = value * DIGITS.length + digit[text[each * width + at]];
    return value;
  });
  // After an X, every five digits encode an id of eight hexadecimal digits.
  const ids = (text) => text.split(' ').flatMap((name) => (name[0] === 'X' ? Array.from(decoded(name.slice(1), 5), (id) => id.toString(16).padStart(8, '0')) : [name]));
  // Either run lengths (a number, how many runs have it, the next number), or digits that each hold several numbers below
  // `base`, or several digits per number.
  const numbers = (found) => {
    const all = new Uint32Array(total);
    const [base, each, text] = found;
    if (typeof text === 'string') {
      const groups = decoded(text, each > 1 ? 1 : text.length / total);
      return all.map((_, run) => Math.floor(groups[Math.floor(run / each)] / base ** (run % each)) % base);
    }
    for (let at = 0, run = 0; at < found.length; at += 2) all.fill(found[at], run, run += found[at + 1]);
    return all;
  };
  // For each run, oldest first: its index in the values of the column, its rank, or its name.
  const column = (name) => file(`runs-${name}`, (found) => (name === 'run' ? ids : numbers)(found));

  // Returns a test of whether a run has all of these words, in lower case.
  const having = async (typed) => {
    const tests = await Promise.all(typed.map(async (word) => {
      const fits = Object.entries(columns).flatMap(([name, { names }]) => {
        const places = new Set(names.flatMap((each, at) => (each.some((one) => one.toLowerCase().includes(word)) ? [at] : [])));
        return places.size ? [[name, places]] : [];
      });
      const named = [...word].every((letter) => letters.includes(letter));
      // Part of an address: match its words one by one.
      const apart = word.split(/[-/_]/).filter(Boolean);
      const other = !fits.length && apart.length > 1 ? await having(apart) : () => false;
      const loaded = await Promise.all(fits.map(async ([name, places]) => [await column(name), places]));
      const own = named ? await column('run') : [];
      return (run) => loaded.some(([values, places]) => places.has(values[run])) || own[run]?.includes(word) || other(run);
    }));
    return (run) => tests.every((test) => test(run));
  };

  // Returns the sort key of runs in a column; `null` if a run has no value.
  const keyOf = async (name) => {
    const values = await column(name);
    if (name === 'run') return (run) => values[run];
    const { names, orders, values: cells } = columns[name] ?? {};
    if (!names) return (run) => values[run] || null;
    return (run) => (cells[values[run]].known === false ? null : orders ? orders[values[run]] : names[values[run]][0]);
  };

  // The rows of these runs, with cells by column name.
  const rows = (runs) => Promise.all(runs.map(async (run) => {
    const at = Math.floor(run / ROWS);
    const some = await file(`rows-${Math.floor(at / IN_FOLDER)}/${at % IN_FOLDER}`, (all) => all);
    const [places, folder, text, title, finished, seconds, own] = some[run % ROWS];
    const of = Object.fromEntries(filters.map((name, each) => [name, columns[name].values[places[each]]]));
    const others = Object.fromEntries(cells.map((name, each) => [name, own[each]]));
    return {
      ...of, ...others, slug: folder.split('/').at(-1), run: { text, title, href: `runs/${folder}/index.html` }, finished,
      small: { case: of.version }, order: { rating: String(columns.rating.orders[places[filters.indexOf('rating')]] ?? ''), time: seconds },
    };
  }));

  // Newest first.
  return { runs: Array.from({ length: total }, (_, at) => total - 1 - at), columns, column, having, keyOf, rows };
});
