import type { Page } from 'playwright-core';
import { z } from 'zod';

/** Returns the controls in the topmost dialog that reach beyond its edges, in words. */
export async function cutControls(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(await page.evaluate(script));
}

/** Script as text, because this folder has no DOM types. */
const script = `(() => {
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  const { left, right } = dialog.getBoundingClientRect();
  const isCut = (control) => {
    const box = control.getBoundingClientRect();
    return box.width > 0 && (box.left < left || box.right > right);
  };
  // A table may be wider: it is scrolled for itself.
  return [...dialog.querySelectorAll('input, select, textarea, button, fieldset')]
    .filter((control) => control.closest('table') === null && isCut(control))
    .map((control) => 'reaches beyond its dialog: ' + control.outerHTML.slice(0, 160));
})()`;
