import type { ListNotificationDeliveriesResponse, ListNotificationsResponse, Notification } from '#client/types.gen.ts';

const well: Notification = {
  id: 'ntf_slack',
  revision: 4,
  url: 'https://hooks.slack.com/[sealed]',
  name: 'Slack, growth',
  kind: 'slack',
  events: ['approval.waiting', 'run.started', 'run.stalled', 'run.ended'],
  campaigns: null,
  tags: ['growth'],
  owners: null,
  digest: null,
  enabled: true,
  egress: { allow: [] },
  client: 'cli_slack',
  waiting: 0,
  dead: 0,
  lastSent: { at: '2026-11-21T08:00:00.000Z', event: 'run.started', status: 204 },
  createdAt: '2026-11-20T08:00:00.000Z',
  links: { self: '/v1/notifications/ntf_slack', deliveries: '/v1/notifications/ntf_slack/deliveries' },
};

/** A notification of Slack without dead deliveries, and a webhook with three. */
export const notifications: ListNotificationsResponse = {
  items: [
    well,
    {
      ...well,
      id: 'ntf_finance',
      name: null,
      url: 'https://finance.example.com/[sealed]',
      tags: null,
      lastSent: null,
      kind: 'webhook',
      events: ['budget.low'],
      waiting: 1,
      dead: 3,
    },
  ],
  next: null,
};

export const deliveries: ListNotificationDeliveriesResponse = {
  items: [
    {
      id: 'job_1',
      event: 'budget.low',
      state: 'dead',
      at: '2026-11-21T08:00:00.000Z',
      attempts: 12,
      status: 500,
      cause: 'http-500',
    },
  ],
  next: null,
};
