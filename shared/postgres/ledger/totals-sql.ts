/** Parts of statements that add deltas to the totals, in the transaction and the slot of the counted change. */

export const totalsColumns = [
  'batches',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
  'unknown',
  'suppressed',
  'done',
  'survived',
  'created',
  'waiting',
  'refused',
  'settled_succeeded',
  'settled_failed',
] as const;

type AddedColumn = 'suppressed' | 'done' | 'survived' | 'created' | 'waiting' | 'refused';

/**
 * Adds to `run_totals`, grouped by the source's `feed` and `step`.
 *
 * @param slot placeholder of the slot
 * @param sums by column, aggregates over the source's rows
 * @param source a table expression with the columns feed, step and those of the sums
 */
export function flowAdded(slot: string, sums: Partial<Record<AddedColumn, string>>, source: string): string {
  const columns = Object.keys(sums);
  return `insert into run_totals as t (feed, step, slot, ${columns.join(', ')})
    select feed, step, ${slot}::int2, ${Object.values(sums).join(', ')} from ${source} group by feed, step
      order by feed, step
    on conflict (feed, step, slot) do update
      set ${columns.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ')}`;
}

/** Sample users stored for each reason. */
export const sampleSize = 5;

/**
 * Adds to `failure_totals`.
 *
 * @param source a table expression over inserted failures, with the columns feed, batch_no, step, user_id, outcome and
 * reason
 */
export function failureTotalsAdded(source: string, slot: string): string {
  return `insert into failure_totals as t (feed, step, outcome, reason, slot, users, sample)
    select feed, step, outcome, reason, ${slot}::int2, count(*),
      (array_agg(user_id order by batch_no, user_id))[1:${sampleSize}]
    from ${source} group by feed, step, outcome, reason order by feed, step, outcome, reason
    on conflict (feed, step, outcome, reason, slot) do update set users = t.users + excluded.users,
      sample = case when cardinality(t.sample) >= ${sampleSize} then t.sample
        else (t.sample || excluded.sample)[1:${sampleSize}] end`;
}
