import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

const basics = {
  DATABASE_URL: 'postgres://localhost/muster',
  KAFKA_BROKERS: 'localhost:9092',
  MUSTER_CONFIG: 'deploy/examples/engine.json',
};

it.each(['1', '2'])(
  'refuses to forget outcomes of callbacks after %s days, while their keys have to be known',
  (days) => {
    expect(() => readConfig({ ...basics, JOBS_HISTORY_DAYS: days })).toThrow(
      /JOBS_HISTORY_DAYS.*has to be 0, or at least 3/,
    );
  },
);

it.each(['0', '3', '30'])('keeps them for %s days', (days) => {
  expect(readConfig({ ...basics, JOBS_HISTORY_DAYS: days }).JOBS_HISTORY_DAYS).toBe(Number(days));
});
