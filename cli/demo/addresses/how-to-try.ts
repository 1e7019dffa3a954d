import type { Paint } from '../../show/paint.ts';
import type { DemoInstallation } from '../installation/installation.ts';

export interface TriedCampaign {
  countries: readonly string[];
  audience: { include: readonly { segment: string }[] };
  chain: readonly { action: string; params: object }[];
}

type Installation = Pick<DemoInstallation, 'apiUrl' | 'apiKey' | 'calledUrl' | 'databaseUrl' | 'calledName'>;

/** Returns commands for a second terminal: a campaign, and a callback. */
export function describeTrials(installation: Installation, campaign: TriedCampaign | undefined, paint: Paint): string {
  const { apiUrl, apiKey, calledUrl, calledName, databaseUrl } = installation;
  const places = [
    ['API', `${apiUrl}/docs`],
    [calledName, calledUrl],
    ...(databaseUrl === undefined ? [] : [['Postgres', databaseUrl]]),
  ].map(([name = '', url = '']) => `  ${paint.faint(name.padEnd(8))} ${url}\n`);
  const lines = [
    `export MUSTER_API_URL=${apiUrl} MUSTER_API_KEY=${apiKey}`,
    ...(campaign ? campaignCommands(campaign) : []),
    `${muster} clients list`,
  ];
  const listed = lines.map((line) => `    ${line}\n`).join('');
  return `${places.join('')}\n  ${paint.faint('in a second terminal:')}\n${listed}\n  ${paint.accent('serving until Ctrl-C')}\n`;
}

const muster = 'npm run -s muster --';

function campaignCommands({ countries, audience, chain }: TriedCampaign): string[] {
  const segment = audience.include.map((source) => `--segment ${source.segment}`).join(' ');
  const actions = chain.map(({ action, params }) => `--action ${action}='${JSON.stringify(params)}'`);
  return [
    `id=$(${muster} campaign create --name "By hand" ${segment} --countries ${countries.join(',')} \\`,
    ...actions.map((text, index) => `  ${text}${index < actions.length - 1 ? ' \\' : ')'}`),
    `${muster} campaign start --yes "$id" && ${muster} campaign watch "$id"`,
  ];
}
