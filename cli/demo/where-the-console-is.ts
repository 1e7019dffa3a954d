import { logInLink } from '../../shared/contracts/access/sessions.ts';
import { createAsk } from '../api/ask.ts';
import type { Paint } from '../show/paint.ts';
import type { DemoInstallation } from './installation.ts';

/** Where a browser goes, logged in; says so where nothing was built to go to. */
export async function whereTheConsoleIs(
  { apiUrl, apiKey }: Pick<DemoInstallation, 'apiUrl' | 'apiKey'>,
  paint: Paint,
  send: typeof fetch = fetch,
): Promise<string> {
  const page = await send(`${apiUrl}/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  if (page.status !== 200) return `  ${paint.faint('no console was built; the API is at')} ${apiUrl}\n`;
  const ask = createAsk({ baseUrl: apiUrl, apiKey, fetch: send });
  const { value } = await ask(logInLink, { method: 'POST', path: '/v1/session/links', body: {} });
  const once = paint.faint('(logs in once, within ten minutes)');
  return `  ${paint.strong('console')}  ${apiUrl}/\n  ${paint.faint('log in')}   ${value.url} ${once}\n`;
}
