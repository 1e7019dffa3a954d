import type { Paint } from '../render/paint.ts';
import type { DemoInstallation } from './installation.ts';

/** What can be done next, with lines to copy. */
export function whereItServes(installation: DemoInstallation, runId: string, paint: Paint): string {
  const { apiUrl, apiKey } = installation;
  const lines: [string, string][] = [
    ['API', apiUrl],
    ['docs', `${apiUrl}/docs`],
    ['key', apiKey],
    ['try', `curl -s ${apiUrl}/v1/runs/${runId}/report -H 'Authorization: Bearer ${apiKey}'`],
    ['or', `MUSTER_API_URL=${apiUrl} MUSTER_API_KEY=${apiKey} npm run -s muster -- campaign list`],
  ];
  const told = lines.map(([name, text]) => `  ${paint.faint(name.padEnd(5))} ${text}\n`).join('');
  return `${told}\n  ${paint.accent('serving until Ctrl-C')}\n`;
}
