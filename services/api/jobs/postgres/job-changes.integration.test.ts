import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../../shared/domain/job/job-ids.ts';
import { createJobIntake } from '../../../../shared/postgres/jobs/job-intake.ts';
import { createHotPathPool } from '../../../../shared/postgres/connection/pool.ts';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { createJobChanges, type JobChange } from './job-changes.ts';
import { createJobStore } from './job-store.ts';

const database = databaseForFile(createHotPathPool);
const subjectOf = () => ({
  changes: createJobChanges({ pool: database.pool, slot: 6 }),
  store: createJobStore({ pool: database.pool, slot: 5 }),
  intake: createJobIntake({ pool: database.pool }),
});

describe('changes of many jobs', () => {
  const clientId = uuidv7();
  let subject: ReturnType<typeof subjectOf>;
  let ids: string[];
  beforeEach(async () => {
    await database.empty();
    subject = subjectOf();
    ids = Array.from({ length: 30 }, () => jobIdOf(clientId, null));
    const call = { method: 'POST', url: 'https://a.test', headers: null, body: null, tags: ['eu'], scheduleId: null };
    const due = { dueAt: new Date('2100-01-01T00:00:00Z'), delayMs: 0, relevancyMs: null };
    await subject.intake.store(
      ids.map((jobId) => ({ ...call, ...due, jobId, clientId, key: null })),
      1,
    );
  });

  const filter = { state: 'pending', tag: 'eu', dueUntil: new Date('2101-01-01T00:00:00Z') } as const;
  const begin = (verb: 'cancel' | 'reschedule', dueAt: Date | null) =>
    subject.changes.create({ changeId: uuidv7(), clientId, verb, filter, dueAt });

  async function goOn(change: JobChange, limit = 10): Promise<JobChange> {
    const { items, next } = await subject.store.list({ ...change.filter, clientIds: [clientId] }, limit, change.place);
    const wanted = items.map(({ jobId }) => jobId);
    await subject.changes.apply(change, wanted, next);
    return (await subject.changes.get(change.changeId)) ?? expect.fail('it is gone');
  }

  it('are stored as requested, and the oldest unfinished change is applied first', async () => {
    const first = await begin('cancel', null);
    const second = await begin('reschedule', new Date('2102-01-01T00:00:00.000Z'));
    expect(first).toMatchObject({ clientId, verb: 'cancel', filter, state: 'running', place: null, seen: 0 });
    expect(await subject.changes.get(second.changeId)).toEqual(second);
    expect(await subject.changes.nextRunning()).toEqual(first);
    expect(await subject.changes.create({ ...first, verb: 'cancel' })).toEqual(first);
    expect(await subject.changes.get(uuidv7())).toBeUndefined();
  });

  it('continue where the previous part ended, until no jobs are left', async () => {
    let change = await begin('reschedule', new Date('2102-01-01T00:00:00.000Z'));
    for (let part = 0; part < 20 && change.state === 'running'; part++) change = await goOn(change);
    expect(change).toMatchObject({ state: 'done', seen: 30, changed: 30, tooLate: 0 });
    expect(change.endedAt).toBeInstanceOf(Date);
    expect(await subject.changes.nextRunning()).toBeUndefined();
    const [jobId = ''] = ids;
    expect(await subject.store.find(jobId)).toMatchObject({ dueAt: new Date('2102-01-01T00:00:00.000Z') });
  });

  it('count each part once if two processes continue at the same position', async () => {
    const change = await begin('cancel', null);
    const { items, next } = await subject.store.list({ ...filter, clientIds: [clientId] }, 10, null);
    const wanted = items.map(({ jobId }) => jobId);
    await Promise.all([subject.changes.apply(change, wanted, next), subject.changes.apply(change, wanted, next)]);
    expect(await subject.changes.get(change.changeId)).toMatchObject({ seen: wanted.length, changed: wanted.length });
  });
});
