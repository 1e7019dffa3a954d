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
  description: 'create a link to the report for people without a key; prints it once',
  options: {
    days: within('--days <n>', 'days until the link expires', { least: 1, most: 90, usual: 7 }),
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

/**
 * Returns an absolute link. Without API_PUBLIC_URL, the API returns relative links; the command then adds the address
 * that it calls.
 */
function wholeLink(link: string, client: Client): string {
  return isWhole(link) ? link : `${addressOf(client)}${link}`;
}

function addressOf(client: Client): string {
  return client.getConfig().baseUrl ?? '';
}

export const shares = command({
  name: 'shares',
  args: ['<run|campaign>'],
  description: 'list links to the report, newest first, without their secrets',
  ask: async ({ client, args: [named] }) => listReportLinks({ client, path: { id: await runOf(named, client) } }),
  render: tableOf<ReportLink>('no links', [
    left('id', ({ id }) => id),
    left('state', ({ state }) => state),
    left('made', ({ createdAt }) => utcTime(createdAt)),
    left('ends', ({ expiresAt }) => utcTime(expiresAt)),
    left('by', ({ createdBy }) => createdBy),
  ]),
});

export const revokeShare = command({
  name: 'revoke-share',
  args: ['<run|campaign>', '<link>'],
  description: 'revoke a link',
  ask: async ({ client, args: [named, linkId] }) =>
    revokeReportLink({ client, path: { id: await runOf(named, client), linkId } }),
  refused: 'not revoked',
  hint: (_, { args: [, linkId] }) => `${linkId} shows nothing any more`,
});
