import type {
  DueRefs,
  LostRef,
  OutboxSweep,
  SweptFeed,
  ExaminedWindow,
} from '../../../services/trigger/ports/outbox-sweep.ts';
import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { atOnce } from './at-once.ts';
import { lostBefore } from './lost-users.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';
import { holdsInForce } from './step-holds.ts';
import type { AgendaRow, StepRow } from './step-tables.ts';

export function createMemoryOutboxSweep({ database }: { database: MemoryDatabase }): OutboxSweep {
  const { agenda, clock } = database;
  return {
    due: (feeds, limit, busy) => atOnce(() => joined(feeds.map((feed) => dueOf(database, feed, limit, busy)))),
    nextDue: (feedIds, withinMs = Infinity) =>
      atOnce(() => {
        const inMs = new Map<string, number>();
        for (const { feedId, offerAtMs } of agenda.values()) {
          if (!feedIds.includes(feedId) || offerAtMs - clock.nowMs() > withinMs) continue;
          inMs.set(feedId, Math.min(inMs.get(feedId) ?? Infinity, offerAtMs - clock.nowMs()));
        }
        return inMs;
      }),
    revertOffers: (refs) =>
      atOnce(() => {
        for (const { feedId, batchNo, step } of refs) {
          const row = agenda.get(stepKey(feedId, batchNo, step));
          if (row) Object.assign(row, { offers: Math.max(0, row.offers - 1), offerAtMs: clock.nowMs() + 5000 });
        }
      }),
    examine: (feed, window) => atOnce(() => examine(database, feed, window)),
  };
}

function joined(parts: readonly DueRefs[]): DueRefs {
  return {
    offers: parts.flatMap(({ offers }) => offers),
    quarantined: parts.flatMap(({ quarantined }) => quarantined),
    more: parts.flatMap(({ more }) => more),
  };
}

type Place = 'done' | 'running' | 'quarantined' | 'waiting' | 'held' | 'busy' | 'lost';

function dueOf(database: MemoryDatabase, feed: SweptFeed, limit: number, busy: readonly FeedStep[]): DueRefs {
  const { agenda, steps, clock } = database;
  const nowMs = clock.nowMs();
  const rows = [...agenda.values()]
    .filter((row) => row.feedId === feed.feedId && row.offerAtMs <= nowMs)
    .sort((a, b) => a.offerAtMs - b.offerAtMs)
    .slice(0, limit);
  for (const row of rows) if (isReceived(row, steps.get(stepKey(row.feedId, row.batchNo, row.step)))) row.offers = 0;
  const placed = rows.map((row) => ({ row, place: placeOf(database, row, busy) }));
  const result: DueRefs = { offers: [], quarantined: [], more: rows.length === limit ? [feed.feedId] : [] };
  const tried = new Set<number>();
  for (const { row, place } of placed.toSorted((a, b) => a.row.batchNo - b.row.batchNo)) {
    const step = steps.get(stepKey(row.feedId, row.batchNo, row.step));
    const nextTryAtMs = Math.max(0, ...holdsInForce(database, row).map((hold) => hold.nextTryAtMs));
    const isTry = place === 'held' && nextTryAtMs <= nowMs && !tried.has(row.step);
    if (isTry) tried.add(row.step);
    if (place === 'done') goOn(database, row, step, feed.chainLength);
    else if (place === 'lost' || isTry) {
      row.offerAtMs = nowMs + offeredAgainInMs(row.offers);
      row.offers++;
      result.offers.push(lostRefOf(database, row));
    } else {
      if (place === 'quarantined') result.quarantined.push(refOf(row));
      row.offerAtMs = laterOf(place, step, nextTryAtMs, nowMs);
    }
  }
  result.offers.sort((a, b) => a.step - b.step || a.batchNo - b.batchNo);
  return result;
}

function offeredAgainInMs(offers: number): number {
  return Math.min(600, 10 * 2 ** offers) * 1000;
}

/** Returns true if the claim is newer than the last offer: its worker has received that offer. */
function isReceived({ offerAtMs, offers }: AgendaRow, step: StepRow | undefined): boolean {
  return step?.state === 'running' && step.leaseUntilMs > offerAtMs - offeredAgainInMs(offers - 1);
}

function placeOf(database: MemoryDatabase, row: AgendaRow, busy: readonly FeedStep[]): Place {
  const { steps, clock } = database;
  const step = steps.get(stepKey(row.feedId, row.batchNo, row.step));
  const nowMs = clock.nowMs();
  if (step?.state === 'done') return 'done';
  if (step?.state === 'running' && step.leaseUntilMs >= nowMs) return 'running';
  if (step?.state === 'running' && step.lapses >= quarantinedAfterLapses) return 'quarantined';
  if (step?.state === 'waiting' && (step.nextAttemptAtMs ?? 0) > nowMs) return 'waiting';
  if (holdsInForce(database, row).length > 0) return 'held';
  const isBusy = busy.some((each) => each.feedId === row.feedId && each.step === row.step);
  return row.offers > 0 && isBusy ? 'busy' : 'lost';
}

