import { connectionsOf, type PoolOwner } from '../../shared/postgres/connection/connections.ts';
import { figures } from './figures.ts';

export interface Load {
  usersADay: number;
  hours: number;
  steps: number;
  /** Steps whose action types a cap counts. */
  cappedSteps: number;
  /** Duration of a batch's call in milliseconds. */
  latencyMs: number;
  failedPercent: number;
  /** Percentage of users whose message is first accepted and later gets a receipt. */
  receiptsPercent: number;
  /** Mean length of a user id in characters. */
  idLength: number;
  /** Concurrent calls of one worker (WORKER_CONCURRENCY). */
  workerConcurrency: number;
  /**
   * Days from RETENTION_USERS_DAYS, RETENTION_RECEIPTS_DAYS, RETENTION_STEPS_DAYS, RETENTION_FAILURES_DAYS, the history
   * of jobs, and the longest cap.
   */
  keepDays: { users: number; receipts: number; steps: number; failures: number; jobs: number; cap: number };
  jobsADay: number;
  /** Peak callbacks per second. */
  jobsASecond: number;
}

export interface Size {
  batchesASecond: number;
  /** Concurrent calls over all steps. */
  slots: number;
  processes: Record<PoolOwner, number>;
  partitionsPerShard: number;
  /** Cores by process, at most half busy. */
  cores: Record<'api' | 'scheduler' | 'trigger' | 'worker' | 'dispatcher' | 'Postgres' | 'Kafka', number>;
  /** Minimum of Postgres' `max_connections`, with a reserve for people and tools. */
  connections: number;
  /** Bytes. `effects` are those that caps count; `logADay` is the size of the database's log of one day. */
  disk: {
    users: number;
    steps: number;
    failures: number;
    receipts: number;
    effects: number;
    jobs: number;
    /** Without the effects of caps. */
    logADay: number;
  };
  /** Bounds of one database that this load exceeds; empty if one database suffices. */
  exceeds: readonly (keyof typeof figures.oneDatabase)[];
}

/** Maximum utilization: the rest is for peaks, a failed machine and other processes. */
const busyAtMost = 0.5;
/** Minimum processes of each service, so that one may fail or be replaced. */
const leastProcesses = 2;
const connectionsOfPeople = 20;
const usersPerBatch = 100;
/**
 * Returns the days for which rows are stored. Rows of a week are deleted together, so the oldest stay up to seven days
 * longer.
 */
const keptInWeeks = (days: number) => days + 7;
/** Effects are stored for one day more than the longest cap needs. */
const dayAfterCap = 1;

/** Computes sizes from benchmark results; docs/performance.md describes their hardware and limits. */
export function computeSize(load: Load): Size {
  const batchesADay = Math.ceil(load.usersADay / usersPerBatch);
  const batchesASecond = batchesADay / (load.hours * 3600);
  const slots = Math.ceil(batchesASecond * load.steps * (load.latencyMs / 1000));
  const cores = coresOf(load, batchesASecond);
  const bySlots = Math.ceil(slots / (load.workerConcurrency * busyAtMost));
  // Each process runs JavaScript in one thread, so it uses one core.
  const needed = (core: number) => Math.max(leastProcesses, Math.ceil(core));
  const processes = {
    api: needed(cores.api),
    scheduler: needed(cores.scheduler),
    trigger: needed(cores.trigger),
    worker: Math.max(needed(cores.worker), bySlots),
    dispatcher: needed(cores.dispatcher),
  };
  const disk = diskOf(load, batchesADay);
  const connections = connectionsOfPeople + sum(processes, (service, many) => connectionsOf(service) * many);
  return {
    batchesASecond,
    slots,
    processes,
    // This many workers can share one shard; some spare partitions allow growth without moving waiting batches.
    partitionsPerShard: Math.ceil(processes.worker * 1.5),
    cores,
    connections,
    disk,
    exceeds: boundsExceeded({ cores: cores.Postgres, connections, disk, hours: load.hours }),
  };
}

