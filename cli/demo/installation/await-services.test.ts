import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { settled } from '../../../test/support/pass-time.ts';
import { awaitServices } from './await-services.ts';

describe('awaitServices', () => {
  it('waits without a limit, and reports every 5 s which services are not ready', async () => {
    const clock = createSettableClock();
    const lines: string[] = [];
    const states = new Map([
      ['api', 'no answer yet'],
      ['worker-1', 'kafka: no group yet'],
    ]);
    const probe = (name: string) => () => Promise.resolve(states.get(name));
    const services = ['sandbox', ...states.keys()].map((name) => ({ name, probe: probe(name) }));
    let isReady = false;
    const waiting = awaitServices(services, { clock, report: (line) => lines.push(line) }).then(() => {
      isReady = true;
    });
    async function pass(ms: number): Promise<void> {
      await settled();
      clock.advance(ms);
      await settled();
    }
    await pass(4000);
    expect(lines).toEqual([]);
    await pass(1000);
    expect(lines).toEqual(['waits for api (no answer yet), worker-1 (kafka: no group yet), for 5 s']);
    states.delete('api');
    await pass(3_600_000);
    expect(isReady).toBe(false);
    expect(lines.at(-1)).toBe('waits for worker-1 (kafka: no group yet), for 3605 s');
    states.delete('worker-1');
    await pass(50);
    await waiting;
    expect(isReady).toBe(true);
  });

  it('rejects if one of the services has ended', async () => {
    const clock = createSettableClock();
    const probe = () => Promise.reject(new Error('api did not start (exit code 1): no schema'));
    const waiting = awaitServices([{ name: 'api', probe }], { clock, report: () => undefined });
    await expect(waiting).rejects.toThrow('api did not start');
  });
});
