(() => {
  // Draws the comparison of the runs in the address, `?runs=a,b`, with their first tapes; `b~2` is b with its second tape. The
  // data of runs is split into parts by key, and `b~2` is also the key of that tape. The page is drawn section by section to
  // stay responsive.
  'use strict';
  const { make, pause, load, number, compare } = window.runpress;
  const { LETTERS, MOST, differ, letter, quiet, picker } = compare;
  const place = document.getElementById('compared');
  if (!place) return;
  const received = new Map();
  const asked = [...new Set((new URLSearchParams(location.search).get('runs') ?? '').match(/[^\s,]+/g))];
  const pick = document.getElementById('pick');

  const show = async () => {
    const runs = asked.map((name) => received.get(name)).filter(Boolean).slice(0, MOST);
    runs.forEach((run, at) => Object.assign(run, { at, title: `${run.model}, ${run.harness}${run.excluded ? ` (${run.excluded})` : ''}` }));
    const lost = asked.filter((name) => !received.has(name));
    const parts = [];
    if (lost.length) {
      parts.push(make('div.empty', { role: 'status' }, make('p', {}, `${lost.length === 1 ? 'One address is' : 'These addresses are'} not of a published run: `,
        ...lost.flatMap((name, index) => [index ? ', ' : '', make('code', {}, name.slice(0, 200))]), '.'),
      make('p', {}, 'It may have been quarantined, renamed or mistyped. The others are compared.')));
    }
    if (asked.length - lost.length > MOST) parts.push(quiet(`At most ${MOST} runs can be compared; the first ${MOST} are.`));
    pick.hidden = runs.length > 1;
    place.replaceChildren(...parts, ...picker(runs));
    if (runs.length > 1) await sections(runs);
    place.ariaBusy = null;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  const sections = async (runs) => {
    document.title = `${runs[0].task}: ${runs.map((run) => run.title).join(' and ')} – ${document.title}`;
    const task = (run) => run.groups.flatMap((group) => group.fields.filter((field) => field.task));
    const apart = task(runs[0]).filter((_, at) => differ(runs.map((run) => task(run)[at].text)));
    const labels = runs.filter((run) => run.label).map((run) => LETTERS[run.at]);
    // The task of an imported run is the first message of its user, whatever its case is called.
    const areUnlike = differ(runs.map((run) => run.task));
    const doubt = apart.length ? `These runs differ in ${new Intl.ListFormat('en').format(apart.map(({ name }) => name.toLowerCase()))}: they did not face the same task, so their numbers are not comparable.`
      : labels.length ? `The case of ${labels.join(' and ')} is a name given on import: their tasks may differ.`
        : areUnlike && 'These runs have one case, but different requests: their tasks may differ.';
    if (doubt) place.append(make('div.apart', {}, doubt, ...(areUnlike ? [make('ul.parts', {}, ...runs.map((run) => make('li', {}, letter(run.at), ' ', run.task)))] : [])));
    const verdicts = (all) => compare.verdicts(all, !doubt);
    const tapes = [];
    for (const run of runs) {
      await pause();
      tapes.push(compare.unpack(run));
    }
    for (const part of [verdicts, compare.parting, compare.strips, compare.metrics, compare.fields, compare.checks, compare.files, compare.writeups]) {
      await pause();
      place.append(await part(runs, tapes));
    }
  };

  const loaded = new Map();
  const part = (name) => {
    if (!loaded.has(name)) loaded.set(name, load(`compare/${name}`));
    return loaded.get(name);
  };
  const find = async (manifest, key) => {
    const [, name] = manifest.parts.findLast(([first]) => first <= key) ?? [];
    return name && new Map(await part(name)).get(key);
  };
  // A cost has two significant digits below $1, and cents above.
  const short = (exact) => {
    const cost = number(exact);
    return cost && cost < 0.995 ? `$${cost.toPrecision(2)}` : cost.toLocaleString('en', { style: 'currency', currency: 'USD' });
  };
  // Names of fields and metrics are the same for all runs, so they are stored once.
  const named = (run, manifest) => {
    const texts = run.fields.values();
    const groups = manifest.groups.map(({ name, fields }) => ({ name, fields: fields.map((field) => ({ ...field, text: texts.next().value })) }));
    const metrics = run.metrics.map(([value, title], at) => {
      const text = title.replace(/\$.+/, short);
      return { name: manifest.metrics[at], value, text, exact: text !== title && { title } };
    });
    const checks = run.checks.map(([view, name, similarity, text]) => ({ view, name, similarity, text }));
    return { ...run, groups, metrics, checks };
  };
  const fetched = async (name) => {
    const [, slug, tape = 1] = /^([a-z0-9-]{1,400})(?:~([1-9]\d{0,2}))?$/.exec(name) ?? [];
    if (!slug) return;
    const number = Number(tape);
    const manifest = await part('runs');
    const run = await find(manifest, slug);
    const own = number > 1 && await find(manifest, name);
    if (run && (own || number === 1)) received.set(name, { ...named(run, manifest), slug, name, number, tape: own || run.tape });
  };
  if (asked.length) {
    place.append(quiet('Loading the runs…'));
    place.ariaBusy = 'true';
    pick.hidden = asked.length > 1;
    Promise.allSettled(asked.slice(0, 2 * MOST).map(fetched)).then(pause).then(show);
  }
})();
