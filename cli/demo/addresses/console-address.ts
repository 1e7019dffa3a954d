import { createLogInLink } from '../../../sdk/generated/sdk.gen.ts';
import { createApiClient } from '../../api/api-client.ts';
import type { Paint } from '../../show/paint.ts';
import type { DemoInstallation } from '../installation/installation.ts';

/**
 * Returns a login link to the console, or a note that it was not built.
 * @param approverLink login link of another person, who may approve
 */
export async function describeConsole(
  { apiUrl, apiKey }: Pick<DemoInstallation, 'apiUrl' | 'apiKey'>,
  paint: Paint,
  { send = fetch, approverLink }: { send?: typeof fetch; approverLink?: string | undefined } = {},
): Promise<string> {
  const page = await send(`${apiUrl}/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  if (page.status !== 200) return `  ${paint.faint('no console was built; the API is at')} ${apiUrl}\n`;
  const { data } = await createLogInLink({ client: createApiClient({ baseUrl: apiUrl, apiKey, send }) });
  const once = paint.faint('(logs in once, within ten minutes)');
  const lines = [`${paint.strong('console')}  ${apiUrl}/`, `${paint.faint('log in')}   ${data.url} ${once}`];
  if (approverLink !== undefined) lines.push(`${paint.faint('approver')} ${approverLink}`);
  return lines.map((line) => `  ${line}\n`).join('');
}
