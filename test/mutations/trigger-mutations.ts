import type { Mutation } from './mutation.ts';

export const triggerMutations: readonly Mutation[] = [
  {
    takesAway: 'users get nothing before their variant is chosen, even if the canary is over',
    edits: [
      {
        text: "      and (f.variant is not null or f.dry or not ${hasVariants('c')})\n",
        replacement: "      and (f.variant is not null or f.dry or ${hasVariants('c')} is not null)\n",
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/execution-path'],
  },
  {
    takesAway: 'what another trigger counts by now is not written over',
    edits: [
      {
        text: "id = ${$('countId')} and token = ${$('token')}::int and state = 'running'`;",
        replacement: "id = ${$('countId')} and ${$('token')}::int is not null and state = 'running'`;",
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/audience-counts'],
  },
  {
    takesAway: 'a count goes on behind what is saved',
    edits: [
      {
        text: '    place = page.isLast ? null : { country, cursor: page.cursor ?? place?.cursor ?? null, restarts };',
        replacement: '    place = page.isLast ? null : { country, cursor: null, restarts };',
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/audience-counts'],
  },
  {
    takesAway: 'the feeder publishes after its commit',
    edits: [
      {
        text: '      if (!(await write(cut))) return idleMs;\n      await writer.publish(cut, signal);',
        replacement: '      await writer.publish(cut, signal);\n      if (!(await write(cut))) return idleMs;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/feed/feeding'],
  },
  {
    takesAway: 'totals are counted anew before a run ends',
    edits: [
      {
        text: '      return differing.length > 0 ? null : endingOf(fresh);',
        replacement: '      return endingOf(fresh);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/trigger'],
  },
  {
    takesAway: 'ready work of a feed that stands still takes no room from others',
    edits: [
      {
        text: 'let competing = standsStill ? 0 : load;',
        replacement: 'let competing = load;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/admit/feed'],
  },
  {
    takesAway: 'feeds that stand still take no part of a shard from the feeds of other triggers',
    edits: [
      {
        text: 'sum.ownMovingWeight / sum.movingWeight;',
        replacement: 'shareOfAll;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/admit/fairness'],
  },
  {
    takesAway: 'every feed is admitted a floor',
    edits: [
      {
        text: '  return floorBatches(feed.weight) - own;',
        replacement: '  return Math.min(0, floorBatches(feed.weight) - own);',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/admit/fairness'],
  },
  {
    takesAway: 'a dry feed takes no batch that a worker could be called for',
    edits: [
      {
        text: 'check (not dry or ended_batches = next_batch_no - 1',
        replacement: 'check (true or ended_batches = next_batch_no - 1',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'only the batches of dry feeds end as they are written',
    edits: [{ text: "${sunk === '' ? '' : 'dry and '}", replacement: '' }],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'nothing of a dry feed is published',
    edits: [{ text: '      if (feed.isDry) return;\n', replacement: '' }],
    project: 'unit',
    noticedBy: ['services/trigger/feed/feeding-bounds'],
  },
  {
    takesAway: 'dry feeds take no room of any shard',
    edits: [{ text: 'where not f.dry) as chain', replacement: ') as chain' }],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a page is not written a second time after a lost answer',
    edits: [
      {
        text: "and next_batch_no = coalesce(${$('firstNo')}::int, next_batch_no)\n    returning feed, run, from_step",
        replacement:
          "and coalesce(${$('firstNo')}::int, next_batch_no) is not null\n    returning feed, run, from_step",
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a feeder without the token of its feed writes nothing',
    edits: [
      {
        text: "feed = ${$('feedId')} and token = ${$('token')}\n      and next_batch_no",
        replacement: "feed = ${$('feedId')} and ${$('token')}::bigint is not null\n      and next_batch_no",
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'what may have been called does not end as cancelled or expired',
    edits: [
      {
        text: 'const mayHaveBeenCalled = `s.open or s.state = ${stepState.running} and (s.lapses = 0 or s.begun)`;',
        replacement: 'const mayHaveBeenCalled = `s.open`;',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'the end of a run leaves alone what is under lease',
    edits: [
      {
        text: "      or s.state = ${stepState.running} and s.lease_until < now()\n  ), ${ending($('rest'), reasons.ambiguousAnswer)}",
        replacement: "      or s.state = ${stepState.running}\n  ), ${ending($('rest'), reasons.ambiguousAnswer)}",
      },
      { text: '      and (s.state = ${stepState.waiting} or s.lease_until < now())\n', replacement: '\n' },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'the sweep mark stays before open batches',
    edits: [
      {
        text: "min(p.batch_no) filter (where p.place <> 'through' and not p.listed and added.batch_no is null) as first_open",
        replacement: 'min(p.batch_no) filter (where false) as first_open',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'users are excluded on every page of their source',
    edits: [
      {
        text: 'if (horizon !== null) for (const head of exclude) moveAfter(head, horizon, compare);',
        replacement: 'if (horizon !== null) for (const head of exclude) head.at = head.users.length;',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/pages/merge-heads'],
  },
  {
    takesAway: 'the sum of a count has users of several sources once',
    edits: [{ text: 'if (isSeen) tally.repeated++;', replacement: '' }],
    project: 'unit',
    noticedBy: ['services/trigger/pages/merge-heads'],
  },
  {
    takesAway: 'parts that an earlier version did not count are not made up',
    edits: [
      {
        text: 'parts: before ? sumOfParts(before.parts, page.parts) : page.parts,',
        replacement: 'parts: before?.parts ? sumOfParts(before.parts, page.parts) : page.parts,',
      },
    ],
    project: 'integration',
    noticedBy: ['audience-counts'],
  },
  {
    takesAway: 'no worker is missed by a run that is paused',
    edits: [
      {
        text: "(r.state = 'running' or exists (select from run_problems t",
        replacement: "(r.state <> '' or exists (select from run_problems t",
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a worker that was missed before a pause is told once',
    edits: [
      { text: "(t.run, t.kind, t.step, t.country) = (r.id, 'worker', s.place, f.country)", replacement: 'false' },
    ],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a worker that nothing waits for any more is not said to be back',
    edits: [{ text: "not (o.kind = 'worker-back'", replacement: "not (false and o.kind = 'worker-back'" }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a worker is missed only where batches are',
    edits: [{ text: '        and ${isEntered}\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a run misses no worker in its first half minute',
    edits: [{ text: ' and r.started_at <= now() - ${takenUpWithin}', replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'receipts and failures stay until receipts are counted',
    edits: [
      { text: "and ($1 not in ('receipts', 'failures') or not exists (", replacement: "and ($1 <> '' or not exists (" },
    ],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a run is closed for receipts before they are deleted',
    edits: [{ text: "r.failures_kept and r.receipts_state = 'open' and", replacement: 'r.failures_kept and' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'receipts are counted minutes after their run was closed',
    edits: [{ text: " and r.receipts_since <= now() - interval '5 minutes'", replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a report shows the receipts that were counted once they or the failures are gone',
    edits: [{ text: 'if (feed.isCounted) return storedOf(feed);', replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a settlement asks for a new count of receipts',
    edits: [
      { text: "receipts_state in ('closed', 'counted') and failures_kept", replacement: "receipts_state = 'none'" },
    ],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a count during which a settlement came is not stored',
    edits: [{ text: " and receipts_since = ${$('since')}::timestamptz", replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a week is looked at again once its runs are marked',
    edits: [
      {
        text: 'const rows = (await droppable()).filter(({ since }) => found.has(since));',
        replacement: 'const rows = [...found.values()];',
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'strays are looked at again once their runs are locked',
    edits: [{ text: "${isCounted ? 'for no key update of r' : ''}", replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a settlement locks its run before its users',
    edits: [{ text: 'is not null\n    for no key update of r\n', replacement: 'is not null\n' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'receipts of a run that never had any are not reported as deleted',
    edits: [
      {
        text: " and receipts_state = 'counted' and ${hasReceipts('r')}",
        replacement: " and receipts_state = 'counted'",
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'a run whose receipts cannot be counted waits for its next count',
    edits: [{ text: '      await pool.query(delayCount, [run.runId]);\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/receipt-retention'],
  },
  {
    takesAway: 'due times of runs that stand still are read',
    edits: [
      {
        text: 'if (taken >= round.length && nowMs >= nextRoundAtMs)',
        replacement: 'if (taken > round.length && nowMs >= nextRoundAtMs)',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/keep/known-runs'],
  },
  {
    takesAway: 'a listing reaches back over the longest transaction once a minute',
    edits: [
      {
        text: 'reachMs: nowMs >= reachesBackAtMs ? longestTransactionMs : usualTransactionMs',
        replacement: 'reachMs: nowMs < 0 ? longestTransactionMs : usualTransactionMs',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/admit/known-feeds'],
  },
];
