import type { Mutation } from './mutation.ts';

export const ledgerMutations: readonly Mutation[] = [
  {
    takesAway: 'nothing is claimed where there are other suppression lists or caps than the claimer knows',
    edits: [
      {
        text: "from k where remaining is not null and (select rules from cr) = ${$('rules')}",
        replacement: 'from k where remaining is not null',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a claim of suppressed or capped users is no call',
    edits: [
      {
        text: '  await client.query(noteNoCalls.with(keysOf(uncalled)));\n  return claimed.map',
        replacement: '  return claimed.map',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a replacement that removes more than a tenth of a list needs its number confirmed',
    edits: [
      {
        text: 'if (removed * 10 <= people || removed === confirmed) return;',
        replacement: 'if (removed >= 0) return;',
      },
    ],
    project: 'integration',
    noticedBy: ['suppression-uploads'],
  },
  {
    takesAway: 'people who came onto a list while its replacement was loaded come along',
    edits: [
      {
        text: '  if (before !== undefined) await client.query(statements.copyAddedMeanwhile, [listNo, before, uploadId]);\n',
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['suppression-uploads'],
  },
  {
    takesAway: 'a step whose lease runs is not claimed',
    edits: [
      {
        text: 'where s.state = ${stepState.running} and s.lease_until < now() and s.lapses < ${quarantinedAfterLapses}\n',
        replacement: 'where s.state = ${stepState.running} and s.lapses < ${quarantinedAfterLapses}\n',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'what was reserved in the same look counts, so that a budget is not overdrawn',
    edits: [
      {
        text: 'select feed, batch_no, step, wanted, upto <= left_units from o',
        replacement: 'select feed, batch_no, step, wanted, upto - wanted < left_units from o',
      },
    ],
    project: 'integration',
    noticedBy: ['budgets.integration'],
  },
  {
    takesAway: 'a dearer step does not keep from a cheaper one what is left of their budget',
    edits: [
      {
        text: 'partition by s.campaign, s.country, s.per_user <= s.rest order by',
        replacement: 'partition by s.campaign, s.country order by',
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/execution-path'],
  },
  {
    takesAway: 'a reservation is given back with the record of its step',
    edits: [
      {
        text: '    where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step\n  )\n  insert',
        replacement:
          '    where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step and false\n  )\n  insert',
      },
    ],
    project: 'integration',
    noticedBy: ['test/integration/execution-path'],
  },
  {
    takesAway: 'budget rows are locked before they are looked at',
    edits: [{ text: '    for update skip locked\n  ) b;', replacement: '  ) b;' }],
    project: 'integration',
    noticedBy: ['budgets.integration'],
  },
  {
    takesAway: 'a step is claimed when the one before it is done',
    edits: [
      {
        text: 'case when k.step = b.from_step then b.n else p.rest_users end as remaining',
        replacement: 'case when k.step >= b.from_step then b.n else p.rest_users end as remaining',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a lapsed lease opens the key',
    edits: [
      {
        text: 'open = s.open or s.state = ${stepState.running} and (s.lapses = 0 or s.begun),',
        replacement: 'open = s.open,',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a lease is renewed by its token alone',
    edits: [
      {
        text: 'name = $1 and owner = $2 and token = $3 and expires_at > now()',
        replacement: 'name = $1 and owner = $2 and $3::bigint is not null and expires_at > now()',
      },
    ],
    project: 'integration',
    noticedBy: ['control-stores'],
  },
  {
    takesAway: 'a release under a stale epoch changes nothing',
    edits: [
      {
        text: 'where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch\n      and s.state = ${stepState.running}\n    returning k.position, s.feed, s.batch_no, s.step, s.cause',
        replacement:
          'where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.state = ${stepState.running}\n    returning k.position, s.feed, s.batch_no, s.step, s.cause',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'the begin of a call is not noted under a stale epoch',
    edits: [
      {
        text: 'where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.epoch = k.epoch\n      and s.state = ${stepState.running}\n    returning k.position, s.feed, s.batch_no, s.step, s.epoch, s.owner',
        replacement:
          'where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.state = ${stepState.running}\n    returning k.position, s.feed, s.batch_no, s.step, s.epoch, s.owner',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a waiting step is not claimed before it is due',
    edits: [
      {
        text: 'or s.state = ${stepState.waiting} and s.next_attempt_at <= now()\n    returning feed',
        replacement: 'or s.state = ${stepState.waiting}\n    returning feed',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'users are counted as cancelled who were',
    edits: [
      {
        text: 'coalesce(sum(rest_users) filter (where rest = ${restCode.cancelled}), 0) as cancelled, sum(unknown) as unknown,\n        count(*) as done',
        replacement:
          'coalesce(sum(rest_users) filter (where rest <> ${restCode.succeeded}), 0) as cancelled, sum(unknown) as unknown,\n        count(*) as done',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a claim says where the row of the step before names others as lost',
    edits: [{ text: " or said_digest <> coalesce(lost_digest, '')", replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/execution-path'],
  },
  {
    takesAway: 'quiet hours that had ended begin anew',
    edits: [
      {
        text: 'since = case when h.until <= now() then excluded.since else h.since end',
        replacement: 'since = h.since',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'a batch is not put back until the end of quiet hours that have ended',
    edits: [
      {
        text: "and h.kind = 'quiet-hours' and h.until > now()\n  order by",
        replacement: "and h.kind = 'quiet-hours'\n  order by",
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'quiet hours that have ended hide no cause of the same words',
    edits: [
      {
        text: "h.cause = c.cause\n        and (h.kind = 'fault' or h.until > now()))",
        replacement: 'h.cause = c.cause)',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
];
