import type { Preset } from './preset.ts';

/**
 * A campaign of Braze with API-triggered delivery, up to 50 users per request. Success means that Braze accepted the
 * request. The API has no idempotency key, so a request is never repeated.
 */
export const braze: Preset = {
  sources: [
    'https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_triggered_campaigns',
    'https://www.braze.com/docs/api/errors',
    'https://www.braze.com/docs/api/api_limits',
  ],
  call: {
    url: 'https://{{settings.instance}}/campaigns/trigger/send',
    headersEnv: { authorization: 'BRAZE_AUTHORIZATION' },
    usersPerCall: 50,
    // Below the limit of 250,000 requests an hour, which other messaging endpoints share.
    perSecond: 60,
    // The documented headers contain the time at which the limit resets; there is no `Retry-After`.
    pauseSeconds: 60,
    body: {
      campaign_id: '{{settings.campaign}}',
      recipients: {
        forEachUser: {
          external_user_id: '{{user}}',
          send_to_existing_only: true,
          trigger_properties: '{{params}}',
        },
      },
    },
    answers: [
      { status: 400, is: 'failed', code: 'refused' },
      { status: 404, is: 'misconfigured' },
    ],
  },
};
