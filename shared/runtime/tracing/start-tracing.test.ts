import { pino } from 'pino';
import { expect, it } from 'vitest';
import { noMeter } from '../meter/no-meter.ts';
import { systemClock } from '../system-clock.ts';
import { startTracing } from './start-tracing.ts';

const deps = { clock: systemClock, logger: pino({ level: 'silent' }), meter: noMeter, stopWithinMs: 100 };

it('startTracing returns null without settings', async () => {
  expect(await startTracing(null, deps)).toBeNull();
});

it('startTracing returns the configured sampling share', async () => {
  const endpoint = new URL('http://127.0.0.1:1/v1/traces');
  const tracing = await startTracing({ endpoint, headers: [], resource: {}, share: 0.25, followsCallers: true }, deps);
  expect(tracing).toMatchObject({ share: 0.25, followsCallers: true });
  await tracing?.stop();
});
