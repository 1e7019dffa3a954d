import type {
  CompareRunResponse,
  ExplainRunUserResponse,
  GetRunResponse,
  ListRunEventsResponse,
  ListRunFailuresResponse,
} from '#client/types.gen.ts';

/** A run that has ended with failures. */
export const endedRun: GetRunResponse = {
  runId: 'run_ended',
  kind: 'live',
  canary: null,
  parentRunId: null,
  campaignId: 'cmp_ended',
  campaignName: 'Lapsed riders, December',
  revision: 1,
  state: 'completed_with_failures',
  stateReason: null,
  scheduledFor: '2026-11-22T19:35:31.297Z',
  startedAt: '2026-11-22T19:35:31.702Z',
  endedAt: '2026-11-22T19:36:22.636Z',
  stateSince: '2026-11-22T19:36:22.636Z',
  deadlineAt: '2026-11-23T19:35:31.297Z',
  settings: { priority: 'normal', paceUsersPerSecond: null, pauseAtFailedPercent: null, pauseAtFailedMinUsers: 1000 },
};

export const endedEvents: ListRunEventsResponse = {
  items: [
    { id: 'evt_01m82c3b8je6xvxekzwjchr4k4', at: '2026-11-22T19:35:31.346Z', kind: 'created', detail: {} },
    { id: 'evt_01m82c3bkse9jsmmrrp5qbm2dc', at: '2026-11-22T19:35:31.705Z', kind: 'begun', detail: { feeds: 3 } },
    {
      id: 'evt_01m82c3r0ee2hbqfn83486q150',
      at: '2026-11-22T19:35:44.398Z',
      kind: 'breaker-opened',
      detail: { step: 1, cause: 'award-reward in VN: 503 Service Unavailable', action: 'award-reward', country: 'VN' },
    },
    {
      id: 'evt_01m82c3t29eek8y9rtcw5q4w40',
      at: '2026-11-22T19:35:46.505Z',
      kind: 'breaker-closed',
      detail: {
        step: 1,
        cause: 'award-reward in VN: 503 Service Unavailable',
        forMs: 2569,
        action: 'award-reward',
        country: 'VN',
      },
    },
    {
      id: 'evt_01m82c4xbme2tayq5paf82hvga',
      at: '2026-11-22T19:36:22.644Z',
      kind: 'ended',
      detail: { state: 'completed_with_failures', reason: null },
    },
  ],
  next: null,
};

export const comparison: CompareRunResponse = {
  run: {
    runId: 'run_ended',
    scheduledFor: '2026-11-22T19:35:31.297Z',
    state: 'completed_with_failures',
    campaignId: 'cmp_ended',
    campaignName: 'Lapsed riders, December',
    chain: ['award-reward', 'send-message'],
    revision: 1,
    audience: 30000,
    through: 29176,
    failed: 824,
    unknown: 0,
    suppressed: 0,
    expired: 0,
    cancelled: 0,
    recovered: 0,
    tookMs: 50934,
  },
  before: null,
  others: [],
};

export const failures: ListRunFailuresResponse = {
  items: [
    {
      userId: 'id-000000069',
      step: 1,
      country: 'ID',
      outcome: 'failed',
      reason: 'out-of-stock',
      detail: null,
      attempts: 1,
      batchNo: 1,
      failedAt: '2026-11-22T19:35:36.068Z',
    },
    {
      userId: 'id-000000090',
      step: 1,
      country: 'ID',
      outcome: 'failed',
      reason: 'out-of-stock',
      detail: null,
      attempts: 1,
      batchNo: 1,
      failedAt: '2026-11-22T19:35:36.068Z',
    },
    {
      userId: 'id-000000098',
      step: 1,
      country: 'ID',
      outcome: 'failed',
      reason: 'account-closed',
      detail: null,
      attempts: 1,
      batchNo: 1,
      failedAt: '2026-11-22T19:35:36.068Z',
    },
  ],
  next: 'WyJJRCIsIjAxYTIwNGMxLWFlNzYtNzNmNi1iMDJiLTJiYmU2MGFmYWRkNCIsMTQsMiwiaWQtMDAwMDAxMzA0Il0',
};

export const explanation: ExplainRunUserResponse = {
  runId: 'run_ended',
  campaignId: 'cmp_ended',
  userId: 'id-000000069',
  receiptsDeletedAt: null,
  state: 'completed_with_failures',
  asOf: '2026-11-22T19:38:11.762Z',
  audience: { place: 'member', country: 'ID', detail: 'it was fed' },
  batches: [{ batchNo: 1, parent: null, fromStep: 1, users: 100 }],
  steps: [
    {
      reason: 'out-of-stock',
      detail: null,
      endedAt: '2026-11-22T19:35:36.068Z',
      waitsFor: null,
      nextAttemptAt: null,
      receipt: null,
      attempts: [
        {
          attempt: 1,
          at: '2026-11-22T19:35:36.068Z',
          batchNo: 1,
          result: 'failed',
          code: 'out-of-stock',
          message: null,
          idempotencyKey: '01a204c1-ae76-73f6-b02b-2bbe60afadd4-1-1',
        },
      ],
      step: 1,
      action: 'award-reward',
      outcome: 'failed',
    },
    {
      reason: null,
      detail: null,
      endedAt: null,
      waitsFor: null,
      nextAttemptAt: null,
      receipt: null,
      attempts: [],
      step: 2,
      action: 'send-message',
      outcome: 'skipped',
    },
  ],
};
