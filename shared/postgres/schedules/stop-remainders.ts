import type { PoolClient } from 'pg';
import { controlEvents, moveOf, type ControlVerb } from '../../domain/run/run-control.ts';
import { isTerminal, type RunState } from '../../domain/run/run-states.ts';
import { judgeFrom } from '../ledger/judge-from.ts';

interface StartedRun {
  runId: string;
  state: RunState;
  hasBegun: boolean;
}

/**
 * Pauses, resumes or cancels unfinished runs that campaigns' schedules have started. If a schedule is cancelled, starts
 * without a run are deleted. Resuming a schedule resumes only the runs that were paused with it.
 */
export async function stopRemainders(
  client: PoolClient,
  schedules: readonly { scheduleId: string }[],
  verb: ControlVerb,
  reason: string,
): Promise<void> {
  if (schedules.length === 0) return;
  const ids = schedules.map(({ scheduleId }) => scheduleId);
  if (verb === 'cancel') await client.query(deleteStarts, [ids]);
  const { rows } = await client.query<StartedRun>(lockRuns, [ids, verb === 'resume' ? pausedWithSchedule : null]);
  for (const { runId, state, hasBegun } of rows) {
    const move = moveOf(verb, state, hasBegun);
    if (move.kind !== 'move') continue;
    const stateReason = verb === 'pause' ? pausedWithSchedule : verb === 'resume' ? null : reason;
    await client.query(moveRun, [runId, move.to, stateReason, isTerminal(move.to)]);
    if (verb === 'resume') await client.query(judgeFrom, [runId]);
    await client.query(insertEvent, [runId, controlEvents[verb], JSON.stringify({ reason })]);
    if (move.to === 'paused') await client.query(insertEvent, [runId, 'paused', '{}']);
    if (move.to === 'cancelled')
      await client.query(insertEvent, [runId, 'ended', JSON.stringify({ state: move.to, reason })]);
  }
}

/** State reason of runs that resume with their schedule: a run paused by a person has another reason. */
const pausedWithSchedule = 'its schedule was paused';

const deleteStarts = `
  delete from run_starts t using occurrences o, schedules s
  where o.schedule = any($1::uuid[]) and s.id = o.schedule and s.campaign is not null and o.open and t.id = o.target`;

const lockRuns = `
  select r.id as "runId", r.state, r.started_at is not null as "hasBegun"
  from occurrences o join schedules s on s.id = o.schedule join runs r on r.campaign = s.campaign
    and r.scheduled_for = o.due_at
  where o.schedule = any($1::uuid[]) and o.open and r.ended_at is null and ($2::text is null or r.state_reason = $2)
  order by r.id for update of r`;

const moveRun = `
  update runs set state = $2, state_since = now(), state_reason = $3,
    ended_at = case when $4 then now() else ended_at end,
    waiting_cause = case when $4 then null else waiting_cause end,
    waiting_since = case when $4 then null else waiting_since end
  where id = $1`;

const insertEvent = `insert into run_events (run, kind, detail) values ($1, $2, $3::jsonb)`;
