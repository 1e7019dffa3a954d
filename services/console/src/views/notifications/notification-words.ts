import type { NewNotificationInput, Notification } from '#client/types.gen.ts';
import { zoneCity } from '../../parts/when/zone-words.ts';

type Event = Notification['events'][number];

/** Events that a notification may report, in the order in which they happen. */
export const eventWords: Readonly<Record<Event, string>> = {
  'campaign.scheduled': 'scheduled',
  'approval.waiting': 'waiting for approval',
  'run.started': 'started',
  'run.paused': 'paused',
  'run.stalled': 'stalled',
  'run.threshold': 'too many failed',
  'budget.low': 'budget nearly used',
  'run.completed': 'completed',
  'run.cancelled': 'cancelled',
  'run.expired': 'expired',
  'run.failed': 'failed',
  'run.ended': 'ended, with any result',
  'key.ending': 'a key ends soon',
};

export const events = Object.keys(eventWords).filter(isEvent);

function isEvent(name: string): name is Event {
  return Object.hasOwn(eventWords, name);
}

export function formatEvents(events: readonly Event[]): string {
  return events.map((event) => eventWords[event]).join(', ');
}

/** Describes the event of a delivery. An event type that this console does not know is shown unchanged. */
export function formatEvent(event: string | null): string {
  if (event === 'notification.test') return 'a test';
  return event !== null && isEvent(event) ? eventWords[event] : (event ?? '–');
}

/**
 * Describes the filters: `tag growth or payday · owner loyalty`, or `all campaigns`. Campaigns that were chosen by name
 * are not included.
 */
export function describeCampaigns({ campaigns, tags, owners }: Notification): string {
  const parts = Object.entries({ tag: tags, owner: owners });
  const filters = parts.flatMap(([label, values]) => (values === null ? [] : [`${label} ${values.join(' or ')}`]));
  return filters.join(' · ') || (campaigns === null ? 'all campaigns' : '');
}

/** Describes the digest: `every day at 09:00 in Singapore`; undefined if each run is sent by itself. */
export function describeDigest({ digest }: Pick<Notification, 'digest'>): string | undefined {
  if (digest === null) return undefined;
  return `${digest.every === 'day' ? 'every day' : 'on Mondays'} at ${digest.at} in ${zoneCity(digest.zone)}`;
}

export type Kind = Notification['kind'];

export interface KindWords {
  label: string;
  /** Label of the field with the URL. */
  field: string;
  hint: string;
}

export const kindWords: Readonly<Record<Kind, KindWords>> = {
  slack: {
    label: 'Slack',
    field: 'URL of the incoming webhook',
    hint: 'In Slack: Apps, Incoming Webhooks, add one to the channel, and paste its URL here',
  },
  teams: {
    label: 'Teams',
    field: 'URL of the workflow',
    hint: 'In Teams: Workflows of the channel, post when a webhook request is received, and paste its URL here',
  },
  email: { label: 'E-mail', field: 'Address', hint: 'Such as team@example.com' },
  webhook: {
    label: 'Webhook',
    field: 'URL',
    hint: 'Each call is signed; the part of the URL after the host is stored encrypted',
  },
};

const mailScheme = 'mailto:';

export interface NotificationForm {
  name: string;
  kind: Kind;
  url: string;
  events: ReadonlySet<Event>;
  /** Ids of campaigns. Empty means all campaigns. */
  campaigns: readonly string[];
  /** Typed text of the search for a further campaign; null while the search is closed. */
  campaignSearch: string | null;
  /** Tags separated by commas. */
  tags: string;
  owners: string;
  digest: 'each' | 'day' | 'week';
  at: string;
  zone: string;
}

/** @param zone default time zone of a digest */
export function formOf(notification: Notification | null, zone: string): NotificationForm {
  const { name, campaigns, tags, owners } = notification ?? { name: null, campaigns: null, tags: null, owners: null };
  const text = (values: readonly string[] | null) => values?.join(', ') ?? '';
  return {
    name: name ?? '',
    kind: notification?.kind ?? 'slack',
    url: '',
    events: new Set(notification?.events ?? ['run.ended', 'run.paused', 'run.stalled']),
    campaigns: campaigns ?? [],
    campaignSearch: null,
    tags: text(tags),
    owners: text(owners),
    digest: notification?.digest?.every ?? 'each',
    at: notification?.digest?.at ?? '09:00',
    zone: notification?.digest?.zone ?? zone,
  };
}

/** Converts the form into a request. If the URL is empty, the caller leaves the stored URL unchanged. */
export function readForm({ name, kind, url, events: chosenEvents, ...chosen }: NotificationForm) {
  const fields: Omit<NewNotificationInput, 'url'> = {
    name: name.trim() === '' ? null : name.trim(),
    events: events.filter((event) => chosenEvents.has(event)),
    campaigns: chosen.campaigns.length === 0 ? null : [...chosen.campaigns],
    tags: parseList(chosen.tags),
    owners: parseList(chosen.owners),
    digest: chosen.digest === 'each' ? null : { every: chosen.digest, at: chosen.at.trim(), zone: chosen.zone.trim() },
  };
  return { fields, kind, url: kind === 'email' ? mailUrl(url.trim()) : url.trim() };
}

function mailUrl(address: string): string {
  return address === '' || address.startsWith(mailScheme) ? address : `${mailScheme}${address}`;
}

function parseList(text: string): string[] | null {
  const values = text.split(',').map((value) => value.trim());
  const given = values.filter((value) => value !== '');
  return given.length === 0 ? null : given;
}
