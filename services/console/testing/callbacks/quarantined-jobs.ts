import type {
  GroupQuarantinedJobsResponse,
  ListQuarantinedJobsResponse,
  QuarantinedJobDetail,
} from '#client/types.gen.ts';
import { deadJob, shop } from './jobs.ts';

export const quarantinedJobGroups: GroupQuarantinedJobsResponse = {
  items: [
    {
      kind: 'job',
      clientId: shop.id,
      reason: 'status 500',
      items: 100,
      firstAt: '2026-11-21T19:00:00.000Z',
      lastAt: '2026-11-22T19:01:03.000Z',
    },
    {
      kind: 'job',
      clientId: 'cli_billing',
      reason: 'no answer',
      items: 3,
      firstAt: '2026-11-20T19:00:00.000Z',
      lastAt: '2026-11-20T19:01:03.000Z',
    },
  ],
  next: null,
};

const listedDead = {
  kind: 'job',
  state: 'kept',
  id: deadJob.id,
  clientId: shop.id,
  reason: 'status 500',
  since: '2026-11-22T19:01:03.000Z',
  decidedAt: null,
  scheduledFor: deadJob.scheduledFor,
  expiresAt: null,
  expired: false,
  attempts: 2,
  method: 'POST',
  url: deadJob.url,
  status: 500,
} as const;

export const quarantinedJobs: ListQuarantinedJobsResponse = {
  items: [listedDead, { ...listedDead, id: 'job_dead2' }],
  next: null,
};

export const quarantinedJob: QuarantinedJobDetail = {
  ...listedDead,
  headers: deadJob.headers,
  body: deadJob.body,
  withheld: false,
  answer: '{"error":"duplicate"}',
  idempotencyKey: 'cart-7',
  tags: ['cart'],
};
