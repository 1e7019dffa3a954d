import type { Mutation } from './mutation.ts';

export const apiMutations: readonly Mutation[] = [
  {
    takesAway: 'a session ends with its key',
    edits: [
      {
        text: 'from sessions s join api_keys k on k.id = s.api_key and k.revoked_at is null',
        replacement: 'from sessions s join api_keys k on k.id = s.api_key',
      },
    ],
    project: 'integration',
    noticedBy: ['session-store'],
  },
  {
    takesAway: 'an Idempotency-Key stands for one body',
    edits: [{ text: "if (earlier.body_digest !== bodyDigest) return { kind: 'other-body' };", replacement: '' }],
    project: 'integration',
    noticedBy: ['idempotent-requests'],
  },
  {
    takesAway: 'a session ends when it is idle',
    edits: [
      {
        text: 'where s.digest = $1 and least(s.idle_until, s.expires_at) > now()`',
        replacement: 'where s.digest = $1 and s.expires_at > now()`',
      },
    ],
    project: 'integration',
    noticedBy: ['session-store'],
  },
  {
    takesAway: 'a link to log in ends with its time',
    edits: [{ text: 'where used.expires_at > now()`', replacement: 'where used.expires_at is not null`' }],
    project: 'integration',
    noticedBy: ['session-store'],
  },
  {
    takesAway: 'a change by session needs its CSRF token',
    edits: [
      {
        text: "if (!isLook(request.method) && !isCsrfToken(request.headers['x-csrf-token'], secret)) throw withoutToken();",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/sessions'],
  },
  {
    takesAway: 'formulas are escaped in CSV',
    edits: [{ text: 'escape_formulas: !raw,', replacement: 'escape_formulas: false,' }],
    project: 'integration',
    noticedBy: ['services/api/receipts/'],
  },
  {
    takesAway: 'pause, resume and cancel are for managers',
    edits: [
      {
        text: "    url: `/runs/:id/${verb}`,\n    config: { role: 'manager' },",
        replacement: "    url: `/runs/:id/${verb}`,\n    config: { role: 'viewer' },",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/roles-of-routes'],
  },
];
