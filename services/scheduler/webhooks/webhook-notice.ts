import { z } from 'zod';
import type { Notice } from '../../../shared/contracts/webhooks/webhooks.ts';
import { withTitles } from '../../../shared/domain/endpoint/action-title.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { moneyWords } from '../../../shared/domain/money/amounts.ts';
import type { WebhookEvent } from '../ports/webhook-events.ts';

/** Details that the schema's triggers and statements store with an event, by kind. */
const noted = z.object({
  state: z.string().optional(),
  cause: z.string().nullish(),
  approval: z.string().optional(),
  needed: z.int().optional(),
  why: z.array(z.string()).optional(),
  country: z.string().optional(),
  units: z.int().optional(),
  left: z.int().optional(),
  currency: z.string().optional(),
  amount: z.string().optional(),
  leftAmount: z.string().optional(),
  key: z
    .object({ id: z.string(), name: z.string(), owner: z.string().nullable(), expiresAt: z.coerce.date() })
    .optional(),
});

type Noted = z.output<typeof noted>;

/**
 * Returns the notice of an event. Undefined for a kind that this version does not know, or if the campaign was deleted.
 * @param base of the console's pages; empty if unknown
 */
export function noticeOf(event: WebhookEvent, base: string): Notice | undefined {
  const detail = noted.safeParse(event.detail).data;
  const text = detail && textOf(event, inTitles(detail, event));
  if (text === undefined || !isKnown(event.kind)) return undefined;
  const { campaign, run, figures } = event;
  return {
    type: event.kind,
    timestamp: event.at.toISOString(),
    data: {
      text,
      link: base + pathOf(event),
      cause: detail?.cause ?? null,
      campaign: campaign && {
        id: publicId('campaign', campaign.campaignId),
        name: campaign.name,
        owner: campaign.owner,
        tags: [...campaign.tags],
        countries: [...campaign.countries],
      },
      run: run && {
        id: publicId('run', run.runId),
        // State at the time of the event.
        state: detail?.state ?? run.state,
        scheduledFor: run.scheduledFor.toISOString(),
        startedAt: run.startedAt?.toISOString() ?? null,
      },
      figures,
      approval: approvalOf(detail),
      budget: budgetOf(detail),
      key: keyOf(detail),
      digest: null,
    },
  };
}

/** Replaces names of action types by their titles in texts for people; fields for programs keep the names. */
function inTitles({ cause, why, ...detail }: Noted, { campaign }: WebhookEvent): Noted {
  const { actionTypes = [], titles = {} } = campaign ?? {};
  const worded = (sentence: string) => withTitles(sentence, actionTypes, titles);
  return { ...detail, cause: cause && worded(cause), why: why?.map(worded) };
}

type Said = (name: string, event: WebhookEvent, detail: Noted) => string;

const because = ({ cause }: Noted) => (cause ? `: ${cause}` : '');
const exact = (value: number | undefined) => (value ?? 0).toLocaleString('en-US');

function ended(word: string): Said {
  return (name, { figures }, detail) => {
    const { audience = 0, throughTheChain = 0, failed = 0 } = figures ?? {};
    const said = `${exact(throughTheChain)} of ${exact(audience)} users through the chain, ${exact(failed)} failed`;
    return `A run of ${name} ${word}${because(detail)}. ${said}`;
  };
}

const texts: Readonly<Record<Exclude<Notice['type'], 'campaign.digest'>, Said>> = {
  'webhook.test': () => 'This is a test: Muster reaches you',
  'campaign.scheduled': (name) => `${name} was scheduled`,
  'approval.waiting': (name, { run }, { why = [] }) =>
    `${run ? 'A run of ' : ''}${name} waits for approval${why.length === 0 ? '' : `: ${why.join('; ')}`}`,
  'run.started': (name) => `A run of ${name} started`,
  'run.paused': (name, _, detail) => `A run of ${name} is paused${because(detail)}`,
  'run.stalled': (name, _, detail) => `A run of ${name} does not move${because(detail)}`,
  'run.threshold': (name, _, detail) => `A run of ${name} pauses itself${because(detail)}`,
  'budget.low': (name, _, { country, units, left, currency, amount = '', leftAmount = '' }) =>
    currency === undefined
      ? `${exact(left)} of ${exact(units)} units are left of ${name} in ${country ?? ''}`
      : `${moneyWords(leftAmount, currency)} of ${moneyWords(amount, currency)} are left of ${name} in ${country ?? ''}`,
  'run.completed': ended('completed'),
  'run.cancelled': ended('was cancelled'),
  'run.expired': ended('expired'),
  'run.failed': ended('failed'),
  'key.ending': (_name, { at }, { key }) => {
    const days = Math.ceil(((key?.expiresAt.getTime() ?? 0) - at.getTime()) / dayMs);
    const owner = key?.owner ? ` of ${JSON.stringify(key.owner)}` : '';
    return `The key ${JSON.stringify(key?.name ?? '')}${owner} ends in ${days} ${days === 1 ? 'day' : 'days'}`;
  },
};

const dayMs = 86_400_000;

function isKnown(kind: string): kind is keyof typeof texts {
  return Object.hasOwn(texts, kind);
}

function textOf(event: WebhookEvent, detail: Noted): string | undefined {
  const { kind, campaign, webhookId } = event;
  if (!isKnown(kind) || (campaign === null && webhookId === null && !detail.key)) return undefined;
  return texts[kind](JSON.stringify(campaign?.name ?? ''), event, detail);
}

function pathOf({ kind, run, campaign, figures, webhookId }: WebhookEvent): string {
  if (kind === 'key.ending') return '/keys';
  if (webhookId !== null) return '/notices';
  if (run) return `/runs/${publicId('run', run.runId)}${figures ? '/report' : ''}`;
  return campaign ? `/campaigns/${publicId('campaign', campaign.campaignId)}` : '/campaigns';
}

function keyOf({ key }: Noted = {}): Notice['data']['key'] {
  return key ? { ...key, id: publicId('apiKey', key.id), expiresAt: key.expiresAt.toISOString() } : null;
}

/** Returns the owner of the API key that an event is about; null without an owner or a key. */
export function ownerOfKey({ detail }: Pick<WebhookEvent, 'detail'>): string | null {
  return noted.safeParse(detail).data?.key?.owner ?? null;
}

function approvalOf({ approval, needed, why = [] }: Noted = {}): Notice['data']['approval'] {
  return approval === undefined ? null : { id: publicId('approval', approval), needed: needed ?? 1, why };
}

function budgetOf(noted: Noted = {}): Notice['data']['budget'] {
  const { country, units, left = 0, currency, amount, leftAmount } = noted;
  if (country === undefined) return null;
  if (units !== undefined) return { country, units, left, money: null };
  if (currency === undefined || amount === undefined || leftAmount === undefined) return null;
  return { country, units: null, left: null, money: { currency, amount, left: leftAmount } };
}
