import { expect, it } from 'vitest';
import { disturbedByTrigger } from './audience-scenario.ts';
import { faultyFates } from './process-faults.ts';

it('a run of three sources, without three others, ends the same when its trigger fails or freezes right before or after any port call', async () => {
  expect(await disturbedByTrigger(faultyFates.filter((fate) => !fate.startsWith('die')))).toEqual([]);
}, 180_000);
