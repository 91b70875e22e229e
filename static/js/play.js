(() => {
  // Loads a playable build into a sandboxed frame on request. Without this script, the plain link remains.
  'use strict';
  const { make, button } = window.runpress;
  for (const place of document.querySelectorAll('[data-play]')) {
    const load = button('Load the build here', () => {
      const frame = make('iframe.build-frame', { title: 'Playable build, made by the agent', referrerPolicy: 'no-referrer' });
      // No same-origin: the build must not access this page or the data of its own site.
      frame.setAttribute('sandbox', 'allow-scripts allow-pointer-lock');
      frame.src = place.dataset.play;
      place.after(frame);
      load.remove();
      frame.focus();
    });
    place.prepend(load);
  }
})();
