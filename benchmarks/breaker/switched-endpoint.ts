import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { batchCall } from '../../shared/contracts/endpoints/batch-actions.ts';

const latencyMs = 20;

/** A batch endpoint that can be switched off, by country, and remembers when it was called. */
export interface SwitchedEndpoint {
  readonly url: string;
  /** Answers 503 for this country as long as it is down. */
  setDown(country: string, isDown: boolean): void;
  /**
   * Returns the number of calls for the country that began in this interval, in milliseconds of `performance.now()`.
   */
  callsBetween(country: string, fromMs: number, untilMs: number): number;
  stop(): Promise<void>;
}

export async function startSwitchedEndpoint(): Promise<SwitchedEndpoint> {
  const down = new Set<string>();
  const calls = new Map<string, number[]>();

  async function answer(body: string): Promise<{ status: number; text: string }> {
    const { country, users } = batchCall.parse(JSON.parse(body));
    const own = calls.get(country) ?? [];
    own.push(performance.now());
    calls.set(country, own);
    if (down.has(country)) return { status: 503, text: '{}' };
    await wait(latencyMs);
    return { status: 200, text: JSON.stringify({ succeeded: users.length, failed: [] }) };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void answer(Buffer.concat(chunks).toString()).then(({ status, text }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(text);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;

  return {
    url: `http://127.0.0.1:${port}/batches`,
    setDown: (country, isDown) => {
      if (isDown) down.add(country);
      else down.delete(country);
    },
    callsBetween: (country, fromMs, untilMs) =>
      (calls.get(country) ?? []).filter((atMs) => atMs >= fromMs && atMs < untilMs).length,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
