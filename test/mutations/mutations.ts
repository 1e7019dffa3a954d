/** A protection inside a service, taken away: what no wrapper of a port can reach. */
export interface Mutation {
  takesAway: string;
  file: string;
  /** Has to stand in the file exactly once. */
  text: string;
  replacement: string;
  /** Unit tests of which at least one has to fail. */
  noticedBy: readonly string[];
}

export const mutations: readonly Mutation[] = [
  {
    takesAway: 'an offset is settled after the next steps are published',
    file: 'services/worker/forward/next-step-publisher.ts',
    text: '        else track(publishTo(topic, steps));',
    replacement: '        else (onHandled(steps.map(({ work }) => work)), track(publishTo(topic, steps)));',
    noticedBy: ['services/worker/intake/messages.test.ts'],
  },
  {
    takesAway: 'an offset is settled after call and record, not at the claim',
    file: 'services/worker/worker.ts',
    text: 'for (const { origin } of others) onHandled(origin);',
    replacement: 'for (const { origin } of claims.concat(others.slice(others.length))) onHandled(origin);',
    noticedBy: ['services/worker/intake/messages.test.ts'],
  },
  {
    takesAway: 'next steps are published after the record is written',
    file: 'services/worker/worker.ts',
    text: '    const startedMs = (lastFlushMs = clock.monotonicMs());',
    replacement: '    nextSteps.publish(results);\n    const startedMs = (lastFlushMs = clock.monotonicMs());',
    noticedBy: ['services/worker/claims/database-faults.test.ts'],
  },
  {
    takesAway: 'the feeder publishes after its commit',
    file: 'services/trigger/feed/feed-pager.ts',
    text: '      if (!(await write(cut))) return idleMs;\n      await publish(cut, signal);',
    replacement: '      await publish(cut, signal);\n      if (!(await write(cut))) return idleMs;',
    noticedBy: ['services/trigger/feed/feeding.test.ts'],
  },
  {
    takesAway: 'the state of the run is asked before the call',
    file: 'services/worker/step/process-batch.ts',
    text: "  if (verdict === 'hold') return releasedResult(work);\n  if (verdict === 'cancel') return withheldResult(work, 'cancelled');",
    replacement: '',
    noticedBy: ['services/worker/worker.test.ts'],
  },
  {
    takesAway: 'the deadline is asked before the call',
    file: 'services/worker/step/process-batch.ts',
    text: "  if (verdict === 'expire' || deadlineAtMs <= deps.clock.monotonicMs()) return withheldResult(work, 'expired');",
    replacement: '',
    noticedBy: ['services/worker/step/answers.test.ts', 'services/worker/worker.test.ts'],
  },
  {
    takesAway: 'the lease is compared with the time-out before the call',
    file: 'services/worker/step/process-batch.ts',
    text: '  return leaseOutlastsCall(work, deps) ? null : releasedResult(work);',
    replacement: '  return null;',
    noticedBy: ['services/worker/claims/database-faults.test.ts'],
  },
  {
    takesAway: 'totals are counted anew before a run ends',
    file: 'services/trigger/end/run-finisher.ts',
    text: '      return differing.length > 0 ? null : endingOf(fresh);',
    replacement: '      return endingOf(fresh);',
    noticedBy: ['services/trigger/trigger.test.ts'],
  },
  {
    takesAway: 'slow feeds cannot fill the call slots',
    file: 'services/worker/slots/slot-pool.ts',
    text: '      return !isSlow(line) || slow < boundOfSlow(line, nowMs);',
    replacement: '      return nowMs > 0 || slow < boundOfSlow(line, nowMs);',
    noticedBy: ['services/worker/slots/call-slots.test.ts'],
  },
  {
    takesAway: 'every feed is admitted a floor',
    file: 'services/trigger/admit/fairness.ts',
    text: '  return quantumBatches * feed.weight - own;',
    replacement: '  return Math.min(0, quantumBatches * feed.weight - own);',
    noticedBy: ['services/trigger/admit/fairness.test.ts'],
  },
  {
    takesAway: 'the begin of a call is written where a lease lapsed before',
    file: 'services/worker/step/process-batch.ts',
    text: '  if (work.claim.lapses > 0 && !(await deps.markBegun(work.claim))) return',
    replacement: '  if (work.claim.lapses < 0 && !(await deps.markBegun(work.claim))) return',
    noticedBy: ['services/worker/step/answers.test.ts', 'services/worker/worker.test.ts'],
  },
  {
    takesAway: 'a refusal under an open key begins no trial',
    file: 'services/worker/step/process-batch.ts',
    text: "  if (reading.kind === 'refused' && !reading.tooLarge && !work.claim.open) {",
    replacement: "  if (reading.kind === 'refused' && !reading.tooLarge) {",
    noticedBy: ['services/worker/step/refusals.test.ts', 'services/worker/step/answers.test.ts'],
  },
];
