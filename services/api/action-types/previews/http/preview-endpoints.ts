import { previewedMessage, previewRefusal } from '../../../../../shared/contracts/endpoints/message-previews.ts';
import type { HttpOutcome } from '../../../../../shared/http-client/http-dispatch.ts';
import { createTypeEndpoints, jsonIn, type TypeEndpointsDeps } from '../../http/type-endpoints.ts';
import type { PreviewAnswer, PreviewSource } from '../preview-source.port.ts';

/** Timeout in milliseconds. It allows the endpoint to look up the user in a database, although a person waits. */
const defaultTimeoutMs = 10_000;

export interface PreviewEndpointsDeps extends TypeEndpointsDeps {
  timeoutMs?: number;
}

/** Creates the source of previews over HTTP. */
export function createPreviewEndpoints({
  timeoutMs = defaultTimeoutMs,
  ...deps
}: PreviewEndpointsDeps): PreviewSource & { close(): Promise<void> } {
  const endpoints = createTypeEndpoints(deps, timeoutMs);
  return {
    fetch: async ({ type, url, call }) => {
      const body = Buffer.from(JSON.stringify(call));
      return readPreviewAnswer(await endpoints.send({ type, url, method: 'POST', body }));
    },
    close: () => endpoints.close(),
  };
}

export function readPreviewAnswer(outcome: HttpOutcome): PreviewAnswer {
  if (outcome.kind !== 'answered') return unavailable(outcome.cause);
  const json = jsonIn(outcome.body);
  if (outcome.status !== 200) {
    const refusal = previewRefusal.safeParse(json);
    const cause = refusal.success ? wordsOf(refusal.data) : '';
    if (outcome.status === 422 && refusal.success) return { kind: 'refused', cause };
    return unavailable(`HTTP ${outcome.status}${cause === '' ? '' : `, ${cause}`}`);
  }
  const read = previewedMessage.safeParse(json);
  if (read.success) return { kind: 'message', message: read.data };
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return unavailable(`the response is not valid: ${where}${issue?.message ?? ''}`);
}

function unavailable(cause: string): PreviewAnswer {
  return { kind: 'unavailable', cause };
}

function wordsOf({ code, message }: { code: string; message?: string | null | undefined }): string {
  return message === undefined || message === null || message === '' ? code : `${code}: ${message}`;
}
