(() => {
  // The runs of a comparison, and a picker to add others from the archive.
  'use strict';
  const { make, link, count, words, load, compare } = window.runpress;
  const { LETTERS, pageOf, here, go, letter } = compare;
  const MOST = 4;
  const OPTIONS = 300;

  // The runs of the archive, loaded when the picker is first used.
  const adding = (names, slugs, cases) => {
    const offered = new Map();
    const select = make('select', { onchange: () => select.value && go([...names, select.value]) }, new Option('Choose a run of the same case', ''));
    const input = make('input', { type: 'text', autocomplete: 'off', spellcheck: false, placeholder: 'Search, or the address of a run' });
    const list = make('datalist', { id: 'every-run' });
    const status = make('p.quiet', { role: 'status' });
    input.setAttribute('list', list.id);
    let archive, loading, timer, asking;
    const named = ({ slug, run, finished, case: { text: kase }, small, variant, model, harness }) => {
      const name = `${finished.date}, ${model.text}, ${harness.text}, ${variant.known === false ? 'no variant' : words(variant)} ${small.case}, ${run.text}`;
      return { slug, words: name, name: `${kase}, ${name}` };
    };
    // The first of these runs that are not in the comparison yet.
    const some = async (runs, most) => (await archive.rows(runs.slice(0, most + slugs.length))).filter(({ slug }) => !slugs.includes(slug)).slice(0, most).map(named);
    const prepare = async () => {
      archive = await (await load('search/rows'))(window.runpress);
      const column = await archive.column('case');
      const known = archive.columns.case.values.map(({ text }) => cases.includes(text));
      const own = archive.runs.filter((run) => known[column[run]]);
      const free = own.length - slugs.length;
      select.append(...(await some(own, OPTIONS)).map((each) => new Option(each.words, each.slug)));
      select.disabled = free < 1;
      if (free < 1) select.options[0].text = 'No other run of this case';
      else if (free > OPTIONS) select.append(make('option', { disabled: true }, `and ${count(free - OPTIONS, 'older run')}`));
    };
    const use = () => (loading ??= prepare().catch(() => { status.textContent = 'The list of runs could not be loaded; an address still works.'; }));
    // The runs that match all typed words.
    const find = async (most, words = input.value) => {
      const typed = words.toLowerCase().split(/[\s,]+/).filter(Boolean);
      await use();
      const has = archive && await archive.having(typed);
      return has ? some(archive.runs.filter(has), most) : [];
    };
    const suggest = async () => {
      const mine = (asking = {});
      const found = await find(100);
      // Another query was typed in the meantime.
      if (asking !== mine) return;
      if (found.length) list.replaceChildren(...found.map(({ name }) => new Option(name)));
      for (const { name, slug } of found) offered.set(name, slug);
    };
    input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(suggest, 100);
    });
    const form = make('form.adding', { onsubmit: async (event) => {
      event.preventDefault();
      const typed = input.value.trim();
      const wanted = offered.get(typed) ?? /runs\/(?:[0-9a-f]{2}\/)?([a-z0-9-]+)(?:\/|$)/.exec(typed)?.[1] ?? typed;
      if (!typed) return;
      await use();
      if (!archive || offered.has(typed)) return go([...names, wanted]);
      const found = await find(2, wanted);
      if (found.some(({ slug }) => slug === wanted)) return go([...names, wanted]);
      if (found.length === 1) return go([...names, found[0].slug]);
      status.textContent = found.length ? 'Several runs match: choose one from the list.' : 'No other run matches.';
    } }, make('label', {}, 'Compare with ', select), make('label', {}, 'or any other run ', input), list, make('button', {}, 'Add'), status);
    form.addEventListener('focusin', () => use().then(() => list.firstChild || suggest()));
    if (names.length === 1) use();
    return form;
  };
  const picker = (runs) => {
    const names = runs.map((run) => run.name);
    const list = make('ol.chosen', {}, ...runs.map((run) => {
      const away = link(here(names.filter((name) => name !== run.name)), 'Remove', { ariaLabel: `Remove ${LETTERS[run.at]}` });
      return make('li', {}, make('p', {}, letter(run.at), ' ', link(pageOf(run), run.task)),
        make('p.by', {}, `${run.title}, ${run.date}, ${run.id}`), make('p', {}, run.verdict), make('p.by', {}, away));
    }));
    return [
      ...(runs.length ? [list] : []),
      ...(runs.length === 1 ? [make('p', {}, 'Add one more run to compare.')] : []),
      ...(runs.length && runs.length < MOST ? [adding(names, runs.map((run) => run.slug), runs.map((run) => run.groups[0].fields[0].text))] : []),
    ];
  };

  Object.assign(compare, { MOST, picker });
})();
