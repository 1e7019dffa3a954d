import type { LedgerFlush, StepClaim, StepRef } from '../../ports/step-ledger.ts';

/** Sorts a flush by key: all workers lock rows in this order, so that they do not deadlock. */
export function sortedFlush({ results, claims, begins, ...flush }: LedgerFlush): LedgerFlush {
  const sorted = results.toSorted(byKey);
  return { ...flush, results: sorted, claims: distinctClaims(claims, sorted), begins: begins.toSorted(byKey) };
}

/** Splits a flush in two. Results are separated first, so that claims can be retried without them. */
export function halvesOf({ results, claims, begins, ...flush }: LedgerFlush): [LedgerFlush, LedgerFlush] {
  const none = { ...flush, results: [], claims: [], begins: [] };
  if (results.length > 0 && claims.length + begins.length > 0)
    return [
      { ...none, results },
      { ...none, claims, begins },
    ];
  if (claims.length > 0 && begins.length > 0)
    return [
      { ...none, claims },
      { ...none, begins },
    ];
  const [halfResults, halfClaims, halfBegins] = [half(results), half(claims), half(begins)];
  return [
    { ...flush, results: halfResults[0], claims: halfClaims[0], begins: halfBegins[0] },
    { ...flush, results: halfResults[1], claims: halfClaims[1], begins: halfBegins[1] },
  ];
}

function half<Entry>(entries: readonly Entry[]): [Entry[], Entry[]] {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)];
}

/** Sorts claims, and removes duplicates and recorded steps: one statement cannot change a row twice. */
function distinctClaims(claims: readonly StepClaim[], results: readonly StepRef[]): StepClaim[] {
  const sorted = claims.toSorted(byKey);
  const recorded = new Set(results.map(keyOf));
  return sorted.filter((claim, index) => {
    const before = sorted[index - 1];
    return (before === undefined || byKey(before, claim) !== 0) && !recorded.has(keyOf(claim));
  });
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return `${feedId}/${batchNo}/${step}`;
}

function byKey(a: StepRef, b: StepRef): number {
  if (a.feedId !== b.feedId) return a.feedId < b.feedId ? -1 : 1;
  return a.batchNo - b.batchNo || a.step - b.step;
}
