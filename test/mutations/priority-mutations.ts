import type { Mutation } from './mutation.ts';

export const priorityMutations: readonly Mutation[] = [
  {
    takesAway: 'however many high jobs come, others of their client have a share of its slots',
    edits: [{ text: 'const priority = turns.next(waiting);', replacement: "const priority = waiting[0] ?? 'normal';" }],
    project: 'unit',
    noticedBy: ['services/dispatcher/client-queues'],
  },
  {
    takesAway: 'however many high jobs come, others of their client have a share of its rate',
    edits: [{ text: "    turns?.took(priority ?? 'normal');\n", replacement: '' }],
    project: 'unit',
    noticedBy: ['services/scheduler/offer/offering-by-priority'],
  },
  {
    takesAway: 'of what waits in a dispatcher, high goes first',
    edits: [
      { text: "const priority = given ?? 'normal';", replacement: "const priority = given && 'normal' || 'normal';" },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/client-queues'],
  },
  {
    takesAway: 'an urgent job is not passed over with the backlog beside it',
    edits: [
      {
        text: 'backlogged.isSkipped(bandOf(clientId, priority), partition)',
        replacement: 'backlogged.isSkipped(clientId, partition)',
      },
    ],
    project: 'unit',
    noticedBy: ['services/scheduler/offer/offering-by-priority'],
  },
  {
    takesAway: 'the backlog of a client leaves credit for what is urgent beside it',
    edits: [
      {
        text: 'const band = bandOf(clientId, priority);\n    const all',
        replacement: 'const band = clientId;\n    const all',
      },
    ],
    project: 'unit',
    noticedBy: ['services/scheduler/offer/offering-by-priority'],
  },
  {
    takesAway: 'scans skip one priority of a client, not over all of them',
    edits: [
      { text: 'when t.priority is not null then\n', replacement: 'when t.priority is not null and false then\n' },
    ],
    project: 'integration',
    noticedBy: ['test/integration/callbacks.integration'],
  },
  {
    takesAway: 'what is read for one priority that is behind is of that priority',
    edits: [{ text: ' and r.priority is not distinct from w.priority as is_own', replacement: ' as is_own' }],
    project: 'integration',
    noticedBy: ['test/integration/callbacks.integration'],
  },
  {
    takesAway: 'a job that is reporting is not moved',
    edits: [
      { text: 'and j.report is null and ${isNotCalled}\n  returning', replacement: 'and ${isNotCalled}\n  returning' },
    ],
    project: 'integration',
    noticedBy: ['job-reports.integration'],
  },
  {
    takesAway: 'a job that is reporting keeps its ordering key',
    edits: [
      {
        text: 'active.sideline is not null or active.report is not null or',
        replacement: 'active.sideline is not null or',
      },
      {
        text: 'and sideline is null and report is null\n      for update',
        replacement: 'and sideline is null\n      for update',
      },
    ],
    project: 'integration',
    noticedBy: ['job-reports.integration'],
  },
  {
    takesAway: 'a report of an earlier attempt does not end the one that is awaited',
    edits: [
      {
        text: "if (isOlder && job.isAwaited) return only({ kind: 'later-attempt', attempt: job.attempt });\n",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['job-reports.integration'],
  },
];
