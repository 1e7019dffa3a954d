import type { Pool, PoolClient } from 'pg';
import { rateShareOf, type OtherShare } from '../../domain/endpoint/rate-shares.ts';
import type { RateAsk, RateShares } from '../../ports/rate-shares.ts';
import { statementOf } from '../connection/statement.ts';
import { inTransaction, retryingDeadlocks } from '../connection/transaction.ts';

/** @param deps.owner unique id of this process */
export function createRateShares({ pool, owner }: { pool: Pool; owner: string }): RateShares {
  async function exchangeOne(client: PoolClient, ask: RateAsk, leaseMs: number): Promise<number> {
    const { actionType, unit, ratePerSecond, demand, using } = ask;
    // The lock serializes exchanges: concurrent ones would grant the same share twice.
    await client.query(lockRate.with({ rate: `muster.rate/${actionType}/${unit}` }));
    const { rows } = await client.query<OtherShare>(selectShares.with({ actionType, unit, owner }));
    const share = rateShareOf(ratePerSecond, demand, rows);
    const held = Math.max(using, share);
    await client.query(writeShare.with({ actionType, unit, owner, demand, share, held, leaseMs }));
    return share;
  }

  return {
    exchange: (asks, leaseMs) =>
      retryingDeadlocks(() =>
        inTransaction(pool, async (client) => {
          const shares: number[] = [];
          for (const ask of asks) shares.push(await exchangeOne(client, ask, leaseMs));
          return shares;
        }),
      ),
  };
}

const lockRate = statementOf<{ rate: string }>(
  'lock-rate',
  ($) => `select pg_advisory_xact_lock(hashtextextended(${$('rate')}, 0))`,
);

const selectShares = statementOf<{ actionType: string; unit: string; owner: string }>(
  'select-rate-shares',
  ($) => `
  select demand, reserved as held from rate_shares
  where action_type = ${$('actionType')} and unit = ${$('unit')} and worker <> ${$('owner')} and expires_at > now()`,
);

interface WriteShareParams {
  actionType: string;
  unit: string;
  owner: string;
  demand: number;
  share: number;
  held: number;
  leaseMs: number;
}

/** Stores a share, and deletes shares that ended a minute ago: workers come and go under new names. */
const writeShare = statementOf<WriteShareParams>(
  'write-rate-share',
  ($) => `
  with gone as (
    delete from rate_shares where action_type = ${$('actionType')} and unit = ${$('unit')}
      and expires_at < now() - interval '1 minute'
  )
  insert into rate_shares (action_type, unit, worker, demand, share, reserved, expires_at)
  values (${$('actionType')}, ${$('unit')}, ${$('owner')}, ${$('demand')}, ${$('share')}, ${$('held')},
    now() + ${$('leaseMs')}::float8 * interval '1 millisecond')
  on conflict (action_type, unit, worker) do update set demand = excluded.demand, share = excluded.share,
    reserved = excluded.reserved, expires_at = excluded.expires_at`,
);
