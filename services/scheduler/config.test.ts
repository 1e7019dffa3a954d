import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

const basics = {
  DATABASE_URL: 'postgres://localhost/muster',
  KAFKA_BROKERS: 'localhost:9092',
  MUSTER_CONFIG: 'deploy/examples/engine.json',
};

it.each(['1', '2'])(
  'the scheduler rejects a job history of %s days, because it is shorter than the time for which idempotency keys are kept',
  (days) => {
    expect(() => readConfig({ ...basics, JOBS_HISTORY_DAYS: days })).toThrow(
      /JOBS_HISTORY_DAYS.*has to be 0, or at least 3/,
    );
  },
);

it.each(['0', '3', '30'])('the scheduler accepts a job history of %s days', (days) => {
  expect(readConfig({ ...basics, JOBS_HISTORY_DAYS: days }).JOBS_HISTORY_DAYS).toBe(Number(days));
});
