import { isChildBatch } from '../../shared/domain/step/batch.ts';
import { stepKey, type MemoryDatabase } from '../support/memory/memory-database.ts';
import type { Weakening } from './processes.ts';

/** Weakenings of the reservations that claims make: units of budgets, and effects for caps. */
export const reservationWeakenings = {
  'nothing is reserved before a call': {
    ledger: (ledger) => ({
      ...ledger,
      flush: ({ results, claims, begins }) => ledger.flush({ results, claims, begins }),
    }),
  },
  'reservations of other batches are ignored': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: (flush) => {
        const hidden = [...database.reservations.values()].flatMap((row) =>
          row.granted ? [{ row, units: row.units }] : [],
        );
        for (const { row } of hidden) row.units = 0;
        const flushed = ledger.flush(flush);
        for (const { row, units } of hidden) row.units = units;
        return flushed;
      },
    }),
  },
  'units of a possible call are freed': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        for (const { feedId, batchNo, step } of flushed.recorded)
          database.reservations.delete(stepKey(feedId, batchNo, step));
        return flushed;
      },
    }),
  },
  'child batches lose their reservations': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        for (const [key, row] of database.reservations)
          if (isChildBatch(row.batchNo) && database.steps.get(key)?.state === 'waiting')
            database.reservations.delete(key);
        return flushed;
      },
    }),
  },
  'effects are not reserved for caps': afterFlushes(({ effects }) => {
    effects.clear();
  }),
  'claims do not return capped users': {
    ledger: (ledger) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        return { ...flushed, claimed: flushed.claimed.map(({ capped: _, ...claim }) => claim) };
      },
    }),
  },
  'effects of a possible call are freed': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        for (const result of flushed.recorded) {
          const isPossible = result.state === 'waiting' && result.open;
          if (isPossible) database.effects.delete(stepKey(result.feedId, result.batchNo, result.step));
        }
        return flushed;
      },
    }),
  },
  'child batches lose their effects': afterFlushes(({ effects, steps }) => {
    for (const [key, { batchNo }] of effects)
      if (isChildBatch(batchNo) && steps.get(key)?.state !== 'done') effects.delete(key);
  }),
} satisfies Record<string, Weakening>;

function afterFlushes(change: (database: MemoryDatabase) => void): Weakening {
  return {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        change(database);
        return flushed;
      },
    }),
  };
}
