import { z } from 'zod';
import {
  changeNotification,
  createNotification,
  deleteNotification,
  getNotification,
  listNotificationDeliveries,
  listNotifications,
  replayNotification,
  rotateNotificationSecret,
  testNotification,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  NewNotificationInput,
  Notification,
  NotificationDelivery,
  NotificationPatchInput,
} from '../../sdk/generated/types.gen.ts';
import {
  deliveryStates,
  notificationKinds,
  subscribableEvents,
} from '../../shared/contracts/notifications/notifications.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { changesFile, readFields } from '../frame/given.ts';
import { oneOf, pages, several, text, within } from '../frame/options.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const none = 'no notifications: muster notifications create --help';
const storeSecret = 'messages are signed with this secret: store it, it is not shown again';

/** Formats `tag payday or vip · owner growth`; empty without a filter. */
function filterText({ campaigns, tags, owners }: Notification): string {
  const parts = Object.entries({ campaign: campaigns, tag: tags, owner: owners });
  return parts.flatMap(([of, values]) => (values === null ? [] : [`${of} ${values.join(' or ')}`])).join(' · ');
}

/** Returns an empty text for channels and e-mail, which are not signed. */
function issuedText({ secret }: { secret: string | null }): string {
  return secret === null ? '' : `${secret}\n`;
}

function lastText({ lastSent }: Notification): string {
  return lastSent === null ? 'never' : utcTime(lastSent.at);
}

const create = command({
  name: 'create',
  args: ['<url>', '[field=value...]'],
  description: 'notify a service, a channel or mailto:<address> of campaigns and runs; prints a secret once',
  options: {
    events: several('--event <event>', `${subscribableEvents.join(', ')}; may be given several times`),
    campaigns: several('--campaign <campaign>', 'only of this campaign; repeatable'),
    tags: several('--tag <tag>', 'only of campaigns with this tag; repeatable'),
    owners: several('--owner <owner>', 'only of campaigns and keys of this owner; repeatable'),
    kind: oneOf(
      '--kind <kind>',
      'slack, teams: a message for a channel, by its incoming webhook; by default email for mailto:, otherwise webhook',
      notificationKinds,
    ),
    name: text('--name <name>', 'name for people'),
  },
  ask: async ({ client, args: [url, words], options, context: { input } }) => {
    const fields = z.custom<NewNotificationInput>();
    const more = words.length > 0 ? await readFields({ words, file: undefined, input }, fields) : {};
    const body = fields.parse({ url, ...options, ...more });
    return createNotification({ client, body });
  },
  refused: 'not created',
  render: issuedText,
  hint: ({ notification: { id }, secret }) => [
    secret === null ? id : `${id}: ${storeSecret}`,
    `muster notifications test ${id}`,
  ],
});

const list = command({
  name: 'list',
  description: 'list notifications with their events and the state of their deliveries',
  ask: ({ client }) => listNotifications({ client }),
  render: tableOf<Notification>(none, [
    left('id', ({ id }) => id),
    left('kind', ({ kind }) => kind),
    cut('to', ({ name, url }) => name ?? url),
    cut('events', ({ events }) => events.join(' ')),
    cut('of', (notification) => filterText(notification) || 'all campaigns'),
    left('last sent', (notification) => (notification.enabled ? lastText(notification) : 'off')),
    right('waiting', ({ waiting }) => waiting),
    right('dead', ({ dead }) => dead, { tone: ({ dead }) => (dead > 0 ? 'bad' : undefined) }),
  ]),
});

function renderNotification(notification: Notification, view: View): string {
  const { id, name, url, kind, events, enabled, egress, lastSent, waiting, dead, client } = notification;
  return renderFacts(
    { name: name ?? url, facts: [id, enabled ? 'on' : 'off'] },
    [
      ['to', url],
      ['kind', kind],
      ['events', events.join(', ')],
      ['of', filterText(notification) || 'all campaigns'],
      ['egress', egress.allow.map((rule) => Object.values(rule).join(':'))],
      ['last sent', lastSent ? `${lastText(notification)}, ${lastSent.event ?? ''}` : 'never'],
      ['waiting', String(waiting)],
      ['dead', dead === 0 ? '0' : `${dead}: muster notifications replay ${id}`],
      ['jobs of', client],
    ],
    view,
  );
}

const show = command({
  name: 'show',
  args: ['<notification>'],
  description: 'show a notification',
  ask: ({ client, args: [id] }) => getNotification({ client, path: { id } }),
  render: renderNotification,
});

const set = command({
  name: 'set',
  args: ['<notification>', '[field=value...]'],
  description: 'change url, name, events, campaigns, tags, owners, digest or enabled',
  options: changesFile,
  ask: async ({ client, args: [id, words], options: { file }, context: { input } }) =>
    changeNotification({
      client,
      path: { id },
      body: await readFields({ words, file, input }, z.custom<NotificationPatchInput>()),
    }),
  refused: 'not changed',
  render: renderNotification,
});

const deliveries = command({
  name: 'deliveries',
  args: ['<notification>'],
  description: 'list its deliveries, newest first',
  options: { state: oneOf('--state <state>', 'only deliveries in this state', deliveryStates), ...pages(20) },
  ask: ({ client, args: [id], options: query }) => listNotificationDeliveries({ client, path: { id }, query }),
  render: tableOf<NotificationDelivery>('nothing was sent', [
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
  args: ['<notification>'],
  description: 'send a test; prints the id of the delivery',
  ask: ({ client, args: [id] }) => testNotification({ client, path: { id } }),
  refused: 'not sent',
  render: ({ id }) => `${id}\n`,
  hint: (_, { args: [id] }) => `muster notifications deliveries ${id}`,
});

const replay = command({
  name: 'replay',
  args: ['<notification>'],
  description: 'replay its dead deliveries',
  ask: ({ client, args: [id] }) => replayNotification({ client, path: { id } }),
  refused: 'not replayed',
  render: ({ items, expired }) => `${items} replayed${expired > 0 ? `, ${expired} had expired` : ''}\n`,
});

const rotate = command({
  name: 'rotate',
  args: ['<notification>'],
  description: 'sign with a new secret, and print it once; the previous one also signs until the overlap ends',
  options: {
    overlapSeconds: within(
      '--overlap <seconds>',
      'seconds for which the previous secret also signs; 0 if it has leaked',
      {
        least: 0,
        most: 90 * 86_400,
        usual: 86_400,
      },
    ),
  },
  ask: ({ client, args: [id], options: body }) => rotateNotificationSecret({ client, path: { id }, body }),
  refused: 'not rotated',
  render: issuedText,
  hint: ({ notification: { id } }) => `${id}: ${storeSecret}`,
});

const remove = command({
  name: 'delete',
  args: ['<notification>'],
  description: 'delete a notification, and cancel its pending deliveries',
  ask: ({ client, args: [id] }) => deleteNotification({ client, path: { id } }),
  refused: 'not deleted',
  hint: (_, { args: [id] }) => `${id} is deleted`,
});

export const heading: Heading = 'Notifications';

export const commands = group(
  'notifications',
  'messages about campaigns, runs and keys to services, channels and mailboxes',
  [...[create, list, show, set, deliveries, test, replay, rotate, remove]],
);
