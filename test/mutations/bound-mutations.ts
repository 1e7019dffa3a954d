import type { Mutation } from './mutation.ts';

/** Bounds of keys, ends of lists, and what the system says of its database. */
export const boundMutations: readonly Mutation[] = [
  {
    takesAway: 'a key brings no more jobs a second than its own rate',
    edits: [
      {
        text: "if (retryAfterSeconds !== undefined) return { kind: 'rate', of: 'key', retryAfterSeconds };",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['key-bounds'],
  },
  {
    takesAway: 'a key brings no jobs while its client has as many stored as the key says',
    edits: [{ text: 'usage.reserve(client, storedJobs)', replacement: 'usage.take(client)' }],
    project: 'integration',
    noticedBy: ['key-bounds'],
  },
  {
    takesAway: 'what a client has no room for is not held against the key',
    edits: [{ text: '      keyRates.refund(key, 1);\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['key-bounds'],
  },
  {
    takesAway: 'a key asks no more a minute than its own bound',
    edits: [
      {
        text: 'Math.min(requestsPerMinute, apiKey?.bounds.requestsPerMinute ?? requestsPerMinute)',
        replacement: 'Math.min(requestsPerMinute, apiKey === null ? 1 : requestsPerMinute)',
      },
    ],
    project: 'integration',
    noticedBy: ['key-bounds'],
  },
  {
    takesAway: 'no key has looser bounds than its maker',
    edits: [{ text: 'looserBound(bounds, caller.bounds)', replacement: 'looserBound(bounds, bounds)' }],
    project: 'integration',
    noticedBy: ['key-bounds'],
  },
  {
    takesAway: 'a bound that no client of a key could reach is refused',
    edits: [{ text: 'if (value === null || value <= limit) return [];', replacement: 'if (limit > 0) return [];' }],
    project: 'integration',
    noticedBy: ['key-bounds'],
  },
  {
    takesAway: 'processes leave each other their parts of the rate of a key',
    edits: [{ text: '(Math.max(0, others - lastExchange.others) * 1000)', replacement: '0' }],
    project: 'unit',
    noticedBy: ['key-rates'],
  },
  {
    takesAway: 'a list that a run reads is not said to go',
    edits: [{ text: '= 0 and not ${isNeeded} then', replacement: '= 0 then' }],
    project: 'integration',
    noticedBy: ['list-ends'],
  },
  {
    takesAway: 'a list that a saved audience is made of is not said to go',
    edits: [{ text: "and ${usesOfList('saved_audiences')} = 0 and not", replacement: 'and not' }],
    project: 'integration',
    noticedBy: ['list-ends'],
  },
  {
    takesAway: 'a week of which one table is missing is not said to be there',
    edits: [
      {
        text: 'select from feed_tables t where to_regclass(',
        replacement: "select from feed_tables t where t.name = 'batches' and to_regclass(",
      },
    ],
    project: 'integration',
    noticedBy: ['system-routes'],
  },
  {
    takesAway: 'an archive of the log that fails is said to fail',
    edits: [
      {
        text: "if (lastFailedAt !== null && (lastArchivedAt === null || lastFailedAt > lastArchivedAt)) return 'failing';",
        replacement: '',
      },
    ],
    project: 'unit',
    noticedBy: ['log-archive'],
  },
];
