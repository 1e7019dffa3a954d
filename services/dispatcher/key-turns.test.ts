import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { OrderedKey } from '../../shared/ports/ordered-keys.ts';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import type { JobCall } from './call/call-job.ts';
import { heldJobOf } from './jobs/held-job.ts';
import { createKeyTurns } from './key-turns.ts';

const claim = {
  partition: 0,
  dueUs: 1,
  jobId: jobIdOf(1),
  epoch: 1,
  attempt: 1,
  scheduledForMs: 0,
  claimedAtMs: 0,
  expiresInMs: null,
  method: 'POST',
  url: 'https://one.example/',
  headers: null,
  body: null,
  repeats: null,
  terms: null,
  orderingKey: 'merchant-1',
  exclusiveMs: 21_000,
  report: null,
};
const note = { status: 200, latencyMs: 1, error: null, answer: null };

it('the next turn of an ordering key belongs to the client, even if the job was called through an endpoint of the client', async () => {
  const clock = createSettableClock();
  const advanced: OrderedKey[] = [];
  const keys = { advance: (woken: readonly OrderedKey[]) => Promise.resolve(void advanced.push(...woken)) };
  const turns = createKeyTurns({ keys, clock, logger: pino({ level: 'silent' }) });
  turns.start();
  const job = heldJobOf({ ...claim, clientId: clientIdOf(2) }, 0, 1000);
  const terms = {
    ownerId: clientIdOf(1),
    pauseReason: null,
    onGone: 'dead-letter',
    keepsBodies: true,
    finalCodes: [],
    reportWithinMs: null,
    limits: { clientId: clientIdOf(2), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] },
    retries: { strategy: 'none' },
    auth: null,
    sign: () => [],
    sideline: { afterFailures: 5, failureRate: 0.5, probeEveryMs: 1000, pathPrefixes: [] },
  } satisfies JobCall['terms'];
  turns.written([{ job, verdict: { kind: 'called' }, note, host: 'one.example', sign: 'answers', terms }]);
  await passTime(clock, 100);
  expect(advanced).toEqual([{ clientId: clientIdOf(1), key: 'merchant-1' }]);
  await turns.stop();
});
