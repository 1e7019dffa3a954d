import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { z } from 'zod';

const callShape = z.object({ step: z.int(), batch: z.int(), users: z.array(z.string()) });

/** A call of a second step that began before the rows of its first step were committed. */
export interface EarlyCall {
  batch: number;
  users: number;
}

/**
 * An endpoint of both steps that looks at the outcome rows through a connection of its own: when a second step arrives,
 * the rows of its first step have to be committed. In each step the first user of the batch fails.
 */
export interface AuditedEndpoint {
  readonly url: string;
  /** Number of answered calls, repeats included. */
  answered(step: number): number;
  /** Calls of second steps that began before the rows of their first step were committed. */
  readonly early: readonly EarlyCall[];
  close(): Promise<void>;
}

export async function startAuditedEndpoint(databaseUrl: string, latencyMs: number): Promise<AuditedEndpoint> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const answered = new Map<number, number>();
  const early: EarlyCall[] = [];

  async function answer(request: IncomingMessage): Promise<string> {
    const { step, batch, users } = callShape.parse(JSON.parse(await bodyOf(request)));
    if (step === 2 && !(await hasFirstStep(batch, users.length))) early.push({ batch, users: users.length });
    await pause(latencyMs);
    answered.set(step, (answered.get(step) ?? 0) + 1);
    return JSON.stringify({ results: users.map((id, index) => resultOf(id, index)) });
  }

  async function hasFirstStep(batch: number, users: number): Promise<boolean> {
    const { rows } = await pool.query(
      `select from step_outcomes o where batch = $1 and step = 1 and succeeded = $2
         and exists (select from step_failures f where (f.batch, f.step) = (o.batch, o.step))`,
      [batch, users],
    );
    return rows.length === 1;
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (text) => response.setHeader('content-type', 'application/json').end(text),
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the endpoint has no port');
  return {
    url: `http://127.0.0.1:${address.port}/batches`,
    answered: (step) => answered.get(step) ?? 0,
    early,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(z.instanceof(Buffer).parse(chunk));
  return Buffer.concat(chunks).toString();
}

function resultOf(id: string, index: number) {
  return index === 0 ? { id, status: 'failed', code: 'sold-out' } : { id, status: 'succeeded' };
}
