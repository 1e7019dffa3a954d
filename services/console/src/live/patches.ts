import type { LiveClock } from './live-clock.ts';

/** Interval in milliseconds between two patches: users cannot read more than two a second. */
const patchEveryMs = 500;

export interface Patches<Message> {
  /** Adds a message, which replaces the earlier message of its topic. */
  add(topic: string, message: Message): void;
}

export interface PatchesDeps<Message> {
  onPatch: (messages: readonly Message[]) => void;
  clock: LiveClock;
}

/** Batches messages: the first is passed on at once, later ones together after half a second. */
export function createPatches<Message>({ onPatch, clock }: PatchesDeps<Message>): Patches<Message> {
  const newest = new Map<string, Message>();
  let isWaiting = false;

  function flush(): void {
    if (newest.size === 0) return;
    const messages = [...newest.values()];
    newest.clear();
    onPatch(messages);
    isWaiting = true;
    void clock.wait(patchEveryMs, new AbortController().signal).then(() => {
      isWaiting = false;
      flush();
    });
  }

  return {
    add: (topic, message) => {
      newest.set(topic, message);
      if (!isWaiting) flush();
    },
  };
}
