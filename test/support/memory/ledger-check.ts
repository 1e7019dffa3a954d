import type { CheckedLedger, LedgerCheck } from '../../../services/scheduler/ports/ledger-check.ts';
import { jobPartitionOf } from '../../../shared/domain/job/job-ids.ts';
import { atOnce } from './at-once.ts';
import type { ClientTotalsRow } from './job-tables.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryLedgerCheck({ database }: { database: MemoryDatabase }): LedgerCheck {
  const { scheduled, clock } = database;
  return {
    expectedInAll: () => atOnce(() => [...scheduled.totals.values()].reduce((sum, row) => sum + storedBy(row), 0)),
    check: (partitions) =>
      atOnce(() => {
        const counts = new Map<string, number>();
        for (const { jobId, clientId } of scheduled.jobs.values()) {
          if (partitions.includes(jobPartitionOf(jobId))) counts.set(clientId, (counts.get(clientId) ?? 0) + 1);
        }
        const clients = new Set([...scheduled.totals.keys(), ...counts.keys()]);
        return Array.from(clients, (clientId): CheckedLedger => {
          const totals = scheduled.totals.get(clientId);
          const checked = { expected: totals ? storedBy(totals) : 0, counted: counts.get(clientId) ?? 0 };
          scheduled.ledgerChecks.set(clientId, { ...checked, atMs: clock.nowMs(), partitions: partitions.length });
          return { clientId, ...checked };
        });
      }),
  };
}

function storedBy({ accepted, called, expired, cancelled, dead }: ClientTotalsRow): number {
  return accepted - called - expired - cancelled - dead;
}
