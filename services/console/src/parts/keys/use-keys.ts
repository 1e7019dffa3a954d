import { useEffect, useRef, useSyncExternalStore } from 'react';
import { readStoredSetting } from '../browser/stored-setting.ts';
import { createKeyMatcher } from './key-matcher.ts';

export interface KeyCommand {
  /** Keys such as `P`, `Shift A`, `G C`, `Escape`; see `createKeyMatcher`. */
  keys: string;
  /** Description in the list of shortcuts, such as `Pause the run`. */
  does: string;
  group: 'Go to' | 'Rows' | 'This page' | 'Everywhere';
  run: () => void;
}

/** Registered commands, the newest last. If two commands have the same keys, the newest runs. */
let registered: readonly { command: KeyCommand }[] = [];
const listeners = new Set<() => void>();

function change(next: typeof registered): void {
  registered = next;
  for (const listener of listeners) listener();
}

/** Registers keyboard commands while the component is mounted. Their functions may change with every rendering. */
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

/**
 * Matches an open overlay. An overlay handles its own keys, so the commands of the page are off while an overlay is
 * open.
 */
const overlays = 'dialog[open], [aria-haspopup="menu"][aria-expanded="true"]';

const fields = 'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="combobox"]';

/**
 * Matches fields that do not handle `Escape` themselves. In these fields, `Escape` removes the focus, so that shortcuts
 * work again.
 */
const plainFields = 'input:not([role="combobox"], [type="search"]), textarea';

/** Handles keys for the whole page. The shell of the console calls this hook once. */
export function useKeyListener(): void {
  useEffect(() => {
    const matcher = createKeyMatcher(() => readStoredSetting('single-keys') !== 'off');
    let isCovered = false;
    // Checks for an overlay in the capture phase, before the key closes the overlay.
    const look = () => {
      isCovered = document.querySelector(overlays) !== null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      if (event.defaultPrevented || isCovered) return;
      const press = {
        key: event.key,
        shift: event.shiftKey,
        // The browser reports Ctrl and Alt as held for a character that needs AltGr.
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
