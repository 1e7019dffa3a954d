import { z } from 'zod';
import type { NotificationMessage } from '../../../shared/contracts/notifications/messages.ts';
import { withTitles } from '../../../shared/domain/endpoint/action-title.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { moneyWords } from '../../../shared/domain/money/amounts.ts';
import type { NotificationEvent } from '../ports/notification-events.ts';

/**
 * Details of an event, as triggers and statements in the database store them. Each kind of event has some of these
 * fields.
 */
const eventDetail = z.object({
  state: z.string().optional(),
  cause: z.string().nullish(),
  approval: z.string().optional(),
  requiredApprovers: z.int().optional(),
  reasons: z.array(z.string()).optional(),
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

type EventDetail = z.output<typeof eventDetail>;

/**
 * Returns the message of an event. Undefined for a kind that this version does not know, or if the campaign was
 * deleted.
 * @param base URL of the console; empty if unknown
 */
export function messageOf(event: NotificationEvent, base: string): NotificationMessage | undefined {
  const detail = eventDetail.safeParse(event.detail).data;
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
        // The state of the run at the time of the event; the run may have another state now.
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
function inTitles({ cause, reasons, ...detail }: EventDetail, { campaign }: NotificationEvent): EventDetail {
  const { actionTypes = [], titles = {} } = campaign ?? {};
  const titled = (sentence: string) => withTitles(sentence, actionTypes, titles);
  return { ...detail, cause: cause && titled(cause), reasons: reasons?.map(titled) };
}

type Sentence = (name: string, event: NotificationEvent, detail: EventDetail) => string;

const because = ({ cause }: EventDetail) => (cause ? `: ${cause}` : '');
const exact = (value: number | undefined) => (value ?? 0).toLocaleString('en-US');

function ended(word: string): Sentence {
  return (name, { figures }, detail) => {
    const { audience = 0, succeeded = 0, failed = 0 } = figures ?? {};
    const users = `${exact(succeeded)} of ${exact(audience)} users through the chain, ${exact(failed)} failed`;
    return `A run of ${name} ${word}${because(detail)}. ${users}`;
  };
}

const texts: Readonly<Record<Exclude<NotificationMessage['type'], 'campaign.digest'>, Sentence>> = {
  'notification.test': () => 'This is a test: Muster reaches you',
  'campaign.scheduled': (name) => `${name} was scheduled`,
  'approval.waiting': (name, { run }, { reasons = [] }) =>
    `${run ? 'A run of ' : ''}${name} waits for approval${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`,
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

function textOf(event: NotificationEvent, detail: EventDetail): string | undefined {
  const { kind, campaign, notificationId } = event;
  if (!isKnown(kind) || (campaign === null && notificationId === null && !detail.key)) return undefined;
  return texts[kind](JSON.stringify(campaign?.name ?? ''), event, detail);
}

function pathOf({ kind, run, campaign, figures, notificationId }: NotificationEvent): string {
  if (kind === 'key.ending') return '/keys';
  if (notificationId !== null) return '/notifications';
  if (run) return `/runs/${publicId('run', run.runId)}${figures ? '/report' : ''}`;
  return campaign ? `/campaigns/${publicId('campaign', campaign.campaignId)}` : '/campaigns';
}

function keyOf({ key }: EventDetail = {}): NotificationMessage['data']['key'] {
  return key ? { ...key, id: publicId('apiKey', key.id), expiresAt: key.expiresAt.toISOString() } : null;
}

/** Returns the owner of the API key that an event refers to; null if there is no key, or if the key has no owner. */
export function ownerOfKey({ detail }: Pick<NotificationEvent, 'detail'>): string | null {
  return eventDetail.safeParse(detail).data?.key?.owner ?? null;
}

function approvalOf({
  approval,
  requiredApprovers = 1,
  reasons = [],
}: EventDetail = {}): NotificationMessage['data']['approval'] {
  return approval === undefined ? null : { id: publicId('approval', approval), requiredApprovers, reasons };
}

function budgetOf(detail: EventDetail = {}): NotificationMessage['data']['budget'] {
  const { country, units, left = 0, currency, amount, leftAmount } = detail;
  if (country === undefined) return null;
  if (units !== undefined) return { country, units, left, money: null };
  if (currency === undefined || amount === undefined || leftAmount === undefined) return null;
  return { country, units: null, left: null, money: { currency, amount, left: leftAmount } };
}
