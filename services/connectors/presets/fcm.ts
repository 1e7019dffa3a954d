import type { Preset } from './preset.ts';

/**
 * Push notifications through Firebase Cloud Messaging (HTTP v1), one device per request. The API has no idempotency
 * key, so a request is never repeated. `FCM_AUTHORIZATION` is a short-lived access token: restart the connectors with a
 * new token, or call through a proxy that adds it.
 */
export const fcm: Preset = {
  sources: [
    'https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send',
    'https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode',
    'https://firebase.google.com/docs/cloud-messaging/scale-fcm',
  ],
  call: {
    url: 'https://fcm.googleapis.com/v1/projects/{{settings.project}}/messages:send',
    headersEnv: { authorization: 'FCM_AUTHORIZATION' },
    // The default quota is 600,000 requests a minute.
    perSecond: 10_000,
    // Documented wait in seconds after a 429 without `Retry-After`.
    pauseSeconds: 60,
    body: {
      message: {
        token: '{{attributes.token}}',
        notification: { title: '{{params.title}}', body: '{{params.text}}' },
        data: { run: '{{run}}', key: '{{key}}' },
      },
    },
    answers: [
      { path: 'error.details.*.errorCode', equals: 'UNREGISTERED', is: 'failed', code: 'unregistered' },
      // The token belongs to another sender. If this happens to all users, the limit on refused users holds the step.
      { path: 'error.details.*.errorCode', equals: 'SENDER_ID_MISMATCH', is: 'failed', code: 'other-sender' },
      { path: 'error.details.*.errorCode', equals: 'THIRD_PARTY_AUTH_ERROR', is: 'misconfigured' },
      { path: 'error.details.*.errorCode', equals: 'QUOTA_EXCEEDED', is: 'retryable', code: 'quota-exceeded' },
      { path: 'error.details.*.errorCode', equals: 'INVALID_ARGUMENT', is: 'failed', code: 'invalid-token' },
      { path: 'error.details.*.errorCode', equals: 'UNAVAILABLE', is: 'unknown' },
      { status: 400, is: 'failed', codePath: 'error.status' },
    ],
  },
};
