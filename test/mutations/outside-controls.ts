import type { Mutation } from './mutation.ts';

/** Protections against what comes from outside: receivers, settings of servers, files. */
export const outsideControls = {
  lostCallsAreSentAgain: {
    takesAway: 'a call that is lost with a kept connection is sent once more, or its connection is not reused',
    edits: [
      { text: 'isRepeatable && !closed && connection.endedUnanswered()', replacement: 'false' },
      { text: 'const unrepeatableIdleMs = 500;', replacement: 'const unrepeatableIdleMs = 60_000;' },
    ],
  },
  nextAddressIsTried: {
    takesAway: 'the next address is tried beside one that is silent',
    edits: [{ text: 'const nextAddressMs = 250;', replacement: 'const nextAddressMs = 600_000;' }],
  },
} as const satisfies Record<string, Pick<Mutation, 'takesAway' | 'edits'>>;
