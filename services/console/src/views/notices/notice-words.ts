import type { NewWebhookInput, Webhook } from '#client/types.gen.ts';
import { zonePlace } from '../../parts/when/zone-words.ts';

type Event = Webhook['events'][number];

/** Events that a webhook may send, in the order in which they happen. */
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
  'run.ended': 'ended, however',
  'key.ending': 'a key ends soon',
};

export const events = Object.keys(eventWords).filter(isEvent);

function isEvent(name: string): name is Event {
  return Object.hasOwn(eventWords, name);
}

export function eventsInWords(asked: readonly Event[]): string {
  return asked.map((event) => eventWords[event]).join(', ');
}

/** Describes the event of a delivery, whose type may be newer than this console. */
export function eventInWords(event: string | null): string {
  if (event === 'webhook.test') return 'a test';
  return event !== null && isEvent(event) ? eventWords[event] : (event ?? '–');
}

/** Describes the filters: `tag growth or payday · owner loyalty`, or all campaigns; named ones are shown apart. */
export function campaignsInWords({ campaigns, tags, owners }: Webhook): string {
  const parts = Object.entries({ tag: tags, owner: owners });
  const said = parts.flatMap(([of, values]) => (values === null ? [] : [`${of} ${values.join(' or ')}`]));
  return said.join(' · ') || (campaigns === null ? 'all campaigns' : '');
}

/** Describes the digest: `every day at 09:00 in Singapore`; undefined if each run is sent by itself. */
export function digestInWords({ digest }: Pick<Webhook, 'digest'>): string | undefined {
  if (digest === null) return undefined;
  return `${digest.every === 'day' ? 'every day' : 'on Mondays'} at ${digest.at} in ${zonePlace(digest.zone)}`;
}

export type Way = 'slack' | 'teams' | 'mail' | 'service';

export interface WayTerms {
  label: string;
  field: string;
  hint: string;
}

export const ways: Readonly<Record<Way, WayTerms>> = {
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
  mail: { label: 'E-mail', field: 'Address', hint: 'Such as team@example.com' },
  service: {
    label: 'Another service',
    field: 'URL',
    hint: 'Each call is signed; what stands behind the host is stored encrypted',
  },
};

const mailScheme = 'mailto:';

export function wayOf({ format, url }: Pick<Webhook, 'format' | 'url'>): Way {
  if (format !== 'standard') return format;
  return url.startsWith(mailScheme) ? 'mail' : 'service';
}

export interface NoticeForm {
  name: string;
  way: Way;
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
export function formOf(webhook: Webhook | null, zone: string): NoticeForm {
  const { name, campaigns, tags, owners } = webhook ?? { name: null, campaigns: null, tags: null, owners: null };
  const text = (values: readonly string[] | null) => values?.join(', ') ?? '';
  return {
    ...{ name: name ?? '', way: webhook ? wayOf(webhook) : 'slack', url: '' },
    events: new Set(webhook?.events ?? ['run.ended', 'run.paused', 'run.stalled']),
    ...{ campaigns: campaigns ?? [], campaignSearch: null, tags: text(tags), owners: text(owners) },
    ...{
      digest: webhook?.digest?.every ?? 'each',
      at: webhook?.digest?.at ?? '09:00',
      zone: webhook?.digest?.zone ?? zone,
    },
  };
}

/** Converts the form into a request. An empty URL stays unchanged. */
export function webhookOfForm({ name, way, url, events: asked, ...chosen }: NoticeForm) {
  const fields: Omit<NewWebhookInput, 'url'> = {
    name: name.trim() === '' ? null : name.trim(),
    events: events.filter((event) => asked.has(event)),
    campaigns: chosen.campaigns.length === 0 ? null : [...chosen.campaigns],
    tags: listOf(chosen.tags),
    owners: listOf(chosen.owners),
    digest: chosen.digest === 'each' ? null : { every: chosen.digest, at: chosen.at.trim(), zone: chosen.zone.trim() },
  };
  const format: Webhook['format'] = way === 'slack' || way === 'teams' ? way : 'standard';
  return { fields, format, url: way === 'mail' ? mailUrl(url.trim()) : url.trim() };
}

function mailUrl(address: string): string {
  return address === '' || address.startsWith(mailScheme) ? address : `${mailScheme}${address}`;
}

function listOf(text: string): string[] | null {
  const values = text.split(',').map((value) => value.trim());
  const given = values.filter((value) => value !== '');
  return given.length === 0 ? null : given;
}
