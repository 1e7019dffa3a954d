import { useSyncExternalStore } from 'react';

/**
 * True while a pointer is down. Nothing may move between a press and its click: the press leaves a field, the field
 * shows its problem, and the click would miss the button below.
 */
let pressed = false;
let release: ReturnType<typeof setTimeout> | undefined;
let notification: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function begin(): void {
  clearTimeout(release);
  pressed = true;
}

/** Returns false if no press was under way. */
function finish(): boolean {
  clearTimeout(release);
  if (!pressed) return false;
  pressed = false;
  clearTimeout(notification);
  return true;
}

function notify(): void {
  for (const listener of listeners) listener();
}

/**
 * Ends the press and notifies at once. The browser has chosen the target of the click by now, and the click finds a
 * page that has been rendered: its handlers know the changes that were held back.
 */
function endBeforeClick(): void {
  if (finish()) notify();
}

/**
 * Ends the press at once, and notifies in a task of its own, after React has handled the event. The browser runs
 * microtasks between two listeners. If the page were rendered there, React would reset a controlled field before its
 * own listener reads the new value (facebook/react#25282).
 */
function end(): void {
  if (finish()) notification = setTimeout(notify, 0);
}

/** Ends a press that makes no click. If a mouseup or a click follows, that event ends the press. */
function endSoon(): void {
  clearTimeout(release);
  release = setTimeout(end, 0);
}

/** Ends the press when the window loses the focus. A field that loses the focus reaches this listener too. */
function endAway({ target }: Event): void {
  if (target === window) end();
}

/** Events of the window. An open list of choices swallows the release, so an input or a key ends the press too. */
const pressEvents = [
  ['pointerdown', begin],
  ['mousedown', begin],
  ['pointerup', endSoon],
  ['mouseup', endBeforeClick],
  ['pointercancel', end],
  ['click', end],
  ['input', end],
  ['keydown', end],
  ['blur', endAway],
] as const;

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) for (const [event, handle] of pressEvents) addEventListener(event, handle, true);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    for (const [event, handle] of pressEvents) removeEventListener(event, handle, true);
    clearTimeout(release);
    clearTimeout(notification);
    pressed = false;
  };
}

export function isPressed(): boolean {
  return pressed;
}

/** Renders again once the press is over, for a page that held changes back. */
export function usePressed(): boolean {
  return useSyncExternalStore(subscribe, isPressed);
}
