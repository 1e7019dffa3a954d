import { pino } from 'pino';
import { expect, it } from 'vitest';
import { noMeter } from '../meter/no-meter.ts';
import { systemClock } from '../system-clock.ts';
import { startTracing } from './start-tracing.ts';

const deps = { clock: systemClock, logger: pino({ level: 'silent' }), meter: noMeter, stopWithinMs: 100 };

it('is nothing at all where it is off', async () => {
  expect(await startTracing(null, deps)).toBeNull();
});

it('says which share of traces is recorded where it is on', async () => {
  const endpoint = new URL('http://127.0.0.1:1/v1/traces');
  const tracing = await startTracing({ endpoint, headers: [], resource: {}, share: 0.25, followsCallers: true }, deps);
  expect(tracing).toMatchObject({ share: 0.25, followsCallers: true });
  await tracing?.stop();
});
