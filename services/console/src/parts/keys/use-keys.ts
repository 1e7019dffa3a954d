import { useEffect, useRef, useSyncExternalStore } from 'react';
import { readRemembered } from '../browser/remembered.ts';
import { createKeyMatcher } from './key-matcher.ts';

export interface KeyCommand {
  /** `P`, `Shift A`, `G C`, `Escape`; see `createKeyMatcher`. */
  keys: string;
  /** `Pause the run`: what the map of keys says. */
  does: string;
  /** Of the map. */
  group: 'Go to' | 'Rows' | 'This page' | 'Everywhere';
  run: () => void;
}

/** The newest last: where two have the same keys, it decides. */
let registered: readonly { command: KeyCommand }[] = [];
const listeners = new Set<() => void>();

function change(next: typeof registered): void {
  registered = next;
  for (const listener of listeners) listener();
}

/** Keys that work while the component is there. What they do may change with every rendering. */
export function useKeys(commands: readonly KeyCommand[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  const signature = commands.map(({ keys, does, group }) => `${keys}\n${does}\n${group}`).join('\n\n');
  useEffect(() => {
    const added = latest.current.map((command) => ({
      command: {
        ...command,
        run: () => latest.current.find(({ keys }) => keys === command.keys)?.run(),
      },
    }));
    change([...registered, ...added]);
    return () => change(registered.filter((each) => !added.includes(each)));
  }, [signature]);
}

/** Every command that there is on the page now, for the map of keys. */
export function useKeyCommands(): readonly KeyCommand[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
  return [...new Map(all.map(({ command }) => [command.keys, command])).values()];
}

/** What lies over a page has keys of its own, and the page rests. */
const overlays = 'dialog[open], [aria-haspopup="menu"][aria-expanded="true"]';

const fields = 'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="combobox"]';

/** Fields in which `Escape` has no meaning of their own: it takes the focus out of them, so that keys work again. */
const plainFields = 'input:not([role="combobox"], [type="search"]), textarea';

/** Listens for the whole page; the frame calls it once. */
export function useKeyListener(): void {
  useEffect(() => {
    const matcher = createKeyMatcher(() => readRemembered('single-keys') !== 'off');
    let isCovered = false;
    // Before the key closes what lies over the page.
    const look = () => {
      isCovered = document.querySelector(overlays) !== null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      if (event.defaultPrevented || isCovered) return;
      const press = {
        key: event.key,
        shift: event.shiftKey,
        // Where a sign needs AltGr, the browser tells Ctrl and Alt too.
        modified: (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState('AltGraph'),
        inField: target?.closest(fields) !== null && target !== null,
      };
      if (event.key === 'Escape' && target instanceof HTMLElement && target.matches(plainFields)) target.blur();
      const found = matcher.press(press, new Set(registered.map(({ command }) => command.keys)), event.timeStamp);
      if (found === undefined) return;
      event.preventDefault();
      registered.findLast(({ command }) => command.keys === found)?.command.run();
    };
    addEventListener('keydown', look, true);
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', look, true);
      removeEventListener('keydown', onKeyDown);
    };
  }, []);
}
