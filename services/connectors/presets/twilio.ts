import type { Preset } from './preset.ts';

/** SMS through Twilio, one message per request. The API has no idempotency key, so a request is never repeated. */
export const twilio: Preset = {
  sources: [
    'https://www.twilio.com/docs/messaging/api/message-resource',
    'https://www.twilio.com/docs/api/errors',
    'https://www.twilio.com/docs/api/errors/20429',
  ],
  call: {
    url: 'https://api.twilio.com/2010-04-01/Accounts/{{settings.account}}/Messages.json',
    headersEnv: { authorization: 'TWILIO_AUTHORIZATION' },
    form: { To: '{{attributes.phone}}', From: '{{settings.from}}', Body: '{{params.text}}' },
    answers: [
      { path: 'code', equals: [21211, 21214, 21217, 21265, 21614], is: 'failed', code: 'no-such-number' },
      { path: 'code', equals: 21610, is: 'failed', code: 'unsubscribed' },
      { path: 'code', equals: [21408, 21612, 21635], is: 'failed', code: 'not-reachable' },
      // The sender's number or the account is wrong, which concerns all users.
      { path: 'code', equals: [20003, 20404, 21212, 21603, 21606, 21608, 21659, 21660], is: 'misconfigured' },
      // The sender's queue is full.
      { path: 'code', equals: [20429, 21611], is: 'retryable', code: 'queue-full' },
      { status: 400, is: 'failed', codePath: 'code' },
    ],
  },
};
