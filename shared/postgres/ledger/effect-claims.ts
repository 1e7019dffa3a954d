import pg, { type Pool, type PoolClient } from 'pg';
import { zonesOfDays, type CappedUser } from '../../domain/step/caps.ts';
import { usersTextOf } from '../../domain/step/users-text.ts';
import type {
  CreatedChild,
  ClaimedStep,
  LedgerFlush,
  StepRef,
  StepResult,
  StepWaiting,
} from '../../ports/step-ledger.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { waitingFor } from './budget-claims.ts';
import { dropEffectsOfEnded, reserveEffects, settleEffects, withoutEffects } from './effect-statements.ts';
import { keysOf, type ClaimTerms } from './step-writes.ts';

/** Effects that are reserved for the steps of a flush. Steps without a cap are in no field. */
export interface ReservedEffects {
  reserved: ReadonlyMap<StepRef, Reservation>;
  /** Claims in whose country another transaction reserves effects. */
  busy: ReadonlySet<StepRef>;
  /** Claims that another worker owned, or that were not due. If they are claimed nevertheless, they are released. */
  skipped: ReadonlySet<StepRef>;
}

interface Reservation {
  /** Digest of the users whose effects are reserved. */
  digest: string;
  /** Users that have reached a cap. */
  capped: readonly CappedUser[];
}

export const noEffects: ReservedEffects = { reserved: new Map(), busy: new Set(), skipped: new Set() };

/** One row for each step, and one for each capped user of a reserved step. */
interface EffectRow extends CappedUser {
  place: number;
  answer: 'reserved' | 'busy' | 'skipped' | 'capped';
  digest: string;
}

/**
 * Reserves effects in a transaction of its own, so that a later claim, or one by another worker, finds them. If the
 * statement times out, the claims are busy: results of the same flush must not wait for them.
 */
export async function reserve(
  pool: Pool,
  claims: readonly StepRef[],
  terms: Pick<LedgerFlush, 'actionTypeOf' | 'countryOf'>,
): Promise<ReservedEffects> {
  try {
    return await reserveOf(pool, claims, terms);
  } catch (error) {
    const isTimeout = error instanceof pg.DatabaseError && error.code === queryCanceled;
    if (!isTimeout) throw error;
    return { ...noEffects, busy: new Set(claims) };
  }
}

const queryCanceled = '57014';

async function reserveOf(
  pool: Pool,
  claims: readonly StepRef[],
  { actionTypeOf, countryOf }: Pick<LedgerFlush, 'actionTypeOf' | 'countryOf'>,
): Promise<ReservedEffects> {
  const countries = claims.map(({ feedId }) => countryOf?.(feedId));
  const zones = new Map([...new Set(countries)].map((country) => [country, zonesOfDays(country).join(',')]));
  const { rows } = await pool.query<EffectRow>(
    reserveEffects.with({
      ...keysOf(claims),
      types: textArray(claims.map((claim) => actionTypeOf?.(claim) ?? '')),
      zones: textArray(countries.map((country) => zones.get(country) ?? '')),
    }),
  );
  const answered = Map.groupBy(rows, ({ answer }) => answer);
  const stepsOf = (answer: EffectRow['answer']) =>
    (answered.get(answer) ?? []).flatMap(({ place }) => claims[place - 1] ?? []);
  const capped = Map.groupBy(answered.get('capped') ?? [], ({ place }) => place);
  const reserved = (answered.get('reserved') ?? []).flatMap(({ place, digest }): [StepRef, Reservation][] => {
    const step = claims[place - 1];
    return step ? [[step, { digest, capped: (capped.get(place) ?? []).map(cappedUserOf) }]] : [];
  });
  return { reserved: new Map(reserved), busy: new Set(stepsOf('busy')), skipped: new Set(stepsOf('skipped')) };
}

function cappedUserOf({ user, cap, had, effects, days }: EffectRow): CappedUser {
  return { user, cap, had, effects, days };
}

