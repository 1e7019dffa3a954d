import { beforeEach, describe, expect, it } from 'vitest';
import { endedUsersOf } from '../../../services/trigger/keep/note-history.ts';
import { maxTroubleEvents } from '../../../shared/domain/run/run-events.ts';
import { firstGapMs } from '../../../shared/domain/run/run-points.ts';
import {
  claimOne,
  createRun,
  doneOf,
  failed,
  record,
  someBatches,
  startFedRun,
  startRun,
  type ExecutionSubject,
  type MakeExecutionSubject,
} from './execution-subject.ts';

const hourMs = 3_600_000;

export function describeRunHistory(name: string, makeSubject: MakeExecutionSubject): void {
  describe(`the history of a run ${name}`, () => {
    let subject: ExecutionSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    const pointsOf = async (runId: string) => (await subject.reports.points(runId))?.points ?? [];
    const endedOf = async (runId: string) => (await pointsOf(runId)).map(({ ended }) => ended);
    async function note(...runIds: string[]): Promise<number> {
      const tallies = new Map((await subject.runs.tallies(runIds)).map((tally) => [tally.runId, endedUsersOf(tally)]));
      return subject.runHistory.notePoints(runIds.map((runId) => ({ runId, ended: tallies.get(runId) ?? 0 })));
    }
    const tell = async (...runIds: string[]) => (await subject.runHistory.noteTroubles(runIds)).map(({ kind }) => kind);

    describe('the progress points of a run', () => {
      it('are stored once per five seconds, whichever process writes them', async () => {
        const { runId } = await startRun(subject);
        expect(await Promise.all([note(runId), note(runId), note(runId)])).toContain(1);
        expect(await note(runId)).toBe(0);
        await subject.passTime(firstGapMs);
        expect(await note(runId)).toBe(1);
        expect(await endedOf(runId)).toEqual([0, 0]);
      });

      it('count succeeded, failed and unknown users over all steps and countries, and no others', async () => {
        const { runId, steps } = await startFedRun(subject, someBatches(3, 4));
        const [first, second, third] = steps;
        const ledger = subject.ledgerOf('a');
        if (!first || !second || !third) throw new Error('there are three batches');
        const failures = [failed('u001'), failed('u002', { outcome: 'unknown', reason: 'muster.lost' })];
        await record(ledger, doneOf(await claimOne(ledger, first), { failures }));
        await note(runId);
        await subject.passTime(firstGapMs);
        await record(ledger, doneOf(await claimOne(ledger, { ...first, step: 2 }), { restUsers: 2 }));
        await record(ledger, doneOf(await claimOne(ledger, second), { rest: 'expired' }));
        await record(ledger, doneOf(await claimOne(ledger, third), { rest: 'cancelled' }));
        await note(runId);
        expect(await endedOf(runId)).toEqual([4, 6]);
      });

      it('are absent before the run begins, are stored while it is paused, and belong to one run', async () => {
        const { runId } = await createRun(subject);
        expect(await note(runId)).toBe(0);
        expect(await subject.reports.points(runId)).toEqual({ startedAt: null, endedAt: null, points: [] });
        expect(await subject.reports.points('01938f1e-7c00-7000-8000-000000000001')).toBeUndefined();
        await subject.runs.finish(runId, 'failed', null);
        const paused = await startRun(subject);
        await subject.runs.pauseFor(paused.runId, 'too many failed');
        await subject.runs.settlePause(paused.runId);
        expect(await note(runId, paused.runId)).toBe(1);
        expect(await pointsOf(runId)).toEqual([]);
      });

      it('end with the counts at the end of the run', async () => {
        const { runId, steps } = await startFedRun(subject, someBatches(1, 4));
        await note(runId);
        await subject.passTime(2 * firstGapMs);
        const ledger = subject.ledgerOf('a');
        if (steps[0]) await record(ledger, doneOf(await claimOne(ledger, steps[0])));
        await subject.runs.end(runId, () => ({ state: 'completed', reason: null }));
        const notified = await subject.reports.points(runId);
        expect(notified?.points.map(({ ended }) => ended)).toEqual([0, 4]);
        expect(notified?.points.at(-1)?.at).toEqual(notified?.endedAt);
        await subject.passTime(firstGapMs);
        expect(await note(runId)).toBe(0);
      });

      it('replace a point less than five seconds before the end by the final one', async () => {
        const { runId, steps } = await startFedRun(subject, someBatches(1, 4));
        await note(runId);
        const ledger = subject.ledgerOf('a');
        if (steps[0]) await record(ledger, doneOf(await claimOne(ledger, steps[0])));
        await subject.runs.end(runId, () => ({ state: 'completed', reason: null }));
        expect(await endedOf(runId)).toEqual([4]);
      });

      it('are thinned out as the run continues, within a fixed maximum', async () => {
        const { runId } = await startRun(subject);
        for (let minutes = 0; minutes < 50; minutes++) {
          await note(runId);
          await subject.passTime(60_000 + firstGapMs);
        }
        expect(await pointsOf(runId)).toHaveLength(50);
        // From here on, points are 10 s apart, and every second earlier point is deleted.
        await subject.passTime(0.2 * hourMs);
        await note(runId);
        expect(await pointsOf(runId)).toHaveLength(26);
        await subject.passTime(7 * 24 * hourMs);
        await note(runId);
        expect((await pointsOf(runId)).length).toBeLessThan(5);
      });
    });

    it('are written only for the requested runs', async () => {
      const [requested, other] = [
        await startFedRun(subject, someBatches(1, 4)),
        await startFedRun(subject, someBatches(1, 4)),
      ];
      for (const { feedId } of [requested, other])
        await subject.holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'answers 404' }]);
      expect(await note(requested.runId)).toBe(1);
      expect(await tell(requested.runId)).toEqual(['step-held']);
      expect(await pointsOf(other.runId)).toEqual([]);
      expect(await tell(other.runId)).toEqual(['step-held']);
      await subject.holds.lift({ feedId: other.feedId, step: 1 }, 'fault');
      expect(await tell(requested.runId)).toEqual([]);
      expect(await tell(requested.runId, other.runId)).toEqual(['step-released']);
    });

    describe('the disruptions of a run', () => {
      const SG = { actionType: 'award-reward', country: 'SG' };
      const broken = { shard: SG, cause: 'award-reward in SG: connection refused', retryAfterMs: null, random: 0.5 };
      const eventsOf = async (runId: string) => {
        const { items } = await subject.control.events(runId, 2000, null);
        return items.filter(({ kind }) => !['created', 'begun'].includes(kind));
      };
      async function close(): Promise<void> {
        await subject.passTime(1000);
        await subject.guards.takeProbe(SG, 5000);
        await subject.guards.endProbe({ ...broken, answered: true });
      }

      it('include one event when a breaker opens and one when it closes', async () => {
        const { runId } = await startRun(subject);
        await subject.guards.open(broken);
        expect(await Promise.all([tell(runId), tell(runId)])).toContainEqual(['breaker-opened']);
        await subject.passTime(20_000);
        expect(await tell(runId)).toEqual([]);
        await close();
        expect(await tell(runId)).toEqual(['breaker-closed']);
        expect(await tell(runId)).toEqual([]);
        const place = { step: 1, action: 'award-reward', country: 'SG' };
        const [opened, closed] = await eventsOf(runId);
        expect(opened).toMatchObject({ kind: 'breaker-opened', detail: { ...place, cause: broken.cause } });
        expect(closed).toMatchObject({ kind: 'breaker-closed', detail: place });
        expect(Number(closed?.detail['forMs'])).toBeGreaterThanOrEqual(21_000);
        expect(Number(closed?.detail['forMs'])).toBeLessThan(60_000);
      });

      it('exclude the breaker of another country or of a step that all batches have passed', async () => {
        const { runId, steps } = await startFedRun(subject, someBatches(1, 4));
        await subject.guards.open({ ...broken, shard: { ...SG, country: 'ID' } });
        expect(await tell(runId)).toEqual([]);
        const ledger = subject.ledgerOf('a');
        if (steps[0]) await record(ledger, doneOf(await claimOne(ledger, steps[0]), { failures: [failed('u001')] }));
        await subject.guards.open(broken);
        expect(await tell(runId)).toEqual([]);
        await subject.guards.open({ ...broken, shard: { actionType: 'send-message', country: 'SG' } });
        expect(await tell(runId)).toEqual(['breaker-opened']);
        expect(await eventsOf(runId)).toMatchObject([{ detail: { step: 2, action: 'send-message', country: 'SG' } }]);
      });

      it('include no closing of a breaker for which no batch waits', async () => {
        const { runId, steps } = await startFedRun(subject, someBatches(1, 4));
        await subject.guards.open(broken);
        expect(await tell(runId)).toEqual(['breaker-opened']);
        const ledger = subject.ledgerOf('a');
        if (steps[0]) await record(ledger, doneOf(await claimOne(ledger, steps[0]), { rest: 'expired' }));
        expect(await tell(runId)).toEqual([]);
        await close();
        expect(await tell(runId)).toEqual([]);
      });

      it('include a step that is held with its cause, and its release', async () => {
        const { runId, feedId } = await startFedRun(subject, someBatches(1, 4));
        await subject.holds.hold([{ feedId, step: 2, kind: 'fault', cause: 'send-message answers 404' }]);
        expect(await tell(runId)).toEqual(['step-held']);
        await subject.passTime(5000);
        await subject.holds.lift({ feedId, step: 2 }, 'fault');
        expect(await tell(runId)).toEqual(['step-released']);
        const place = { step: 2, action: 'send-message', country: 'SG', cause: 'send-message answers 404' };
        const [held, released] = await eventsOf(runId);
        expect(held?.detail).toEqual(place);
        expect(released?.detail).toMatchObject(place);
        expect(Number(released?.detail['forMs'])).toBeGreaterThanOrEqual(5000);
      });

      it('include a feed whose page failed twice in a row, and its recovery', async () => {
        const { runId, owned } = await startRun(subject);
        const [feed] = owned;
        if (!feed) throw new Error('the run has a feed');
        const stall = () => subject.feeds.stall(feed.feedId, feed.token, 'segmentation answers 503', 1000);
        await stall();
        expect(await tell(runId)).toEqual([]);
        await stall();
        expect(await tell(runId)).toEqual(['feed-stalled']);
        await subject.feeds.writePages({
          feedId: feed.feedId,
          token: feed.token,
          batches: [{ batchNo: 1, users: ['u001'] }],
          invalidUsers: [],
          cursor: 'u001',
          complete: false,
          staysStalled: false,
        });
        expect(await tell(runId)).toEqual(['feed-moved']);
        const [stalled, moved] = await eventsOf(runId);
        expect(stalled?.detail).toEqual({ country: 'SG', cause: 'segmentation answers 503' });
        expect(moved?.detail).toMatchObject({ country: 'SG', cause: 'segmentation answers 503' });
      });

      it('include nothing of a run that has ended', async () => {
        const { runId, feedId } = await startFedRun(subject, someBatches(1, 4));
        await subject.holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'award-reward answers 404' }]);
        await tell(runId);
        await subject.runs.finish(runId, 'expired', null);
        expect(await tell(runId)).toEqual([]);
        expect((await eventsOf(runId)).map(({ kind }) => kind)).toEqual(['step-held', 'ended']);
      });

      it('stop at the maximum size of a history if a state keeps changing', async () => {
        const { runId, feedId } = await startFedRun(subject, someBatches(1, 4));
        const flap = async () => {
          await subject.holds.hold([{ feedId, step: 1, kind: 'fault', cause: 'award-reward answers 404' }]);
          await tell(runId);
          await subject.holds.lift({ feedId, step: 1 }, 'fault');
          await tell(runId);
        };
        for (let times = 0; times < maxTroubleEvents / 2 + 2; times++) await flap();
        expect(await eventsOf(runId)).toHaveLength(maxTroubleEvents);
      });
    });
  });
}
