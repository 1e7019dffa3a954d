import { z } from 'zod';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { CallbackEvidence, ClaimEvent, EndedRow } from '../../support/callback-evidence.ts';
import type { Observer } from './observer.ts';

/**
 * Records every change of a claim in the same transaction, because the engine deletes a claim with the end of its job.
 * A claim is an insertion, or an update that changes epoch or owner. The trigger runs as the owner of its table,
 * because services may not write to it.
 */
export async function watchFires(database: Observer): Promise<void> {
  await database.rows(`
    create table witnessed_fires (
      n bigserial primary key, at timestamptz not null default clock_timestamp(),
      kind text not null, owner text not null, id uuid not null, due_at timestamptz not null, epoch int not null,
        lease_until timestamptz not null, alive_until timestamptz);
    create function witness_fire() returns trigger language plpgsql security definer as $$
    begin
      if tg_op = 'INSERT' then
        insert into witnessed_fires (kind, owner, id, due_at, epoch, lease_until)
          values ('claimed', new.owner, new.id, new.due_at, new.epoch, new.lease_until);
      elsif tg_op = 'DELETE' then
        insert into witnessed_fires (kind, owner, id, due_at, epoch, lease_until)
          values ('gone', old.owner, old.id, old.due_at, old.epoch, old.lease_until);
      elsif new.epoch <> old.epoch or new.owner <> old.owner then
        insert into witnessed_fires (kind, owner, id, due_at, epoch, lease_until, alive_until)
          values ('taken-over', new.owner, new.id, new.due_at, new.epoch, new.lease_until,
          (select expires_at from job_nodes where owner = old.owner));
      end if;
      return null;
    end $$;
    create trigger witness after insert or update or delete on job_claims for each row
      execute function witness_fire()`);
}

const eventRow = z.object({
  kind: z.enum(['claimed', 'taken-over', 'gone']),
  owner: z.string(),
  id: z.string(),
  at: z.date(),
  due: z.date(),
  epoch: z.int(),
  until: z.date(),
  alive: z.date().nullable(),
});

export async function claimEvents(database: Observer): Promise<ClaimEvent[]> {
  const rows = await database.rows(
    'select kind, owner, id::text, at, due_at as due, epoch, lease_until as until, alive_until as alive from witnessed_fires order by n',
  );
  return rows.map((row) => {
    const { kind, owner, id, at, due, epoch, until, alive } = eventRow.parse(row);
    const times = { atMs: at.getTime(), dueAtMs: due.getTime(), leaseUntilMs: until.getTime() };
    const before = alive === null ? {} : { ownerAliveUntilMs: alive.getTime() };
    return { jobId: publicId('job', id), kind, owner, epoch, ...times, ...before };
  });
}

const endedRow = z.object({ id: z.string(), outcome: z.enum(['called', 'expired', 'cancelled', 'dead']) });
const totalsRow = z.object({
  accepted: z.coerce.number(),
  called: z.coerce.number(),
  expired: z.coerce.number(),
  cancelled: z.coerce.number(),
  dead: z.coerce.number(),
});

interface AttemptRow {
  id: string;
  status: number | null;
  error: string | null;
}

/** Reads the evidence in the engine's own tables. */
export async function storedEvidence(
  database: Observer,
): Promise<Pick<CallbackEvidence, 'stored' | 'ended' | 'attempts' | 'totals' | 'claims'>> {
  const [stored, ended, attempts, totals, claims] = await Promise.all([
    database.rows<{ id: string }>('select id::text from jobs'),
    // A dead job that was not replayed has ended. Its row in `ended_jobs` remains after a replay.
    database.rows(`
      select id::text, outcome from ended_jobs where outcome <> 'dead'
      union all select id::text, 'dead' from dead_jobs`),
    database.rows<AttemptRow>('select id::text, status, error from job_attempts'),
    database.rows(`
      select coalesce(sum(accepted), 0) as accepted, coalesce(sum(called), 0) as called,
        coalesce(sum(expired), 0) as expired, coalesce(sum(cancelled), 0) as cancelled, coalesce(sum(dead), 0) as dead
      from client_totals`),
    claimEvents(database),
  ]);
  return {
    stored: stored.map(({ id }) => publicId('job', id)),
    ended: ended.map((row): EndedRow => {
      const { id, outcome } = endedRow.parse(row);
      return { jobId: publicId('job', id), outcome };
    }),
    attempts: attempts.map(({ id, status, error }) => ({ jobId: publicId('job', id), status, error })),
    totals: totalsRow.parse(totals[0]),
    claims,
  };
}
