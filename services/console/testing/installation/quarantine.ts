import type {
  CountQuarantinedResponse,
  GroupQuarantinedMessagesResponse,
  ListQuarantinedMessagesResponse,
  ListQuarantinedStepsResponse,
  QuarantinedMessageDetail,
  QuarantinedStepDetail,
} from '#client/types.gen.ts';

/** Counts: two messages that could not be processed, and a step whose workers crashed. */
export const counts: CountQuarantinedResponse = { job: 0, message: 2, step: 1 };

export const messageGroups: GroupQuarantinedMessagesResponse = {
  items: [
    {
      kind: 'message',
      topic: 'muster.steps.award-reward.VN',
      reason: 'message-invalid',
      items: 2,
      firstAt: '2026-11-22T19:30:00.000Z',
      lastAt: '2026-11-22T19:36:00.000Z',
    },
  ],
  next: null,
};

export const message: QuarantinedMessageDetail = {
  kind: 'message',
  id: 'dlt_1',
  topic: 'muster.steps.award-reward.VN',
  partition: 3,
  offset: 4711,
  reason: 'message-invalid',
  state: 'kept',
  replays: 0,
  bytes: 24,
  since: '2026-11-22T19:36:00.000Z',
  decidedAt: null,
  key: { encoding: 'text', content: '01a204c1' },
  value: { encoding: 'text', content: '{"step":"first","user":1}' },
  cut: false,
};

const listed = {
  kind: 'message',
  id: 'dlt_1',
  topic: message.topic,
  partition: 3,
  offset: 4711,
  reason: message.reason,
  state: 'kept',
  replays: 0,
  bytes: 24,
  since: message.since,
  decidedAt: null,
} as const;
export const messages: ListQuarantinedMessagesResponse = {
  items: [listed, { ...listed, id: 'dlt_2', offset: 4712 }],
  next: null,
};

export const step: QuarantinedStepDetail = {
  kind: 'step',
  id: 'qst_1',
  reason: 'its calls ended their workers',
  runId: 'run_ended',
  runState: 'completed_with_failures',
  country: 'VN',
  batchNo: 17,
  step: 1,
  action: 'award-reward',
  state: 'kept',
  users: 100,
  lapses: 3,
  worker: 'worker-2',
  since: '2026-11-22T19:36:10.000Z',
  decidedAt: null,
  replayable: true,
  whyNot: null,
  idempotencyKey: '01a204c1-ae76-73f6-b02b-2bbe60afadd4-17-1',
  calls: [
    { at: '2026-11-22T19:35:40.000Z', worker: 'worker-1', result: 'lost', cause: 'its lease lapsed' },
    { at: '2026-11-22T19:36:00.000Z', worker: 'worker-2', result: 'lost', cause: null },
  ],
  sample: ['id-000000001', 'id-000000002'],
};

export const steps: ListQuarantinedStepsResponse = { items: [step], next: null };
