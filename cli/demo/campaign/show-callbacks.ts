import { once } from 'node:events';
import type { Server } from 'node:http';
import { z } from 'zod';
import { createReceiver } from '../../../sdk/example-receiver.ts';
import { addClientEndpointKey, createClient } from '../../../sdk/generated/sdk.gen.ts';
import { createMuster, type Muster } from '../../../sdk/muster.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Paint } from '../../show/paint.ts';
import type { DemoInstallation } from '../installation/installation.ts';

export interface ShowCallbacksDeps {
  paint: Paint;
  say: (text: string) => void;
  clock: Clock;
  signal: AbortSignal;
}

const client = 'demo-shop';
const afterSeconds = 2;
/** Delay of the cancelled job in seconds, long enough to cancel the job before it is due, even on a slow machine. */
const cancelledAfterSeconds = 3600;
const endsWithinMs = 20_000;
const pollMs = 100;

/**
 * Plays another team's service that uses the SDK. It schedules four callbacks, cancels one, and verifies the signatures
 * of the others. It refuses one callback at first, and submits another twice under one key.
 *
 * @returns whether all callbacks ended as expected
 */
export async function showCallbacks(
  installation: Pick<DemoInstallation, 'apiUrl' | 'apiKey'>,
  { paint, say, clock, signal }: ShowCallbacksDeps,
): Promise<boolean> {
  const handled = new Map<string, number>();
  const secrets: string[] = [];
  const receiver = createReceiver({
    secrets,
    handle: (body) => {
      const times = (handled.get(body) ?? 0) + 1;
      handled.set(body, times);
      if (body === 'refused at first' && times === 1) throw new Error('not today');
    },
  });
  try {
    const port = await listen(receiver);
    const muster = createMuster({ url: installation.apiUrl, apiKey: installation.apiKey });
    secrets.push(await addClient(muster, port));
    say(`\n  ${paint.strong('Callbacks')} ${paint.faint(`· ${client}, due in ${afterSeconds} s, signed`)}\n\n`);
    const ids = await scheduleSome(muster, `http://127.0.0.1:${port}/hook`);
    const states = await endsOf(ids, muster, { clock, signal });
    if (signal.aborted) return true;
    const lines = states.map(({ name, state, calls, isAsExpected }) => {
      const times = calls === 0 ? 'never called' : `${state} at attempt ${calls}`;
      return `  ${isAsExpected ? paint.good('✔') : paint.bad('✖')} ${name.padEnd(18)} ${times}\n`;
    });
    const { accepted, called, cancelled, pending } = await muster.ledger(client);
    const sums = `${accepted} accepted = ${called} called + ${cancelled} cancelled + ${pending} pending`;
    say(`${lines.join('')}\n  ${sums}\n\n`);
    return states.every(({ isAsExpected }) => isAsExpected) && accepted === called + cancelled && handled.size === 3;
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
}

/** Creates a client that may call only this machine. Returns the secret that signs its calls. */
async function addClient({ api }: Muster, port: number): Promise<string> {
  const egress = { allow: [{ cidr: '127.0.0.0/8', port }] };
  const retry = { strategy: 'fixed', attempts: 3, delayMs: 500 } as const;
  const { id } = (await createClient({ client: api, body: { name: client, endpoint: { egress, retry } } })).data;
  const { secret } = (await addClientEndpointKey({ client: api, path: { id, endpoint: 'default' }, body: {} })).data;
  if (secret === null) throw new Error('the secret of a new key was not shown');
  return secret;
}

interface Scheduled {
  name: string;
  id: string;
  expected: { state: string; calls: number };
}

async function scheduleSome(muster: Muster, url: string): Promise<Scheduled[]> {
  const schedule = async (
    name: string,
    expected: Scheduled['expected'],
    delaySeconds = afterSeconds,
  ): Promise<Scheduled> => {
    const idempotencyKey = name.replaceAll(' ', '-');
    const wanted = { client, url, method: 'POST', body: name, delaySeconds, idempotencyKey } as const;
    const { id } = await muster.schedule(wanted);
    return { name, id, expected };
  };
  const called = { state: 'called', calls: 1 };
  const twice = await schedule('asked for twice', called);
  await schedule('asked for twice', called);
  const plain = await schedule('plain', called);
  const refused = await schedule('refused at first', { state: 'called', calls: 2 });
  const cancelled = await schedule('taken back', { state: 'cancelled', calls: 0 }, cancelledAfterSeconds);
  await muster.cancel(cancelled.id);
  return [plain, twice, refused, cancelled];
}

async function endsOf(
  scheduled: readonly Scheduled[],
  muster: Muster,
  { clock, signal }: Pick<ShowCallbacksDeps, 'clock' | 'signal'>,
): Promise<{ name: string; state: string; calls: number; isAsExpected: boolean }[]> {
  const giveUpMs = clock.monotonicMs() + endsWithinMs;
  for (;;) {
    const jobs = await Promise.all(scheduled.map(({ id }) => muster.job(id)));
    const isOver = jobs.every(({ endedAt }) => endedAt !== null);
    if (isOver || signal.aborted || clock.monotonicMs() > giveUpMs) {
      return jobs.map(({ state, attempts }, index) => {
        const { name = '', expected } = scheduled[index] ?? {};
        const calls = attempts.length;
        return { name, state, calls, isAsExpected: state === expected?.state && calls === expected.calls };
      });
    }
    await clock.sleep(pollMs);
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return z.object({ port: z.number() }).parse(server.address()).port;
}
