import { useSyncExternalStore } from 'react';

/**
 * True while a pointer is down. The page must not move between a press and its click. Otherwise the press takes the
 * focus from a field, the field shows its problem, and the click misses the button below.
 */
let pressed = false;
let release: ReturnType<typeof setTimeout> | undefined;
let notification: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function begin(): void {
  clearTimeout(release);
  pressed = true;
}

/** Ends the press. Returns false if no press was under way. */
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
 * Ends the press and notifies at once. The browser has already chosen the target of the click. The page renders before
 * the click, so its handlers know the changes that the press delayed.
 */
function endBeforeClick(): void {
  if (finish()) notify();
}

/**
 * Ends the press at once and notifies in a later task, after React has handled the event. The browser runs microtasks
 * between two listeners. If the page were rendered there, React would reset a controlled field before its own listener
 * reads the new value (facebook/react#25282).
 */
function end(): void {
  if (finish()) notification = setTimeout(notify, 0);
}

/** Ends a press that is followed by no click. If a mouseup or a click follows, that event ends the press. */
function endSoon(): void {
  clearTimeout(release);
  release = setTimeout(end, 0);
}

/**
 * Ends the press when the window loses the focus. The listener also receives the blur events of fields, which end no
 * press.
 */
function endAway({ target }: Event): void {
  if (target === window) end();
}

/**
 * Events of the window that start or end a press. An open select hides the release of the pointer, so an input or a key
 * ends the press too.
 */
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

/**
 * Returns true while a press is under way. Renders again once the press is over, for a page that has delayed changes.
 */
export function usePressed(): boolean {
  return useSyncExternalStore(subscribe, isPressed);
}
