import type { LiveClock } from './live-clock.ts';

/** Two patches a second: more than that nobody reads. */
const patchEveryMs = 500;

export interface Patches<Message> {
  /** The newest message of a topic stands for those before it. */
  add(topic: string, message: Message): void;
}

export interface PatchesDeps<Message> {
  onPatch: (messages: readonly Message[]) => void;
  clock: LiveClock;
}

/** Gathers messages: the first goes on at once, those behind it together half a second later. */
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
