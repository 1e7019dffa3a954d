import type { DigestLine } from '../../../shared/contracts/notifications/messages.ts';
import type { NotificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';

export interface NotificationEvent {
  eventId: string;
  /** A type of event, or `notification.test`. */
  kind: string;
  at: Date;
  /** Only recipient; null: all notifications that subscribe to it. */
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
  /** Account of the API key that the event is about; null if it is about no key. */
  keyAccount: string | null;
  run: { runId: string; state: string; scheduledFor: Date; startedAt: Date | null } | null;
  recurs: boolean;
  /** Set for a run that has ended. */
  figures: { audience: number; throughTheChain: number; failed: number } | null;
}

export interface ActiveNotification {
  notificationId: string;
  /** Stored form, with secret parts sealed. */
  url: string;
  definition: NotificationDefinition;
  createdAt: Date;
  /** Undefined if neither its account nor the key that set its URL has a scope: it receives everything. */
  bounds: NotificationBounds | undefined;
}

export interface NotificationBounds {
  account: string | null;
  /** Restricted scopes of the account and of the key that set the URL. All of them apply. */
  scopes: readonly CampaignScope[];
}

/** Contents of a notification's next digest, and its time. */
export interface DigestPart {
  notificationId: string;
  due: Date;
  runs: number;
  /** Sums over all runs, in users. */
  audience: number;
  throughTheChain: number;
  failed: number;
  /** The first lines only. */
  lines: readonly DigestLine[];
}

export type Digest = DigestPart & { digestId: string };

export interface Deliveries {
  calls: readonly JobToStore[];
  /** For digests of their notifications; `due` applies if no digest is pending. */
  digestParts: readonly DigestPart[];
}

/** Events for notifications. Each method may be called by several schedulers at once. */
export interface NotificationEvents {
  /** Takes at most `limit` unlocked events, oldest first, and stores calls and digest contents, in one transaction. */
  deliver(
    limit: number,
    deliveriesFor: (events: readonly NotificationEvent[], notifications: readonly ActiveNotification[]) => Deliveries,
  ): Promise<{ events: number; calls: number }>;
  /** Stores a call for each due digest, in one transaction. Returns the number of calls. */
  deliverDigests(callOf: (digest: Digest, notification: ActiveNotification) => JobToStore): Promise<number>;
  /**
   * Records events: for each run without progress for this time, once until it progresses; for each low budget of an
   * open run, once per size; for each API key that ends soon, twice per end. Returns their number.
   */
  recordConditions(stalledForMs: number): Promise<number>;
}