/**
 * Attaches users that have reached a cap to their claims. Checks the reservations again: since then, another worker may
 * have claimed the step and released it. Such claims are to be released.
 */
export async function attachCapped(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  { reserved, skipped }: ReservedEffects,
  { leaseMs }: Pick<ClaimTerms, 'leaseMs'>,
): Promise<{ claimed: ClaimedStep[]; released: StepWaiting[] }> {
  const reservations = new Map([...reserved].map(([step, reservation]) => [keyOf(step), reservation]));
  const late = new Set([...skipped].map(keyOf));
  const digestOf = (claim: ClaimedStep) => reservations.get(keyOf(claim))?.digest ?? null;
  const touched = claimed.filter((claim) => reservations.has(keyOf(claim)) || late.has(keyOf(claim)));
  await dropOfEnded(client, claimed, reserved);
  if (touched.length === 0) return { claimed: [...claimed], released: [] };
  const { rows } = await client.query<{ position: number }>(
    withoutEffects.with({ ...keysOf(touched), digests: textArray(touched.map(digestOf)), leaseMs }),
  );
  const without = new Set(rows.flatMap(({ position }) => touched[position - 1] ?? []));
  const kept = claimed.filter((claim) => !without.has(claim));
  return {
    claimed: kept.map((claim) => {
      const { capped = [] } = reservations.get(keyOf(claim)) ?? {};
      return claim.fits === undefined && capped.length > 0 ? { ...claim, capped } : claim;
    }),
    released: [...without].map((claim) => waitingFor(claim, undefined)),
  };
}

/** Deletes the effects of steps that ended between their reservation and the claim, which therefore failed. */
async function dropOfEnded(
  client: PoolClient,
  claimed: readonly ClaimedStep[],
  reserved: ReservedEffects['reserved'],
): Promise<void> {
  const ours = new Set(claimed.map(keyOf));
  const unclaimed = [...reserved.keys()].filter((step) => !ours.has(keyOf(step)));
  if (unclaimed.length > 0) await client.query(dropEffectsOfEnded.with(keysOf(unclaimed)));
}

/** Users whose effects a result settles: only these keep their effect, or these lose it. */
interface Settlement {
  result: StepResult;
  only: boolean;
  users: readonly string[];
}

/**
 * Settles effects together with recorded results. Users that were or may have been served keep their effect, in the row
 * of their step or of their child batch.
 */
export async function settle(
  client: PoolClient,
  results: readonly StepResult[],
  children: readonly CreatedChild[],
): Promise<void> {
  const settled = results.flatMap((result) => settlementOf(result) ?? []);
  if (settled.length === 0) return;
  const heirs = children.filter(({ child }) => child.open || child.claim);
  await client.query(
    settleEffects.with({
      ...keysOf(settled.map(({ result }) => result)),
      only: plainArray(settled.map(({ only }) => only)),
      users: textArray(settled.map(({ users }) => JSON.stringify(users))),
      childFeeds: plainArray(heirs.map(({ result }) => result.feedId)),
      childNos: plainArray(heirs.map(({ batchNo }) => batchNo)),
      parentNos: plainArray(heirs.map(({ result }) => result.batchNo)),
      childSteps: plainArray(heirs.map(({ result }) => result.step)),
      childUsers: textArray(heirs.map(({ child }) => usersTextOf(child.users))),
    }),
  );
}

/** Returns null for a result after which every user of the step keeps its effect. */
function settlementOf(result: StepResult): Settlement | null {
  if (result.state === 'waiting') return result.open ? null : { result, only: true, users: [] };
  const { failures, children, rest } = result;
  if (rest !== 'succeeded') {
    const users = failures.flatMap(({ user, outcome }) => (outcome === 'unknown' ? [user] : []));
    return { result, only: true, users };
  }
  const lost = failures.flatMap(({ user, outcome }) => (outcome === 'unknown' ? [] : [user]));
  const users = [...lost, ...children.flatMap((child) => child.users)];
  return users.length === 0 ? null : { result, only: false, users };
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return `${feedId}/${batchNo}/${step}`;
}
