import { client } from '#client/client.gen.ts';
import { problemOf } from './problems.ts';

/** Where the console is served, as the page's `<base>` says: the API answers beside it. */
export const basePath = new URL(document.baseURI).pathname;

let csrfToken: string | undefined;

/** What proves with every change that it comes from our own pages; known once there is a session. */
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
