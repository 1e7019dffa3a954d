import { createWorker } from '../../services/worker/assemble-worker.ts';
import type { BatchAnswer } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { passTime } from '../support/pass-time.ts';
import { createWorkerFixture, type SeenCall, type WorkerFixtureOptions } from '../support/worker-fixture.ts';
import { createProcessFaults, type Fate, type PortCall, type ProcessFaults } from './process-faults.ts';

/** A call as it reached the endpoint. */
export interface WitnessedCall {
  worker: string;
  country: string;
  users: number;
  beganAtMs: number;
}

export interface SimulatedWorker {
  name: string;
  faults: ProcessFaults;
  /** Returns the fate of the process's next port calls. */
  fateOf: (call: PortCall) => Fate;
  /** Kills the process and removes it from its group. */
  kill(): void;
}

const sweepEveryMs = 1000;

/**
 * Starts three workers in one group over one database, with their endpoint and its witness. Time advances only when all
 * work is done.
 */
export async function startThreeWorkers(options: WorkerFixtureOptions = {}) {
  const fixture = createWorkerFixture({ ...options, partitions: 3 });
  const { clock, endpoint } = fixture;
  const calls: WitnessedCall[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const workers: SimulatedWorker[] = [];

  async function start(name: string): Promise<SimulatedWorker> {
    const faults = createProcessFaults({
      fateOf: (call) => simulated.fateOf(call),
      onDeath: () => undefined,
      onFreeze: () => undefined,
    });
    const deps = fixture.workerDeps(name);
    const kill = () => {
      faults.kill();
      deps.consumer.crash();
    };
    const simulated: SimulatedWorker = { name, faults, fateOf: () => 'pass', kill };
    const witnessed = {
      ...deps.endpoint,
      call: async (request: Parameters<typeof endpoint.call>[0]): Promise<BatchAnswer> => {
        inFlight++;
        mostInFlight = Math.max(mostInFlight, inFlight);
        const answer = endpoint.call(request);
        const users = endpoint.seen.at(-1)?.call.users.length ?? 0;
        calls.push({ worker: name, country: request.country, users, beganAtMs: clock.nowMs() });
        const answered = await answer;
        inFlight--;
        return answered;
      },
    };
    const worker = createWorker({
      ...deps,
      publisher: faults.wrap(deps.publisher),
      consumer: faults.wrap(deps.consumer),
      ledger: faults.wrap(deps.ledger),
      holds: faults.wrap(deps.holds),
      guards: faults.wrap(deps.guards),
      rateShares: faults.wrap(deps.rateShares),
      contexts: faults.wrap(deps.contexts),
      unstarted: faults.wrap(deps.unstarted),
      endpoint: faults.wrap(witnessed, null),
      clock: faults.wrapClock(clock),
    });
    await worker.start();
    workers.push(simulated);
    return simulated;
  }

  for (const name of ['a', 'b', 'c']) await start(name);

  /** Passes time. Waiting steps that are due are offered again, as by the trigger. */
  async function pass(ms: number, runIds: readonly string[] = []): Promise<void> {
    const endMs = clock.nowMs() + ms;
    while (clock.nowMs() < endMs) {
      await passTime(clock, Math.min(sweepEveryMs, endMs - clock.nowMs()));
      for (const runId of runIds) await fixture.sweepOverdue(runId);
    }
  }

  return {
    ...fixture,
    workers,
    calls,
    pass,
    start,
    /** Returns the highest number of calls in flight since the last call of this function. */
    mostInFlight: () => {
      const most = mostInFlight;
      mostInFlight = inFlight;
      return most;
    },
    callsBetween: (fromMs: number, untilMs: number, country = 'SG') =>
      calls.filter((call) => call.country === country && call.beganAtMs >= fromMs && call.beganAtMs < untilMs),
  };
}

export const refused: BatchAnswer = { kind: 'not-applied', cause: 'connection refused' };

export function batchesOf(name: string, count: number, users = 1): string[][] {
  const id = (batch: number, user: number) => `${name}${String(batch * users + user).padStart(6, '0')}`;
  return Array.from({ length: count }, (_, batch) => Array.from({ length: users }, (__, user) => id(batch, user)));
}

export type { SeenCall };
