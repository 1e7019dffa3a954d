import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { createLoop } from '../../../../shared/runtime/loop.ts';

const minuteMs = 60_000;
/** Milliseconds between two reads of the stored jobs. Between reads, jobs that this process accepts are added. */
const pollEveryMs = 15_000;
const watchedHours = 3;
const forgetAfterMs = 300_000;

export interface Warning {
  code: string;
  detail: string;
}

/** Endpoint with a publish rate, or a client with one, for jobs without an endpoint. */
export interface RatedEndpoint {
  endpointId: string;
  publishRatePerSecond: number | undefined;
}

/** Expected calls in each minute, of clients and endpoints with a publish rate. */
export interface MinuteLoads {
  /** Adds an accepted job. Returns a warning if more jobs are due in its minute than the rate allows. */
  add(endpoint: RatedEndpoint, dueAtMs: number): Warning[];
  start(): void;
  stop(): Promise<void>;
}

export interface MinuteLoadsDeps {
  figures: {
    forecast(endpointId: string, hours: number): Promise<{ minutes: readonly { atMs: number; calls: number }[] }>;
  };
  clock: Clock;
  logger: Logger;
}

interface Load {
  usedAtMs: number;
  calls: Map<number, number>;
}

export function createMinuteLoads({ figures, clock, logger }: MinuteLoadsDeps): MinuteLoads {
  const loads = new Map<string, Load>();

  async function poll(): Promise<number> {
    for (const [endpointId, load] of loads) {
      if (clock.monotonicMs() - load.usedAtMs > forgetAfterMs) {
        loads.delete(endpointId);
        continue;
      }
      const { minutes } = await figures.forecast(endpointId, watchedHours);
      load.calls = new Map(minutes.map(({ atMs, calls }) => [atMs, calls]));
    }
    return pollEveryMs;
  }

  const loop = createLoop({ name: 'look-at-minutes', turn: poll, afterErrorMs: pollEveryMs, clock, logger });

  return {
    add: ({ endpointId, publishRatePerSecond }, dueAtMs) => {
      if (publishRatePerSecond === undefined) return [];
      const load = loads.get(endpointId) ?? { usedAtMs: 0, calls: new Map<number, number>() };
      loads.set(endpointId, load);
      load.usedAtMs = clock.monotonicMs();
      if (dueAtMs > clock.now().getTime() + watchedHours * 60 * minuteMs) return [];
      const minute = dueAtMs - (dueAtMs % minuteMs);
      const calls = (load.calls.get(minute) ?? 0) + 1;
      load.calls.set(minute, calls);
      const most = publishRatePerSecond * 60;
      return calls > most ? [full(minute, calls, most)] : [];
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}

function full(minute: number, calls: number, most: number): Warning {
  const at = new Date(minute).toISOString().slice(0, 16);
  const detail = `${calls} jobs are due in the minute of ${at}Z, and publishRatePerSecond allows ${Math.floor(most)}: some start later`;
  return { code: 'minute-full', detail };
}
