import type { DigestLine, WebhookDefinition } from '../../../shared/contracts/webhooks/webhooks.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';

export interface WebhookEvent {
  eventId: string;
  /** A type of notice, or `webhook.test`. */
  kind: string;
  at: Date;
  /** Told to this one alone; null: to all that ask for it. */
  webhookId: string | null;
  /** What was noted with it, by its kind. */
  detail: unknown;
  campaign: {
    campaignId: string;
    name: string;
    owner: string | null;
    tags: readonly string[];
    countries: readonly string[];
    /** Action types of its chain. */
    actionTypes: readonly string[];
    /** By name, of those that have one. */
    titles: Readonly<Record<string, string>>;
  } | null;
  /** The account of the key that it is about; null: it is about no key. */
  keyAccount: string | null;
  run: { runId: string; state: string; scheduledFor: Date; startedAt: Date | null } | null;
  /** Its campaign does. */
  recurs: boolean;
  /** Of a run that has ended. */
  figures: { audience: number; throughTheChain: number; failed: number } | null;
}

export interface ListeningWebhook {
  webhookId: string;
  /** As it is stored: what may be a secret of it is sealed. */
  url: string;
  definition: WebhookDefinition;
  createdAt: Date;
  /** Undefined if neither its account nor the key that set its URL has a scope: it receives everything. */
  bounds: WebhookBounds | undefined;
}

/** Bounds on the notices of a webhook. */
export interface WebhookBounds {
  account: string | null;
  /** Scopes of the account and of the key that set the URL, without those that are whole. All of them bound. */
  scopes: readonly CampaignScope[];
}

/** What a webhook is to be told together, and when. */
export interface KeptForDigest {
  webhookId: string;
  due: Date;
  runs: number;
  /** Over all of them, in users. */
  audience: number;
  throughTheChain: number;
  failed: number;
  /** The first of them. */
  lines: readonly DigestLine[];
}

/** Of the webhook's digests: one that is told. */
export type Digest = KeptForDigest & { digestId: string };

/** What is made of events. */
export interface Told {
  calls: readonly JobToStore[];
  /** For their webhooks' digests; `due` where nothing is kept for one yet. */
  kept: readonly KeptForDigest[];
}

/** What webhooks are to be told of. Each verb may be called by several schedulers at once. */
export interface WebhookEvents {
  /**
   * In one transaction: takes at most `limit` events that no other scheduler holds, the oldest first, and stores the
   * calls that come of them, each once, and what waits for digests. Returns how many there were.
   */
  tell(
    limit: number,
    toldOf: (events: readonly WebhookEvent[], webhooks: readonly ListeningWebhook[]) => Told,
  ): Promise<{ events: number; calls: number }>;
  /**
   * In one transaction: takes digests that are due and stores a call for each; what is kept for a webhook that is told
   * nothing is forgotten. Returns how many calls.
   */
  tellDigests(callOf: (digest: Digest, webhook: ListeningWebhook) => JobToStore): Promise<number>;
  /**
   * Notes an event for each run that has not moved for so long, once until it moves again, for each budget of a run
   * that has not ended of which few units are left, once for so many units, and for each key that ends soon, twice
   * before each end that it is given. Returns how many.
   */
  noteWhatStands(stalledForMs: number): Promise<number>;
}
