import type { Page } from 'playwright-core';
import { z } from 'zod';

/** A finger needs so much, in both directions. */
const leastPx = 40;

/**
 * Returns the controls of the page, or of the dialog over it, that are smaller than a finger, in words. The area of a
 * control is its own box, its `::before` and `::after`, and its label, unless they are clipped. A link between words of
 * a sentence is as high as its line: that is the one exception, as in WCAG 2.5.8. Controls that only a keyboard reaches
 * are ignored: they are invisible until focused.
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(await page.evaluate(script));
}

/** Script as text, because this folder has no DOM types. */
const script = `(() => {
  const pressed = 'a[href], button, input, select, textarea, summary, [role=button], [role=menuitem], [role=option]';
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;

  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.type !== 'hidden' && !element.disabled &&
    getComputedStyle(element).pointerEvents !== 'none';

  /** Placed out of the window, or cut to a point, until it has the focus. */
  const isForKeyboards = (element) => {
    const { bottom, right } = element.getBoundingClientRect();
    return bottom + scrollY <= 0 || right + scrollX <= 0 || element.closest('.sr-only') !== null;
  };

  const isWords = (node) => node.nodeType === Node.TEXT_NODE && /[\\p{L}\\p{N}]/u.test(node.data);
  const isInSentence = (element) =>
    getComputedStyle(element).display === 'inline' && [...element.parentElement.childNodes].some(isWords);

  const boxOf = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const union = (boxes) => ({
    left: Math.min(...boxes.map((box) => box.left)),
    top: Math.min(...boxes.map((box) => box.top)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  });

  /** As far as what is around it lets it be seen, from \`from\` outwards. */
  const clipped = (box, from) => {
    for (let at = from; at !== null && at !== root; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at);
      const edge = at.getBoundingClientRect();
      if (['hidden', 'clip'].includes(overflowX)) {
        box.left = Math.max(box.left, edge.left);
        box.right = Math.min(box.right, edge.right);
      }
      if (['hidden', 'clip'].includes(overflowY)) {
        box.top = Math.max(box.top, edge.top);
        box.bottom = Math.min(box.bottom, edge.bottom);
      }
    }
    return box;
  };

  /** It stands in the nearest element that is positioned, maybe the row around: what lies between clips nothing. */
  const boxesOfPseudo = (element, which) => {
    const style = getComputedStyle(element, which);
    if (style.content === 'none' || style.content === 'normal' || style.position !== 'absolute') return [];
    let around = element;
    while (around.parentElement && getComputedStyle(around).position === 'static') around = around.parentElement;
    const edge = around.getBoundingClientRect();
    const [left, top] = [edge.left + parseFloat(style.left), edge.top + parseFloat(style.top)];
    const box = { left, top, right: left + parseFloat(style.width), bottom: top + parseFloat(style.height) };
    return [clipped(box, around)];
  };

  const roomOf = (element) => {
    const own = [element, ...(element.labels ?? [])].map((each) =>
      clipped(boxOf(each.getBoundingClientRect()), each.parentElement),
    );
    const box = union([...own, ...['::before', '::after'].flatMap((which) => boxesOfPseudo(element, which))]);
    return { width: box.right - box.left, height: box.bottom - box.top };
  };

  const nameOf = (element) => {
    const { ariaLabel, title, innerText, placeholder, tagName, className } = element;
    const text = (ariaLabel || title || innerText || placeholder || '').trim().replaceAll(/\\s+/g, ' ');
    return [tagName.toLowerCase(), '"' + text.slice(0, 40) + '"', ...className.split(' ').slice(0, 3)].join(' ');
  };

  return [...root.querySelectorAll(pressed)]
    .filter((element) => isShown(element) && !isForKeyboards(element) && !isInSentence(element))
    .map((element) => ({ name: nameOf(element), ...roomOf(element) }))
    .filter(({ width, height }) => width < ${leastPx} - 0.5 || height < ${leastPx} - 0.5)
    .map(({ name, width, height }) => name + ': ' + Math.round(width) + ' × ' + Math.round(height) + ' px');
})()`;
