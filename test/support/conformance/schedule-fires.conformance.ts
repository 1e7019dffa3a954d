import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { minuteMs, local, far, schedulesForEach, type SchedulesSubject } from './schedules-subject.ts';

/** What fires, when, and what is told of it. */
export function describeScheduleFires(name: string, makeSubject: () => Promise<SchedulesSubject>): void {
  describe(`fires of schedules: ${name}`, () => {
    const { current, addClient, add, look, record, told } = schedulesForEach(makeSubject);
    let subject: SchedulesSubject;
    let startMs: number;
    let clientId: string;
    beforeEach(() => {
      ({ subject, startMs, clientId } = current());
    });

    describe('what is due', () => {
      it('fires once, at its instant and not before, as a job that says what for', async () => {
        const scheduleId = await add();
        await subject.passTime(minuteMs - 1);
        expect(await look()).toMatchObject({ fired: [], looked: 0, nextLookInMs: 1 });
        await subject.passTime(1);
        const key = `schedule/${scheduleId}/${new Date(startMs + minuteMs).toISOString()}`;
        const targetId = jobIdOf(clientId, key);
        expect((await look()).fired).toEqual([{ scheduleId, group: '', scheduledForMs: startMs + minuteMs, targetId }]);
        expect((await look()).fired).toEqual([]);
        const [job] = await subject.jobs();
        expect(job).toMatchObject({ jobId: targetId, key, scheduleId, dueAtMs: startMs + minuteMs, expiresAtMs: null });
        expect(JSON.parse(job?.headers ?? '')).toMatchObject({
          'x-shop': '1',
          'muster-scheduled-for': new Date(startMs + minuteMs).toISOString(),
        });
        expect(await record(scheduleId)).toMatchObject({ nextAt: new Date(startMs + 2 * minuteMs) });
      });

      it('fires once, however many look at the same time', async () => {
        await add();
        await subject.passTime(minuteMs);
        const looks = await Promise.all([look(), look(far), look({ region: 'local', owner: 'c' })]);
        expect(looks.flatMap(({ fired }) => fired)).toHaveLength(1);
        expect(await subject.jobs()).toHaveLength(1);
      });

      it('expires as its client says where it says nothing itself', async () => {
        await add({}, await addClient('hurried', { relevancySeconds: 30 }));
        await subject.passTime(minuteMs);
        await look();
        expect(await subject.jobs()).toMatchObject([{ expiresAtMs: startMs + minuteMs + 30_000 }]);
      });

      it('is spread: a schedule has its own moment after the instant', async () => {
        await add({ spreadSeconds: 3600 });
        await subject.passTime(minuteMs);
        const { fired } = await look();
        const [job] = await subject.jobs();
        expect(fired).toMatchObject([{ scheduledForMs: startMs + minuteMs }]);
        expect(job?.dueAtMs).toBeGreaterThan(startMs + minuteMs);
        expect(job?.dueAtMs).toBeLessThan(startMs + 61 * minuteMs);
      });
    });

    describe('what was missed', () => {
      it('is told with its cause, as one line for all of it', async () => {
        const scheduleId = await add();
        await subject.passTime(5 * minuteMs + 30_000);
        expect(await look()).toMatchObject({
          fired: [{ scheduledForMs: startMs + 5 * minuteMs }],
          skipped: [{ count: 4 }],
        });
        expect(await told(scheduleId)).toEqual([
          [1, 'skipped', 'misfire', 4],
          [5, 'fired'],
        ]);
      });

      it('fires late where all of it is wanted', async () => {
        const scheduleId = await add({ misfire: 'fire-all', catchUpSeconds: 120 });
        await subject.passTime(4 * minuteMs + 1);
        await look();
        expect(await told(scheduleId)).toEqual([
          [1, 'skipped', 'too-late', 2],
          [3, 'fired'],
          [4, 'fired'],
        ]);
        expect(await subject.jobs()).toHaveLength(2);
      });
    });

    describe('while the fire before is at work', () => {
      it('skips, and fires again when it has ended', async () => {
        const scheduleId = await add({ overlap: 'skip' });
        for (let minute = 1; minute <= 3; minute++) {
          await subject.passTime(minuteMs);
          await look();
          if (minute === 2) await subject.endJobs();
        }
        expect(await told(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'skipped', 'overlap'],
          [3, 'fired'],
        ]);
      });

      it('lets one wait, which fires when that has ended', async () => {
        const scheduleId = await add({ overlap: 'buffer-one' });
        for (let minute = 1; minute <= 3; minute++) {
          await subject.passTime(minuteMs);
          await look();
        }
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        expect(await told(scheduleId)).toEqual([
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

    describe('groups', () => {
      const group = (name: string, homeRegion: string | null, tags: string[] = []) =>
        subject.groups.putGroup({ name, homeRegion, fallbackSeconds: 30, tags, countries: [name] });

      it('fire each for itself, as the registry is at that moment', async () => {
        await group('SG', null, ['asia']);
        await group('BR', null);
        const scheduleId = await add({ groups: { tags: ['asia'] } });
        await subject.passTime(minuteMs);
        await look();
        await group('ID', null, ['asia']);
        await subject.groups.removeGroup('SG');
        await subject.passTime(minuteMs);
        await look();
        expect(await told(scheduleId)).toEqual([
          [1, 'fired', 'SG'],
          [2, 'fired', 'ID'],
        ]);
        const [, second] = await subject.jobs();
        expect(JSON.parse(second?.headers ?? '')).toMatchObject({ 'muster-group': 'ID' });
      });

      it('fire from their home at once, and from elsewhere after their delay', async () => {
        await group('SG', 'local');
        await group('BR', 'far');
        const scheduleId = await add({ groups: { names: ['BR', 'SG'] } });
        await subject.passTime(minuteMs);
        expect((await look()).fired).toMatchObject([{ group: 'SG' }]);
        expect(await look()).toMatchObject({ looked: 0, nextLookInMs: 30_000 });
        expect((await look(far)).fired).toMatchObject([{ group: 'BR' }]);
        expect(await record(scheduleId)).toMatchObject({ highWater: new Date(startMs + minuteMs) });

        await subject.passTime(minuteMs);
        expect((await look()).fired).toMatchObject([{ group: 'SG' }]);
        await subject.passTime(30_000);
        expect((await look()).fired).toMatchObject([{ group: 'BR', scheduledForMs: startMs + 2 * minuteMs }]);
        expect((await look(far)).fired).toEqual([]);
        expect(await subject.jobs()).toHaveLength(4);
      });

      it('are left to the others by a region that is switched off', async () => {
        await group('SG', 'local');
        await add({ groups: { names: ['SG'] }, overlap: 'buffer-one' });
        await subject.switchOff('local');
        await subject.passTime(minuteMs);
        expect(await look()).toMatchObject({ looked: 0 });
        await subject.passTime(30_000);
        expect((await look(far)).fired).toMatchObject([{ group: 'SG' }]);
        await subject.passTime(minuteMs);
        await look(far);
        await subject.endJobs();
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        expect((await subject.due.fireBuffered(far, 10)).fired).toHaveLength(1);
      });

      it('that are none let the instant pass, which is told', async () => {
        const scheduleId = await add({ groups: { names: ['XX'] } });
        await subject.passTime(minuteMs);
        await look();
        expect(await told(scheduleId)).toEqual([[1, 'skipped', 'no-groups']]);
      });

      it('keep what was said of them, and move only with a change', async () => {
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
