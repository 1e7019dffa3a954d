import type { Preset } from './preset.ts';

/** Any service that accepts one JSON request per user and recognizes repeats by `Idempotency-Key`. */
export const webhook: Preset = {
  sources: ['https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/'],
  call: {
    url: '{{settings.url}}',
    idempotencyHeader: 'idempotency-key',
    recognizesRepeats: true,
    body: {
      user: '{{user}}',
      country: '{{country}}',
      campaign: '{{campaign}}',
      run: '{{run}}',
      step: '{{step}}',
      params: '{{params}}',
    },
  },
};
