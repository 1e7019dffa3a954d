import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { minuteMs, local, definitionOf, schedulesForEach, type SchedulesSubject } from './schedules-subject.ts';

/** Tests changes of schedules by people, their storage and their lists. */
export function describeScheduleChanges(name: string, makeSubject: () => Promise<SchedulesSubject>): void {
  describe(`changes of schedules: ${name}`, () => {
    const { current, add, recur, minutes, record, notification } = schedulesForEach(makeSubject);
    let subject: SchedulesSubject;
    let startMs: number;
    let clientId: string;
    beforeEach(() => {
      ({ subject, startMs, clientId } = current());
    });

    describe('actions of a user on a schedule', () => {
      it('pausing stops all fires, and resuming records the skipped occurrences', async () => {
        const scheduleId = await add();
        await subject.passTime(minuteMs);
        expect(await subject.schedules.control(scheduleId, 'pause', 'holiday')).toMatchObject({
          move: { kind: 'move', to: 'paused' },
          schedule: { state: 'paused', stateReason: 'holiday', nextAt: null },
        });
        expect(await subject.schedules.control(scheduleId, 'pause', null)).toMatchObject({ move: { kind: 'stays' } });
        await subject.passTime(2.5 * minuteMs);
        expect(await recur()).toMatchObject({ examined: 0 });
        await subject.schedules.control(scheduleId, 'resume', null);
        await recur();
        await subject.passTime(0.5 * minuteMs);
        await recur();
        expect(await notification(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'skipped', 'paused', 2],
          [4, 'fired'],
        ]);
      });

      it('disabling also drops buffered occurrences', async () => {
        const scheduleId = await add({ overlap: 'buffer-one' });
        for (let minute = 1; minute <= 2; minute++) {
          await subject.passTime(minuteMs);
          await recur();
        }
        await subject.schedules.control(scheduleId, 'disable', null);
        await subject.endJobs();
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        await subject.passTime(minuteMs);
        expect(await subject.schedules.control(scheduleId, 'enable', null)).toMatchObject({
          schedule: { state: 'active' },
        });
        await recur();
        expect(await notification(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'skipped', 'disabled'],
          [3, 'skipped', 'disabled'],
        ]);
        expect(await subject.schedules.control(scheduleId, 'resume', null)).toMatchObject({ move: { kind: 'stays' } });
      });

      it('a change keeps due occurrences, which fire by the old definition', async () => {
        const scheduleId = await add();
        await subject.passTime(minuteMs);
        const definition = definitionOf({ cron: '*/10 * * * *' });
        expect(await subject.schedules.change(scheduleId, { definition, note: 'slower' }, 1)).toMatchObject({
          schedule: { revision: 2, note: 'slower', nextAt: new Date(startMs + 10 * minuteMs) },
        });
        expect(await subject.jobs()).toHaveLength(1);
        await subject.passTime(9 * minuteMs);
        await recur();
        expect(await notification(scheduleId)).toEqual([
          [1, 'fired'],
          [10, 'fired'],
        ]);
      });

      it('a change of a paused schedule records the occurrences skipped so far', async () => {
        const scheduleId = await add();
        await subject.schedules.control(scheduleId, 'pause', null);
        await subject.passTime(2 * minuteMs);
        await subject.schedules.change(scheduleId, { definition: definitionOf({ cron: '*/10 * * * *' }) }, null);
        expect(await notification(scheduleId)).toEqual([[1, 'skipped', 'paused', 2]]);
        expect(await record(scheduleId)).toMatchObject({ state: 'paused' });
        expect(await recur()).toMatchObject({ examined: 0 });
      });

      it('a change at an outdated revision is refused, and a change without differences has no effect', async () => {
        const scheduleId = await add();
        expect(await subject.schedules.change(scheduleId, { name: 'hourly' }, 9)).toMatchObject({ kind: 'outdated' });
        expect(await subject.schedules.change(scheduleId, { name: 'nightly' }, 1)).toMatchObject({
          schedule: { revision: 1 },
        });
        expect(await subject.schedules.change(scheduleId, { name: 'hourly' }, 1)).toMatchObject({
          schedule: { revision: 2 },
        });
        expect(await subject.schedules.change(jobIdOf('a', 'b'), {}, null)).toEqual({ kind: 'missing' });
      });

      it('a manual run fires immediately, independently of the rhythm', async () => {
        const scheduleId = await add({ overlap: 'skip' });
        await subject.passTime(30_000);
        const fired = await subject.schedules.fire(scheduleId, { kind: 'manual', atMs: null }, null);
        expect(fired).toMatchObject({
          kind: 'fired',
          occurrences: [{ kind: 'manual', state: 'fired', region: 'local' }],
        });
        expect(await subject.jobs()).toMatchObject([{ dueAtMs: startMs + 30_000 }]);
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + minuteMs) });
        const again = { kind: 'manual', atMs: startMs + 30_000 } as const;
        expect(await subject.schedules.fire(scheduleId, again, null)).toMatchObject({
          occurrences: [],
          alreadyFired: 1,
        });
        await subject.schedules.control(scheduleId, 'disable', null);
        expect(await subject.schedules.fire(scheduleId, { kind: 'manual', atMs: null }, null)).toMatchObject({
          kind: 'disabled',
        });
      });

      it('a backfill fires missed occurrences of a time range, none of them twice', async () => {
        const scheduleId = await add();
        await subject.passTime(4.5 * minuteMs);
        await recur();
        const request = { kind: 'backfill', fromMs: startMs - minuteMs, untilMs: startMs + 10 * minuteMs } as const;
        const fired = await subject.schedules.fire(scheduleId, request, null);
        expect(fired).toMatchObject({ kind: 'fired', alreadyFired: 1 });
        const at =
          fired.kind === 'fired' ? fired.occurrences.map(({ scheduledFor }) => minutes(scheduledFor.getTime())) : [];
        expect(at).toEqual([-1, 0, 1, 2, 3]);
        expect(await subject.schedules.fire(scheduleId, request, null)).toMatchObject({
          occurrences: [],
          alreadyFired: 6,
        });
        const jobs = await subject.jobs();
        expect(jobs).toHaveLength(6);
        expect(new Set(jobs.map(({ dueAtMs }) => dueAtMs)).size).toBeGreaterThan(4);
      });

      it('a backfill above the limit is refused', async () => {
        const scheduleId = await add();
        const order = { kind: 'backfill', fromMs: startMs - 10_000 * minuteMs, untilMs: startMs } as const;
        expect(await subject.schedules.fire(scheduleId, order, null)).toEqual({ kind: 'too-many', atMost: 1000 });
        expect(await subject.jobs()).toEqual([]);
      });
    });

    it('a schedule ends at its end time', async () => {
      const scheduleId = await add({ until: new Date(startMs + 1.5 * minuteMs).toISOString() });
      await subject.passTime(minuteMs);
      expect((await recur()).ended).toEqual([]);
      await subject.passTime(30_000);
      expect((await recur()).ended).toEqual([scheduleId]);
      expect(await record(scheduleId)).toMatchObject({ state: 'ended', nextAt: null });
    });

    it('a schedule whose next check was lost is checked again', async () => {
      const scheduleId = await add();
      expect(await subject.due.rearm(10, null)).toMatchObject({ repaired: 0, cursor: null });
      await subject.disarm(scheduleId);
      await subject.passTime(minuteMs);
      expect((await recur()).fired).toEqual([]);
      expect(await subject.due.rearm(1, null)).toMatchObject({ repaired: 1, cursor: scheduleId });
      expect(await subject.due.rearm(1, scheduleId)).toMatchObject({ repaired: 0, cursor: null });
      expect((await recur()).fired).toHaveLength(1);
    });

    it('old occurrences are deleted by age, except active ones', async () => {
      const scheduleId = await add({ cron: '0 0 * * *', catchUpSeconds: 0 });
      await subject.passTime(3 * 1440 * minuteMs);
      await recur();
      expect(await notification(scheduleId)).toHaveLength(2);
      await subject.passTime(91 * 1440 * minuteMs);
      expect(await subject.due.forget(90, 10)).toBe(1);
      await subject.endJobs();
      await recur();
      expect(await subject.due.forget(90, 10)).toBe(1);
      expect((await notification(scheduleId)).map(([, state]) => state)).toEqual(['skipped', 'fired']);
    });

    it('a deleted schedule fires no more, its job continues, and other schedules fire as before', async () => {
      const [deleted, other] = [await add(), await add()];
      await subject.passTime(minuteMs);
      await recur();
      expect(await subject.schedules.remove(deleted)).toBe('removed');
      await subject.passTime(minuteMs);
      await recur();

      const jobsOf = async (id: string) => (await subject.jobs()).filter(({ scheduleId }) => scheduleId === id).length;
      expect([await jobsOf(deleted), await jobsOf(other)]).toEqual([1, 2]);
      expect(await notification(deleted)).toEqual([]);
      expect(await notification(other)).toHaveLength(2);
      expect(await subject.schedules.get(deleted)).toBeUndefined();
      expect(await subject.schedules.remove(deleted)).toBe('missing');
      expect((await subject.schedules.list({}, 10, null)).items).toMatchObject([{ scheduleId: other }]);
    });

    it('a schedule is created once per id, and listed newest first, page by page', async () => {
      const first = await add();
      const definition = definitionOf();
      const again = await subject.schedules.create({
        scheduleId: first,
        name: 'other',
        clientId,
        definition,
        note: null,
      });
      expect(again).toMatchObject({
        scheduleId: first,
        name: 'nightly',
        revision: 1,
        state: 'active',
        definition: { kept: definition },
      });
      const second = await add();
      await subject.schedules.control(second, 'pause', null);
      const page = await subject.schedules.list({}, 1, null);
      expect(page).toMatchObject({ items: [{ scheduleId: second }], next: second });
      expect(await subject.schedules.list({}, 1, page.next)).toMatchObject({
        items: [{ scheduleId: first }],
        next: null,
      });
      expect((await subject.schedules.list({ state: 'paused', clientId }, 10, null)).items).toMatchObject([
        { scheduleId: second },
      ]);
      expect((await subject.schedules.list({ text: 'IGHTL' }, 10, null)).items).toHaveLength(2);
      // The characters of the search text are literal, not a pattern.
      expect((await subject.schedules.list({ text: 'nig_t' }, 10, null)).items).toEqual([]);
      await expect(subject.schedules.list({}, 1, 'nonsense')).rejects.toThrow('nonsense');
    });

    it('occurrences are listed page by page, by state and group', async () => {
      const scheduleId = await add({ misfire: 'fire-all' });
      await subject.passTime(3 * minuteMs);
      await recur();
      const first = await subject.schedules.occurrences(scheduleId, {}, 2, null);
      expect(first.items.map(({ scheduledFor }) => minutes(scheduledFor.getTime()))).toEqual([3, 2]);
      const rest = await subject.schedules.occurrences(scheduleId, {}, 2, first.next);
      expect(rest.items.map(({ scheduledFor }) => minutes(scheduledFor.getTime()))).toEqual([1]);
      expect(rest.next).toBeNull();
      expect((await subject.schedules.occurrences(scheduleId, { state: 'skipped' }, 2, null)).items).toEqual([]);
      await expect(subject.schedules.occurrences(scheduleId, {}, 2, 'nonsense')).rejects.toThrow('nonsense');
    });
  });
}
