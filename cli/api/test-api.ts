import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface TestAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Fake API for tests. Answers by `METHOD path`, in order if there are several; 404 for all other requests. */
export interface TestApi {
  url: string;
  answers: Record<string, TestAnswer | TestAnswer[]>;
  readonly bodies: unknown[];
  readonly requests: { line: string; headers: IncomingHttpHeaders }[];
  stop(): void;
}

export async function startTestApi(): Promise<TestApi> {
  const api: TestApi = { url: '', answers: {}, bodies: [], requests: [], stop: () => undefined };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const line = `${request.method ?? ''} ${request.url ?? ''}`;
      api.requests.push({ line, headers: request.headers });
      const text = Buffer.concat(chunks).toString();
      const isJson = request.headers['content-type'] === 'application/json';
      if (text !== '') api.bodies.push(isJson ? JSON.parse(text) : text);
      const answer = answerTo(preparedFor(line, api.answers));
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  api.url = `http://127.0.0.1:${port ?? 0}`;
  api.stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return api;
}

/** Finds an answer regardless of the order of query parameters. */
function preparedFor(line: string, answers: TestApi['answers']): TestAnswer | TestAnswer[] | undefined {
  const [found] = Object.entries(answers).filter(([prepared]) => inOrder(prepared) === inOrder(line));
  return found?.[1];
}

function inOrder(line: string): string {
  const [path = '', query = ''] = line.split('?');
  return `${path}?${query.split('&').toSorted().join('&')}`;
}

function answerTo(prepared: TestAnswer | TestAnswer[] | undefined): TestAnswer {
  const answer = Array.isArray(prepared) && prepared.length > 1 ? prepared.shift() : [prepared].flat().at(0);
  return answer ?? { status: 404, body: { title: 'Not Found', status: 404, detail: 'there is no such thing' } };
}
