/** A request as the API would see it. */
export interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Headers;
  body: unknown;
}

/** What is answered with 200, or a function that makes it; a `Response` is answered as it is. */
export type Answer = ((asked: Asked) => unknown) | object | null;

/** By `GET /v1/runs/:id/progress`: the method, and the path with a name for what changes. */
export type Answers = Readonly<Record<string, Answer>>;

export interface FakeApi {
  fetch: typeof fetch;
  /** Every request so far but the stream, the oldest first. */
  asked: Asked[];
  /** Those of a method and a path, such as `POST /v1/runs/run_live/pause`. */
  askedFor: (route: string) => Asked[];
  /** Into the event stream that is open. */
  tell: (event: string, data: object) => void;
  /** The stream breaks, as when the API is restarted. */
  breakStream: () => void;
  /** From now on these answers come first. */
  answer: (answers: Answers) => void;
}

/** Stands where the API stands: at the other end of `fetch`. What it has no answer for is not found. */
export function createFakeApi(first: Answers): FakeApi {
  let answers: Answers = first;
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const asked: Asked[] = [];
  /** Said before the stream is open: it is heard as soon as it is. */
  let said: Uint8Array[] = [];

  async function respond(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === '/v1/live') return openStream();
    const text = await request.text();
    const one: Asked = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: bodyOf(request, text),
    };
    asked.push(one);
    const answer = answerOf(answers, one);
    if (answer === undefined) return problem(404, 'not-found', `there is nothing at ${one.method} ${one.path}`);
    const made: unknown = typeof answer === 'function' ? await answer(one) : answer;
    return made instanceof Response ? made : Response.json(made);
  }

  function openStream(): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller;
        for (const message of said) controller.enqueue(message);
        said = [];
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  return {
    asked,
    fetch: (input, init) => respond(new Request(input, init)),
    askedFor: (route) => asked.filter(({ method, path }) => `${method} ${path}` === route),
    tell: (event, data) => {
      const message = new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (stream) stream.enqueue(message);
      else said.push(message);
    },
    breakStream: () => {
      stream?.error(new Error('the connection was reset'));
      stream = undefined;
    },
    answer: (more) => {
      answers = { ...answers, ...more };
    },
  };
}

/** A file stays the text that it is. */
function bodyOf({ headers }: Request, text: string): unknown {
  if (text === '') return undefined;
  return headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text;
}

/** A problem as the API words it. */
export function problem(status: number, code: string, detail: string, errors: object[] = []): Response {
  const body = { type: `urn:muster:problem:${code}`, title: code, status, detail, code, errors, requestId: 'req-0815' };
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json' } });
}

function answerOf(answers: Answers, { method, path }: Asked): Answer | undefined {
  const exact = answers[`${method} ${path}`];
  if (exact !== undefined) return exact;
  const parts = path.split('/');
  const route = Object.keys(answers).find((key) => {
    const [ofMethod, pattern = ''] = key.split(' ');
    const named = pattern.split('/');
    if (ofMethod !== method || named.length !== parts.length) return false;
    return named.every((part, index) => part.startsWith(':') || part === parts[index]);
  });
  return route === undefined ? undefined : answers[route];
}
