import type { ChangeKind, ChangeFeed } from '../../../shared/ports/change-feed.ts';

/** A change feed of one process. The test announces the changes. */
export interface MemoryChangeFeed extends ChangeFeed {
  announce(kind: ChangeKind): void;
  /** Disconnects the feed until `restore`. */
  lose(): void;
  restore(): void;
}

export function createMemoryChangeFeed(): MemoryChangeFeed {
  const listeners = new Map<ChangeKind, (() => void)[]>();
  let isConnected = true;
  const tellAll = () => {
    for (const listener of [...listeners.values()].flat()) listener();
  };
  return {
    on: (kind, listener) => void listeners.set(kind, [...(listeners.get(kind) ?? []), listener]),
    isConnected: () => isConnected,
    announce: (kind) => {
      if (isConnected) for (const listener of listeners.get(kind) ?? []) listener();
    },
    lose: () => {
      isConnected = false;
      tellAll();
    },
    restore: () => {
      isConnected = true;
      tellAll();
    },
  };
}
