import { isAskedFor, type Notice, type WebhookDefinition } from '../../../shared/contracts/webhooks/webhooks.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { seesReach } from '../../../shared/domain/scopes.ts';
import { isWebhookClient } from '../../../shared/domain/job/webhook-clients.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import { digestDueMs, digestLineOf, digestNotice, maxDigestLines, waitsForDigest } from './digest.ts';
import type {
  Digest,
  KeptForDigest,
  ListeningWebhook,
  Told,
  WebhookBounds,
  WebhookEvent,
  WebhookEvents,
} from '../ports/webhook-events.ts';
import { noticeBody } from './notice-bodies.ts';
import { noticeOf, ownerOfKey } from './webhook-notice.ts';

/** Events per transaction, each of which causes a call for every subscribed webhook. */
const eventsAtOnce = 100;
/** Interval of looks for stalled runs and low budgets. An event whose notification was lost waits for it too. */
const lookEveryMs = 10_000;
/** Interval while there is no webhook: a new one arrives as a change of clients. */
const idleMs = 60_000;
/** Retries of single steps usually end within this time. */
export const stalledForMs = 120_000;
/** Age at which an undelivered notice is no longer relevant. */
const relevancyMs = 3 * 86_400_000;

export interface WebhookTellerDeps {
  events: WebhookEvents;
  clients: Pick<ClientReader, 'current' | 'onChange'>;
  /** URL of the console's pages; empty if unknown. */
  base: string;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/** Creates calls from events for webhooks. Any number of schedulers may do so: each event is taken by one. */
export function createWebhookTeller({ events, clients, base, changes, clock, logger }: WebhookTellerDeps): Loop {
  let lookedMs = -Infinity;

  async function turn(): Promise<number> {
    if (![...(clients.current()?.byId.values() ?? [])].some(isWebhookClient)) return idleMs;
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedMs >= lookEveryMs) {
      await events.noteWhatStands(stalledForMs);
      await events.tellDigests((digest, webhook) => digestCall(digest, webhook, base));
      lookedMs = nowMs;
    }
    const told = await events.tell(eventsAtOnce, (some, webhooks) =>
      toldOf(some, webhooks, { base, nowMs: clock.now().getTime() }),
    );
    if (told.calls > 0) logger.info({ ...told }, 'webhooks are told');
    return told.events === eventsAtOnce ? 0 : lookEveryMs;
  }

  const loop = createLoop({ name: 'tell-webhooks', turn, afterErrorMs: 1000, clock, logger });
  changes.on('webhook-events', () => loop.poke());
  clients.onChange(() => loop.poke());
  return loop;
}

/** Returns the calls and digest lines that events cause. */
export function toldOf(
  events: readonly WebhookEvent[],
  webhooks: readonly ListeningWebhook[],
  { base, nowMs }: { base: string; nowMs: number },
): Told {
  return {
    calls: events.flatMap((event) => callsOf(event, webhooks, base)),
    kept: webhooks.flatMap((webhook) => keptFor(webhook, events, nowMs)),
  };
}

function keptFor(webhook: ListeningWebhook, events: readonly WebhookEvent[], nowMs: number): KeptForDigest[] {
  const { webhookId, definition } = webhook;
  if (definition.digest === null) return [];
  const waiting = events.filter((event) => isTold(webhook, event) && waitsForDigest(definition, event));
  const lines = waiting.map(digestLineOf).filter((line) => line !== undefined);
  if (lines.length === 0) return [];
  const sum = (of: keyof (typeof lines)[number]['figures']) =>
    lines.reduce((total, { figures }) => total + figures[of], 0);
  const users = { audience: sum('audience'), throughTheChain: sum('throughTheChain'), failed: sum('failed') };
  const due = new Date(digestDueMs(definition.digest, nowMs));
  return [{ webhookId, due, runs: lines.length, ...users, lines: lines.slice(0, maxDigestLines) }];
}

function callsOf(event: WebhookEvent, webhooks: readonly ListeningWebhook[], base: string): JobToStore[] {
  const asking = webhooks.filter((webhook) => isTold(webhook, event) && !waitsForDigest(webhook.definition, event));
  const notice = asking.length === 0 ? undefined : noticeOf(event, base);
  if (!notice) return [];
  const key = publicId('webhookEvent', event.eventId);
  return asking.map((webhook) => callOf(webhook, key, notice));
}

export function digestCall(digest: Digest, webhook: ListeningWebhook, base: string): JobToStore {
  return callOf(webhook, publicId('webhookDigest', digest.digestId), digestNotice(digest, base));
}

/** Creates a call. Its job id is derived from webhook and key, so that repeats yield the same job. */
function callOf({ webhookId, url, definition }: ListeningWebhook, key: string, notice: Notice): JobToStore {
  return {
    jobId: jobIdOf(webhookId, key),
    clientId: webhookId,
    key,
    dueAt: null,
    delayMs: 0,
    relevancyMs,
    method: 'POST',
    url,
    headers: '{"content-type":"application/json"}',
    body: noticeBody(definition.format, notice),
    tags: [notice.type],
    scheduleId: null,
  };
}

/** Returns whether the webhook receives the event. Events before its creation are skipped. */
function isTold({ webhookId, definition, createdAt, bounds }: ListeningWebhook, event: WebhookEvent): boolean {
  if (event.webhookId !== null) return event.webhookId === webhookId;
  if (bounds && !isWithinBounds(bounds, event)) return false;
  return event.at >= createdAt && isAskedFor(event.kind, definition.events) && isOf(definition, event);
}

/** Returns true if each scope includes the campaign, or the event's key belongs to the account of the webhook. */
function isWithinBounds({ account, scopes }: WebhookBounds, { campaign, keyAccount }: WebhookEvent): boolean {
  if (campaign === null) return keyAccount !== null && keyAccount === account;
  return scopes.every((scope) => seesReach(scope, campaign));
}

/** Returns whether the event matches the filters. Events without a campaign match no campaign and no tag. */
function isOf({ campaigns, tags, owners }: WebhookDefinition, event: WebhookEvent): boolean {
  const { campaign } = event;
  if (campaigns && (!campaign || !campaigns.includes(publicId('campaign', campaign.campaignId)))) return false;
  if (tags && !tags.some((tag) => campaign?.tags.includes(tag))) return false;
  const owner = campaign ? campaign.owner : ownerOfKey(event);
  return !owners || (owner !== null && owners.includes(owner));
}
