import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NewClient } from '../../../services/api/clients/client-store.port.ts';
import { clientDefinition } from '../../../shared/contracts/jobs/clients.ts';
import type {
  GroupStore,
  OccurrenceRecord,
  ScheduleStore,
} from '../../../services/api/schedules/schedule-store.port.ts';
import type { DueSchedules, Looker } from '../../../services/scheduler/ports/due-schedules.ts';
import type { KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';

export interface SchedulesSubject {
  schedules: ScheduleStore;
  groups: GroupStore;
  due: DueSchedules;
  addClient: (client: NewClient) => Promise<unknown>;
  /** Those that wait to be called, in the order of their due times. */
  jobs(): Promise<StoredJob[]>;
  /** They have been called. */
  endJobs(): Promise<void>;
  /** Takes a schedule's next look away, as nothing should. */
  disarm(scheduleId: string): Promise<void>;
  switchOff(region: string): Promise<void>;
  nowMs(): number;
  passTime(ms: number): Promise<void>;
}

export interface StoredJob {
  jobId: string;
  dueAtMs: number;
  expiresAtMs: number | null;
  key: string | null;
  url: string;
  headers: string | null;
  scheduleId: string | null;
}

const minuteMs = 60_000;
const local: Looker = { region: 'local', owner: 'a' };
const far: Looker = { region: 'far', owner: 'b' };

type Wanted = Partial<KeptSchedule['recurrence']> & Pick<KeptSchedule, 'groups'>;

function definitionOf({ groups, ...recurrence }: Wanted = {}): KeptSchedule {
  const rhythm = recurrence.everySeconds === undefined ? { cron: '* * * * *' } : {};
  return {
    recurrence: {
      ...{ zone: 'UTC', misfire: 'fire-once', catchUpSeconds: 3600, overlap: 'allow', spreadSeconds: 0 },
      ...{ ...rhythm, ...recurrence },
    },
    ...(groups ? { groups } : {}),
    call: {
      ...{ url: 'https://shop.example.com/hook', method: 'POST', headers: '{"x-shop":"1"}', body: '{}' },
      ...{ relevancySeconds: null, tags: ['nightly'] },
    },
  };
}

export function describeSchedules(name: string, makeSubject: () => Promise<SchedulesSubject>): void {
  describe(`schedules: ${name}`, () => {
    let subject: SchedulesSubject;
    let startMs: number;
    let clientId: string;
    beforeEach(async () => {
      subject = await makeSubject();
      startMs = subject.nowMs();
      clientId = await addClient('shop', {});
    });

    async function addClient(name: string, definition: object): Promise<string> {
      const client = { clientId: uuidv7(), name, definition: clientDefinition.parse(definition) };
      await subject.addClient(client);
      return client.clientId;
    }

    async function add(wanted: Wanted = {}): Promise<string> {
      const made = await subject.schedules.create({
        name: 'nightly',
        clientId,
        definition: definitionOf(wanted),
        note: null,
      });
      return made.scheduleId;
    }

    const look = (looker = local) => subject.due.recur(looker, 100);
    const minutes = (atMs: number) => (atMs - startMs) / minuteMs;
    const record = async (scheduleId: string) => {
      const found = await subject.schedules.get(scheduleId);
      if (!found) throw new Error('no such schedule');
      return found;
    };
    /** As it is listed, oldest first: the minute, the group, what became of it. */
    async function told(scheduleId: string): Promise<(string | number)[][]> {
      const { items } = await subject.schedules.occurrences(scheduleId, {}, 100, null);
      return items.toReversed().map(toldOf);
    }
    function toldOf({ scheduledFor, group, state, cause, instants }: OccurrenceRecord): (string | number)[] {
      const facts = [minutes(scheduledFor.getTime()), state, ...(cause === null ? [] : [cause])];
      return [...facts, ...(group === '' ? [] : [group]), ...(instants === 1 ? [] : [instants])];
    }

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
        clientId = await addClient('hurried', { relevancySeconds: 30 });
        await add();
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

    describe('what people do', () => {
      it('a paused schedule fires nothing, and tells what it left out when it is resumed', async () => {
        const scheduleId = await add();
        await subject.passTime(minuteMs);
        expect(await subject.schedules.control(scheduleId, 'pause', 'holiday')).toMatchObject({
          move: { kind: 'move', to: 'paused' },
          schedule: { state: 'paused', stateReason: 'holiday', nextAt: null },
        });
        expect(await subject.schedules.control(scheduleId, 'pause', null)).toMatchObject({ move: { kind: 'stays' } });
        await subject.passTime(2.5 * minuteMs);
        expect(await look()).toMatchObject({ looked: 0 });
        await subject.schedules.control(scheduleId, 'resume', null);
        await look();
        await subject.passTime(0.5 * minuteMs);
        await look();
        expect(await told(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'skipped', 'paused', 2],
          [4, 'fired'],
        ]);
      });

      it('a disabled one gives up what waits, too', async () => {
        const scheduleId = await add({ overlap: 'buffer-one' });
        for (let minute = 1; minute <= 2; minute++) {
          await subject.passTime(minuteMs);
          await look();
        }
        await subject.schedules.control(scheduleId, 'disable', null);
        await subject.endJobs();
        expect((await subject.due.fireBuffered(local, 10)).fired).toEqual([]);
        await subject.passTime(minuteMs);
        expect(await subject.schedules.control(scheduleId, 'enable', null)).toMatchObject({
          schedule: { state: 'active' },
        });
        await look();
        expect(await told(scheduleId)).toEqual([
          [1, 'fired'],
          [2, 'skipped', 'disabled'],
          [3, 'skipped', 'disabled'],
        ]);
        expect(await subject.schedules.control(scheduleId, 'resume', null)).toMatchObject({ move: { kind: 'stays' } });
      });

      it('a change keeps what was due, which fires by what it was due by', async () => {
        const scheduleId = await add();
        await subject.passTime(minuteMs);
        const definition = definitionOf({ cron: '*/10 * * * *' });
        expect(await subject.schedules.change(scheduleId, { definition, note: 'slower' }, 1)).toMatchObject({
          schedule: { revision: 2, note: 'slower', nextAt: new Date(startMs + 10 * minuteMs) },
        });
        expect(await subject.jobs()).toHaveLength(1);
        await subject.passTime(9 * minuteMs);
        await look();
        expect(await told(scheduleId)).toEqual([
          [1, 'fired'],
          [10, 'fired'],
        ]);
      });

      it('a change of a paused one tells what it has left out by then', async () => {
        const scheduleId = await add();
        await subject.schedules.control(scheduleId, 'pause', null);
        await subject.passTime(2 * minuteMs);
        await subject.schedules.change(scheduleId, { definition: definitionOf({ cron: '*/10 * * * *' }) }, null);
        expect(await told(scheduleId)).toEqual([[1, 'skipped', 'paused', 2]]);
        expect(await record(scheduleId)).toMatchObject({ state: 'paused' });
        expect(await look()).toMatchObject({ looked: 0 });
      });

      it('a change of a schedule that has changed since is refused, and one that changes nothing moves nothing', async () => {
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

      it('fires now, beside the rhythm', async () => {
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

      it('backfills what did not fire in a time, and nothing twice', async () => {
        const scheduleId = await add();
        await subject.passTime(4.5 * minuteMs);
        await look();
        const wish = { kind: 'backfill', fromMs: startMs - minuteMs, untilMs: startMs + 10 * minuteMs } as const;
        const fired = await subject.schedules.fire(scheduleId, wish, null);
        expect(fired).toMatchObject({ kind: 'fired', alreadyFired: 1 });
        const at =
          fired.kind === 'fired' ? fired.occurrences.map(({ scheduledFor }) => minutes(scheduledFor.getTime())) : [];
        expect(at).toEqual([-1, 0, 1, 2, 3]);
        expect(await subject.schedules.fire(scheduleId, wish, null)).toMatchObject({
          occurrences: [],
          alreadyFired: 6,
        });
        const jobs = await subject.jobs();
        expect(jobs).toHaveLength(6);
        expect(new Set(jobs.map(({ dueAtMs }) => dueAtMs)).size).toBeGreaterThan(4);
      });

      it('backfills so much at once, and not more', async () => {
        const scheduleId = await add();
        const wish = { kind: 'backfill', fromMs: startMs - 10_000 * minuteMs, untilMs: startMs } as const;
        expect(await subject.schedules.fire(scheduleId, wish, null)).toEqual({ kind: 'too-many', atMost: 1000 });
        expect(await subject.jobs()).toEqual([]);
      });
    });

    it('a schedule ends with its end', async () => {
      const scheduleId = await add({ until: new Date(startMs + 1.5 * minuteMs).toISOString() });
      await subject.passTime(minuteMs);
      expect((await look()).ended).toEqual([]);
      await subject.passTime(30_000);
      expect((await look()).ended).toEqual([scheduleId]);
      expect(await record(scheduleId)).toMatchObject({ state: 'ended', nextAt: null });
    });

    it('a schedule that lost its next look is armed again', async () => {
      const scheduleId = await add();
      expect(await subject.due.rearm(10, null)).toMatchObject({ mended: 0, cursor: null });
      await subject.disarm(scheduleId);
      await subject.passTime(minuteMs);
      expect((await look()).fired).toEqual([]);
      expect(await subject.due.rearm(1, null)).toMatchObject({ mended: 1, cursor: scheduleId });
      expect(await subject.due.rearm(1, scheduleId)).toMatchObject({ mended: 0, cursor: null });
      expect((await look()).fired).toHaveLength(1);
    });

    it('is forgotten after its days, but for what is at work', async () => {
      const scheduleId = await add({ cron: '0 0 * * *', catchUpSeconds: 0 });
      await subject.passTime(3 * 1440 * minuteMs);
      await look();
      expect(await told(scheduleId)).toHaveLength(2);
      await subject.passTime(91 * 1440 * minuteMs);
      expect(await subject.due.forget(90, 10)).toBe(1);
      await subject.endJobs();
      await look();
      expect(await subject.due.forget(90, 10)).toBe(1);
      expect((await told(scheduleId)).map(([, state]) => state)).toEqual(['skipped', 'fired']);
    });

    it('is made once under an id, and listed newest first, page by page', async () => {
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
      await expect(subject.schedules.list({}, 1, 'nonsense')).rejects.toThrow('nonsense');
    });

    it('lists occurrences page by page, by state and group', async () => {
      const scheduleId = await add({ misfire: 'fire-all' });
      await subject.passTime(3 * minuteMs);
      await look();
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
