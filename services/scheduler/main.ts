import { createLeases } from '../../shared/postgres/leases.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { takePart } from '../../shared/postgres/take-part.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createLedgerChecker } from './ledger-checker.ts';
import { createDueJobs } from './postgres/due-jobs.ts';
import { createLedgerCheck } from './postgres/ledger-check.ts';
import { createDueSchedules } from './postgres/due-schedules.ts';
import { createRecurring } from './recurring.ts';
import { createScheduler } from './scheduler.ts';

export const schedulerProcess = defineProcess('scheduler', readConfig, async (config, context) => {
  const { logger, meter, owner, addPart, onClose } = context;
  const pool = onClose(
    createPool({ connectionString: config.DATABASE_URL, applicationName: 'muster-scheduler', max: 4, logger, meter }),
    (opened) => opened.end(),
  );
  addPart('database', async () => {
    await pool.query('select 1');
  });
  await takePart({ pool, clock: systemClock, logger });
  const scheduler = createScheduler({
    leases: createLeases({ pool }),
    dueJobs: createDueJobs({ pool }),
    owner,
    leaseMs: config.SCHEDULER_LEASE_MS,
    pollMs: config.SCHEDULER_POLL_MS,
    clock: systemClock,
    logger,
  });
  const checker = onClose(
    createLedgerChecker({
      ...{ owner, clock: systemClock, logger, meter },
      ledger: createLedgerCheck({ pool }),
      leases: createLeases({ pool }),
    }),
    (created) => created.stop(),
  );
  checker.start();
  const recurring = createRecurring({
    leases: createLeases({ pool }),
    dueSchedules: createDueSchedules({ pool }),
    region: config.MUSTER_REGION,
    owner,
    leaseMs: config.SCHEDULER_LEASE_MS,
    pollMs: config.SCHEDULER_POLL_MS,
    clock: systemClock,
    logger,
  });
  scheduler.start();
  recurring.start();
  return {
    ...scheduler,
    stopIntake: async () => {
      await Promise.all([scheduler.stopIntake(), recurring.stopIntake()]);
    },
    finishWork: async () => {
      await Promise.all([scheduler.finishWork(), recurring.finishWork()]);
    },
  };
});

if (isEntry(import.meta)) await runProcess(schedulerProcess);
