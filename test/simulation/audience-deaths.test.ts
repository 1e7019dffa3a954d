import { expect, it } from 'vitest';
import { disturbedByTrigger } from './audience-scenario.ts';
import { faultyFates } from './process-faults.ts';

it('a run of three included and three excluded sources ends the same when its trigger dies before or after any port call', async () => {
  expect(await disturbedByTrigger(faultyFates.filter((fate) => fate.startsWith('die')))).toEqual([]);
}, 180_000);
