import { createPaint } from '../show/paint.ts';
import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { writeData } from '../frame/command-context.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { within } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { computeSize } from './compute-size.ts';
import { renderSize } from './render-size.ts';

const secondsADay = 86_400;

const many = { least: 0, most: 10_000_000_000 };
const days = { least: 1, most: 3650 };

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'size',
  description: 'compute the workers, partitions, cores, connections and disk that a load needs',
  options: {
    users: within('--users <n>', 'users per day', { ...many, usual: 10_000_000 }),
    hours: within('--hours <n>', 'hours of the day in which they are called', { least: 1, most: 24, usual: 8 }),
    steps: within('--steps <n>', 'steps of a chain', { least: 1, most: 50, usual: 2 }),
    cappedSteps: within('--capped-steps <n>', 'steps that a cap counts', { least: 0, most: 50, usual: 0 }),
    latency: within('--latency <ms>', 'duration of a batch call in ms', { least: 0, most: 600_000, usual: 50 }),
    failed: within('--failed <percent>', 'of the users', { least: 0, most: 100, usual: 2 }),
    receipts: within('--receipts <percent>', 'percent of the users with a receipt', {
      least: 0,
      most: 100,
      usual: 100,
    }),
    idLength: within('--id-length <characters>', 'average length of a user id', { least: 1, most: 128, usual: 12 }),
    jobs: within('--jobs <n>', 'callbacks per day', { ...many, usual: 0 }),
    busiest: within('--busiest <times>', 'peak rate of callbacks, as a multiple of the average', {
      least: 1,
      most: 1000,
      usual: 4,
    }),
    concurrency: within('--concurrency <n>', 'concurrent calls of a worker', { least: 1, most: 5000, usual: 200 }),
    keepUsers: within('--keep-users <days>', 'RETENTION_USERS_DAYS', { ...days, usual: 14 }),
    keepReceipts: within('--keep-receipts <days>', 'RETENTION_RECEIPTS_DAYS', { ...days, usual: 7 }),
    keepSteps: within('--keep-steps <days>', 'RETENTION_STEPS_DAYS', { ...days, usual: 30 }),
    keepFailures: within('--keep-failures <days>', 'RETENTION_FAILURES_DAYS', { ...days, usual: 90 }),
    capDays: within('--cap-days <days>', 'days of the longest cap', { ...days, usual: 7 }),
    keepJobs: within('--keep-jobs <days>', 'days for which ended callbacks are kept', { ...days, usual: 30 }),
  },
  run: ({ options, context }) => {
    const { steps, cappedSteps } = options;
    if (cappedSteps > steps)
      throw new UsageError(`--capped-steps ${cappedSteps}: has to be at most --steps, which is ${steps}`);
    const keepDays = {
      users: options.keepUsers,
      receipts: options.keepReceipts,
      steps: options.keepSteps,
      failures: options.keepFailures,
      jobs: options.keepJobs,
      cap: options.capDays,
    };
    const found = computeSize({
      usersADay: options.users,
      hours: options.hours,
      steps,
      cappedSteps,
      latencyMs: options.latency,
      failedPercent: options.failed,
      receiptsPercent: options.receipts,
      workerConcurrency: options.concurrency,
      idLength: options.idLength,
      jobsADay: options.jobs,
      jobsASecond: (options.jobs / secondsADay) * options.busiest,
      keepDays,
    });
    const { terminal } = context;
    writeData(context, found, () => renderSize(found, createPaint(terminal.colours.out)));
    terminal.note('by what docs/performance.md measured; measure with your endpoints before you rely on it\n');
    return Promise.resolve(exitCodes.ok);
  },
});
