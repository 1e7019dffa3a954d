import type { HttpServer } from '../../../services/api/frame/server/create-http-server.ts';
import type { Answer } from './judge-answer.ts';
import type { Operation } from './operations.ts';
import type { SentRequest } from './request-fit.ts';
import type { FuzzRequest } from './request-arbitraries.ts';

export interface Sender {
  /** Sends a request. Returns the answer, and the request with the ids that replaced its placeholders. */
  send(operation: Operation, request: FuzzRequest): Promise<Answer & { sent: SentRequest }>;
  sendWithoutKey(operation: Operation, request: FuzzRequest): Promise<Answer>;
  /** Sends a request of the test itself, with real ids. A text body is CSV. */
  ask(method: Method, url: string, body?: object | string): Promise<Answer>;
}

/** Limit of requests for each key, below the 6,000 per minute that a key may send. */
const requestsPerKey = 5000;

/** Remembered ids of each kind: further ones would not add cases. */
const idsOfKind = 40;

/**
 * Sends requests to a server and remembers the ids in its answers, by kind. A key that is used up or revoked is
 * replaced by a new one.
 */
export function createSender(server: Pick<HttpServer, 'inject'>, newKey: () => Promise<string>): Sender {
  const ids = new Map<string, string[]>();
  let key: string | undefined;
  let sent = 0;
  let requested = 0;

  const named = (text: string) =>
    text.replaceAll(/@([a-z]{3}):(\d+)/g, (placeholder, kind: string, index: string) => {
      const found = ids.get(kind) ?? [];
      return found[Number(index) % found.length] ?? placeholder;
    });

  function remember(body: string): void {
    for (const [id, kind = ''] of body.matchAll(/\b([a-z]{3})_[0-9a-z]{26}\b/g)) {
      const found = ids.get(kind) ?? [];
      if (found.length < idsOfKind && !found.includes(id)) ids.set(kind, [...found, id]);
    }
  }

  async function currentKey(): Promise<string> {
    sent += 1;
    if (sent % requestsPerKey === 0) key = undefined;
    return (key ??= await newKey());
  }

  /** Operations without a key are limited by address. */
  function nextAddress(): string {
    requested += 1;
    return `10.${(requested >> 16) & 255}.${(requested >> 8) & 255}.${requested & 255}`;
  }

  async function put(method: Method, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const response = await server.inject({
      method,
      url,
      headers,
      remoteAddress: nextAddress(),
      ...(body === undefined ? {} : { payload: body }),
      payloadAsStream: true,
    });
    const contentType = response.headers['content-type'];
    const stream = response.stream();
    const parts: string[] = [];
    stream.setEncoding('utf8');
    for await (const part of stream) {
      parts.push(String(part));
      if (contentType?.startsWith('text/event-stream') === true) break;
    }
    // Closes the connection, because the server would otherwise wait for a reader of the rest of the body.
    response.raw.res.req.destroy();
    return { status: response.statusCode, contentType, headers: response.headers, body: parts.join('') };
  }

  async function withKey(method: Method, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const answer = await put(method, url, { ...headers, authorization: `Bearer ${await currentKey()}` }, body);
    if (answer.status === 401) key = undefined;
    if (answer.status < 300) remember(answer.body);
    return answer;
  }

  const parts = ({ path }: Operation, request: FuzzRequest) => ({
    url: urlOf(path, request, named),
    headers: { ...(request.body !== undefined && { 'content-type': request.type }), ...request.headers },
    body: request.body === undefined ? undefined : named(request.body),
  });

  const sentOf = (request: FuzzRequest): SentRequest => ({
    path: Object.fromEntries(Object.entries(request.path).map(([name, text]) => [name, named(text)])),
    query: request.query.map(([name, text]) => [name, named(text).toWellFormed()]),
    headers: request.headers,
    type: request.type,
    body: request.body === undefined ? undefined : named(request.body),
  });

  return {
    ask: async (method, url, body) =>
      typeof body === 'string'
        ? await withKey(method, named(url), { 'content-type': 'text/csv' }, body)
        : await withKey(
            method,
            named(url),
            body ? { 'content-type': 'application/json' } : {},
            body && JSON.stringify(body),
          ),
    send: async (operation, request) => {
      const { url, headers, body } = parts(operation, request);
      const sent = sentOf(request);
      return { ...(await withKey(operation.method, url, headers, body)), sent };
    },
    sendWithoutKey: async (operation, request) => {
      const { url, headers, body } = parts(operation, request);
      return await put(operation.method, url, headers, body);
    },
  };
}

type Method = Operation['method'];

function urlOf(path: string, { path: parts, query }: FuzzRequest, named: (text: string) => string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(named(parts[name] ?? 'x')));
  const queried = query.map(([name, value]) => `${encoded(name)}=${encoded(named(value))}`).join('&');
  return queried === '' ? filled : `${filled}?${queried}`;
}

/** Encodes a text like browsers: a surrogate without its other half becomes the replacement character. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
