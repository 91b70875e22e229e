(() => {
  // Lets the contents list follow the reader: the link of the section in view is marked as the current one.
  'use strict';
  const contents = document.querySelector('.toc');
  if (!contents) return;
  const links = new Map();
  for (const link of contents.querySelectorAll('a[href^="#"]')) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)))?.closest('section');
    if (section) links.set(section, link);
  }
  const inView = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inView.add(target);
      else inView.delete(target);
    }
    for (const [section, link] of links) {
      link.ariaCurrent = section === [...links.keys()].find((one) => inView.has(one)) ? 'true' : null;
    }
  }, { rootMargin: '-20% 0px -70% 0px' });
  for (const section of links.keys()) observer.observe(section);
})();
