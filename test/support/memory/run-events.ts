import { v7 as uuidv7 } from 'uuid';
import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function addRunEvent(
  { runEvents, clock }: MemoryDatabase,
  runId: string,
  kind: RunEventKind,
  detail: Readonly<Record<string, unknown>> = {},
): void {
  runEvents.push({ runId, eventId: uuidv7(), at: clock.now(), kind, detail: structuredClone(detail) });
}
