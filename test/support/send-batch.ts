export interface BatchTerms {
  /** Address of the action's batches. */
  url: string;
  action: { type: string; params: object };
  run: string;
  users: readonly string[];
  key: string;
  mode?: 'live' | 'test' | undefined;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
}

/** Sends one batch as a worker does: the first attempt of the first step in Singapore. */
export async function sendBatch({ url, action, run, users, key, mode = 'live', headers = {} }: BatchTerms) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      'muster-attempt': '1',
      'muster-mode': mode,
      ...headers,
    },
    body: JSON.stringify({ campaign: 'cmp_1', run, step: 1, country: 'SG', batch: 1, action, users }),
  });
  const body: unknown = await response.json();
  return { status: response.status, headers: response.headers, body };
}
