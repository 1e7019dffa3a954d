import { describe, expect, it } from 'vitest';
import { callbackViolations, type CallbackEvidence, type ClaimEvent, type ReceivedCall } from './callback-evidence.ts';

const claim: ClaimEvent = {
  jobId: 'job_1',
  kind: 'claimed',
  owner: 'a',
  atMs: 1010,
  dueAtMs: 1000,
  epoch: 1,
  leaseUntilMs: 6010,
};
const gone: ClaimEvent = { ...claim, kind: 'gone', atMs: 1050 };
const call: ReceivedCall = {
  jobId: 'job_1',
  atMs: 1020,
  endedAtMs: 1030,
  status: 200,
  isKept: false,
  digest: 'd',
  problem: null,
  occurrence: null,
};

/** Returns the evidence of one job that was called in time. */
function good(changes: Partial<CallbackEvidence> = {}): CallbackEvidence {
  return {
    accepted: new Map([['job_1', { dueAtMs: 1000, digest: 'd' }]]),
    stored: [],
    ended: [{ jobId: 'job_1', outcome: 'called' }],
    attempts: [],
    totals: { accepted: 1, called: 1, expired: 0, cancelled: 0, dead: 0 },
    claims: [claim, gone],
    calls: [call],
    ...changes,
  };
}

const at = { scheduleId: 'sch_1', group: 'SG', scheduledFor: '2027-01-01T00:00:00.000Z' };
const takenOver: ClaimEvent = { ...claim, kind: 'taken-over', atMs: 6020, epoch: 2, leaseUntilMs: 11_020 };

