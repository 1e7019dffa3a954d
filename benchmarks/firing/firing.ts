import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings } from '../warm-database.ts';
import { measureBurst, measureCalls } from './calls.ts';
import { measureCrowd, measureOffers, offerSeconds } from './offers.ts';
import { measureOrdered } from './ordered.ts';
import { measurePeerLags } from './peers.ts';
import { measureStored, storedSettings } from './stored.ts';

/**
 * Measures how late due callbacks are, on the topic and at their receiver: compared with job queues, while ten million
 * other jobs are stored, and during a burst of 100,000 jobs in one second, which may delay another client. Jobs are
 * inserted beforehand, because another benchmark measures how they are accepted.
 */
const question =
  'Lag of callbacks that are due, onto the topic and to the receiver, and a burst of 100,000 in one second';
const callSeconds = 15;
const quickSeconds = 5;
const burstJobs = 100_000;
const quickShare = 5;

export interface FiringOptions {
  rounds: number;
  quick: boolean;
  /** Name of the only part to run; undefined runs all parts. */
  only: string | undefined;
}

interface Part {
  settings?: Readonly<Record<string, string | number>>;
  measure: (servers: Servers, options: FiringOptions) => Promise<Table[]>;
}

const parts: Readonly<Record<string, Part>> = {
  offers: {
    measure: async (servers, { quick }) => [await measureOffers(servers, quick ? quickSeconds : offerSeconds)],
  },
  calls: { measure: async (servers, { quick }) => [await measureCalls(servers, quick ? quickSeconds : callSeconds)] },
  burst: {
    measure: async (servers, { quick }) => {
      const jobs = quick ? burstJobs / quickShare : burstJobs;
      return [await measureCrowd(servers, jobs), await measureBurst(servers, jobs)];
    },
  },
  ordered: {
    measure: async (servers, { quick }) => [await measureOrdered(servers, quick ? quickSeconds : callSeconds)],
  },
  peers: {
    measure: (servers, { rounds, quick }) => measurePeerLags(servers, rounds, quick ? quickSeconds : offerSeconds),
  },
  stored: {
    settings: storedSettings,
    measure: (servers, { rounds, quick }) => measureStored(servers, rounds, quick ? 1_000_000 : 10_000_000),
  },
};

export async function benchmarkFiring(options: FiringOptions): Promise<void> {
  await publishParts({ name: 'firing', question, parts, only: options.only }, ({ settings, measure }) =>
    withServers({ ...databaseSettings, ...settings }, (servers) => measure(servers, options)),
  );
}
