import type { Mutation } from './mutation.ts';

/** A protection that a fault test takes away from real processes, for its checker to find what is wrong then. */
export type FaultControl = Pick<Mutation, 'takesAway' | 'edits'>;

export const faultControls = {
  endpointsAreOutlets: {
    takesAway: 'jobs are offered, claimed and put aside by their endpoint, not by their client alone',
    edits: [
      {
        text: '`coalesce(${row}.endpoint, ${row}.client)`',
        replacement: '`coalesce(${row}.client, ${row}.endpoint)`',
      },
    ],
  },
  looksAreGoodForWhoAsked: {
    takesAway: 'what is read of a run is good for who asked before the answer came',
    edits: [
      {
        text: 'const longestGoodMs = lastCallSentWithinMs - 100;',
        replacement: 'const longestGoodMs = Math.min(lookEveryMs, lastCallSentWithinMs);',
      },
    ],
  },
  looksGrowOld: {
    takesAway: 'what is read of a run is good for no longer than is published',
    edits: [
      {
        text: 'const longestGoodMs = lastCallSentWithinMs - 100;',
        replacement: 'const longestGoodMs = lastCallSentWithinMs * 30;',
      },
    ],
  },
  claimsAreBegunCalls: {
    takesAway: 'no more is claimed than is called before the next claims',
    edits: [
      {
        text: 'return Math.floor(Math.min(maxClaimedAhead, callable, 1 + perFlush * flushes));',
        replacement: 'return Math.floor(Math.min(maxClaimedAhead, callable));',
      },
    ],
  },
  retriesComeBack: {
    takesAway: 'what is due soon is queued by the worker that recorded it',
    edits: [{ text: '    timedSteps.queueDue();\n', replacement: '' }],
  },
  looksAreBounded: {
    takesAway: 'a look asks for a few of the feeds that stand still, in turn',
    edits: [
      { text: 'const standingPerLook = 25;', replacement: 'const standingPerLook = 100_000;' },
      { text: 'const unseenPerLook = 15;', replacement: 'const unseenPerLook = 100_000;' },
    ],
  },
  weeksWaitForNoReader: {
    takesAway: 'weeks that a long reader holds up wait for a moment, and are tried again in minutes',
    edits: [
      { text: 'const lockTimeoutMs = 50;', replacement: 'const lockTimeoutMs = 2000;' },
      { text: 'const againAfterMs = 300_000;', replacement: 'const againAfterMs = 1000;' },
    ],
  },
  signedBytesAreBounded: {
    takesAway: 'what is hashed of a request whose signature is not known to be good has a bound',
    edits: [
      {
        text: 'return Math.floor(maxSignedBytes / Math.max(1, signers.length));',
        replacement: 'return maxSignedBytes * Math.max(2, signers.length);',
      },
    ],
  },
  schemaIsChecked: {
    takesAway: 'a process whose schema is not there yet refuses to start',
    edits: [
      {
        text: 'refusalOf(packageVersion, state);\n  if (refusal !== undefined) throw new StartRefusedError(refusal);',
        replacement:
          'refusalOf(packageVersion, { ...state, missing: [] });\n  if (refusal !== undefined) throw new StartRefusedError(refusal);',
      },
    ],
  },
  rowsSayWhoIsLeft: {
    takesAway: 'whom a message leaves in a batch is held against the rows',
    edits: [
      {
        text: 'const work = lost && !entry.contradicted ? prepare(entry, lost) : null;',
        replacement: 'const work = lost ? prepare({ ...entry, contradicted: undefined }, lost) : null;',
      },
      { text: 'if (lost && count !== remaining)', replacement: 'if (lost && count < 0)' },
    ],
  },
  ambiguityOpensTheKey: {
    takesAway: 'a call that was not answered keeps its key open to the last attempt',
    edits: [{ text: "claim.open || kind === 'ambiguous', cause)", replacement: 'claim.open, cause)' }],
  },
  theDeadAreMissed: {
    takesAway: 'a process that has not been heard of for ten seconds is dead',
    edits: [{ text: 'export const deadAfterMs = 10_000;', replacement: 'export const deadAfterMs = 90_000;' }],
  },
  /** Either alone would do: what is offered too much waits in memory, and what waits on the topic is little. */
  creditAndSettling: {
    takesAway:
      'of each client only so much is offered as dispatchers take, and none stands behind another on the topic',
    edits: [
      { text: 'const all = granted.get(band) ?? toAnyClient;', replacement: 'const all = 1_000_000;' },
      // So that fewer jobs show it; with the protections nothing is noticed of so short lanes.
      { text: 'const defaultHighMark = 512;', replacement: 'const defaultHighMark = 50;' },
      {
        text: '} else onSettled(message);',
        replacement: `} else {
      const whileItWaits = setInterval(() => {
        if (references.some(({ clientId }) => deps.queuedOf(clientId) > 0)) return;
        clearInterval(whileItWaits);
        onSettled(message);
      }, 20);
    }`,
      },
      {
        text: 'isKnown: (clientId) => clients.termsOf(clientId) !== undefined,',
        replacement: `isKnown: (clientId) => clients.termsOf(clientId) !== undefined,
    queuedOf: (clientId) => queues.queuedOf(clientId),`,
      },
    ],
  },
  readOnlyIsNotReady: {
    takesAway: 'a database that may only be read is no database to work with',
    edits: [
      { text: 'if (rows[0]?.readOnly !== true) return;', replacement: 'if (rows[0]?.readOnly !== null) return;' },
    ],
  },
} as const satisfies Record<string, FaultControl>;
