import type { Preset } from './preset.ts';

/**
 * E-mails with a dynamic template of SendGrid, up to 1,000 recipients per request. If a request is refused because of
 * one recipient, it is split into halves. The API has no idempotency key, so a request is never repeated.
 */
export const sendgrid: Preset = {
  sources: [
    'https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send',
    'https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors',
    'https://docs.sendgrid.com/api-reference/mail-send/limitations',
    'https://www.twilio.com/docs/sendgrid/for-developers/sending-email/unique-arguments',
    'https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits',
  ],
  call: {
    url: 'https://api.sendgrid.com/v3/mail/send',
    headersEnv: { authorization: 'SENDGRID_AUTHORIZATION' },
    usersPerCall: 100,
    body: {
      from: { email: '{{settings.from}}' },
      template_id: '{{settings.template}}',
      personalizations: {
        forEachUser: {
          to: [{ email: '{{attributes.email}}' }],
          dynamic_template_data: '{{params}}',
          // At most 10,000 bytes per request, and no personal data, because SendGrid displays and stores these values.
          custom_args: { key: '{{key}}' },
        },
      },
    },
    answers: [
      { status: 400, is: 'failed', code: 'refused' },
      { status: 403, is: 'misconfigured' },
      { status: 413, is: 'failed', code: 'too-large' },
    ],
  },
};
