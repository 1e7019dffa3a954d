import { Pool } from 'pg';
import { Agent } from 'undici';
import { z } from 'zod';
import { readExpectedAnswer } from '../../services/worker/endpoint/expected-answer.ts';

/**
 * Order for the bare loop, which shows what the work itself costs: no queue, no claims, no retries. The loop makes the
 * same two batch calls per batch from memory, with the same headers. The worker's own reader matches the answers to the
 * users, and each batch stores one grouped outcome row. With `usersPerCall: 1` and `inFlight: 1` it is the naive loop.
 */
const order = z.object({
  url: z.string(),
  form: z.enum(['full', 'compact']),
  batches: z.int(),
  usersPerCall: z.int(),
  inFlight: z.int(),
  databaseUrl: z.string(),
});

type Order = z.infer<typeof order>;

const agent = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 60_000 });
const rowsPerInsert = 250;
const sameHeaders = [
  ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
  ...['muster-mode', 'live'],
];

function call(url: URL, body: string, key: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname,
        method: 'POST',
        headers: [...sameHeaders, 'idempotency-key', key, 'muster-attempt', '1'],
        body,
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, chunk) => {
          chunks.push(chunk);
        },
        onResponseEnd: () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function serve({ url, form, batches, usersPerCall, inFlight, databaseUrl }: Order): Promise<number> {
  const target = new URL(url);
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  await pool.query('create table if not exists bare_outcomes (batch int primary key, succeeded int not null)');
  await pool.query('truncate bare_outcomes');
  const done: { batch: number; succeeded: number }[] = [];
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    const rows = done.splice(0);
    writing = writing.then(async () => {
      await pool.query({
        name: 'bare-outcomes',
        text: 'insert into bare_outcomes select * from unnest($1::int[], $2::int[])',
        values: [rows.map(({ batch }) => batch), rows.map(({ succeeded }) => succeeded)],
      });
    });
    return writing;
  }

  async function serveBatch(batch: number): Promise<void> {
    const users = Array.from(
      { length: usersPerCall },
      (_, i) => `"user-${String(batch * usersPerCall + i).padStart(9, '0')}"`,
    ).join(',');
    let succeeded = usersPerCall;
    for (const step of [1, 2]) {
      const body = `{"campaign":"cmp_x","run":"run_x","step":${step},"country":"SG","batch":${batch},"action":{"type":"award-reward","params":{}},"users":[${users}]}`;
      const answer = await call(target, body, `bare-${batch}-${step}`);
      const notified = readExpectedAnswer(form, { users, count: usersPerCall, plain: true }, answer);
      if (!notified) throw new Error(`unexpected answer: ${answer.toString('utf8', 0, 200)}`);
      succeeded -= notified.failed.length;
    }
    done.push({ batch, succeeded });
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
