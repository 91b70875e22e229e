(() => {
  // Loads a playable build into a sandboxed frame, but only when somebody asks for it. Without this script
  // the plain link stays.
  'use strict';
  for (const place of document.querySelectorAll('[data-play]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Load the build here';
    button.addEventListener('click', () => {
      const frame = document.createElement('iframe');
      frame.title = 'Playable build, made by the agent';
      frame.className = 'build-frame';
      // No same-origin: the build must not reach this page, nor its own site's data.
      frame.setAttribute('sandbox', 'allow-scripts allow-pointer-lock');
      frame.setAttribute('referrerpolicy', 'no-referrer');
      frame.src = place.dataset.play;
      place.after(frame);
      button.remove();
      frame.focus();
    });
    place.prepend(button);
  }
})();