function laterOf(place: Place, step: StepRow | undefined, nextTryAtMs: number, nowMs: number): number {
  if (place === 'running') return step?.leaseUntilMs ?? nowMs;
  if (place === 'waiting') return step?.nextAttemptAtMs ?? nowMs;
  return place === 'held' ? Math.max(nextTryAtMs, nowMs + 5000) : nowMs + 10_000;
}

/** Updates the agenda after a step. A batch that has ever waited stays on the agenda until it has passed the chain. */
function goOn({ agenda, clock }: MemoryDatabase, row: AgendaRow, step: StepRow | undefined, chainLength: number): void {
  const { feedId, batchNo } = row;
  agenda.delete(stepKey(feedId, batchNo, row.step));
  const next = row.step + 1;
  const goesOn = step?.rest === 'succeeded' && step.restUsers > 0 && next <= chainLength;
  if (!goesOn || agenda.has(stepKey(feedId, batchNo, next))) return;
  const offerAtMs = clock.nowMs() + 10_000;
  agenda.set(stepKey(feedId, batchNo, next), { feedId, batchNo, step: next, offerAtMs, offers: 0 });
}

function lostRefOf(database: MemoryDatabase, row: AgendaRow): LostRef {
  const ref = refOf(row);
  const lost = lostBefore(database, ref);
  const users = database.batches.get(batchKey(ref.feedId, ref.batchNo))?.users ?? [];
  return { ...ref, lost, remaining: users.length - lost.length };
}

function refOf({ feedId, batchNo, step }: StepRef): StepRef {
  return { feedId, batchNo, step };
}

function examine(
  database: MemoryDatabase,
  { feedId, chainLength }: SweptFeed,
  { from, limit, unrecorded }: { from: number; limit: number; unrecorded: readonly number[] },
): ExaminedWindow {
  const { agenda, sweepMarks, clock } = database;
  const nextBatchNo = database.feeds.get(feedId)?.nextBatchNo ?? 1;
  const mark = `${feedId}/${chainLength}`;
  const below = sweepMarks.get(mark) ?? 1;
  const low = Math.max(below, from);
  const end = Math.min(nextBatchNo, low + limit);
  const listed = new Set([...agenda.values()].flatMap((row) => (row.feedId === feedId ? [row.batchNo] : [])));
  let running = 0;
  let firstOpen: number | null = null;
  for (let batchNo = low; batchNo < end; batchNo++) {
    const { place, step, row } = windowPlaceOf(database, feedId, batchNo, chainLength);
    if (place === 'running') running++;
    const isListed = listed.has(batchNo);
    const isNews = place === 'lapsed' || place === 'waiting' || (place === 'unrecorded' && unrecorded.includes(step));
    if (!isListed && isNews) {
      const offerAtMs = place === 'waiting' ? (row.nextAttemptAtMs ?? clock.nowMs()) : clock.nowMs();
      agenda.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, offerAtMs, offers: 0 });
    }
    if (place !== 'through' && !isListed && !isNews) firstOpen ??= batchNo;
  }
  if (low === below) sweepMarks.set(mark, Math.max(below, firstOpen ?? end));
  return { running, next: end > low && end < nextBatchNo ? end : null };
}

/** Returns the position of the furthest step of a batch. */
export function windowPlaceOf(
  { batches, steps, clock }: MemoryDatabase,
  feedId: string,
  batchNo: number,
  chainLength: number,
) {
  const rows = Array.from({ length: chainLength }, (_, index) => steps.get(stepKey(feedId, batchNo, index + 1)));
  const row = rows.findLast((each) => each !== undefined);
  if (!row) return { place: 'unrecorded', step: batches.get(batchKey(feedId, batchNo))?.fromStep ?? 1, row } as const;
  if (row.state === 'done') {
    const goesOn = row.rest === 'succeeded' && row.restUsers > 0 && row.step < chainLength;
    return goesOn
      ? ({ place: 'unrecorded', step: row.step + 1, row } as const)
      : ({ place: 'through', step: row.step, row } as const);
  }
  if (row.state === 'waiting') return { place: 'waiting', step: row.step, row } as const;
  return { place: row.leaseUntilMs < clock.nowMs() ? 'lapsed' : 'running', step: row.step, row } as const;
}
