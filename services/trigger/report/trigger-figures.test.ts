import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, failureOf, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';

test('a trigger counts admitted batches, stalls, references that it publishes again, and ended runs', async () => {
  const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
  const { clock, segmentation, startCampaign, workOff, triggerDeps } = createTriggerFixture();
  createTrigger({ ...triggerDeps('a'), meter }).start();
  segmentation.users.set('SG', userIds(250));
  segmentation.pageFailure = failureOf('unavailable');
  await startCampaign();
  await passTime(clock, 600);
  segmentation.pageFailure = null;
  await passTime(clock, 10_000);
  await workOff();
  await passTime(clock, 2000);
  const { text } = await meter.expose();
  expect(text).toMatch(/^muster_trigger_batches_admitted_total 3$/m);
  expect(text).toMatch(/^muster_trigger_feed_stalls_total\{country="SG"\} 1$/m);
  expect(text).toMatch(/^muster_trigger_references_offered_again_total 3$/m);
  expect(text).toMatch(/^muster_trigger_runs_ended_total\{state="completed"\} 1$/m);
});
