import { beforeEach, describe, expect, it } from 'vitest';
import type { RunChange, RunControl, RunEventEntry } from '../../../services/api/runs/control/run-control.port.ts';
import { InvalidCursorError } from '../../../services/api/frame/page.port.ts';
import {
  claimOne,
  createRun,
  doneOf,
  failed,
  leaseMs,
  record,
  someBatches,
  startFedRun,
  startRun,
  talliesOf,
  waitingOf,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const nobody = '01938f1e-7c00-7000-8000-000000000001';
const paused: RunEventEntry = { kind: 'pausing', detail: { by: { keyId: 'key_1', keyName: 'a test' } } };

export function describeRunControl(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`run control ${name}`, () => {
    let subject: ExecutionSubject;
    let control: RunControl;
    beforeEach(async () => {
      subject = await makeSubject();
      ({ control } = subject);
    });

    const apply = async (runId: string, change: RunChange | null) => {
      const controlled = await control.change(runId, () => ({ change }));
      if (!controlled) throw new Error('there is no such run');
      return controlled;
    };
    const kindsOf = async (runId: string) => (await control.events(runId, 100, null)).items.map(({ kind }) => kind);

    it('passes the run to the decision, and changes nothing if the decision is null', async () => {
      const { runId } = await startRun(subject, { priority: 'high', paceUsersPerSecond: 50 });
      const controlled = await control.change(runId, (run) => ({ change: null, seen: run }));
      expect(controlled?.decision.seen).toMatchObject({
        runId,
        state: 'running',
        settings: { priority: 'high', paceUsersPerSecond: 50, pauseAtFailedPercent: null, pauseAtFailedMinUsers: 1000 },
      });
      expect(controlled?.run).toEqual(controlled?.decision.seen);
      expect(await kindsOf(runId)).toEqual(['created', 'begun']);
    });

    it('changes the state with reason and time, and appends events in order', async () => {
      const { runId } = await startRun(subject);
      const before = await control.change(runId, () => ({ change: null }));
      await subject.passTime(1);
      const { run } = await apply(runId, {
        to: 'pausing',
        stateReason: 'paused by a test',
        events: [paused, { kind: 'changed', detail: { to: { priority: 'low' } } }],
      });
      expect(run).toMatchObject({ state: 'pausing', stateReason: 'paused by a test' });
      expect(run.stateSince >= (before?.run.stateSince ?? run.stateSince)).toBe(true);
      const { items } = await control.events(runId, 100, null);
      expect(items.slice(2)).toMatchObject([paused, { kind: 'changed', detail: { to: { priority: 'low' } } }]);
      expect(items.every(({ at }) => at instanceof Date)).toBe(true);
    });

    it('changes settings of one run only, and removes limits', async () => {
      const first = await startRun(subject, { paceUsersPerSecond: 50, pauseAtFailedPercent: 5 });
      const settings = { priority: 'low', paceUsersPerSecond: null } as const;
      const { run } = await apply(first.runId, { settings, events: [] });
      const whole = { ...settings, pauseAtFailedPercent: 5, pauseAtFailedMinUsers: 1000 };
      expect(run.settings).toEqual(whole);
      expect((await apply(first.runId, { settings: { pauseAtFailedMinUsers: 7 }, events: [] })).run.settings).toEqual({
        ...whole,
        pauseAtFailedMinUsers: 7,
      });
      expect((await subject.campaigns.get(first.campaignId))?.definition).toMatchObject({ paceUsersPerSecond: 50 });
    });

    it('changes the deadline, which workers and triggers apply immediately', async () => {
      const { runId, feedId } = await startFedRun(subject, [['u1']]);
      const [before] = await subject.contexts.admissions([feedId]);
      const current = (await control.change(runId, () => ({ change: null })))?.run.deadlineAt.getTime() ?? 0;
      const deadlineAt = new Date(current - 86_400_000);
      expect((await apply(runId, { deadlineAt, events: [] })).run.deadlineAt).toEqual(deadlineAt);
      const [after] = await subject.contexts.admissions([feedId]);
      expect(Math.round(((before?.deadlineInMs ?? 0) - (after?.deadlineInMs ?? 0)) / 10_000)).toBe(8640);
      await apply(runId, { deadlineAt: new Date(current - 31 * 86_400_000), events: [] });
      expect(await subject.contexts.admissions([feedId])).toMatchObject([{ verdict: 'expire' }]);
    });

    it('stops calls, feeding and sweeping of a paused run, and continues them on resume', async () => {
      const { runId, owned } = await startRun(subject);
      const [feed] = owned;
      if (!feed) throw new Error('the run has no feed');
      expect(await talliesOf(subject)).toMatchObject([{ runId }]);
      await apply(runId, { to: 'pausing', events: [] });
      expect(await subject.contexts.admissions([feed.feedId])).toMatchObject([{ verdict: 'hold' }]);
      expect(await subject.feeds.renew('t', leaseMs, [feed])).toEqual([]);
      await subject.feeds.release('t', [feed]);
      expect(await subject.feeds.claim('t', leaseMs, 10, 'all')).toEqual([]);
      expect(await subject.feeds.loads([feed.feedId])).toEqual([]);
      expect(await talliesOf(subject)).toEqual([]);
      await subject.passTime(1);
      await apply(runId, { to: 'running', events: [] });
      expect(await subject.contexts.admissions([feed.feedId])).toMatchObject([{ verdict: 'go' }]);
      expect(await subject.feeds.claim('t', leaseMs, 10, 'all')).toHaveLength(1);
      expect(await talliesOf(subject)).toMatchObject([{ runId }]);
    });

    it('lists the runs that are cancelled or past their deadline', async () => {
      const [going, cancelled, late] = [await startRun(subject), await startRun(subject), await startRun(subject)];
      expect(await subject.runs.tallies('over')).toEqual([]);
      await apply(cancelled.runId, { to: 'cancelling', events: [] });
      await apply(late.runId, { deadlineAt: new Date(0), events: [] });
      const over = (await subject.runs.tallies('over')).map(({ runId }) => runId);
      expect(over.toSorted()).toEqual([cancelled.runId, late.runId].toSorted());
      expect((await talliesOf(subject)).map(({ runId }) => runId)).toContain(going.runId);
    });

    it('does not prepare a run that was paused before it began, until it is resumed', async () => {
      const { runId } = await createRun(subject);
      await apply(runId, { to: 'paused', events: [] });
      expect(await subject.runs.toPrepare(10, [])).toEqual([]);
      expect(await subject.runs.begin(runId, [])).toBe(false);
      await apply(runId, { to: 'preparing', events: [] });
      expect(await subject.runs.toPrepare(10, [])).toMatchObject([{ runId }]);
    });

    it('ends a run that is cancelled before it began', async () => {
      const { runId } = await createRun(subject);
      await subject.runs.wait(runId, 'segment "all" in SG: HTTP 503');
      const { run } = await apply(runId, { to: 'cancelled', stateReason: 'cancelled by a test', events: [] });
      expect(run).toMatchObject({ state: 'cancelled', stateReason: 'cancelled by a test' });
      expect(run.endedAt).toBeInstanceOf(Date);
      expect(await subject.runs.begin(runId, [])).toBe(false);
      expect(await subject.reports.snapshot(runId)).toMatchObject({ stalled: null, waitingSince: null });
    });

    it('counts claimed batches by step, waiting batches and batches on topics', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, someBatches(6, 10));
      const ledger = subject.ledgerOf('a');
      const [first, second, third] = steps;
      if (!first || !second || !third) throw new Error('the run has six batches');
      await record(ledger, doneOf(await claimOne(ledger, first)));
      await claimOne(ledger, { feedId, batchNo: 1, step: 2 });
      await claimOne(ledger, second);
      await record(ledger, waitingOf(await claimOne(ledger, third)));
      expect(await control.underWay(runId)).toEqual({
        inFlight: [
          { step: 1, country: 'SG', batches: 1, users: 10 },
          { step: 2, country: 'SG', batches: 1, users: 10 },
        ],
        ready: 3,
        waiting: 1,
      });
    });

    it('counts batches claimed again after a release, and excludes those of a dead worker', async () => {
      const { runId, feedId, steps } = await startFedRun(subject, someBatches(2, 10));
      const ledger = subject.ledgerOf('a');
      const [first] = steps;
      if (!first) throw new Error('the run has batches');
      await record(ledger, waitingOf(await claimOne(ledger, first)));
      await subject.sweep.examine({ feedId, chainLength: 2 }, { from: 1, limit: 100, unrecorded: [1] });
      await subject.passTime(5001);
      await claimOne(ledger, first);
      expect(await control.underWay(runId)).toMatchObject({
        inFlight: [{ step: 1, country: 'SG', batches: 1 }],
        waiting: 0,
      });
      await subject.passTime(leaseMs + 1);
      expect(await control.underWay(runId)).toMatchObject({ inFlight: [], waiting: 0 });
      expect(await control.underWay(nobody)).toEqual({ inFlight: [], ready: 0, waiting: 0 });
    });

    it('counts failures for the failure limit from the resume on', async () => {
      const limits = { pauseAtFailedPercent: 10, pauseAtFailedMinUsers: 5 };
      const { runId, steps } = await startFedRun(subject, someBatches(2, 10), limits);
      const ledger = subject.ledgerOf('a');
      const [first] = steps;
      if (!first) throw new Error('the run has batches');
      const claimed = await claimOne(ledger, first);
      await record(ledger, doneOf(claimed, { failures: [failed('u001'), failed('u002')] }));
      const judged = { pauseAtFailed: { percent: 10, minUsers: 5 } };
      expect(await talliesOf(subject)).toMatchObject([{ ...judged, failureBaseline: [] }]);
      await apply(runId, { to: 'running', judgeFromHere: true, events: [] });
      const failureBaseline = [{ step: 1, ended: 10, failed: 2 }];
      expect(await talliesOf(subject)).toMatchObject([{ ...judged, failureBaseline }]);
    });

    it('returns the history of a run page by page, oldest first, without other runs', async () => {
      const [{ runId }, other] = [await startRun(subject), await startRun(subject)];
      await apply(runId, { to: 'pausing', events: [paused] });
      await subject.runs.settlePause(runId);
      await apply(runId, { to: 'cancelling', events: [{ kind: 'cancelling', detail: {} }] });
      await subject.runs.finish(runId, 'cancelled', 'cancelled by a test');
      const first = await control.events(runId, 4, null);
      const second = await control.events(runId, 4, first.next);
      const { items } = { items: [...first.items, ...second.items] };
      expect(items.map(({ kind }) => kind)).toEqual(['created', 'begun', 'pausing', 'paused', 'cancelling', 'ended']);
      expect(items.at(-1)?.detail).toEqual({ state: 'cancelled', reason: 'cancelled by a test' });
      expect(items[1]?.detail).toEqual({ feeds: 1 });
      expect(second.next).toBeNull();
      expect(await kindsOf(other.runId)).toEqual(['created', 'begun']);
      await expect(control.events(runId, 4, 'nonsense')).rejects.toThrow(InvalidCursorError);
    });

    it('returns undefined for a run that does not exist', async () => {
      expect(await control.change(nobody, () => ({ change: null }))).toBeUndefined();
      expect((await control.events(nobody, 10, null)).items).toEqual([]);
    });
  });
}
