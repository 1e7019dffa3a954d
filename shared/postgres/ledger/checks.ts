import type { PoolClient } from 'pg';
import { noneBegun } from '../../domain/step/suspects.ts';
import type { ClaimedStep, StepRef } from '../../ports/step-ledger.ts';
import { statementOf } from '../connection/statement.ts';
import { keysOf } from './step-writes.ts';

/**
 * Marks steps that are claimed to be checked: if the worker is lost before it reports that a call begins, there was
 * none. Returns one row for each step whose earlier checks gave no answer, with their number.
 */
export const noteUnstarted = statementOf<{ feeds: string; batchNos: string; steps: string }>(
  'note-unstarted',
  ($) => `
  with k as (
    select * from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) with ordinality
      k (feed, batch_no, step, position)
  ), n as (
    update batch_steps s set begun = false, lapses = case when s.lapses = 0 then ${noneBegun} else s.lapses end
    from k where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step
  )
  select k.position::int as position, a.tries
  from k cross join lateral (
    select count(*)::int as tries from step_attempts
    where feed = k.feed and batch_no = k.batch_no and step = k.step and reading = 'unchecked'
  ) a
  where a.tries > 0`,
);

/** Marks claims to be checked, in their transaction. Steps that may have been called before are not checked. */
export async function noteChecked(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  checked: (step: StepRef) => boolean,
): Promise<ClaimedStep[]> {
  const toCheck = claimed.filter((claim) => isToBeChecked(claim) && checked(claim));
  if (toCheck.length === 0) return [...claimed];
  const { rows } = await client.query<{ position: number; tries: number }>(noteUnstarted.with(keysOf(toCheck)));
  const triesOf = new Map(rows.map(({ position, tries }) => [toCheck[position - 1], tries]));
  const checkedClaims = new Set(toCheck);
  return claimed.map((claim) => {
    if (!checkedClaims.has(claim)) return claim;
    return {
      ...claim,
      lapses: claim.lapses === 0 ? noneBegun : claim.lapses,
      check: { tries: triesOf.get(claim) ?? 0 },
    };
  });
}

function isToBeChecked({ open, fits }: ClaimedStep): boolean {
  return !open && fits === undefined;
}
