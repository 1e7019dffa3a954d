import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { minuteMs, local, far, schedulesForEach, type SchedulesSubject } from './schedules-subject.ts';

/** Tests the firing of schedules, their times and their notifications. */
export function describeScheduleFires(name: string, makeSubject: () => Promise<SchedulesSubject>): void {
  describe(`fires of schedules: ${name}`, () => {
    const { current, addClient, add, recur, record, notification } = schedulesForEach(makeSubject);
    let subject: SchedulesSubject;
    let startMs: number;
    let clientId: string;
    beforeEach(() => {
      ({ subject, startMs, clientId } = current());
    });

    describe('a due occurrence', () => {
      it('fires once at its instant and not before, as a job that names the occurrence', async () => {
        const scheduleId = await add();
        await subject.passTime(minuteMs - 1);
        expect(await recur()).toMatchObject({ fired: [], examined: 0, nextCheckInMs: 1 });
        await subject.passTime(1);
        const key = `schedule/${scheduleId}/${new Date(startMs + minuteMs).toISOString()}`;
        const targetId = jobIdOf(clientId, key);
        expect((await recur()).fired).toEqual([
          { scheduleId, group: '', scheduledForMs: startMs + minuteMs, targetId, isJob: true },
        ]);
        expect((await recur()).fired).toEqual([]);
        const [job] = await subject.jobs();
        expect(job).toMatchObject({ jobId: targetId, key, scheduleId, dueAtMs: startMs + minuteMs, expiresAtMs: null });
        expect(JSON.parse(job?.headers ?? '')).toMatchObject({
          'x-shop': '1',
          'muster-scheduled-for': new Date(startMs + minuteMs).toISOString(),
        });
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + 2 * minuteMs) });
      });

      it('fires once if several schedulers read it at the same time', async () => {
        await add();
        await subject.passTime(minuteMs);
        const recurs = await Promise.all([recur(), recur(far), recur({ region: 'local', owner: 'c' })]);
        expect(recurs.flatMap(({ fired }) => fired)).toHaveLength(1);
        expect(await subject.jobs()).toHaveLength(1);
      });

      it('expires by the setting of the client unless the schedule has its own', async () => {
        await add({}, await addClient('hurried', { relevancySeconds: 30 }));
        await subject.passTime(minuteMs);
        await recur();
        expect(await subject.jobs()).toMatchObject([{ expiresAtMs: startMs + minuteMs + 30_000 }]);
      });

      it('fires at its own moment after the instant if a spread is set', async () => {
        await add({ spreadSeconds: 3600 });
        await subject.passTime(minuteMs);
        const { fired } = await recur();
        const [job] = await subject.jobs();
        expect(fired).toMatchObject([{ scheduledForMs: startMs + minuteMs }]);
        expect(job?.dueAtMs).toBeGreaterThan(startMs + minuteMs);
        expect(job?.dueAtMs).toBeLessThan(startMs + 61 * minuteMs);
      });
    });

    describe('a work calendar', () => {
      const hours = (count: number) => count * 60 * minuteMs;
      const newYear = { weekDaysOff: [], dates: [{ date: '2026-01-01', name: 'New Year' }] };
      beforeEach(() => subject.workCalendars.put('SG', newYear));

      it('is required to exist', async () => {
        const made = add({ cron: '0 6 * * *', workCalendar: 'other' });
        await expect(made).rejects.toMatchObject({ code: 'unknown-work-calendar' });
      });

      it('skips occurrences on a day off and records them when they are due', async () => {
        const scheduleId = await add({ cron: '0 6,18 * * *', workCalendar: 'SG' });
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + hours(30)) });
        for (const after of [6, 12]) {
          await subject.passTime(hours(after));
          expect(await recur()).toMatchObject({ fired: [], skipped: [{ cause: 'day-off' }] });
        }
        await subject.passTime(hours(12));
        expect(await recur()).toMatchObject({ fired: [{ scheduledForMs: startMs + hours(30) }], skipped: [] });
        expect(await notification(scheduleId)).toEqual([
          [hours(6) / minuteMs, 'skipped', 'day-off'],
          [hours(18) / minuteMs, 'skipped', 'day-off'],
          [hours(30) / minuteMs, 'fired'],
        ]);
      });

      it('moves an occurrence to the next working day, where it fires once with the occurrence of that day', async () => {
        const scheduleId = await add({ cron: '0 6 * * *', workCalendar: 'SG', onDayOff: 'after' });
        await subject.passTime(hours(6));
        expect((await recur()).fired).toEqual([]);
        await subject.passTime(hours(24));
        expect((await recur()).fired).toMatchObject([{ scheduledForMs: startMs + hours(30) }]);
        expect(await notification(scheduleId)).toEqual([[hours(30) / minuteMs, 'fired']]);
      });

      it('applies a change to future occurrences and does not restore past ones', async () => {
        const scheduleId = await add({ cron: '0 6,18 * * *', workCalendar: 'SG', onDayOff: 'after' });
        await subject.passTime(hours(7));
        await subject.workCalendars.put('SG', { weekDaysOff: ['FRI'], dates: [] });
        expect(await recur()).toMatchObject({ fired: [], skipped: [], examined: 1 });
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + hours(18)) });
        await subject.passTime(hours(11));
        expect((await recur()).fired).toMatchObject([{ scheduledForMs: startMs + hours(18) }]);
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + hours(54)) });
      });

      it('leaves due occurrences to the next pass after a change', async () => {
        await add({ cron: '0 6 2 1 *', workCalendar: 'SG' });
        await subject.passTime(hours(30) + 1000);
        await subject.workCalendars.put('SG', { weekDaysOff: ['SUN'], dates: [] });
        expect((await recur()).fired).toMatchObject([{ scheduledForMs: startMs + hours(30) }]);
      });

      it('is evaluated only when a decision is due, and keeps the schedule active even with days off only', async () => {
        const scheduleId = await add({ cron: '0 6 * * FRI', workCalendar: 'SG' });
        await subject.workCalendars.put('SG', { weekDaysOff: ['FRI'], dates: [] });
        await recur();
        expect(await record(scheduleId)).toMatchObject({ state: 'active', nextAt: null });
        await subject.passTime(hours(30));
        expect(await recur()).toMatchObject({ fired: [], skipped: [{ cause: 'day-off' }] });
        await subject.workCalendars.put('SG', newYear);
        await recur();
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + hours(198)) });
      });
    });

    describe('a missed occurrence', () => {
      it('is recorded with its cause, in one row for all missed occurrences', async () => {
        const scheduleId = await add();
        await subject.passTime(5 * minuteMs + 30_000);
        expect(await recur()).toMatchObject({
          fired: [{ scheduledForMs: startMs + 5 * minuteMs }],
          skipped: [{ count: 4 }],
        });
        expect(await notification(scheduleId)).toEqual([
          [1, 'skipped', 'misfire', 4],
          [5, 'fired'],
        ]);
      });

      it('fires late if the policy is fire-all', async () => {
        const scheduleId = await add({ misfire: 'fire-all', catchUpSeconds: 120 });
        await subject.passTime(4 * minuteMs + 1);
        await recur();
        expect(await notification(scheduleId)).toEqual([
          [1, 'skipped', 'too-late', 2],
          [3, 'fired'],
          [4, 'fired'],
        ]);
        expect(await subject.jobs()).toHaveLength(2);
      });
    });

    describe('an occurrence while the previous one is active', () => {
      it('is skipped, and the schedule fires again after the previous one has ended', async () => {
        const scheduleId = await add({ overlap: 'skip' });
        for (let minute = 1; minute <= 3; minute++) {
          await subject.passTime(minuteMs);
          await recur();
          if (minute === 2) await subject.endJobs();
        }
        expect(await notification(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'skipped', 'overlap'],
          [3, 'fired'],
        ]);
      });

      it('is buffered, and fires when the previous one has ended', async () => {
        const scheduleId = await add({ overlap: 'buffer-one' });
        for (let minute = 1; minute <= 3; minute++) {
          await subject.passTime(minuteMs);
          await recur();
        }
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        expect(await notification(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'buffered'],
          [3, 'skipped', 'overlap'],
        ]);
        await subject.endJobs();
        expect((await subject.due.fireBuffered(local, 10)).fired).toMatchObject([
          { scheduledForMs: startMs + 2 * minuteMs },
        ]);
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        expect(await subject.jobs()).toMatchObject([{ dueAtMs: startMs + 3 * minuteMs }]);
      });
    });

    describe('the groups of a schedule', () => {
      const group = (name: string, homeRegion: string | null, tags: string[] = []) =>
        subject.groups.putGroup({ name, homeRegion, fallbackSeconds: 30, tags, countries: [name] });

      it('fire separately, by the registry at that moment', async () => {
        await group('SG', null, ['asia']);
        await group('BR', null);
        const scheduleId = await add({ groups: { tags: ['asia'] } });
        await subject.passTime(minuteMs);
        await recur();
        await group('ID', null, ['asia']);
        await subject.groups.removeGroup('SG');
        await subject.passTime(minuteMs);
        await recur();
        expect(await notification(scheduleId)).toEqual([
          [1, 'fired', 'SG'],
          [2, 'fired', 'ID'],
        ]);
        const [, second] = await subject.jobs();
        expect(JSON.parse(second?.headers ?? '')).toMatchObject({ 'muster-group': 'ID' });
      });

      it('fire in their home region immediately, and in another region after their delay', async () => {
        await group('SG', 'local');
        await group('BR', 'far');
        const scheduleId = await add({ groups: { names: ['BR', 'SG'] } });
        await subject.passTime(minuteMs);
        expect((await recur()).fired).toMatchObject([{ group: 'SG' }]);
        expect(await recur()).toMatchObject({ examined: 0, nextCheckInMs: 30_000 });
        expect((await recur(far)).fired).toMatchObject([{ group: 'BR' }]);
        expect(await record(scheduleId)).toMatchObject({ highWater: new Date(startMs + minuteMs) });

        await subject.passTime(minuteMs);
        expect((await recur()).fired).toMatchObject([{ group: 'SG' }]);
        await subject.passTime(30_000);
        expect((await recur()).fired).toMatchObject([{ group: 'BR', scheduledForMs: startMs + 2 * minuteMs }]);
        expect((await recur(far)).fired).toEqual([]);
        expect(await subject.jobs()).toHaveLength(4);
      });

      it('are fired by other regions if their region is switched off', async () => {
        await group('SG', 'local');
        await add({ groups: { names: ['SG'] }, overlap: 'buffer-one' });
        await subject.switchOff('local');
        await subject.passTime(minuteMs);
        expect(await recur()).toMatchObject({ examined: 0 });
        await subject.passTime(30_000);
        expect((await recur(far)).fired).toMatchObject([{ group: 'SG' }]);
        await subject.passTime(minuteMs);
        await recur(far);
        await subject.endJobs();
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        expect((await subject.due.fireBuffered(far, 10)).fired).toHaveLength(1);
      });

      it('skip and record the occurrence if none of them exists', async () => {
        const scheduleId = await add({ groups: { names: ['XX'] } });
        await subject.passTime(minuteMs);
        await recur();
        expect(await notification(scheduleId)).toEqual([[1, 'skipped', 'no-groups']]);
      });

      it('keep their settings, and get a new revision only on a change', async () => {
        const made = await group('SG', 'asia', ['rides']);
        expect(made).toMatchObject({
          name: 'SG',
          homeRegion: 'asia',
          fallbackSeconds: 30,
          tags: ['rides'],
          countries: ['SG'],
          revision: 1,
        });
        expect(await group('SG', 'asia', ['rides'])).toMatchObject({ revision: 1 });
        expect(await group('SG', 'asia', [])).toMatchObject({ revision: 2, tags: [] });
        await group('BR', null);
        expect((await subject.groups.listGroups()).map(({ name: each }) => each)).toEqual(['BR', 'SG']);
        await subject.groups.removeGroup('BR');
        expect(await subject.groups.getGroup('BR')).toBeUndefined();
      });
    });
  });
}
