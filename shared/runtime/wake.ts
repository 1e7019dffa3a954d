import type { Loop } from './loop.ts';

/** Wakes a loop that may be created later than the code that finds work for it. */
export interface Wake {
  poke(): void;
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
