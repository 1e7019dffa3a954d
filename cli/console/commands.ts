import { createLogInLink, logOutEverywhere } from '../../sdk/generated/sdk.gen.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { count } from '../show/numbers.ts';

const link = command({
  name: 'link',
  description: 'create a link that logs in to the console with your key, once, within ten minutes',
  ask: ({ client }) => createLogInLink({ client }),
  render: ({ url }) => `${url}\n`,
  hint: ({ expiresAt }) => `it logs in once, until ${expiresAt}`,
});

const logOut = command({
  name: 'log-out',
  description: 'end all sessions of your key in every browser, and revoke its log-in links',
  ask: ({ client }) => logOutEverywhere({ client }),
  render: ({ ended }) => `${count(ended)} ${ended === 1 ? 'session' : 'sessions'} ended\n`,
});

export const heading: Heading = 'Access';

export const commands = group('console', 'log-ins to the web console', [link, logOut]);
