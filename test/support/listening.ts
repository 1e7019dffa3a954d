import { pino } from 'pino';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ChangeKind, ChangeFeed } from '../../shared/ports/change-feed.ts';
import { createChangeFeed, type OpenChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';

/** Returns a change feed that receives all notifications from now on. The caller has to stop it. */
export async function listeningOn(connectionString: string, clock: Clock = systemClock): Promise<OpenChangeFeed> {
  const logger = pino({ level: 'silent' });
  const changes = createChangeFeed({ connectionString, applicationName: 'a listener', clock, logger });
  const begun = nextOf(changes, 'registry');
  changes.start();
  await begun;
  return changes;
}

/** Resolves at the next notification of this kind, or when one may have been missed. */
export function nextOf(changes: ChangeFeed, kind: ChangeKind): Promise<void> {
  return new Promise((resolve) => changes.on(kind, resolve));
}
