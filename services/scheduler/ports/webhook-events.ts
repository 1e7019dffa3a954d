import type { DigestLine, WebhookDefinition } from '../../../shared/contracts/webhooks/webhooks.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';

export interface WebhookEvent {
  eventId: string;
  /** A type of notice, or `webhook.test`. */
  kind: string;
  at: Date;
  /** Only recipient; null: all webhooks that subscribe to it. */
  webhookId: string | null;
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

export interface ListeningWebhook {
  webhookId: string;
  /** Stored form, with secret parts sealed. */
  url: string;
  definition: WebhookDefinition;
  createdAt: Date;
  /** Undefined if neither its account nor the key that set its URL has a scope: it receives everything. */
  bounds: WebhookBounds | undefined;
}

export interface WebhookBounds {
  account: string | null;
  /** Restricted scopes of the account and of the key that set the URL. All of them apply. */
  scopes: readonly CampaignScope[];
}

/** Contents of a webhook's next digest, and its time. */
export interface KeptForDigest {
  webhookId: string;
  due: Date;
  runs: number;
  /** Sums over all runs, in users. */
  audience: number;
  throughTheChain: number;
  failed: number;
  /** The first lines only. */
  lines: readonly DigestLine[];
}

export type Digest = KeptForDigest & { digestId: string };

export interface Told {
  calls: readonly JobToStore[];
  /** For digests of their webhooks; `due` applies if no digest is pending. */
  kept: readonly KeptForDigest[];
}

/** Events for webhooks. Each method may be called by several schedulers at once. */
export interface WebhookEvents {
  /** Takes at most `limit` unlocked events, oldest first, and stores calls and digest contents, in one transaction. */
  tell(
    limit: number,
    toldOf: (events: readonly WebhookEvent[], webhooks: readonly ListeningWebhook[]) => Told,
  ): Promise<{ events: number; calls: number }>;
  /** Stores a call for each due digest, in one transaction. Returns the number of calls. */
  tellDigests(callOf: (digest: Digest, webhook: ListeningWebhook) => JobToStore): Promise<number>;
  /**
   * Records events: for each run without progress for this time, once until it progresses; for each low budget of an
   * open run, once per size; for each API key that ends soon, twice per end. Returns their number.
   */
  noteWhatStands(stalledForMs: number): Promise<number>;
}
