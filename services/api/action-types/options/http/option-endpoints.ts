import { optionPage } from '../../../../../shared/contracts/endpoints/parameter-options.ts';
import type { HttpOutcome } from '../../../../../shared/http-client/http-dispatch.ts';
import { createTypeEndpoints, jsonIn, type TypeEndpointsDeps } from '../../http/type-endpoints.ts';
import type { OptionsAnswer, OptionsRequest, OptionSource } from '../option-source.port.ts';

/** Timeout of a request, in milliseconds. It is short, because a person waits for the response while typing. */
const defaultTimeoutMs = 3000;

export interface OptionEndpointsDeps extends TypeEndpointsDeps {
  timeoutMs?: number;
}

/** Creates the source of options over HTTP. */
export function createOptionEndpoints({
  timeoutMs = defaultTimeoutMs,
  ...deps
}: OptionEndpointsDeps): OptionSource & { close(): Promise<void> } {
  const endpoints = createTypeEndpoints(deps, timeoutMs);
  return {
    fetch: async ({ type, url, ...query }) =>
      readOptionsAnswer(await endpoints.send({ type, url, method: 'GET', path: optionsTargetOf(url, query) })),
    close: () => endpoints.close(),
  };
}

/** Returns path and query of the request: the query of the URL, followed by the parameters of the search. */
export function optionsTargetOf(
  url: URL,
  { country, search, limit }: Partial<Omit<OptionsRequest, 'type' | 'url'>>,
): string {
  const parameters = [
    ...(country === undefined ? [] : [`country=${encodeURIComponent(country)}`]),
    ...(search === undefined ? [] : [`search=${encodeURIComponent(search)}`]),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
  ];
  return `${url.pathname}${url.search === '' ? '?' : `${url.search}&`}${parameters.join('&')}`;
}

/** Reads a response. A redirect is a failure, because its target is not a registered address. */
export function readOptionsAnswer(outcome: HttpOutcome): OptionsAnswer {
  if (outcome.kind !== 'answered') return { ok: false, cause: outcome.cause };
  if (outcome.status !== 200) return { ok: false, cause: `HTTP ${outcome.status}` };
  const read = optionPage.safeParse(jsonIn(outcome.body));
  if (read.success) return { ok: true, page: read.data };
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return { ok: false, cause: `the response is not valid: ${where}${issue?.message ?? ''}` };
}
