import { inject } from 'vitest';
import type { FaultControl } from '../../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial } from './callback-trial.ts';
import { latenessOf } from './measure-callbacks.ts';
import type { OwnPostgres } from './own-postgres.ts';
import { lasting, until } from './until.ts';

/** Time within which every job must be called after a freeze, or after its due time. */
export const calledWithinMs = 10_000;
const narrowClients = Array.from({ length: 100 }, (_, nth) => `narrow-${nth}`);
/** The default leases, which are longer than a freeze. */
const usual = { SCHEDULER_LEASE_MS: '10000', DISPATCHER_LEASE_MS: '90000' };
/** Longer than a freeze, so that calls under way are not given up. */
const timeoutMs = 15_000;

export interface FrozenCallbacks {
  readonly trial: CallbackTrial;
  /**
   * Freezes Postgres, or the named process, during a steady stream of jobs. Waits for the end of all jobs, three times
   * as long as they may take.
   */
  freezeInStream(target: string, seconds: number): Promise<Thawed>;
  /** Schedules jobs that are all due at once, and freezes Postgres during the first claim. */
  freezeInClaim(seconds: number): Promise<Thawed>;
}

export interface Thawed {
  /**
   * Milliseconds from the end of the freeze, or from the later due time, to the call of the latest job. Infinity if one
   * job was not called.
   */
  latestMs: number;
  /** Jobs that were claimed when a process was frozen. */
  open: number;
}

/** 100 clients of concurrency 1, and one whose jobs have 100 ordering keys. */
export async function startFrozenCallbacks(
  postgres: OwnPostgres,
  dispatchers: number,
  without?: FaultControl,
): Promise<FrozenCallbacks> {
  const servers = { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') };
  const trial = await startCallbackTrial({ servers, engine: usual, dispatchers, ...(without && { without }) });
  await trial.receiver.behave({ slow: { latencyMs: 100 } });
  const add = (name: string, concurrency: number) => trial.addClient(name, { concurrency, timeoutMs });
  await Promise.all([add('keyed', 50), ...narrowClients.map((name) => add(name, 1))]);

  /** Each client gets a job every three seconds, each ordering key every six. */
  async function stream(forMs: number): Promise<ReadonlySet<string>> {
    const wanted = { path: 'slow', dueInMs: 2500, spreadMs: forMs };
    const count = Math.ceil(forMs / 3000);
    const orderingKeyOf = (index: number) => `merchant-${index % 100}`;
    const ids = await Promise.all([
      trial.schedule({ ...wanted, client: 'keyed', count: 50 * count, orderingKeyOf, ordering: 'in-order' }),
      ...narrowClients.map((client) => trial.schedule({ ...wanted, client, count })),
    ]);
    return new Set(ids.flat());
  }

  const callsOf = (ids: ReadonlySet<string>) => trial.receiver.calls().filter(({ jobId }) => ids.has(jobId)).length;

  /**
   * Freezes Postgres, or the named process.
   * @returns the number of jobs with a claim, if Postgres can be asked, and a function that ends the freeze
   */
  async function freeze(target: string): Promise<{ open: number; thaw: () => void }> {
    if (target !== 'Postgres') {
      trial.freeze(target);
      return { open: await trial.database.count('select 1 from job_claims'), thaw: () => trial.thaw(target) };
    }
    const over = trial.injections.begin('SIGSTOP', target);
    postgres.freeze();
    const thaw = () => {
      postgres.thaw();
      over();
    };
    return { open: 0, thaw };
  }

  async function latestOf(ids: ReadonlySet<string>, thawedAtMs: number): Promise<number> {
    // A job that has not ended by then was called late, or not at all.
    await trial.awaitEnded(3 * calledWithinMs).catch(() => undefined);
    const after = latenessOf(trial.accepted, trial.receiver.calls()).flatMap(({ jobId, dueAtMs, lateMs }) =>
      ids.has(jobId) ? [dueAtMs + lateMs - Math.max(dueAtMs, thawedAtMs)] : [],
    );
    return after.length === ids.size ? Math.max(...after) : Infinity;
  }

  return {
    trial,
    freezeInStream: async (target, seconds) => {
      const ids = await stream(6000 + seconds * 1000);
      await until('the stream is under way', () => callsOf(ids) >= 100);
      const { open, thaw } = await freeze(target);
      await lasting(seconds * 1000);
      thaw();
      return { latestMs: await latestOf(ids, Date.now()), open };
    },
    freezeInClaim: async (seconds) => {
      const lock = await trial.database.hold('lock table job_claims in exclusive mode');
      const wanted = { path: 'slow', count: 1 };
      const ids = await Promise.all(narrowClients.map((client) => trial.schedule({ ...wanted, client })));
      await lock.awaitWaiting('job_claims');
      const { open, thaw } = await freeze('Postgres');
      await lasting(seconds * 1000);
      // The request is sent while Postgres is frozen, so the claim continues right after the freeze.
      const releasing = lock.release();
      thaw();
      const thawedAtMs = Date.now();
      await releasing;
      return { latestMs: await latestOf(new Set(ids.flat()), thawedAtMs), open };
    },
  };
}
