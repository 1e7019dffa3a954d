import type { Mutation } from './mutation.ts';

export const connectorsMutations: readonly Mutation[] = [
  {
    takesAway: 'connectors: only the last builder makes a snapshot ready',
    edits: [
      {
        text: "counts = ${$('counts')}::jsonb, used_at = clock_timestamp()\n  where id = ${$('id')} and epoch = ${$('epoch')}",
        replacement:
          "counts = ${$('counts')}::jsonb, used_at = clock_timestamp()\n  where id = ${$('id')} and ${$('epoch')}::int > 0",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: a snapshot that is being built is left to its builder',
    edits: [
      {
        text: "state = 'building' and lease_until < clock_timestamp()\n    or state = 'failed'",
        replacement: "state = 'building'\n    or state = 'failed'",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: a builder renews its lease',
    edits: [
      {
        text: '      if (!(await store.renew(claim, leaseMs).catch(() => true))) ending.abort(lost);\n',
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: no page of a snapshot that is not whole',
    edits: [{ text: "if (snapshot.state === 'ready') {", replacement: "if (snapshot.state !== 'open') {" }],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: Postgres returns users in the order of bytes',
    edits: [
      {
        text: "order by convert_to(q.user_id::text, 'UTF8'), convert_to(q.country::text, 'UTF8')",
        replacement: 'order by q.user_id::text desc',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: MariaDB returns users in the order of bytes',
    edits: [
      {
        text: 'order by cast(convert(q.user_id using utf8mb4) as binary), cast(convert(q.country using utf8mb4) as binary)',
        replacement: 'order by 1, 2',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: queries of segments cannot write in Postgres',
    edits: [{ text: '`begin read only; set local', replacement: '`begin; set local' }],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: queries of segments cannot write in MariaDB',
    edits: [{ text: "'start transaction read only'", replacement: "'start transaction'" }],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: a connection of MariaDB that is lost ends the reading',
    edits: [{ text: "      connection.on('error', (error: Error) => stream.destroy(error));\n", replacement: '' }],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: an action in Postgres serves only users without a result',
    edits: [
      {
        text: 'order by u collate "C" on conflict do nothing returning user_id`,\n    [run, step, users]',
        replacement:
          'order by u collate "C" on conflict (run, step, user_id) do update set code = null returning user_id`,\n    [run, step, users]',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-actions'],
  },
  {
    takesAway: 'connectors: an action in MariaDB serves only users without a result',
    edits: [{ text: 'and claim = ?`', replacement: "and claim <> concat(?, 'x')`" }],
    project: 'integration',
    noticedBy: ['connectors-actions'],
  },
  {
    takesAway: 'connectors: a commit without an answer may have happened',
    edits: [
      {
        text: "isCommitting && found.sqlState === undefined ? new TargetError('unknown', error) : found",
        replacement: 'found',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-actions'],
  },
];
