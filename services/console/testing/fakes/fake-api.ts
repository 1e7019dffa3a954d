/** A request that the console has sent. */
export interface FakeRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Headers;
  body: unknown;
}

/** Body of an answer with status 200, or a function that returns it. A `Response` is sent unchanged. */
export type Answer = ((request: FakeRequest) => unknown) | object | null;

/** Answers by method and path, such as `GET /v1/runs/:id/progress`. */
export type Answers = Readonly<Record<string, Answer>>;

export interface FakeApi {
  fetch: typeof fetch;
  /** All requests so far but the stream, oldest first. */
  requests: FakeRequest[];
  /** Returns the requests of a route, such as `POST /v1/runs/run_live/pause`. */
  requestsTo: (route: string) => FakeRequest[];
  /** Sends an event on the event stream. If the stream is not open yet, the event is sent when it opens. */
  sendEvent: (event: string, data: object) => void;
  /** Closes the event stream with an error, like a restart of the API. */
  breakStream: () => void;
  /** Adds answers, which replace earlier ones of the same route. */
  answer: (answers: Answers) => void;
}

/** Replaces the API behind `fetch`. A route without an answer returns 404. */
export function createFakeApi(first: Answers): FakeApi {
  let answers: Answers = first;
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const requests: FakeRequest[] = [];
  /** Events that tests sent before the stream was open. They are sent first when it opens. */
  let unsent: Uint8Array[] = [];

  async function respond(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === '/v1/live') return openStream();
    const text = await request.text();
    const received: FakeRequest = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: bodyOf(request, text),
    };
    requests.push(received);
    const answer = answerOf(answers, received);
    if (answer === undefined)
      return problem(404, 'not-found', `there is nothing at ${received.method} ${received.path}`);
    const made: unknown = typeof answer === 'function' ? await answer(received) : answer;
    return made instanceof Response ? made : Response.json(made);
  }

  function openStream(): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller;
        for (const message of unsent) controller.enqueue(message);
        unsent = [];
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  return {
    requests,
    fetch: (input, init) => respond(new Request(input, init)),
    requestsTo: (route) => requests.filter(({ method, path }) => `${method} ${path}` === route),
    sendEvent: (event, data) => {
      const message = new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (stream) stream.enqueue(message);
      else unsent.push(message);
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

/** Parses JSON; the content of a file stays text. */
function bodyOf({ headers }: Request, text: string): unknown {
  if (text === '') return undefined;
  return headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text;
}

/** Returns a problem document in the API's format. */
export function problem(status: number, code: string, detail: string, errors: object[] = []): Response {
  const body = { type: `urn:muster:problem:${code}`, title: code, status, detail, code, errors, requestId: 'req-0815' };
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json' } });
}

function answerOf(answers: Answers, { method, path }: FakeRequest): Answer | undefined {
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
