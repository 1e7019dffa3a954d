import type { NewWebhookInput, Webhook } from '#client/types.gen.ts';
import { zonePlace } from '../../parts/when/zone-words.ts';

type Event = Webhook['events'][number];

/** What a webhook may be told, in the order that it happens. */
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

/** Of a delivery, whose type may be newer than this console. */
export function eventInWords(event: string | null): string {
  if (event === 'webhook.test') return 'a test';
  return event !== null && isEvent(event) ? eventWords[event] : (event ?? '–');
}

/** `tag growth or payday · owner loyalty`; all campaigns where nothing narrows it. */
export function campaignsInWords({ campaigns, tags, owners }: Webhook): string {
  const parts = Object.entries({ campaign: campaigns, tag: tags, owner: owners });
  const said = parts.flatMap(([of, values]) => (values === null ? [] : [`${of} ${values.join(' or ')}`]));
  return said.join(' · ') || 'all campaigns';
}

/** `every day at 09:00 in Singapore`; undefined where each run is told by itself. */
export function digestInWords({ digest }: Pick<Webhook, 'digest'>): string | undefined {
  if (digest === null) return undefined;
  return `${digest.every === 'day' ? 'every day' : 'on Mondays'} at ${digest.at} in ${zonePlace(digest.zone)}`;
}

export interface NoticeForm {
  name: string;
  url: string;
  events: ReadonlySet<Event>;
  /** Separated by commas. */
  campaigns: string;
  tags: string;
  owners: string;
  /** How what recurs is told. */
  digest: 'each' | 'day' | 'week';
  /** `09:00`; of a digest. */
  at: string;
  zone: string;
}

/** @param zone of a new digest */
export function formOf(webhook: Webhook | null, zone: string): NoticeForm {
  const { name, campaigns, tags, owners } = webhook ?? { name: null, campaigns: null, tags: null, owners: null };
  const text = (values: readonly string[] | null) => values?.join(', ') ?? '';
  return {
    ...{ name: name ?? '', url: '', events: new Set(webhook?.events ?? ['run.ended', 'run.paused', 'run.stalled']) },
    ...{ campaigns: text(campaigns), tags: text(tags), owners: text(owners) },
    ...{
      digest: webhook?.digest?.every ?? 'each',
      at: webhook?.digest?.at ?? '09:00',
      zone: webhook?.digest?.zone ?? zone,
    },
  };
}

/** What is asked for; a URL that is left empty stays as it is. */
export function webhookOfForm({ name, url, events: asked, ...chosen }: NoticeForm) {
  const fields: Omit<NewWebhookInput, 'url'> = {
    name: name.trim() === '' ? null : name.trim(),
    events: events.filter((event) => asked.has(event)),
    campaigns: listOf(chosen.campaigns),
    tags: listOf(chosen.tags),
    owners: listOf(chosen.owners),
    digest: chosen.digest === 'each' ? null : { every: chosen.digest, at: chosen.at.trim(), zone: chosen.zone.trim() },
  };
  return { fields, url: url.trim() };
}

function listOf(text: string): string[] | null {
  const values = text.split(',').map((value) => value.trim());
  const given = values.filter((value) => value !== '');
  return given.length === 0 ? null : given;
}
