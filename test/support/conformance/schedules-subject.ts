import { beforeEach } from 'vitest';
import type { NewClient } from '../../../services/api/clients/postgres/client-store.ts';
import { newClientOf } from '../clients.ts';
import type {
  GroupStore,
  OccurrenceRecord,
  ScheduleStore,
} from '../../../services/api/schedules/schedule-store.port.ts';
import type { DueSchedules, SchedulerNode } from '../../../services/scheduler/ports/due-schedules.ts';
import type { WorkCalendarStore } from '../../../services/api/schedules/work-calendar-store.port.ts';
import type { KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';

export interface SchedulesSubject {
  schedules: ScheduleStore;
  groups: GroupStore;
  workCalendars: Pick<WorkCalendarStore, 'put'>;
  due: DueSchedules;
  addClient: (client: NewClient) => Promise<unknown>;
  /** Returns the jobs that wait to be called, in the order of their due times. */
  jobs(): Promise<StoredJob[]>;
  /** Ends all jobs as called. */
  endJobs(): Promise<void>;
  /** Deletes the time of a schedule's next look, which is a fault. */
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

export const minuteMs = 60_000;
export const local: SchedulerNode = { region: 'local', owner: 'a' };
export const far: SchedulerNode = { region: 'far', owner: 'b' };

export type Wanted = Partial<KeptSchedule['recurrence']> & Pick<KeptSchedule, 'groups'>;

export function definitionOf({ groups, ...recurrence }: Wanted = {}): KeptSchedule {
  const rhythm = recurrence.everySeconds === undefined ? { cron: '* * * * *' } : {};
  return {
    recurrence: {
      zone: 'UTC',
      misfire: 'fire-once',
      catchUpSeconds: 3600,
      overlap: 'allow',
      spreadSeconds: 0,
      ...rhythm,
      ...recurrence,
    },
    ...(groups ? { groups } : {}),
    call: {
      url: 'https://shop.example.com/hook',
      method: 'POST',
      headers: '{"x-shop":"1"}',
      body: '{}',
      relevancySeconds: null,
      tags: ['nightly'],
    },
  };
}

/** Provides an installation with one client for each test of the suite. */
export function schedulesForEach(makeSubject: () => Promise<SchedulesSubject>) {
  let subject: SchedulesSubject;
  let startMs: number;
  let clientId: string;
  beforeEach(async () => {
    subject = await makeSubject();
    startMs = subject.nowMs();
    clientId = await addClient('shop', {});
  });

  async function addClient(name: string, definition: object): Promise<string> {
    const client = newClientOf(name, { definition });
    await subject.addClient(client);
    return client.clientId;
  }

  async function add(wanted: Wanted = {}, by = clientId): Promise<string> {
    const made = await subject.schedules.create({
      name: 'nightly',
      clientId: by,
      definition: definitionOf(wanted),
      note: null,
    });
    return made.scheduleId;
  }

  const recur = (node = local) => subject.due.recur(node, 100);
  const minutes = (atMs: number) => (atMs - startMs) / minuteMs;
  const record = async (scheduleId: string) => {
    const found = await subject.schedules.get(scheduleId);
    if (!found) throw new Error('no such schedule');
    return found;
  };
  /** Returns the occurrences of the schedule, oldest first: minute, group and outcome. */
  async function notified(scheduleId: string): Promise<(string | number)[][]> {
    const { items } = await subject.schedules.occurrences(scheduleId, {}, 100, null);
    return items.toReversed().map(notifiedOf);
  }
  function notifiedOf({ scheduledFor, group, state, cause, instants }: OccurrenceRecord): (string | number)[] {
    const facts = [minutes(scheduledFor.getTime()), state, ...(cause === null ? [] : [cause])];
    return [...facts, ...(group === '' ? [] : [group]), ...(instants === 1 ? [] : [instants])];
  }

  /** Subject of the running test. */
  const current = () => ({ subject, startMs, clientId });
  return { current, addClient, add, recur, minutes, record, notification: notified, notificationOf: notifiedOf };
}
