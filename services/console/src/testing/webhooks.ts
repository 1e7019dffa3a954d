import type { ListWebhookDeliveriesResponse, ListWebhooksResponse, Webhook } from '#client/types.gen.ts';

const well: Webhook = {
  id: 'whk_slack',
  revision: 4,
  url: 'https://hooks.slack.com/[sealed]',
  name: 'Slack, growth',
  format: 'slack',
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
  links: { self: '/v1/webhooks/whk_slack', deliveries: '/v1/webhooks/whk_slack/deliveries' },
};

/** One that hears all, and one of which three notices were given up. */
export const webhooks: ListWebhooksResponse = {
  items: [
    well,
    {
      ...well,
      ...{ id: 'whk_finance', name: null, url: 'https://finance.example.com/[sealed]', tags: null, lastSent: null },
      format: 'standard',
      ...{ events: ['budget.low'], waiting: 1, dead: 3 },
    },
  ],
  next: null,
};

export const deliveries: ListWebhookDeliveriesResponse = {
  items: [
    {
      ...{ id: 'job_1', event: 'budget.low', state: 'dead', at: '2026-11-21T08:00:00.000Z' },
      ...{ attempts: 12, status: 500, cause: 'http-500' },
    },
  ],
  next: null,
};
