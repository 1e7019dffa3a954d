import type { Paint } from '../show/paint.ts';
import { demoCampaign } from './demo-settings.ts';
import type { DemoInstallation } from './installation.ts';

/** Returns commands for a second terminal: a campaign over the sandbox's segment, and a callback. */
export function howToTry(
  { apiUrl, apiKey, sandboxUrl }: Pick<DemoInstallation, 'apiUrl' | 'apiKey' | 'sandboxUrl'>,
  paint: Paint,
): string {
  const muster = 'npm run -s muster --';
  const segment = demoCampaign.audience.include.map((source) => `--segment ${source.segment}`).join(' ');
  const actions = demoCampaign.chain.map(({ action, params }) => `--action ${action}='${JSON.stringify(params)}'`);
  const lines = [
    `export MUSTER_API_URL=${apiUrl} MUSTER_API_KEY=${apiKey}`,
    `id=$(${muster} campaign create --name "By hand" ${segment} --countries ${demoCampaign.countries.join(',')} \\`,
    ...actions.map((text, index) => `  ${text}${index < actions.length - 1 ? ' \\' : ')'}`),
    `${muster} campaign start --yes "$id" && ${muster} campaign watch "$id"`,
    `${muster} clients list`,
  ];
  const listed = lines.map((line) => `    ${line}\n`).join('');
  const rest = `  ${paint.faint('API')}      ${apiUrl}/docs\n  ${paint.faint('sandbox')}  ${sandboxUrl}\n`;
  return `${rest}\n  ${paint.faint('in a second terminal:')}\n${listed}\n  ${paint.accent('serving until Ctrl-C')}\n`;
}
