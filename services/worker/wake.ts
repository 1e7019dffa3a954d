import type { Loop } from '../../shared/runtime/loop.ts';

/** Says that there is something to do, to a loop that may be made later than what finds it out. */
export interface Wake {
  poke(): void;
  /** Of this loop, from now on. */
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
