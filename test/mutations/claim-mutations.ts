import type { Mutation } from './mutation.ts';

type ClaimProtection = Pick<Mutation, 'takesAway' | 'edits'>;

/** Protections of claimed jobs. They cover for each other, so the simulation removes several at once. */
export const claimProtections = {
  turnsBegin: {
    takesAway: 'each turn begins the claimed jobs that have a slot',
    edits: [{ text: 'while (startOthers());', replacement: '' }],
  },
  turnsRelease: {
    takesAway: 'a claimed job without a slot is released after two seconds',
    edits: [{ text: 'return takeReleased();', replacement: 'return [];' }],
  },
  claimsKeepTheirPart: {
    takesAway: 'stale knowledge of other dispatchers limits no claimed jobs',
    edits: [{ text: 'if (!hasJoined()) return 0;', replacement: 'if (!isSettled()) return 0;' }],
  },
  claimsKeepTheirLease: {
    takesAway: 'a slot is kept while its claim is being written',
    edits: [
      {
        text: 'return claiming + claimed.length + inFlight;',
        replacement: 'return claimed.length + inFlight;',
      },
    ],
  },
} satisfies Record<string, ClaimProtection>;

export const claimMutations: readonly Mutation[] = [
  {
    takesAway: 'a host does not learn from one route while it serves another one',
    edits: [
      {
        text: "const isOfRoute = sign === 'fails' && isOwnMatter('failure', route, routes.values(), startedMs);",
        replacement: "const isOfRoute = sign === 'fails' && route === '';",
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/routes/host-evidence', 'services/dispatcher/dispatcher-hosts'],
  },
  {
    takesAway: 'a failed call is judged by which routes the host has served since the call began',
    edits: [{ text: 'const startedMs = nowMs - (note.latencyMs ?? 0);', replacement: 'const startedMs = nowMs;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/keep-circuits'],
  },
  {
    takesAway: 'a host that is back does not learn from failed calls that began before',
    edits: [
      { text: "if (sign === 'fails' && hasRecoveredSince(job, host, startedMs)) return false;", replacement: '' },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/keep-circuits'],
  },
  {
    takesAway: 'jobs of one ordering key count as one while another key is served',
    edits: [
      {
        text: "const areOtherKeysServed = orderingKey !== null && isOwnMatter('failure',",
        replacement: "const areOtherKeysServed = orderingKey === '' && isOwnMatter('failure',",
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/routes/host-evidence'],
  },
  {
    takesAway: 'a host learns as well while many of its routes fail',
    edits: [
      {
        text: 'const learners = met.isOfMany ? [ofHost, ofOne] : [ofOne];',
        replacement: 'const learners = [ofOne];',
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/keep-circuits'],
  },
  {
    takesAway: 'few jobs of a host with an open circuit wait to be called',
    edits: [{ text: 'const maxWaitingForTurn = 4;', replacement: 'const maxWaitingForTurn = Infinity;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/routes/host-evidence', 'services/dispatcher/keep-circuits'],
  },
  {
    takesAway: 'jobs that were sidelined while their host came back are released at once',
    edits: [{ text: '      used.set(circuitKeyOf(key), key);\n', replacement: '' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/dispatcher-hosts'],
  },
  {
    takesAway: 'a route that is not answered leaves half of the slots to others',
    edits: [{ text: 'return Math.max(1, Math.floor(slots / 2));', replacement: 'return slots;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/routes/route-lines'],
  },
  {
    takesAway: 'routes that are not answered leave half of the slots to others together',
    edits: [{ text: 'return Math.max(first, halfOf(slots) - held);', replacement: 'return halfOf(slots);' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/routes/route-lines'],
  },
  {
    takesAway: 'all clients together have one bound for the jobs that are released to find others',
    edits: [{ text: '      if (left <= 0) return;', replacement: '      left = whole;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/released-jobs'],
  },
  {
    takesAway: 'claimed jobs of a route that is not called for long are released',
    edits: [
      {
        text: 'yield* budget.spend(withBlocked, nowMs);',
        replacement: '',
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/released-jobs'],
  },
  {
    takesAway: 'the route with the fewest calls begins first',
    edits: [
      {
        text: 'if (best && line.inFlight >= best.line.inFlight) continue;',
        replacement: 'if (best) continue;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/jobs/claimed-jobs'],
  },
  { ...claimProtections.turnsBegin, project: 'unit', noticedBy: ['services/dispatcher/jobs/claimed-jobs'] },
  { ...claimProtections.turnsRelease, project: 'unit', noticedBy: ['services/dispatcher/released-jobs'] },
  { ...claimProtections.claimsKeepTheirPart, project: 'unit', noticedBy: ['services/dispatcher/slots/client-slots'] },
  { ...claimProtections.claimsKeepTheirLease, project: 'unit', noticedBy: ['services/dispatcher/slots/slot-leases'] },
  {
    takesAway: 'nothing is claimed ahead of slots where there is none',
    edits: [{ text: 'if (slots === 0) return 0;', replacement: 'if (slots < 0) return 0;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/jobs/claimed-jobs'],
  },
  {
    takesAway: 'each client without a slot is tried before one is tried again',
    edits: [{ text: 'else for (const clientId of next) tried.add(clientId);', replacement: '' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/slots/client-slots'],
  },
  {
    takesAway: 'slots of many clients are taken by one statement',
    edits: [{ text: 'const maxTried = 250;', replacement: 'const maxTried = 1;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/slots/client-slots'],
  },
  {
    takesAway: 'a slot is not taken again while its release may still arrive',
    edits: [
      { text: '!turn?.slots.has(nth) && !left.has(nameOf(clientId, nth));', replacement: '!turn?.slots.has(nth);' },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/slots/slot-leases'],
  },
  {
    takesAway: 'slots are taken although others cannot be released',
    edits: [
      {
        text: 'const acquiring = acquire(wanted);',
        replacement: 'const acquiring = releasing.then(() => acquire(wanted));',
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/slots/slot-leases'],
  },
  {
    takesAway: 'a job that is released without a call is no progress',
    edits: [{ text: "if (kind !== 'released') hasEnded = true;", replacement: 'hasEnded = true;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/claim-watch'],
  },
  {
    takesAway: 'claimed jobs that nothing begins end the process',
    edits: [{ text: 'if (forMs < stuckAfterMs) return;', replacement: 'if (forMs < Infinity) return;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/claim-watch'],
  },
];
