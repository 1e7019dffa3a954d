import type { Paint } from '../../show/paint.ts';
import { count } from '../../show/numbers.ts';
import type { DemoInstallation } from '../installation/installation.ts';

export interface EndedRun {
  runId: string;
  retryableUsers: number;
}

export function describeServices(
  installation: Pick<DemoInstallation, 'apiUrl' | 'apiKey'>,
  run: EndedRun,
  paint: Paint,
): string {
  const { apiUrl, apiKey } = installation;
  const { runId, retryableUsers } = run;
  const muster = `MUSTER_API_URL=${apiUrl} MUSTER_API_KEY=${apiKey} npm run -s muster --`;
  const lines: [string, string][] = [
    ['API', apiUrl],
    ['docs', `${apiUrl}/docs`],
    ['key', apiKey],
    ['try', `curl -s ${apiUrl}/v1/runs/${runId}/report -H 'Authorization: Bearer ${apiKey}'`],
    ['or', `${muster} campaign list`],
  ];
  const listed = lines.map(([name, text]) => `  ${paint.faint(name.padEnd(5))} ${text}\n`).join('');
  const retry = `  ${count(retryableUsers)} users failed. Try exactly those again:\n  ${muster} campaign retry-failed ${runId}\n\n`;
  return `${listed}\n${retryableUsers > 0 ? retry : ''}  ${paint.accent('serving until Ctrl-C')}\n`;
}
