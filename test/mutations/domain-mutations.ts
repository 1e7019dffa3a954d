import type { Mutation } from './mutation.ts';

export const domainMutations: readonly Mutation[] = [
  {
    takesAway: 'an offset is committed up to the first message that is not settled',
    edits: [{ text: 'return unsettled.values().next().value ?? next;', replacement: 'return next;' }],
    project: 'unit',
    noticedBy: ['shared/domain/watermark'],
  },
  {
    takesAway: 'a message that the client of Kafka drops is not taken for sent',
    edits: [{ text: 'if (dropped) throw', replacement: 'if (dropped && messages.length < 0) throw' }],
    project: 'unit',
    noticedBy: ['shared/kafka/publisher'],
  },
  {
    takesAway: 'a commit that partitions were assigned anew since is not sent',
    edits: [
      { text: 'if (!isCommitCurrent()) throw', replacement: 'if (!isCommitCurrent() && joinsApartMs < 0) throw' },
    ],
    project: 'unit',
    noticedBy: ['shared/kafka/consumer/commit-fence'],
  },
  {
    takesAway: 'the client of Kafka does not repeat a commit that failed',
    edits: [
      {
        text: 'throw Object.assign(error instanceof Error ? error : new Error(String(error)), { retriable: false });',
        replacement: 'throw error;',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/kafka/consumer/commit-fence'],
  },
  {
    takesAway: 'a consumer that leaves its group tries a failed commit again',
    edits: [{ text: 'const lastCommitAttempts = 4;', replacement: 'const lastCommitAttempts = 1;' }],
    project: 'unit',
    noticedBy: ['shared/kafka/consumer/consumer-chores'],
  },
  {
    takesAway: 'a consumer sends heartbeats although its wall clock is set back',
    edits: [{ text: 'heartbeatInterval: Number.NEGATIVE_INFINITY,', replacement: 'heartbeatInterval: 1000,' }],
    project: 'integration',
    noticedBy: ['shared/kafka/consumer/clock-change'],
  },
  {
    takesAway: 'a refused heartbeat is followed by another one at once',
    edits: [{ text: '      sentAtMs = -Infinity;', replacement: '      sentAtMs = monotonicMs();' }],
    project: 'unit',
    noticedBy: ['shared/kafka/consumer/heartbeat-pace'],
  },
  {
    takesAway: 'a request to Kafka times out although the wall clock is set back',
    edits: [
      { text: 'request.sentAtMs = performance.now();', replacement: 'request.sentAtMs = Date.now();' },
      {
        text: '  const nowMs = performance.now();\n  const leftMs',
        replacement: '  const nowMs = Date.now();\n  const leftMs',
      },
      { text: 'if (performance.now() - request.sentAtMs >', replacement: 'if (Date.now() - request.sentAtMs >' },
    ],
    project: 'unit',
    noticedBy: ['shared/kafka/client/throttle-fix'],
  },
  {
    takesAway: 'metadata of Kafka expires although the wall clock is set back',
    edits: [
      {
        text: 'expireAtMs > Date.now() + maxAgeMs)',
        replacement: 'expireAtMs > Date.now() + 2 * maxAgeMs + 86_400_000)',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/kafka/client/clock-fix'],
  },
  {
    takesAway: 'the fetch of a stopped consumer fails',
    edits: [{ text: "if (!this.running) throw new Error('the consumer was stopped');", replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/kafka/client/stop-fix'],
  },
  {
    takesAway: 'as many are held out as were asked for',
    edits: [{ text: '(percent / 100) * range', replacement: '((percent + 0.5) / 100) * range' }],
    project: 'unit',
    noticedBy: ['shared/domain/run/hold-out'],
  },
  {
    takesAway: 'the split is independent of the hold-out',
    edits: [{ text: '`split\\u0000${seed}\\u0000${user}`', replacement: '`${seed}\\u0000${user}`' }],
    project: 'unit',
    noticedBy: ['shared/domain/run/split'],
  },
  {
    takesAway: 'an old signature is refused',
    edits: [
      {
        text: 'if (Math.abs(nowSeconds - Number(timestamp)) > webhookToleranceSeconds) {',
        replacement: 'if (Number(timestamp) - nowSeconds > webhookToleranceSeconds) {',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/endpoint/standard-webhooks'],
  },
];
