import { pino } from 'pino';
import type { Clock } from '../../shared/ports/clock.ts';
import type { NoticeKind, Notices } from '../../shared/ports/notices.ts';
import { createNotices, type HeardNotices } from '../../shared/postgres/connection/notices.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';

/** Hears what is told from now on. Has to be stopped. */
export async function listeningOn(connectionString: string, clock: Clock = systemClock): Promise<HeardNotices> {
  const logger = pino({ level: 'silent' });
  const notices = createNotices({ connectionString, applicationName: 'a listener', clock, logger });
  const begun = nextOf(notices, 'registry');
  notices.start();
  await begun;
  return notices;
}

/** Resolves when it is told of the kind, or may have missed it. */
export function nextOf(notices: Notices, kind: NoticeKind): Promise<void> {
  return new Promise((resolve) => notices.on(kind, resolve));
}
