/**
 * This module implements browser features that happy-dom lacks, such as dialogs and popovers that open. There is no
 * layout, so the observers never report anything.
 */
const noLayout = {
  observe: () => undefined,
  unobserve: () => undefined,
  disconnect: () => undefined,
};

Object.assign(globalThis, {
  ResizeObserver: function () {
    return noLayout;
  },
  IntersectionObserver: function () {
    return noLayout;
  },
});

const { prototype } = HTMLElement;
/** Toggles a popover with the events of the HTML standard: `beforetoggle` before the change, `toggle` after it. */
function togglePopover(element: HTMLElement, newState: 'open' | 'closed'): void {
  const oldState = newState === 'open' ? 'closed' : 'open';
  element.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState, oldState }));
  element.toggleAttribute('data-open', newState === 'open');
  queueMicrotask(() => element.dispatchEvent(Object.assign(new Event('toggle'), { newState, oldState })));
}

Object.assign(prototype, {
  showPopover(this: HTMLElement) {
    if (!this.hasAttribute('data-open')) togglePopover(this, 'open');
  },
  hidePopover(this: HTMLElement) {
    if (this.hasAttribute('data-open')) togglePopover(this, 'closed');
  },
});

document.addEventListener('click', ({ target }) => {
  const id = target instanceof Element && target.closest('[popovertarget]')?.getAttribute('popovertarget');
  const popover = id ? document.getElementById(id) : null;
  if (popover?.hasAttribute('data-open') === true) popover.hidePopover();
  else popover?.showPopover();
});
