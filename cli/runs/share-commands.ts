import { listReportLinks, revokeReportLink, shareReport } from '../../sdk/generated/sdk.gen.ts';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import type { ReportLink } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import { within } from '../frame/options.ts';
import { left, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { runOf } from './run-of.ts';

const daySeconds = 86_400;

export const share = command({
  name: 'share',
  args: ['<run|campaign>'],
  description: 'make a link that shows its report to people without a key; prints it once',
  options: {
    days: within('--days <n>', 'so long it shows the report', { least: 1, most: 90, usual: 7 }),
  },
  ask: async ({ client, args: [named], options: { days } }) =>
    shareReport({
      client,
      path: { id: await runOf(named, client) },
      body: { expiresInSeconds: days * daySeconds },
    }),
  refused: 'not shared',
  render: ({ link }, _, { client }) => `${wholeLink(link, client)}\n`,
  hint: ({ id, link, expiresAt }, { client }) => [
    `${id} shows the report, and no user, until ${utcTime(expiresAt)}`,
    ...(isWhole(link)
      ? []
      : [`whoever gets it has to reach ${addressOf(client)}: the API has no API_PUBLIC_URL to say`]),
  ],
});

const isWhole = (link: string) => !link.startsWith('/');

/** Completes a relative link with this process's API address: without API_PUBLIC_URL the API lacks its own. */
function wholeLink(link: string, client: Client): string {
  return isWhole(link) ? link : `${addressOf(client)}${link}`;
}

function addressOf(client: Client): string {
  return client.getConfig().baseUrl ?? '';
}

export const shares = command({
  name: 'shares',
  args: ['<run|campaign>'],
  description: 'the links to its report, newest first, without what opens them',
  ask: async ({ client, args: [named] }) => listReportLinks({ client, path: { id: await runOf(named, client) } }),
  render: tableOf<ReportLink>('no links', [
    left('id', ({ id }) => id),
    left('state', ({ state }) => state),
    left('made', ({ createdAt }) => utcTime(createdAt)),
    left('ends', ({ expiresAt }) => utcTime(expiresAt)),
    left('by', ({ madeBy }) => madeBy),
  ]),
});

export const revokeShare = command({
  name: 'revoke-share',
  args: ['<run|campaign>', '<link>'],
  description: 'a link shows nothing any more',
  ask: async ({ client, args: [named, linkId] }) =>
    revokeReportLink({ client, path: { id: await runOf(named, client), linkId } }),
  refused: 'not revoked',
  hint: (_, { args: [, linkId] }) => `${linkId} shows nothing any more`,
});
