import { z } from 'zod';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  rotateWebhookSecret,
  sendNoticesAgain,
  testWebhook,
} from '../../sdk/generated/sdk.gen.ts';
import type { NewWebhookInput, Webhook, WebhookDelivery, WebhookPatchInput } from '../../sdk/generated/types.gen.ts';
import { askedEvents, deliveryStates, noticeFormats } from '../../shared/contracts/webhooks/webhooks.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { changesFile, readFields } from '../frame/given.ts';
import { oneOf, pages, several, text, within } from '../frame/options.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const none = 'no webhooks: muster webhooks create --help';
const readNext = 'its notices are signed with it: keep it, it is not shown again';

/** Formats `tag payday or vip · owner growth`; empty without a filter. */
function chosenText({ campaigns, tags, owners }: Webhook): string {
  const parts = Object.entries({ campaign: campaigns, tag: tags, owner: owners });
  return parts.flatMap(([of, values]) => (values === null ? [] : [`${of} ${values.join(' or ')}`])).join(' · ');
}

/** Returns an empty text for channels and e-mail, which are not signed. */
function issuedText({ secret }: { secret: string | null }): string {
  return secret === null ? '' : `${secret}\n`;
}

function lastText({ lastSent }: Webhook): string {
  return lastSent === null ? 'never' : utcTime(lastSent.at);
}

const create = command({
  name: 'create',
  args: ['<url>', '[field=value...]'],
  description: 'tell a channel, another service or mailto:<address> of campaigns and runs; prints a secret once',
  options: {
    events: several('--event <event>', `${askedEvents.join(', ')}; may be given several times`),
    campaigns: several('--campaign <campaign>', 'of it alone; may be given several times'),
    tags: several('--tag <tag>', 'of campaigns, and keys, with one of these; may be given several times'),
    owners: several('--owner <owner>', 'of campaigns with one of these; may be given several times'),
    format: oneOf('--format <format>', 'slack, teams: a message for a channel, by its incoming webhook', noticeFormats),
    name: text('--name <name>', 'as people call it'),
  },
  ask: async ({ client, args: [url, words], options, context: { input } }) => {
    const fields = z.custom<NewWebhookInput>();
    const more = words.length > 0 ? await readFields({ words, file: undefined, input }, fields) : {};
    const body = fields.parse({ url, ...options, ...more });
    return createWebhook({ client, body });
  },
  refused: 'not made',
  render: issuedText,
  hint: ({ webhook: { id }, secret }) => [secret === null ? id : `${id}: ${readNext}`, `muster webhooks test ${id}`],
});

const list = command({
  name: 'list',
  description: 'webhooks, what each is told of, and what became of it',
  ask: ({ client }) => listWebhooks({ client }),
  render: tableOf<Webhook>(none, [
    left('id', ({ id }) => id),
    cut('to', ({ name, url }) => name ?? url),
    cut('events', ({ events }) => events.join(' ')),
    cut('of', (webhook) => chosenText(webhook) || 'all campaigns'),
    left('last sent', (webhook) => (webhook.enabled ? lastText(webhook) : 'off')),
    right('waiting', ({ waiting }) => waiting),
    right('dead', ({ dead }) => dead, { tone: ({ dead }) => (dead > 0 ? 'bad' : undefined) }),
  ]),
});

function renderWebhook(webhook: Webhook, view: View): string {
  const { id, name, url, format, events, enabled, egress, lastSent, waiting, dead, client } = webhook;
  return renderFacts(
    { name: name ?? url, facts: [id, enabled ? 'on' : 'off'] },
    [
      ['to', url],
      ['format', format],
      ['events', events.join(', ')],
      ['of', chosenText(webhook) || 'all campaigns'],
      ['egress', egress.allow.map((rule) => Object.values(rule).join(':'))],
      ['last sent', lastSent ? `${lastText(webhook)}, ${lastSent.event ?? ''}` : 'never'],
      ['waiting', String(waiting)],
      ['dead', dead === 0 ? '0' : `${dead}: muster webhooks send-again ${id}`],
      ['jobs of', client],
    ],
    view,
  );
}

const show = command({
  name: 'show',
  args: ['<webhook>'],
  description: 'one of them',
  ask: ({ client, args: [id] }) => getWebhook({ client, path: { id } }),
  render: renderWebhook,
});

const set = command({
  name: 'set',
  args: ['<webhook>', '[field=value...]'],
  description: 'change url, name, events, campaigns, tags, owners or enabled of one',
  options: changesFile,
  ask: async ({ client, args: [id, words], options: { file }, context: { input } }) =>
    changeWebhook({
      client,
      path: { id },
      body: await readFields({ words, file, input }, z.custom<WebhookPatchInput>()),
    }),
  refused: 'not changed',
  render: renderWebhook,
});

const deliveries = command({
  name: 'deliveries',
  args: ['<webhook>'],
  description: 'what became of its notices, the last first',
  options: { state: oneOf('--state <state>', 'only those', deliveryStates), ...pages(20) },
  ask: ({ client, args: [id], options: query }) => listWebhookDeliveries({ client, path: { id }, query }),
  render: tableOf<WebhookDelivery>('nothing was sent', [
    left('at', ({ at }) => utcTime(at)),
    left('event', ({ event }) => event ?? ''),
    left('state', ({ state }) => state, { tone: ({ state }) => (state === 'dead' ? 'bad' : undefined) }),
    right('attempts', ({ attempts }) => attempts),
    right('status', ({ status }) => status ?? ''),
    cut('cause', ({ cause }) => cause ?? ''),
    left('id', ({ id }) => id),
  ]),
});

const test = command({
  name: 'test',
  args: ['<webhook>'],
  description: 'send it a test; prints the id of the delivery',
  ask: ({ client, args: [id] }) => testWebhook({ client, path: { id } }),
  refused: 'not sent',
  render: ({ id }) => `${id}\n`,
  hint: (_, { args: [id] }) => `muster webhooks deliveries ${id}`,
});

const sendAgain = command({
  name: 'send-again',
  args: ['<webhook>'],
  description: 'send its dead notices again',
  ask: ({ client, args: [id] }) => sendNoticesAgain({ client, path: { id } }),
  refused: 'not sent',
  render: ({ notices, expired }) => `${notices} sent again${expired > 0 ? `, ${expired} had expired` : ''}\n`,
});

const rotate = command({
  name: 'rotate',
  args: ['<webhook>'],
  description: 'sign with another secret, and print it once; the one before signs too for a while',
  options: {
    overlapSeconds: within('--overlap <seconds>', 'so long the one before signs too; 0 where others know it', {
      least: 0,
      most: 90 * 86_400,
      usual: 86_400,
    }),
  },
  ask: ({ client, args: [id], options: body }) => rotateWebhookSecret({ client, path: { id }, body }),
  refused: 'not rotated',
  render: issuedText,
  hint: ({ webhook: { id } }) => `${id}: ${readNext}`,
});

const remove = command({
  name: 'delete',
  args: ['<webhook>'],
  description: 'tell it nothing any more; what is on its way is taken back',
  ask: ({ client, args: [id] }) => deleteWebhook({ client, path: { id } }),
  refused: 'not deleted',
  hint: (_, { args: [id] }) => `${id} is told nothing any more`,
});

export const heading: Heading = 'Notifications';

export const commands = group('webhooks', 'who is told what becomes of campaigns and runs', [
  ...[create, list, show, set, deliveries, test, sendAgain, rotate, remove],
]);
