import type { Loop } from './loop.ts';

/** Wakes a loop that may be made later than the part that finds work for it. */
export interface Wake {
  poke(): void;
  /** Pokes this loop from now on. */
  connect(loop: Pick<Loop, 'poke'>): void;
}

export function createWake(): Wake {
  let connected: Pick<Loop, 'poke'> | undefined;
  return {
    poke: () => connected?.poke(),
    connect: (loop) => {
      connected = loop;
    },
  };
}
