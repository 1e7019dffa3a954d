import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { lasting } from './until.ts';

export interface WantedRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

export interface Requests {
  /** Requests without the expected answer: status and answer, or the cause. */
  readonly failed: readonly string[];
  requested(): number;
  stop(): Promise<void>;
}

const pauseMs = 20;

/** Sends requests one after another, each on its own connection, so that no request is repeated by the client. */
export function requestAllTheWhile(url: string, apiKey: string, wanted: readonly WantedRequest[]): Requests {
  const failed: string[] = [];
  let queried = 0;
  const ending = new AbortController();
  const asking = (async () => {
    while (!ending.signal.aborted) {
      for (const one of wanted) {
        queried++;
        const answer = await ask(url, apiKey, one).catch((error: unknown) => ({ status: 0, body: String(error) }));
        if (answer.status < 200 || answer.status > 299)
          failed.push(`${one.method} ${one.path}: ${answer.status} ${answer.body}`);
        await lasting(pauseMs);
      }
    }
  })();
  return {
    failed,
    requested: () => queried,
    stop: async () => {
      ending.abort();
      await asking;
    },
  };
}

async function ask(url: string, apiKey: string, { method, path, body }: WantedRequest) {
  const headers = { authorization: `Bearer ${apiKey}`, connection: 'close' };
  const typed = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  return await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers: typed, agent: false }, (answer) => {
      text(answer).then((read) => resolve({ status: answer.statusCode ?? 0, body: read }), reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
