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
    takesAway: 'as many are held out as were asked for',
    edits: [{ text: '(percent / 100) * range', replacement: '((percent + 0.5) / 100) * range' }],
    project: 'unit',
    noticedBy: ['shared/domain/run/hold-out'],
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
