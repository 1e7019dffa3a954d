import type { DigestLine } from '../../../shared/contracts/notifications/messages.ts';
import type { NotificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';

export interface NotificationEvent {
  eventId: string;
  /** Type of the event, or `notification.test` for a test message. */
  kind: string;
  at: Date;
  /**
   * The only notification that receives the event. Null if every notification that subscribes to the event receives it.
   */
  notificationId: string | null;
  detail: unknown;
  campaign: {
    campaignId: string;
    name: string;
    owner: string | null;
    tags: readonly string[];
    countries: readonly string[];
    actionTypes: readonly string[];
    /** Titles of action types, by name. */
    titles: Readonly<Record<string, string>>;
  } | null;
  /** Account of the API key that the event refers to; null if the event does not refer to a key. */
  keyAccount: string | null;
  run: { runId: string; state: string; scheduledFor: Date; startedAt: Date | null } | null;
  recurs: boolean;
  /** Figures of a run that has ended; null for all other events. */
  figures: { audience: number; succeeded: number; failed: number } | null;
}

export interface ActiveNotification {
  notificationId: string;
  /** URL in its stored form, with its secret parts encrypted. */
  url: string;
  definition: NotificationDefinition;
  createdAt: Date;
  /**
   * Limits on the events that the notification receives. Undefined if it receives all events, because neither its
   * account nor the key that set its URL has a restricted scope.
   */
  bounds: NotificationBounds | undefined;
}

export interface NotificationBounds {
  account: string | null;
  /**
   * The scopes of the account and of the key that set the URL, as far as they are restricted. Every scope must include
   * the event.
   */
  scopes: readonly CampaignScope[];
}

/** Runs to add to a notification's next digest. */
export interface DigestPart {
  notificationId: string;
  due: Date;
  runs: number;
  /** Sums over all runs of the part, in users. */
  audience: number;
  succeeded: number;
  failed: number;
  /** Lines of the first runs. Further runs are counted, but have no line. */
  lines: readonly DigestLine[];
}

export type Digest = DigestPart & { digestId: string };

export interface Deliveries {
  calls: readonly JobToStore[];
  /**
   * Parts to add to the pending digests of notifications. If a notification has no pending digest, `due` is the time of
   * the new one.
   */
  digestParts: readonly DigestPart[];
}

/** Events for notifications. Several schedulers may call each method at the same time. */
export interface NotificationEvents {
  /**
   * Takes at most `limit` events that are not locked, oldest first. Stores the resulting jobs and digest parts in the
   * same transaction.
   */
  deliver(
    limit: number,
    deliveriesFor: (events: readonly NotificationEvent[], notifications: readonly ActiveNotification[]) => Deliveries,
  ): Promise<{ events: number; calls: number }>;
  /** Stores the delivery job of each due digest, in one transaction. Returns the number of jobs. */
  deliverDigests(callOf: (digest: Digest, notification: ActiveNotification) => JobToStore): Promise<number>;
  /**
   * Records events for three conditions. A run has not progressed for `stalledForMs`: once, until it progresses. A run
   * that has not ended has a low budget: once per budget size. An API key ends soon: twice per expiry. Returns the
   * number of recorded events.
   */
  recordConditions(stalledForMs: number): Promise<number>;
}
