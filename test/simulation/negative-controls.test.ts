import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OutboxSweep } from '../../services/trigger/ports/outbox-sweep.ts';
import { violations } from '../support/evidence.ts';
import { simulate, type Scenario, type Weakening } from './world.ts';

const users = Array.from({ length: 250 }, (_, i) => `user-${String(i).padStart(3, '0')}`);
const scenario: Scenario = { audience: new Map([['SG', users]]), fails: () => false };

/** A checker that never fails proves nothing: with one protection taken away, crashes of the worker have to show. */
describe('with a protection switched off, the witnesses report', () => {
  let workerCalls = 0;

  beforeAll(async () => {
    workerCalls = (await simulate(scenario)).calls.worker;
  });

  async function violationsWithout(weakening: Weakening): Promise<string[]> {
    const found: string[] = [];
    for (let atCall = 1; atCall <= workerCalls; atCall++) {
      for (const moment of ['before', 'after'] as const) {
        const crash = { process: 'worker' as const, plan: { atCall, moment } };
        found.push(...violations((await simulate({ ...scenario, crash, weakening })).evidence));
      }
    }
    return found;
  }

  it('forgotten users, when no sweeper looks for what a crash left', async () => {
    const outboxSweep = (): OutboxSweep => ({
      due: () => Promise.resolve({ offers: [], quarantined: [] }),
      takeBack: () => Promise.resolve(),
      look: () => Promise.resolve({ running: 0, next: null }),
    });
    const found = await violationsWithout({ outboxSweep });
    expect(found.filter((violation) => violation.startsWith('I1'))).not.toEqual([]);
    expect(found.filter((violation) => violation.startsWith('I2'))).toEqual([]);
  });

  it('doubled effects, when request keys are not derived from what is called', async () => {
    const found = await violationsWithout({
      endpoint: (endpoint) => ({ call: (request) => endpoint.call({ ...request, idempotencyKey: randomUUID() }) }),
    });
    expect(found.filter((violation) => violation.startsWith('I2'))).not.toEqual([]);
  });
});
