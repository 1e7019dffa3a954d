import type { Preset } from './preset.ts';

/**
 * Push notifications through OneSignal to users by their external id. OneSignal recognizes repeats by `idempotency_key`
 * for 30 days.
 */
export const onesignal: Preset = {
  sources: [
    'https://documentation.onesignal.com/reference/create-message',
    'https://documentation.onesignal.com/reference/idempotent-notification-requests',
    'https://documentation.onesignal.com/reference/rate-limits',
  ],
  call: {
    url: 'https://api.onesignal.com/notifications',
    headersEnv: { authorization: 'ONESIGNAL_AUTHORIZATION' },
    recognizesRepeats: true,
    // Limit of free plans, in requests per second.
    perSecond: 150,
    body: {
      app_id: '{{settings.app}}',
      idempotency_key: '{{key}}',
      target_channel: 'push',
      include_aliases: { external_id: ['{{user}}'] },
      template_id: '{{settings.template}}',
      custom_data: '{{params}}',
    },
    answers: [
      { listed: 'errors.invalid_aliases.external_id', is: 'failed', code: 'no-such-user' },
      // An empty id means that no message was created.
      { status: 200, path: 'id', equals: '', is: 'failed', code: 'not-subscribed' },
      { status: 400, is: 'misconfigured' },
    ],
  },
};
