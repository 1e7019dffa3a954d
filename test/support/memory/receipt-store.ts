import { receiptCursorOf, receiptPlaceOf } from '../../../services/api/receipts/receipt-cursor.contract.ts';
import { InvalidCursorError } from '../../../services/api/frame/page.port.ts';
import type { Receipt, ReceiptStore, ReceiptVerdict } from '../../../services/api/receipts/receipt-store.port.ts';
import { pageOf } from '../../../services/api/frame/postgres/pages.ts';
import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import type { ReceiptTotals } from '../../../shared/domain/step/receipts.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import type { ReceiptRow } from './step-tables.ts';
import { definitionOf } from './run-definitions.ts';

export function createMemoryReceiptStore({ database }: { database: MemoryDatabase }): ReceiptStore {
  const { receipts, feeds, clock } = database;

  function write(receipt: Receipt): ReceiptVerdict {
    const place = placeOf(database, receipt);
    if (typeof place === 'string') return place;
    const { step, user, delivered, code, at } = receipt;
    const key = `${place.feedId}/${step}/${user}`;
    const before = receipts.get(key);
    if (!before || goesBefore(receipt, before)) {
      receipts.set(key, { feedId: place.feedId, step, user, delivered, code, at, receivedAt: clock.now() });
    }
    return 'accepted';
  }

  return {
    record: (given) => atOnce(() => given.map(write)),
    list: (runId, { step, country, delivered }, limit, cursor) =>
      atOnce(() => {
        const after = cursor === null ? null : receiptPlaceOf(cursor);
        if (after === undefined)
          throw new InvalidCursorError(`${JSON.stringify(cursor)} is no place in a list of receipts`);
        const found = [...receipts.values()]
          .flatMap((row) => {
            const feed = feeds.get(row.feedId);
            return feed?.runId === runId ? [{ ...row, country: feed.country }] : [];
          })
          .filter((row) => step === undefined || row.step === step)
          .filter((row) => country === undefined || row.country === country)
          .filter((row) => delivered === undefined || row.delivered === delivered)
          .sort(comparePlaces)
          .filter((row) => after === null || comparePlaces(row, after) > 0);
        const { items, next } = pageOf(found, limit, receiptCursorOf);
        return { items: items.map(({ feedId: _feedId, ...receipt }) => receipt), next };
      }),
  };
}

/** What the feed's receipts add up to, in the order of steps. */
export function receiptTotalsOf({ receipts, failures }: MemoryDatabase, feedId: string): ReceiptTotals[] {
  const ofFeed = [...receipts.values()].filter((row) => row.feedId === feedId);
  const isUnexpected = ({ step, user }: ReceiptRow) =>
    failures.some(
      (row) => row.feedId === feedId && row.step === step && row.user === user && row.outcome !== 'succeeded',
    );
  return [...Map.groupBy(ofFeed, ({ step }) => step)]
    .sort(([a], [b]) => a - b)
    .map(([step, rows]) => {
      const expected = rows.filter((row) => !isUnexpected(row));
      const delivered = expected.filter((row) => row.delivered).length;
      const undelivered = expected.length - delivered;
      return { step, delivered, undelivered, unexpected: rows.length - expected.length };
    });
}

function goesBefore(receipt: Receipt, before: ReceiptRow): boolean {
  const laterMs = receipt.at.getTime() - before.at.getTime();
  return laterMs > 0 || (laterMs === 0 && receipt.delivered && !before.delivered);
}

function placeOf(database: MemoryDatabase, { of, step, user, actionType }: Receipt): FeedRow | ReceiptVerdict {
  const { runs, feeds, batches } = database;
  const run = runs.get('runId' in of ? of.runId : (feeds.get(of.feedId)?.runId ?? ''));
  if (!run) return 'unknown-run';
  const action = definitionOf(database, run).chain[step - 1];
  if (!action) return 'unknown-step';
  if (actionType !== null && action.action !== actionType) return 'other-action-type';
  const named = [...feeds.values()].filter((feed) =>
    'runId' in of ? feed.runId === of.runId : feed.feedId === of.feedId,
  );
  const isKept = ({ feedId, nextBatchNo }: FeedRow) =>
    nextBatchNo === 1 || [...batches.values()].some((batch) => batch.feedId === feedId && batch.batchNo === 1);
  if (!run.failuresKept || !named.every(isKept)) return 'not-kept';
  const holdsUser = ({ feedId }: FeedRow) =>
    [...batches.values()].some(
      (batch) =>
        batch.feedId === feedId &&
        batch.users.includes(user) &&
        ('runId' in of ? !isChildBatch(batch.batchNo) : batch.batchNo === of.batchNo),
    );
  const found = named.find(
    (feed) =>
      step >= feed.fromStep &&
      ('feedId' in of || of.country === null || of.country === feed.country) &&
      holdsUser(feed),
  );
  return found ?? 'unknown-user';
}

type Place = Pick<ReceiptRow, 'feedId' | 'step' | 'user'> & { country: string };

function comparePlaces(a: Place, b: Place): number {
  const compare = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0);
  return (
    compare(a.country, b.country) || compare(a.feedId, b.feedId) || a.step - b.step || compareUserIds(a.user, b.user)
  );
}
