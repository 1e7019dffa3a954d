import type { Pool } from 'pg';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import { createHostCircuits } from '../../services/dispatcher/postgres/host-circuits.ts';
import type { JobKey } from '../../shared/domain/job/job-key.ts';
import { ledgerLeaseMs } from './conformance/call-ledger.conformance.ts';

/** Creates the ledger with which a dispatcher claims and ends jobs. */
export function callLedgerOn(pool: Pool, owner: string) {
  return createCallLedger({
    pool,
    owner,
    slot: 1,
    leaseMs: ledgerLeaseMs,
    region: () => ({ name: 'local', epoch: 1 }),
  });
}

/** Fails the last attempt of jobs, so that they become dead. */
export async function letDie(pool: Pool, keys: readonly JobKey[], cause: string): Promise<void> {
  const ledger = callLedgerOn(pool, 'a');
  const { claimed } = await ledger.flush({ results: [], claims: keys });
  const note = { status: 500, latencyMs: 5, error: cause, answer: 'sorry' };
  await ledger.flush({
    results: claimed.map((job) => ({ ...job, verdict: { kind: 'dead', cause }, note })),
    claims: [],
  });
}

/** Creates the circuits with which a dispatcher sidelines failing hosts. */
export function hostCircuitsOn(pool: Pool) {
  return createHostCircuits({ pool, owner: 'a', slot: 1 });
}