function diskOf(load: Load, batchesADay: number): Size['disk'] {
  const failed = load.usersADay * (load.failedPercent / 100);
  const receipts = load.usersADay * (load.receiptsPercent / 100);
  const { usersADay, steps, jobsADay, keepDays } = load;
  const { kept, log, idLength, perIdCharacter } = figures;
  const further = load.idLength - idLength;
  /**
   * Returns bytes per row, at least 1. The result could otherwise be negative for ids that are shorter than the
   * measured ones.
   */
  const sized = (what: 'user' | 'failure' | 'receipt' | 'effect') =>
    Math.max(1, kept[what] + further * perIdCharacter.kept[what]);
  const logged = (what: 'failure' | 'receipt') => Math.max(1, log[what] + further * perIdCharacter.log[what]);
  return {
    users: usersADay * sized('user') * keptInWeeks(keepDays.users),
    steps: batchesADay * steps * kept.step * keptInWeeks(keepDays.steps),
    failures: failed * sized('failure') * keptInWeeks(keepDays.failures),
    receipts: receipts * sized('receipt') * keptInWeeks(keepDays.receipts),
    effects: usersADay * load.cappedSteps * sized('effect') * keptInWeeks(keepDays.cap + dayAfterCap),
    jobs: jobsADay * kept.job * keepDays.jobs,
    logADay:
      batchesADay * log.batch * (steps / 2) +
      usersADay * further * perIdCharacter.log.user +
      failed * logged('failure') +
      receipts * logged('receipt') +
      jobsADay * log.job,
  };
}

interface DatabaseNeed extends Pick<Size, 'connections' | 'disk'> {
  cores: number;
  hours: number;
}

function boundsExceeded({ cores, connections, disk, hours }: DatabaseNeed): Size['exceeds'] {
  const { logADay, ...kept } = disk;
  const needed = {
    cores,
    logBytesASecond: logADay / (hours * 3600),
    keptBytes: Object.values(kept).reduce((total, bytes) => total + bytes, 0),
    connections,
  };
  return (['cores', 'logBytesASecond', 'keptBytes', 'connections'] as const).filter(
    (bound) => needed[bound] > figures.oneDatabase[bound],
  );
}

function coresOf({ steps, cappedSteps, latencyMs, jobsASecond }: Load, batchesASecond: number): Size['cores'] {
  const { batchByProcess: shares, job } = figures;
  const inAll = Object.values(shares).reduce((total: number, us: number) => total + us, 0);
  const batchUs = usOfBatch(latencyMs) * figures.slowerCores * (steps / 2);
  const batches = (us: number) => (batchesASecond * batchUs * (us / inAll)) / 1e6 / busyAtMost;
  // The share of each process was not measured. All of it is counted as the database's, which does most of the work.
  const capsUs = cappedSteps * figures.cappedStepUs * figures.slowerCores;
  const caps = (batchesASecond * capsUs) / 1e6 / busyAtMost;
  const jobs = (us: number) => (jobsASecond * us) / 1e6 / busyAtMost;
  return {
    api: jobs(job.api.singly),
    scheduler: jobs(job.scheduler),
    trigger: batches(shares.trigger),
    worker: batches(shares.worker),
    dispatcher: jobs(job.dispatcher),
    Postgres: batches(shares.Postgres) + caps + jobs(job.Postgres.singly),
    Kafka: batches(shares.Kafka) + jobs(job.Kafka),
  };
}

/** Interpolates linearly between two measured latencies; beyond the longest, uses its value. */
function usOfBatch(latencyMs: number): number {
  const above = figures.batch.findIndex((point) => point.latencyMs >= latencyMs);
  const [to, from] = [figures.batch.at(above), figures.batch.at(above - 1)];
  if (above === -1 || to === undefined || from === undefined) return Math.max(...figures.batch.map(({ us }) => us));
  if (above === 0) return to.us;
  const share = (latencyMs - from.latencyMs) / (to.latencyMs - from.latencyMs);
  return from.us + share * (to.us - from.us);
}

function sum(processes: Size['processes'], of: (service: PoolOwner, many: number) => number): number {
  return (['api', 'scheduler', 'trigger', 'worker', 'dispatcher'] as const).reduce(
    (total, service) => total + of(service, processes[service]),
    0,
  );
}
