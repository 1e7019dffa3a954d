/** What browsers have and happy-dom has not: dialogs and popovers that open, and a layout, of which there is none. */
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
/**
 * As the HTML standard says: `beforetoggle`, then it is shown, then `toggle`; what was pressed for it has its
 * `popovertarget`.
 */
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
