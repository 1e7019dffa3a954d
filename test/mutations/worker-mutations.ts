import { faultControls } from './fault-controls.ts';
import type { Mutation } from './mutation.ts';

export const workerMutations: readonly Mutation[] = [
  {
    ...faultControls.retriesComeBack,
    project: 'unit',
    noticedBy: ['services/worker/intake/timed-steps'],
  },
  {
    takesAway: 'the agenda leaves what is due soon to the worker that recorded it',
    edits: [
      {
        text: 'isTimed(waits, timedWithinMs) ? timedWithinMs : 0;',
        replacement: 'isTimed(waits, timedWithinMs) ? 0 : 0;',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'what a slow feed has claimed beyond its slots takes no claims from quick ones',
    edits: [
      {
        text: 'const competing = Math.min(line.waiting.size, pool.moreCallsOf(line, nowMs));',
        replacement: 'const competing = Math.min(line.waiting.size, pool.capacity + nowMs);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'a next step is handed on only where its shard and its feed have room for it',
    edits: [
      {
        text: '        return room <= (taken.get(key) ?? 0);',
        replacement: '        return room <= -1_000_000;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/forward/hand-on'],
  },
  {
    takesAway: 'what is handed on may be ahead by the work of a flush more',
    edits: [{ text: 'const flushesMore = 1;', replacement: 'const flushesMore = 0;' }],
    project: 'unit',
    noticedBy: ['services/worker/forward/hand-on'],
  },
  {
    takesAway: 'what is handed on overtakes nothing that waits for the same slots',
    edits: [{ text: 'queue.sizeOf(topic) > 0 || keepsNextStep(work, deps)', replacement: 'keepsNextStep(work, deps)' }],
    project: 'unit',
    noticedBy: ['services/worker/forward/hand-on'],
  },
  {
    takesAway: 'an offset is settled after the next steps are published',
    edits: [
      {
        text: '        else track(publishTo(topic, steps));',
        replacement: '        else (onHandled(steps.map(({ work }) => work)), track(publishTo(topic, steps)));',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/intake/messages'],
  },
  {
    takesAway: 'an offset is settled after call and record, not at the claim',
    edits: [
      {
        text: 'for (const { origin } of others) onHandled(origin);',
        replacement: 'for (const { origin } of [...others, ...ours.map(({ queued }) => queued)]) onHandled(origin);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/intake/messages'],
  },
  {
    takesAway: 'next steps are published after the record is written',
    edits: [
      {
        text: '    const writing = flushes.write(claims, results);',
        replacement:
          '    survivors.forward({ recorded: results, handedOn: new Set() }, 0);\n' +
          '    const writing = flushes.write(claims, results);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/claims/database-faults'],
  },
  {
    takesAway: 'the state of the run is asked before the call',
    edits: [
      {
        text: "  if (verdict === 'hold') return releasedResult(work, 0, null);\n  return verdict === 'cancel' ? endUncalled(work, 'cancelled') : null;",
        replacement: '  return null;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/worker'],
  },
  {
    takesAway: 'the deadline is asked before the call',
    edits: [
      {
        text: "return verdict === 'expire' || deadlineAtMs <= clock.monotonicMs() ? endUncalled(work, 'expired') : null;",
        replacement: 'return null;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/call/answers', 'services/worker/worker'],
  },
  {
    takesAway: 'the lease is compared with the time-out before the call',
    edits: [
      {
        text: '  return leaseOutlastsCall(work, deps) ? null : releasedResult(work, 0, null);',
        replacement: '  return null;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/claims/database-faults'],
  },
  {
    takesAway: 'slow feeds cannot fill the call slots',
    edits: [
      {
        text: 'return !isSlow(line) || slow - (usesLent ? lendable(lentSlow) : 0) < boundOfSlow(line, nowMs);',
        replacement: 'return nowMs > 0 || slow < boundOfSlow(line, nowMs);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'the begin of a call is written where a lease lapsed before',
    edits: [
      {
        text: '  return work.claim.lapses !== 0 ? marked(work, admission, deps) : null;',
        replacement: '  return work.claim.lapses === 100 ? marked(work, admission, deps) : null;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/call/answers', 'services/worker/worker'],
  },
  {
    takesAway: 'a refusal under an open key begins no trial',
    edits: [
      {
        text: "  if (reading.kind === 'refused' && !reading.tooLarge && !work.claim.open) {",
        replacement: "  if (reading.kind === 'refused' && !reading.tooLarge) {",
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/call/open-keys'],
  },
  {
    takesAway: 'a shard does not learn from one feed while another one is served',
    edits: [
      {
        text: 'if (source.id !== id && isWitness(trouble, source, startedMs)) return true;',
        replacement: "if (source.id === '' && isWitness(trouble, source, startedMs)) return true;",
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/endpoint/own-matter', 'services/worker/slots/call-slots'],
  },
  {
    takesAway: 'a feed whose calls fail is called seldom',
    edits: [
      {
        text: '    if (failures >= enough) enterTrouble(nowMs, nowMs);',
        replacement: '    if (failures >= 100 * enough) enterTrouble(nowMs, nowMs);',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/endpoint/source-guard'],
  },
  {
    takesAway: 'a feed that has not failed may call although the breaker is open',
    edits: [
      {
        text: 'if (!group.breaker.isOpen(nowMs) || line.guard.isFailing || line.inFlight > 0) return false;',
        replacement: 'if (line.inFlight >= 0) return false;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'the slots of calls that hang are lent',
    edits: [
      {
        text: 'const isLending = line.guard.isTroubled || isStuck(line, nowMs);',
        replacement: 'const isLending = line.guard.isTroubled;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'few slots are lent while no feed is answered',
    edits: [{ text: 'const lentUnserved = 4;', replacement: 'const lentUnserved = 1000;' }],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'the breaker opens',
    edits: [
      {
        text: '    if (!isDown && evidence.misconfiguredRuns.size < runsToOpen) return false;',
        replacement: '    if (isDown || !isDown) return false;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/'],
  },
  {
    takesAway: 'an endpoint that is back is not taken for down by failed calls that began before',
    edits: [{ text: 'if (startedMs < backAtMs) return false;', replacement: '' }],
    project: 'unit',
    noticedBy: ['services/worker/slots/breaker', 'services/worker/slots/shared-breaker'],
  },
  {
    takesAway: 'the breaker opens after ten failures',
    edits: [{ text: 'const failuresToOpen = 10;', replacement: 'const failuresToOpen = 11;' }],
    project: 'unit',
    noticedBy: ['services/worker/slots/'],
  },
  {
    takesAway: 'an ambiguous answer opens the key',
    edits: [{ text: "open || kind === 'ambiguous', cause)", replacement: 'open, cause)' }],
    project: 'unit',
    noticedBy: ['services/worker/call/open-keys'],
  },
  {
    takesAway: 'parts of a split batch keep the open key',
    edits: [
      {
        text: '({ users, delayMs: 0, open, claim: true }));',
        replacement: '({ users, delayMs: 0, open: false, claim: true }));',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/call/open-keys'],
  },
  {
    takesAway: 'a cancelled user with an open key ends as unknown',
    edits: [{ text: 'return work.claim.open ? unknownResult(work, outcome) :', replacement: 'return' }],
    project: 'unit',
    noticedBy: ['services/worker/call/'],
  },
  {
    takesAway: 'a pause is seen within its bound',
    edits: [
      {
        text: 'const maxAdmissionAgeMs = lastCallSentWithinMs - 100;',
        replacement: 'const maxAdmissionAgeMs = lastCallSentWithinMs * 30;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/'],
  },
  {
    takesAway: 'no call waits in a slot while the run of its feed is read',
    edits: [
      {
        text: 'if (admission instanceof Promise) void awaitAdmission(next, admission);',
        replacement: 'if (admission === null) void awaitAdmission(next, admission);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'the duration of a call is that of its request alone',
    edits: [{ text: 'null : nowMs - served.startedMs', replacement: 'null : nowMs - startedMs' }],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'a list of lost users that the rows contradict is not used',
    edits: [
      {
        text: 'const work = lost && !entry.contradicted ? prepare(entry, lost) : null;',
        replacement: 'const work = lost ? prepare({ ...entry, contradicted: undefined }, lost) : null;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/claims/forged-messages'],
  },
  {
    takesAway: 'a batch is called with as many users as the row of the step before says',
    edits: [{ text: 'if (lost && count !== remaining)', replacement: 'if (lost && count < 0)' }],
    project: 'unit',
    noticedBy: ['services/worker/claims/forged-messages'],
  },
  {
    takesAway: 'references of clients that are not known wait in one line',
    edits: [
      {
        text: 'const queuedUnder = isKnown(clientId) ? clientId : unknownClient;',
        replacement: 'const queuedUnder = isKnown(clientId) ? clientId : clientId;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/forged-references'],
  },
  {
    takesAway: 'what waits for a slot is released when the deadline passes',
    edits: [
      {
        text: "return admission.verdict !== 'go' || admission.deadlineAtMs <= clock.monotonicMs();",
        replacement: "return admission.verdict === 'hold' || admission.verdict === 'cancel';",
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/claims/control'],
  },
  {
    takesAway: 'many feeds that fail share half of the slots of their shard',
    edits: [{ text: 'const failingPart = 1 / 2;', replacement: 'const failingPart = 100;' }],
    project: 'unit',
    noticedBy: ['services/worker/slots/many-bad-feeds'],
  },
  {
    takesAway: 'two feeds whose calls time out far apart cut the limit of their shard',
    edits: [
      {
        text: 'isPressureShared(feedId, evidenceOf(group), startedMs)',
        replacement: 'isPressureShared(feedId, evidenceOf(group), nowMs)',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/call-slots'],
  },
  {
    takesAway: 'probes of an open breaker do not cut the limit of the shard',
    edits: [
      {
        text: '  if (group.breaker.isOpen(nowMs)) return false;\n  if (!isPressureShared',
        replacement: '  if (!isPressureShared',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/slots/many-bad-feeds'],
  },
];
