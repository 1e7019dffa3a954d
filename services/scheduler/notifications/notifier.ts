import type { NotificationMessage } from '../../../shared/contracts/notifications/messages.ts';
import { includesEvent, type NotificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { seesReach } from '../../../shared/domain/scopes.ts';
import { isNotificationClient } from '../../../shared/domain/job/notification-clients.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import { digestDueMs, digestLineOf, digestMessage, maxDigestLines, waitsForDigest } from './digest.ts';
import type {
  ActiveNotification,
  Deliveries,
  Digest,
  DigestPart,
  NotificationBounds,
  NotificationEvent,
  NotificationEvents,
} from '../ports/notification-events.ts';
import { messageBody } from './message-bodies.ts';
import { messageOf, ownerOfKey } from './event-message.ts';

/** Maximum number of events per transaction. Each event causes a call for every subscribed notification. */
const eventsAtOnce = 100;
/**
 * Interval in milliseconds between checks for stalled runs and low budgets. If the database's message about a new event
 * is lost, the event also waits up to this long.
 */
const pollEveryMs = 10_000;
/**
 * Interval in milliseconds while no notification exists. When one is created, the scheduler learns about it as a change
 * of clients.
 */
const idleMs = 60_000;
/**
 * Time in milliseconds for which a run must stall before users are notified. Retries of single steps usually end
 * earlier.
 */
export const stalledForMs = 120_000;
/** Age in milliseconds from which an undelivered message is no longer relevant. */
const relevancyMs = 3 * 86_400_000;

export interface NotifierDeps {
  events: NotificationEvents;
  clients: Pick<ClientReader, 'current' | 'onChange'>;
  /** URL of the console; empty if unknown. */
  base: string;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/**
 * Creates the jobs that deliver events to notifications. Any number of schedulers may run this loop, because the
 * database gives each event to only one of them.
 */
export function createNotifier({ events, clients, base, changes, clock, logger }: NotifierDeps): Loop {
  let polledMs = -Infinity;

  async function turn(): Promise<number> {
    if (![...(clients.current()?.byId.values() ?? [])].some(isNotificationClient)) return idleMs;
    const nowMs = clock.monotonicMs();
    if (nowMs - polledMs >= pollEveryMs) {
      await events.recordConditions(stalledForMs);
      await events.deliverDigests((digest, notification) => digestCall(digest, notification, base));
      polledMs = nowMs;
    }
    const delivered = await events.deliver(eventsAtOnce, (some, notifications) =>
      deliveriesFor(some, notifications, { base, nowMs: clock.now().getTime() }),
    );
    if (delivered.calls > 0) logger.info({ ...delivered }, 'calls of notifications are stored');
    return delivered.events === eventsAtOnce ? 0 : pollEveryMs;
  }

  const loop = createLoop({ name: 'notifier', turn, afterErrorMs: 1000, clock, logger });
  changes.on('notification-events', () => loop.poke());
  clients.onChange(() => loop.poke());
  return loop;
}

/** Returns the calls that events cause, and the parts that they add to digests. */
export function deliveriesFor(
  events: readonly NotificationEvent[],
  notifications: readonly ActiveNotification[],
  { base, nowMs }: { base: string; nowMs: number },
): Deliveries {
  return {
    calls: events.flatMap((event) => callsOf(event, notifications, base)),
    digestParts: notifications.flatMap((notification) => digestPartsOf(notification, events, nowMs)),
  };
}

function digestPartsOf(
  notification: ActiveNotification,
  events: readonly NotificationEvent[],
  nowMs: number,
): DigestPart[] {
  const { notificationId, definition } = notification;
  if (definition.digest === null) return [];
  const waiting = events.filter((event) => isSubscribed(notification, event) && waitsForDigest(definition, event));
  const lines = waiting.map(digestLineOf).filter((line) => line !== undefined);
  if (lines.length === 0) return [];
  const sum = (of: keyof (typeof lines)[number]['figures']) =>
    lines.reduce((total, { figures }) => total + figures[of], 0);
  const users = { audience: sum('audience'), succeeded: sum('succeeded'), failed: sum('failed') };
  const due = new Date(digestDueMs(definition.digest, nowMs));
  return [{ notificationId, due, runs: lines.length, ...users, lines: lines.slice(0, maxDigestLines) }];
}

function callsOf(event: NotificationEvent, notifications: readonly ActiveNotification[], base: string): JobToStore[] {
  const subscribed = notifications.filter(
    (notification) => isSubscribed(notification, event) && !waitsForDigest(notification.definition, event),
  );
  const message = subscribed.length === 0 ? undefined : messageOf(event, base);
  if (!message) return [];
  const key = publicId('notificationEvent', event.eventId);
  return subscribed.map((notification) => callOf(notification, key, message));
}

export function digestCall(digest: Digest, notification: ActiveNotification, base: string): JobToStore {
  return callOf(notification, publicId('notificationDigest', digest.digestId), digestMessage(digest, base));
}

/**
 * Creates the callback job that delivers a message. The job's id is derived from the notification and the key, so that
 * a repeated event creates the same job.
 */
function callOf(
  { notificationId, url, definition }: ActiveNotification,
  key: string,
  message: NotificationMessage,
): JobToStore {
  return {
    jobId: jobIdOf(notificationId, key),
    clientId: notificationId,
    key,
    dueAt: null,
    delayMs: 0,
    relevancyMs,
    method: 'POST',
    url,
    headers: '{"content-type":"application/json"}',
    body: messageBody(definition.kind, message),
    tags: [message.type],
    scheduleId: null,
  };
}

/** Returns whether the notification subscribes to the event and existed when the event occurred. */
function isSubscribed(
  { notificationId, definition, createdAt, bounds }: ActiveNotification,
  event: NotificationEvent,
): boolean {
  if (event.notificationId !== null) return event.notificationId === notificationId;
  if (bounds && !isWithinBounds(bounds, event)) return false;
  return event.at >= createdAt && includesEvent(event.kind, definition.events) && matchesFilters(definition, event);
}

/**
 * Returns true if the notification may receive the event. If the event belongs to a campaign, every scope of the
 * notification must include the campaign. If it does not, the API key that the event refers to must belong to the
 * notification's account.
 */
function isWithinBounds({ account, scopes }: NotificationBounds, { campaign, keyAccount }: NotificationEvent): boolean {
  if (campaign === null) return keyAccount !== null && keyAccount === account;
  return scopes.every((scope) => seesReach(scope, campaign));
}

/** Returns whether the event matches the filters. An event without a campaign matches no filter by campaign or tag. */
function matchesFilters({ campaigns, tags, owners }: NotificationDefinition, event: NotificationEvent): boolean {
  const { campaign } = event;
  if (campaigns && (!campaign || !campaigns.includes(publicId('campaign', campaign.campaignId)))) return false;
  if (tags && !tags.some((tag) => campaign?.tags.includes(tag))) return false;
  const owner = campaign ? campaign.owner : ownerOfKey(event);
  return !owners || (owner !== null && owners.includes(owner));
}
