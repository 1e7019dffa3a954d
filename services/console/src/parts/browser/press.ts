import { useSyncExternalStore } from 'react';

/**
 * Whether a pointer is down. Between a press and its click nothing may move: what is pressed leaves a field, the field
 * tells what is wrong with it, and the button below is no longer where the click comes down.
 */
let pressed = false;
let release: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  clearTimeout(release);
  if (pressed === next) return;
  pressed = next;
  for (const listener of listeners) listener();
}

const down = () => set(true);
const over = () => set(false);
/** The click comes behind it, and is the end of the press; this is for presses that make none. */
const up = () => {
  clearTimeout(release);
  release = setTimeout(over, 0);
};

/** Of the window itself: fields that are left tell so too. */
const away = ({ target }: Event) => {
  if (target === window) over();
};

/**
 * A list of choices takes the pointer over and never tells that it was let go: what is chosen or typed ends the press
 * too.
 */
const heard = [
  ['pointerdown', down],
  ['mousedown', down],
  ['pointerup', up],
  ['mouseup', up],
  ['pointercancel', over],
  ['click', over],
  ['input', over],
  ['keydown', over],
  ['blur', away],
] as const;

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) for (const [event, hear] of heard) addEventListener(event, hear, true);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    for (const [event, hear] of heard) removeEventListener(event, hear, true);
    over();
  };
}

export function isPressed(): boolean {
  return pressed;
}

/** For who has to show, once it is over, what was held back. */
export function usePressed(): boolean {
  return useSyncExternalStore(subscribe, isPressed);
}
