import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import { useKeys } from './use-keys.ts';

/**
 * Moves the focus between rows by `J` and `K`, and by arrows once a row has the focus; `X` selects a row. Rows are
 * elements within the returned ref that have the attribute `data-row`. Each row contains a `data-row-link`, which Enter
 * opens, and a `data-row-select`.
 */
export function useRowKeys<Container extends HTMLElement>(): RefObject<Container | null> {
  const container = useRef<Container>(null);
  const links = () =>
    [...(container.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])].filter(isVisible);
  const rowWithFocus = () => document.activeElement?.closest('[data-row]') ?? null;
  const move = (by: 1 | -1) => {
    const all = links();
    const row = rowWithFocus();
    const at = row === null ? -1 : all.findIndex((link) => row.contains(link));
    const next = at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by));
    all[next]?.focus();
    all[next]?.scrollIntoView({ block: 'nearest' });
  };
  useKeys([
    { keys: 'J', does: 'Next row', group: 'Rows', run: () => move(1) },
    { keys: 'K', does: 'Row before', group: 'Rows', run: () => move(-1) },
    {
      keys: 'X',
      does: 'Select the row',
      group: 'Rows',
      run: () => rowWithFocus()?.querySelector<HTMLElement>('[data-row-select]')?.click(),
    },
  ]);
  const onArrow = useEffectEvent((event: KeyboardEvent) => {
    const by = arrows.get(event.key);
    const row = rowWithFocus();
    if (by === undefined || row === null || container.current?.contains(row) !== true || isTaken(event)) return;
    event.preventDefault();
    move(by);
  });
  useEffect(() => {
    const hear = (event: KeyboardEvent) => onArrow(event);
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
  return container;
}

const arrows: ReadonlyMap<string, 1 | -1> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

/** Returns true if the focused control, or the browser, handles the key itself. */
function isTaken({ target, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  const own = 'select, textarea, input:not([type="checkbox"]), [role="menu"]';
  return ctrlKey || altKey || metaKey || shiftKey || (target instanceof Element && target.closest(own) !== null);
}

function isVisible(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}
