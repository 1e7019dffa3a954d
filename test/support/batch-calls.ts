import { z } from 'zod';

export interface BatchOfUsers {
  users: readonly string[];
  run: string;
  params?: object;
  mode?: 'live' | 'test';
  key?: string;
  attempt?: number;
}

const answered = z.object({
  results: z
    .array(
      z.object({ id: z.string(), status: z.string(), code: z.string().optional(), retryable: z.boolean().optional() }),
    )
    .default([]),
  code: z.string().optional(),
  message: z.string().optional(),
});

let calls = 0;

/** Calls a batch endpoint as Muster does. */
export async function callBatch(
  url: string,
  { users, run, params = { text: 'Hi' }, mode = 'live', key = `key-${++calls}`, attempt = 1 }: BatchOfUsers,
) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      'muster-attempt': String(attempt),
      'muster-mode': mode,
    },
    body: JSON.stringify({
      campaign: 'cmp_1',
      run,
      step: 1,
      country: 'SG',
      batch: 1,
      action: { type: 'notify', params },
      users,
    }),
  });
  const { results, ...problem } = answered.parse(await response.json());
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    ...problem,
    /** Result by user: `ok`, a code, or a code followed by `, retryable`. */
    outcomes: Object.fromEntries(
      results.map(({ id, status, code, retryable }) => [
        id,
        status === 'succeeded' ? 'ok' : `${code ?? ''}${retryable ? ', retryable' : ''}`,
      ]),
    ),
  };
}
