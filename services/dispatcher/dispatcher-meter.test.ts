import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimedJob } from '../../test/support/claimed-job.ts';
import { createPrometheusMeter } from '../../shared/runtime/meter/prometheus-meter.ts';
import type { JobCall } from './call/call-job.ts';
import { createDispatcherMeter, type DispatcherMeter } from './dispatcher-meter.ts';
import { heldJobOf } from './jobs/held-job.ts';

const claimed = claimedJob({ dueUs: 1, jobId: 'j', clientId: 'c', scheduledForMs: 10_000 });

/** Returns a call of this duration; a job without a call if the duration is null. */
function callOf(latencyMs: number | null, attempt = 1): JobCall {
  const job = heldJobOf({ ...claimed, attempt }, 0, 60_000);
  const note = { status: 200, latencyMs, error: null, answer: null };
  return { job, verdict: { kind: 'called' }, note, host: 'one.example', sign: 'answers', terms: undefined };
}

describe('the metrics of a dispatcher', () => {
  let counts: DispatcherMeter;
  let figures: () => Promise<string>;
  beforeEach(() => {
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    const levels = () => ({ queued: 3, waiting: 2, inFlight: 1 });
    counts = createDispatcherMeter({ meter, levels, longestWaitMs: () => 1500 });
    figures = async () => (await meter.expose()).text;
  });

  it('count each ended job, and the duration of calls that were made', async () => {
    counts.called(callOf(250), 11_000);
    counts.called(callOf(null), 11_000);
    const text = await figures();
    expect(text).toMatch(/^muster_callbacks_total\{verdict="called"\} 2$/m);
    expect(text).toMatch(/^muster_callback_duration_seconds_count 1$/m);
    expect(text).toMatch(/^muster_callback_duration_seconds_sum 0.25$/m);
  });

  it('count the lag only for first calls, and never count a negative lag', async () => {
    counts.called(callOf(1, 2), 20_000);
    counts.called(callOf(1), 12_000);
    counts.called(callOf(1), 9000);
    const text = await figures();
    expect(text).toMatch(/^muster_callback_lag_seconds_count 2$/m);
    expect(text).toMatch(/^muster_callback_lag_seconds_sum 2$/m);
  });

  it('count results that were not recorded because another dispatcher held the job, and claims that failed', async () => {
    const calls = [callOf(1), callOf(1), callOf(1)];
    counts.flushed({ recorded: new Set(['j']), claimed: [claimed], early: [] }, calls, 4, 20);
    counts.flushed({ recorded: new Set(['j']), claimed: [claimed], early: [] }, [callOf(1)], 1, 20);
    counts.refused();
    const text = await figures();
    expect(text).toMatch(/^muster_callback_results_lost_total 2$/m);
    expect(text).toMatch(/^muster_callback_claims_missed_total 3$/m);
    expect(text).toMatch(/^muster_callback_references_refused_total 1$/m);
    expect(text).toMatch(/^muster_callback_flush_duration_seconds_sum 0.04$/m);
  });

  it('show the number of jobs and the longest wait in seconds', async () => {
    const text = await figures();
    expect(text).toMatch(/^muster_dispatcher_jobs\{state="queued"\} 3$/m);
    expect(text).toMatch(/^muster_dispatcher_jobs\{state="inFlight"\} 1$/m);
    expect(text).toMatch(/^muster_dispatcher_longest_wait_seconds 1.5$/m);
  });
});
