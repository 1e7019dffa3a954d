import type { DigestLine, NotificationMessage } from '../../../shared/contracts/notifications/messages.ts';
import type { Digest, NotificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { readCron } from '../../../shared/domain/recurrence/cron.ts';
import { nextInstantMs } from '../../../shared/domain/recurrence/recurrence.ts';
import type { DigestPart, NotificationEvent } from '../ports/notification-events.ts';

/** Maximum number of lines in a digest. Further runs are only counted. */
export const maxDigestLines = 100;

/** Routine events of a recurring campaign, which can wait for a digest. All other events are sent at once. */
const routine: readonly string[] = ['run.started', 'run.completed'];

/** Returns whether the notification receives this event in its digest. */
export function waitsForDigest({ digest }: NotificationDefinition, { kind, recurs }: NotificationEvent): boolean {
  return digest !== null && recurs && routine.includes(kind);
}

/** Returns the digest line of an event. Undefined for the start of a run, because only the end of a run gets a line. */
export function digestLineOf({ kind, campaign, run, figures }: NotificationEvent): DigestLine | undefined {
  if (kind !== 'run.completed' || !campaign || !run || !figures) return undefined;
  return {
    campaign: { id: publicId('campaign', campaign.campaignId), name: campaign.name },
    run: { id: publicId('run', run.runId), scheduledFor: run.scheduledFor.toISOString() },
    figures,
  };
}

/** Returns the due time, in milliseconds since 1970, of a digest whose first event occurs now. */
export function digestDueMs({ every, at, zone }: Digest, nowMs: number): number {
  const [hour = '', minute = ''] = at.split(':');
  const read = readCron(`${Number(minute)} ${Number(hour)} * * ${every === 'week' ? '1' : '*'}`);
  if (!read.ok) throw new Error(read.detail);
  const recurrence = { kind: 'cron' as const, cron: read.cron, zone, fromMs: nowMs, untilMs: null };
  return nextInstantMs(recurrence, nowMs) ?? nowMs;
}

/** @param base URL of the console; empty if unknown */
export function digestMessage(
  { runs, audience, succeeded, failed, lines, due }: DigestPart,
  base: string,
): NotificationMessage {
  const exact = (value: number) => value.toLocaleString('en-US');
  const users = `${exact(succeeded)} of ${exact(audience)} users through the chain, ${exact(failed)} failed`;
  return {
    type: 'campaign.digest',
    timestamp: due.toISOString(),
    data: {
      text: `${exact(runs)} ${runs === 1 ? 'run' : 'runs'} of recurring campaigns completed. ${users}`,
      link: `${base}/campaigns`,
      cause: null,
      campaign: null,
      run: null,
      approval: null,
      budget: null,
      key: null,
      figures: { audience, succeeded, failed },
      digest: { runs, first: [...lines] },
    },
  };
}
