import { Pool } from 'pg';
import { Agent } from 'undici';
import { z } from 'zod';

/**
 * The bare loop: the same two batch calls per batch from memory, and one grouped outcome row per batch. No queue, no claims, no retries:
 * what the work itself costs. With `usersPerCall: 1` and `inFlight: 1` it is the naive loop.
 */
const order = z.object({
  url: z.string(),
  batches: z.int(),
  usersPerCall: z.int(),
  inFlight: z.int(),
  databaseUrl: z.string(),
});

type Order = z.infer<typeof order>;

const agent = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 60_000 });
const rowsPerInsert = 250;

function call(url: URL, body: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body,
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, chunk) => {
          text += chunk.toString('latin1');
        },
        onResponseEnd: () => resolve(text),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function serve({ url, batches, usersPerCall, inFlight, databaseUrl }: Order): Promise<number> {
  const target = new URL(url);
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  await pool.query('create table if not exists bare_outcomes (batch int primary key, succeeded int not null)');
  await pool.query('truncate bare_outcomes');
  const done: number[] = [];
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    const rows = done.splice(0);
    writing = writing.then(async () => {
      await pool.query({
        name: 'bare-outcomes',
        text: 'insert into bare_outcomes select unnest($1::int[]), $2',
        values: [rows, usersPerCall],
      });
    });
    return writing;
  }

  async function serveBatch(batch: number): Promise<void> {
    const users = Array.from(
      { length: usersPerCall },
      (_, i) => `"user-${String(batch * usersPerCall + i).padStart(9, '0')}"`,
    );
    for (const step of [1, 2]) {
      const body = `{"campaign":"cmp_x","run":"run_x","step":${step},"country":"SG","batch":${batch},"action":{"type":"award-reward","params":{}},"users":[${users.join(',')}]}`;
      const answer = await call(target, body, `bare-${batch}-${step}`);
      if (!answer.includes('succeeded')) throw new Error(`unexpected answer: ${answer.slice(0, 200)}`);
    }
    done.push(batch);
    if (done.length >= rowsPerInsert || usersPerCall === 1) await flush();
  }

  let next = 0;
  async function caller(): Promise<void> {
    while (next < batches) await serveBatch(next++);
  }

  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, caller));
  await flush();
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.end();
  return seconds;
}

process.on('message', (message) => {
  void serve(order.parse(message)).then((seconds) => process.send?.({ seconds }));
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
