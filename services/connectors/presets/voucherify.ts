import type { Preset } from './preset.ts';

/**
 * A voucher of a Voucherify campaign for each user. `source_id` identifies the publication, so that it can be found
 * later. A repeated request would publish another voucher, so a request is never repeated.
 */
export const voucherify: Preset = {
  sources: [
    'https://docs.voucherify.io/api-reference/publications/create-publication',
    'https://docs.voucherify.io/reference/errors',
    'https://docs.voucherify.io/docs/limits',
  ],
  call: {
    url: 'https://{{settings.host}}/v1/publications',
    headersEnv: { 'x-app-id': 'VOUCHERIFY_APP_ID', 'x-app-token': 'VOUCHERIFY_APP_TOKEN' },
    // The limit is per hour or minute, and the answer does not contain a waiting time.
    pauseSeconds: 60,
    body: {
      campaign: { name: '{{settings.campaign}}', count: 1 },
      source_id: '{{key}}',
      customer: { source_id: '{{user}}' },
      metadata: { run: '{{run}}' },
    },
    answers: [
      { path: 'result', equals: 'FAILURE', is: 'failed', codePath: 'failure_code' },
      { status: 400, is: 'failed', codePath: 'key' },
      { status: 402, is: 'misconfigured' },
      { status: 404, is: 'misconfigured' },
    ],
  },
};
