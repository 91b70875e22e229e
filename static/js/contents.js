(() => {
  // Marks the current section in the table of contents: the last heading above the middle of the viewport, and at the end of
  // the page its last section, however short. Adds a copy button to code on prose pages.
  'use strict';
  const { button, copy } = window.runpress;
  const links = new Map();
  for (const link of document.querySelectorAll('.toc a[href^="#"]')) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const place = heading?.closest('section') ?? heading;
    if (place) links.set(place, link);
  }
  const above = new Set();
  const mark = (entries) => {
    for (const { target, isIntersecting } of entries) above[isIntersecting ? 'add' : 'delete'](target);
    const current = [...links.keys()].findLast((place) => above.has(place) || (scrollY && above.has(end)));
    for (const [place, link] of links) link.ariaCurrent = place === current ? 'true' : null;
  };
  const observer = new IntersectionObserver(mark, { rootMargin: '999999px 0px -65% 0px' });
  for (const place of links.keys()) observer.observe(place);
  const end = document.querySelector('.bottom');
  if (end) new IntersectionObserver(mark).observe(end);

  for (const code of document.querySelectorAll('article.prose pre, .feed-examples pre')) {
    const text = code.textContent;
    code.append(button('Copy', async ({ target }) => {
      target.textContent = await copy(text) ? 'Copied' : 'Blocked';
    }));
  }
})();
