import { client } from '#client/client.gen.ts';
import { problemOf } from './problems.ts';

/** Base path of the console, from the page's `<base>`. The API is served under the same path. */
export const basePath = new URL(document.baseURI).pathname;

let csrfToken: string | undefined;

/** Stores the CSRF token of the session, which every change has to send. */
export function rememberCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

export function configureClient(): void {
  client.setConfig({ baseUrl: new URL('.', document.baseURI).href.replace(/\/$/, ''), credentials: 'same-origin' });
  client.interceptors.request.use((request) => {
    if (csrfToken !== undefined && !['GET', 'HEAD'].includes(request.method)) {
      request.headers.set('x-csrf-token', csrfToken);
    }
    return request;
  });
  client.interceptors.error.use((error, response: Response | undefined) => problemOf(error, response?.status));
}
