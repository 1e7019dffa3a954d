import { claimProtections } from './claim-mutations.ts';
import type { Mutation } from './mutation.ts';
import { outsideControls } from './outside-controls.ts';

/** A protection that a fault test removes from real processes, so that its checker has to find the consequences. */
export type FaultControl = Pick<Mutation, 'takesAway' | 'edits'>;

/** Edits that let a shard learn from a feed although another one is served. */
const guardEdits = [
  {
    text: 'if (source.id !== id && isWitness(trouble, source, startedMs)) return true;',
    replacement: "if (source.id === '' && isWitness(trouble, source, startedMs)) return true;",
  },
  {
    text: 'if (!group.breaker.isOpen(nowMs) || line.guard.isFailing || line.inFlight > 0) return false;',
    replacement: 'if (line.inFlight >= 0) return false;',
  },
  {
    text: '    if (failures >= enough) enterTrouble(nowMs, nowMs);',
    replacement: '    if (failures >= 1000 * enough) enterTrouble(nowMs, nowMs);',
  },
] as const;

export const faultControls = {
  ...outsideControls,
  feedsHaveGuards: {
    takesAway: 'a shard does not learn from one feed while another one is served',
    edits: guardEdits,
  },
  hangsStayWithTheirFeed: {
    takesAway: 'what a feed holds whose calls hang is left to others: slots, claims, and room of its shard to be fed',
    edits: [
      ...guardEdits,
      { text: 'let competing = standsStill ? 0 : load;', replacement: 'let competing = load;' },
      { text: 'competing = Math.min(load, Math.max(least,', replacement: 'competing = Math.max(load, Math.max(least,' },
      { text: 'const failingPart = 1 / 2;', replacement: 'const failingPart = 100;' },
      {
        text: 'const isLending = line.guard.isTroubled || isStuck(line, nowMs);',
        replacement: 'const isLending = isStuck(line, Number.NEGATIVE_INFINITY);',
      },
      { text: 'line.isLending = line.guard.isTroubled;', replacement: 'line.isLending = false;' },
    ],
  },
  holdsEndAlone: {
    takesAway: 'the end of quiet hours leaves a fault of the same step',
    edits: [
      {
        text: '  await heldSteps.endQuietHours(standing);',
        replacement: '  await heldSteps.endQuietHours(standing);\n  await heldSteps.endFault(standing);',
      },
    ],
  },
  routesLearnFirst: {
    takesAway:
      'a host does not learn from one route while it serves another one, and a route has its turn and its part of slots',
    edits: [
      { text: 'if (first?.line.waiting === claimed.length) {', replacement: 'if (first) {' },
      {
        text: 'return Math.min(most, guard.allowed(monotonicMs()));',
        replacement: 'return Math.max(most, slots);',
      },
      {
        text: 'return guard.answeredAtMs === -Infinity || (line.isSilent && isStuck(line)) ? halfOf(slots) : slots;',
        replacement: 'return slots;',
      },
      {
        text: "const isOfRoute = sign === 'fails' && isOwnMatter('failure', route, routes.values(), startedMs);",
        replacement: "const isOfRoute = sign === 'fails' && route === '';",
      },
      {
        text: 'if (own && isFailing(own) && !isOtherThanTheOneThatFails(own, orderingKey))',
        replacement: 'if (isFailing(own ?? { ...nothingOf(route), failedAtMs: nowMs }) || orderingKey === null)',
      },
    ],
  },
  /** One of the two edits alone has no effect, because routes in the same queue share its slots. */
  endpointsHaveOwnQueues: {
    takesAway: 'jobs are offered, claimed and sidelined by their endpoint, and share its slots by their route',
    edits: [
      {
        text: '`coalesce(${row}.endpoint, ${row}.client)`',
        replacement: '`coalesce(${row}.client, ${row}.endpoint)`',
      },
      {
        text: 'const known = lines.get(route);',
        replacement: 'const known = lines.get(otherRoutes) ?? create(otherRoutes);',
      },
    ],
  },
  readsServeTheirCaller: {
    takesAway: 'what is read of a run is good for who asked before the answer came',
    edits: [
      {
        text: 'const maxAdmissionAgeMs = lastCallSentWithinMs - 100;',
        replacement: 'const maxAdmissionAgeMs = Math.min(pollEveryMs, lastCallSentWithinMs);',
      },
    ],
  },
  readsExpire: {
    takesAway: 'what is read of a run is good for no longer than is published',
    edits: [
      {
        text: 'const maxAdmissionAgeMs = lastCallSentWithinMs - 100;',
        replacement: 'const maxAdmissionAgeMs = lastCallSentWithinMs * 30;',
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
  readsAreBounded: {
    takesAway: 'a read returns only a few of the idle feeds, in turn',
    edits: [
      { text: 'const idlePerRead = 25;', replacement: 'const idlePerRead = 100_000;' },
      { text: 'const unseenPerRead = 15;', replacement: 'const unseenPerRead = 100_000;' },
    ],
  },
  weeksWaitForNoReader: {
    takesAway: 'weeks that a long reader holds up wait for a moment, and are tried again in minutes',
    edits: [
      { text: 'const lockTimeoutMs = 50;', replacement: 'const lockTimeoutMs = 2000;' },
      {
        text: 'const againAfterMs = 300_000;\n/** Pause in milliseconds',
        replacement: 'const againAfterMs = 1000;\n/** Pause in milliseconds',
      },
    ],
  },
  daysWaitForNoReader: {
    takesAway: 'days of jobs that a long reader holds up wait for a moment, and are tried again in minutes',
    edits: [
      { text: 'const lockTimeoutMs = 50;', replacement: 'const lockTimeoutMs = 2000;' },
      {
        text: 'const againAfterMs = 300_000;\n/**\n * Duration of the lease',
        replacement: 'const againAfterMs = 1000;\n/**\n * Duration of the lease',
      },
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
  heavyRequestsHaveSlots: {
    takesAway: 'exports, uploads, reports and previews have slots, by process and by account',
    edits: [
      {
        text: 'if (underWay >= heavySlotsOfProcess || countUnderWay(account) >= heavySlotsOfAccount) return false;',
        replacement: 'if (underWay < 0 || heavySlotsOfProcess < heavySlotsOfAccount) return false;',
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
    edits: [{ text: "open || kind === 'ambiguous', cause)", replacement: 'open, cause)' }],
  },
  theDeadAreMissed: {
    takesAway: 'a process that has not been heard of for ten seconds is dead',
    edits: [{ text: 'export const deadAfterMs = 10_000;', replacement: 'export const deadAfterMs = 90_000;' }],
  },
  /** One of the two protections alone is enough: excess offers wait in memory, and few messages wait on the topic. */
  creditAndSettling: {
    takesAway:
      'of each client only so much is offered as dispatchers take, and none stands behind another on the topic',
    edits: [
      { text: 'const all = granted.get(band) ?? toAnyClient;', replacement: 'const all = 1_000_000;' },
      // With shorter lanes, fewer jobs show the effect. With the protections, short lanes have no effect.
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
        text: 'isKnown: (clientId) => bounds.isKnown(clientId),',
        replacement: `isKnown: (clientId) => bounds.isKnown(clientId),
    queuedOf: (clientId) => queues.queuedOf(clientId),`,
      },
    ],
  },
  claimedJobsHaveAClock: {
    takesAway:
      'each turn begins or releases claimed jobs, and stale knowledge of other dispatchers limits none of them',
    edits: [
      ...claimProtections.turnsBegin.edits,
      ...claimProtections.turnsRelease.edits,
      ...claimProtections.claimsKeepTheirPart.edits,
      // After a failure of Postgres, what a dispatcher knows of the others stays old for a while.
      { text: 'return Math.max(0, requestedAtMs + everyMs - clock.monotonicMs());', replacement: 'return everyMs;' },
    ],
  },
  claimedJobsBegin: {
    takesAway: 'claimed jobs begin or are released',
    edits: [
      ...claimProtections.turnsRelease.edits,
      {
        text: 'if (queue.inFlight >= slots) return false;',
        replacement: 'if (queue.inFlight >= 0) return false;',
      },
    ],
  },
  flushesReturn: {
    takesAway: 'flushes return',
    edits: [
      {
        text: 'claimWatch.flushing(held.flush(claims.map(claimOf), leaseMs));',
        replacement:
          'claimWatch.flushing(held.flush(claims.map(claimOf), leaseMs).then((all) => (claims.length > 0 ? new Promise<never>(() => undefined) : all)));',
      },
      // A shorter bound, for a short test of the watchdog.
      { text: 'const longestFlushMs = 45_000;', replacement: 'const longestFlushMs = 5000;' },
    ],
  },
  slotsAreTakenTogether: {
    takesAway: 'slots of many clients are taken by one statement, as soon as one needs them',
    edits: [
      { text: 'const maxTried = 250;', replacement: 'const maxTried = 1;' },
      { text: 'const minBetweenMs = 20;', replacement: 'const minBetweenMs = 500;' },
    ],
  },
  effectsBelongToUsers: {
    takesAway:
      'connectors: credits, requests and mails are claimed or recognized by action, run, step and user, not by call',
    edits: [
      {
        text: 'order by u collate "C" on conflict do nothing returning user_id`,\n    [run, step, users]',
        replacement:
          'order by u collate "C" on conflict (run, step, user_id) do update set code = null returning user_id`,\n    [run, step, users]',
      },
      {
        text: '.update(JSON.stringify([action, run, step, user]))',
        replacement: '.update(JSON.stringify([action, run, step, user, performance.now()]))',
      },
      { text: 'call.users.filter(isOpen)', replacement: 'call.users' },
      { text: 'if (isOpen === undefined) {', replacement: "if (isOpen === undefined && user === '') {" },
    ],
  },
  columnsOfTheNextVersionAreUnread: {
    takesAway: 'workers read no column that only the schema of the next version has',
    edits: [
      {
        text: 'r.campaign as "campaignId", f.country, f.variant,',
        replacement: 'r.campaign as "campaignId", f.country, f.variant, r.added_later as "addedLater",',
      },
    ],
  },
  readOnlyIsNotReady: {
    takesAway: 'a database that may only be read is no database to work with',
    edits: [
      { text: 'if (rows[0]?.readOnly !== true) return;', replacement: 'if (rows[0]?.readOnly !== null) return;' },
    ],
  },
  brokersAreAsked: {
    takesAway: 'a broker is asked for an answer, and not for a connection alone',
    edits: [
      {
        text: 'await requestApiVersions(cluster);',
        replacement: `const [host, port] = broker.split(':');
      const socket = (await import('node:net')).connect({ host, port: Number(port) });
      await (await import('node:events')).once(socket, 'connect').finally(() => socket.destroy());`,
      },
    ],
  },
  fullDisksAreRecognised: {
    takesAway: 'a statement that is refused for want of room is told apart from other faults',
    edits: [
      { text: "export const diskFull = '53100';", replacement: "export const diskFull = '53999';" },
      { text: 'const fullSqlStates = /^53[01]00$/;', replacement: 'const fullSqlStates = /^53999$/;' },
    ],
  },
} as const satisfies Record<string, FaultControl>;
