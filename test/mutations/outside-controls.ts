import type { Mutation } from './mutation.ts';

/** Protections against what comes from outside: receivers, settings of servers, files. */
export const outsideControls = {
  idleConnectionsAreClosed: {
    takesAway: 'calls of class C and D use no connection that was idle for over 0.5 s',
    edits: [{ text: 'const unrepeatableIdleMs = 500;', replacement: 'const unrepeatableIdleMs = 60_000;' }],
  },
  connectionsAreCareful: {
    takesAway:
      'a call that is lost with a kept connection is sent once more; another address is tried beside a silent one',
    edits: [
      { text: 'isRepeatable && !closed && connection.endedUnanswered()', replacement: 'false' },
      { text: 'const nextAddressMs = 250;', replacement: 'const nextAddressMs = 600_000;' },
    ],
  },
  sessionsSetTheirDates: {
    takesAway: 'sessions set the format of their times themselves',
    edits: [{ text: "  datestyle: 'ISO,YMD',\n", replacement: '' }],
  },
  columnsAreFound: {
    takesAway: 'columns of a file are found before its rows count, and a large replacement is confirmed',
    edits: [
      {
        text: 'const found = head.first === undefined ? emptyFile(head) : foundIn(head, head.first, terms);',
        replacement: 'const found = emptyFile({ ...head, named: undefined, skippedLines: 0 });',
      },
      {
        text: 'if (removed * 10 <= people || removed === confirmed) return;',
        replacement: 'if (removed >= 0 || people === confirmed) return;',
      },
    ],
  },
} as const satisfies Record<string, Pick<Mutation, 'takesAway' | 'edits'>>;
