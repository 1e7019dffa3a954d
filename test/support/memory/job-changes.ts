import type { JobChange, JobChanges } from '../../../services/api/jobs/job-changes.port.ts';
import { createMemoryJobStore } from './job-store.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryJobChanges({ database }: { database: MemoryDatabase }): JobChanges {
  const store = createMemoryJobStore({ database });
  const rows = new Map<string, JobChange>();
  const { clock } = database;

  return {
    get: (changeId) => Promise.resolve(rows.get(changeId)),
    create: (wanted) => {
      const nothing = { state: 'running' as const, place: null, seen: 0, changed: 0, tooLate: 0, endedAt: null };
      const row = rows.get(wanted.changeId) ?? { ...wanted, ...nothing, createdAt: clock.now() };
      rows.set(row.changeId, row);
      return Promise.resolve(row);
    },
    nextRunning: () => {
      const running = [...rows.values()].filter(({ state }) => state === 'running');
      return Promise.resolve(running.sort((a, b) => (a.changeId < b.changeId ? -1 : 1))[0]);
    },
    apply: async ({ changeId, place }, jobIds, next) => {
      const row = rows.get(changeId);
      if (row?.state !== 'running' || row.place !== place) return;
      const { dueAt } = row;
      // At once, as the first statement of a transaction locks it.
      const end = next === null ? { state: 'done' as const, endedAt: clock.now() } : {};
      rows.set(changeId, { ...row, place: next, ...end });
      const answers = dueAt === null ? await store.cancel(jobIds) : await store.move(jobIds, { dueAt });
      const changed = answers.filter(({ kind }) => kind === 'changed').length;
      const taken = rows.get(changeId) ?? row;
      const counts = { seen: taken.seen + answers.length, changed: taken.changed + changed };
      rows.set(changeId, { ...taken, ...counts, tooLate: taken.tooLate + answers.length - changed });
    },
  };
}
