import type { DigestLine } from '../../../shared/contracts/notifications/messages.ts';
import type { NotificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';

export interface NotificationEvent {
  eventId: string;
  /** A type of event, or `notification.test`. */
  kind: string;
  at: Date;
  /** Notification that alone receives the event; null if all notifications that subscribe to the event receive it. */
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
  /** Stored form, with secret parts sealed. */
  url: string;
  definition: NotificationDefinition;
  createdAt: Date;
  /**
   * Limits on the events that the notification receives. Undefined if neither its account nor the key that set its URL
   * has a restricted scope, so that it receives all events.
   */
  bounds: NotificationBounds | undefined;
}

export interface NotificationBounds {
  account: string | null;
  /**
   * Scopes of the account and of the key that set the URL, if they are restricted. An event must be within all of them.
   */
  scopes: readonly CampaignScope[];
}

/** Contents of a notification's next digest, and its time. */
export interface DigestPart {
  notificationId: string;
  due: Date;
  runs: number;
  /** Sums over all runs, in users. */
  audience: number;
  succeeded: number;
  failed: number;
  /** Lines of the first runs. Further runs are only counted. */
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

/** Events for notifications. Each method may be called by several schedulers at once. */
export interface NotificationEvents {
  /**
   * Takes at most `limit` events that are not locked, oldest first. Stores the resulting jobs and digest parts in the
   * same transaction.
   */
  deliver(
    limit: number,
    deliveriesFor: (events: readonly NotificationEvent[], notifications: readonly ActiveNotification[]) => Deliveries,
  ): Promise<{ events: number; calls: number }>;
  /** Stores a call for each due digest, in one transaction. Returns the number of calls. */
  deliverDigests(callOf: (digest: Digest, notification: ActiveNotification) => JobToStore): Promise<number>;
  /**
   * Records events for these conditions: a run has not progressed for `stalledForMs` (once until it progresses); an
   * open run has a low budget (once per budget size); an API key ends soon (twice per expiry). Returns the number of
   * recorded events.
   */
  recordConditions(stalledForMs: number): Promise<number>;
}
