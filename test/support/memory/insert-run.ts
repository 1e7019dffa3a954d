import { v7 as uuidv7 } from 'uuid';
import type { MemoryDatabase } from './memory-database.ts';
import { addRunEvent } from './run-events.ts';
import { definitionOf, type RunKey } from './run-definitions.ts';
import { waitsNot } from './run-feeds.ts';
import type { RunRow } from './run-tables.ts';

const missedReason = 'its start was missed for longer than its schedule allows';

/**
 * Inserts a run in state `preparing`, or returns the run that the campaign already has for this time. A run that was
 * missed for too long ends at once.
 */
export function insertRun(
  database: MemoryDatabase,
  {
    campaignId,
    revision,
    scheduledFor,
    settings = {},
  }: RunKey & Pick<RunRow, 'scheduledFor'> & Partial<Pick<RunRow, 'settings'>>,
): { runId: string; isNew: boolean } {
  const { deadlineSeconds, schedule } = definitionOf(database, { campaignId, revision });
  for (const row of database.runs.values()) {
    const isSame = row.campaignId === campaignId && row.scheduledFor.getTime() === scheduledFor.getTime();
    if (isSame) return { runId: row.id, isNew: false };
  }
  const id = uuidv7();
  const withinSeconds =
    schedule.type === 'at' || schedule.type === 'local' ? (schedule.catchUpSeconds ?? Infinity) : Infinity;
  const isMissed = database.clock.nowMs() > scheduledFor.getTime() + withinSeconds * 1000;
  database.runs.set(id, {
    id,
    campaignId,
    revision,
    parentId: null,
    retry: null,
    createdAt: database.clock.now(),
    scheduledFor,
    state: isMissed ? 'expired' : 'preparing',
    stateReason: isMissed ? missedReason : null,
    deadlineAtMs: scheduledFor.getTime() + deadlineSeconds * 1000,
    startedAt: null,
    endedAt: isMissed ? database.clock.now() : null,
    inFlight: 0,
    waiting: 0,
    ...waitsNot,
    stateSince: database.clock.now(),
    settings,
    canary: null,
    failureBaseline: new Map(),
    failuresKept: true,
  });
  addRunEvent(database, id, 'created');
  if (isMissed) addRunEvent(database, id, 'ended', { state: 'expired', reason: missedReason });
  return { runId: id, isNew: true };
}