describe('the checker of callback evidence', () => {
  it('reports no violation for sound evidence', () => {
    expect(callbackViolations(good())).toEqual([]);
    expect(callbackViolations(good({ calls: [{ ...call, occurrence: at }], occurrences: [at] }))).toEqual([]);
  });

  it.each<[string, Partial<CallbackEvidence>, RegExp]>([
    ['does not exist anywhere', { ended: [] }, /^S1: job_1 was accepted and is nowhere/],
    ['has not ended', { ended: [], stored: ['job_1'] }, /^S1: 1 jobs have not ended/],
    ['has ended twice', { ended: [...good().ended, ...good().ended] }, /^S1: job_1 has ended 2 times/],
    ['is counted twice', { totals: { ...good().totals, called: 2 } }, /^S1: 1 accepted, 2 ended/],
    ['is not counted', { totals: { ...good().totals, accepted: 0, called: 0 } }, /^S1: the ledger says 0 called/],
    ['was abandoned', { ended: [{ jobId: 'job_1', outcome: 'dead' }] }, /^S1: 1 jobs are dead, 0 allowed/],
    ['is recorded as called without a call', { calls: [] }, /^S1: job_1 is recorded as called, and the receiver/],
    ['was called too early', { calls: [{ ...call, atMs: 999 }] }, /^S2: job_1 was called 1 ms before/],
    ['has another body', { calls: [{ ...call, digest: 'other' }] }, /^S3: a call of job_1 has another body/],
    ['is not signed', { calls: [{ ...call, problem: 'no key' }] }, /^S3: .* not to be believed: no key/],
    ['was called without a claim', { claims: [] }, /^S4: call 1 of job_1 under 0 claims/],
    ['was called after its lease', { calls: [{ ...call, atMs: 6011 }] }, /^S4: job_1 was called 1 ms after its lease/],
    ['was called before its claim', { calls: [{ ...call, atMs: 1005 }] }, /^S4: call 1 of job_1 under 0 claims/],
    ['was called twice under one claim', { calls: [call, { ...call, atMs: 1040 }] }, /^S4: call 2 .* under 1 claims/],
  ])('reports a job that %s', (_what, changes, expected) => {
    expect(callbackViolations(good(changes))).toContainEqual(expect.stringMatching(expected));
  });

  it('reports a call after a successful call, unless the scenario allows that number', () => {
    const again = { ...call, atMs: 6030, endedAtMs: 6040 };
    const evidence = good({ calls: [call, again], claims: [claim, takenOver, { ...gone, atMs: 6050 }] });
    expect(callbackViolations(evidence)).toEqual(['S4: 1 calls after a success, 0 allowed']);
    expect(callbackViolations(evidence, { doubled: 1 })).toEqual([]);
  });

  it('counts separately a call repeated because its response was late', () => {
    const again = { ...call, atMs: 2030, endedAtMs: 2040 };
    const second = { ...claim, atMs: 2020, dueAtMs: 2010 };
    const evidence = good({
      calls: [call, again],
      claims: [claim, gone, second, { ...second, kind: 'gone' }],
      attempts: [{ jobId: 'job_1', status: null, error: 'no whole answer' }],
    });
    expect(callbackViolations(evidence)).toEqual(['S4: 1 answers not heard: no whole answer']);
    expect(callbackViolations(evidence, { unheard: 1 })).toEqual([]);
  });

  it('allows a second call under one claim if the first ended with a kept connection, but no third', () => {
    const lost: ReceivedCall = { ...call, status: null, isKept: true };
    const again = { ...call, atMs: 1032, endedAtMs: 1036 };
    expect(callbackViolations(good({ calls: [lost, again] }))).toEqual([]);
    expect(callbackViolations(good({ calls: [{ ...lost, isKept: false }, again] }))).toEqual([
      'S4: call 2 of job_1 under 1 claims',
    ]);
    const third = { ...again, atMs: 1040, endedAtMs: 1044 };
    expect(callbackViolations(good({ calls: [lost, { ...lost, atMs: 1032, endedAtMs: 1036 }, third] }))).toEqual([
      'S4: call 3 of job_1 under 1 claims',
    ]);
  });

  it('reports two calls of one job at the same time', () => {
    const long = { ...call, endedAtMs: 6100, status: null };
    const again = { ...call, atMs: 6030, endedAtMs: 6040 };
    const evidence = good({ calls: [long, again], claims: [claim, takenOver, { ...gone, atMs: 6050 }] });
    expect(callbackViolations(evidence)).toEqual(['S4: 1 calls at once, 0 allowed']);
  });

  it('reports a claim before the lease ended, an epoch that did not grow, and two concurrent claims', () => {
    const early = good({ claims: [claim, { ...takenOver, atMs: 2000 }, gone] });
    expect(callbackViolations(early)).toContainEqual(expect.stringMatching(/^S4: job_1 was claimed 4010 ms before/));
    const same = good({ claims: [claim, { ...takenOver, epoch: 1 }, gone] });
    expect(callbackViolations(same)).toContainEqual(expect.stringMatching(/^S4: .* again under epoch 1/));
    const two = good({ claims: [claim, { ...claim, dueAtMs: 1005 }, gone] });
    expect(callbackViolations(two)).toContainEqual(expect.stringMatching(/^S4: .* while a claim of it was open/));
  });

  it('reports a job that another dispatcher ended during its call', () => {
    const evidence = good({ calls: [{ ...call, endedAtMs: 3000 }] });
    expect(callbackViolations(evidence)).toContainEqual(expect.stringMatching(/^S4: job_1 was ended by somebody/));
  });

  it('reports an instant that fired twice, never, or without a schedule', () => {
    const twice = [call, { ...call, jobId: 'job_2' }].map((each) => ({ ...each, occurrence: at }));
    expect(callbackViolations(good({ calls: twice }))).toContainEqual(expect.stringMatching(/^S3: .* fired 2 times/));
    expect(callbackViolations(good({ occurrences: [at] }))).toEqual([
      'S3: sch_1 SG 2027-01-01T00:00:00.000Z was never called',
    ]);
    const stray = good({ calls: [{ ...call, occurrence: at }], occurrences: [] });
    expect(callbackViolations(stray)).toEqual(['S3: sch_1 SG 2027-01-01T00:00:00.000Z was to nobody’s wish']);
  });
});
