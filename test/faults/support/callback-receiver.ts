import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ReceivedCall } from '../../support/callback-evidence.ts';
import { ledgerLine, type CallbackManners } from './callback-receiver-messages.ts';

/** Witness of callbacks: a separate process with its own ledger, which the faults of the test cannot affect. */
export interface CallbackReceiver {
  readonly port: number;
  /** Sets the secret of valid calls. The answer to all paths changes with the next call. */
  trust(secret: string): Promise<void>;
  behave(manners: CallbackManners): Promise<void>;
  /** Refuses connections and cuts open ones while `isUp` is false. */
  up(isUp: boolean): Promise<void>;
  /** Returns the written calls: nearly all that were received. */
  calls(): ReceivedCall[];
  /** Returns all calls received so far. */
  allCalls(): Promise<ReceivedCall[]>;
  end(): Promise<void>;
}

const notified = z.object({ port: z.number() });

export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-receiver-'));
  const ledgerFile = join(folder, 'ledger.jsonl');
  writeFileSync(ledgerFile, '');
  const child = fork(join(import.meta.dirname, 'callback-receiver-main.ts'), [ledgerFile], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(() => {
    throw new Error('the receiver of callbacks has ended');
  });
  gone.catch(() => undefined);
  let rules: { secrets: string[]; manners: CallbackManners; isUp: boolean } = { secrets: [], manners: {}, isUp: true };

  /** The last change. Changes are sent one by one, because answers do not name the change that they belong to. */
  let last: Promise<unknown> = Promise.resolve();

  function change(changes: Partial<typeof rules>): Promise<number> {
    const changed = (rules = { ...rules, ...changes });
    const answered = last.then(() => send(changed));
    last = answered.catch(() => undefined);
    return answered;
  }

  async function send(changed: typeof rules): Promise<number> {
    const answered = new Promise<unknown>((resolve) => child.once('message', resolve));
    child.send(changed);
    return notified.parse(await Promise.race([answered, gone])).port;
  }

  const port = await change({});
  return {
    port,
    trust: async (secret) => {
      await change({ secrets: [...rules.secrets, secret] });
    },
    behave: async (manners) => {
      await change({ manners });
    },
    up: async (isUp) => {
      await change({ isUp });
    },
    calls: () => readCalls(ledgerFile),
    allCalls: async () => {
      await change({});
      return readCalls(ledgerFile);
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function readCalls(ledgerFile: string): ReceivedCall[] {
  const calls = new Map<number, ReceivedCall>();
  // The last line may be incomplete while it is being written.
  const lines = readFileSync(ledgerFile, 'utf8').split('\n').slice(0, -1);
  for (const line of lines.map((text) => ledgerLine.parse(JSON.parse(text)))) {
    if (line.kind === 'call') {
      const { call, jobId, atMs, isKept, digest, problem, occurrence } = line;
      calls.set(call, { jobId, atMs, isKept, digest, problem, occurrence, endedAtMs: null, status: null });
    } else {
      const begun = calls.get(line.call);
      if (begun) Object.assign(begun, { endedAtMs: line.atMs, status: line.status });
    }
  }
  return [...calls.values()];
}
