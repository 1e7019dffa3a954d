import type { Loop } from './loop.ts';

/** Wakes a loop that may be created later than the code that finds work for it. */
export interface Wake {
  poke(): void;
  /** Sets the loop to poke from now on. */
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
