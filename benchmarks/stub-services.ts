import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * The other side of a benchmark, as cheap as it can be: a segmentation service over generated users and a batch endpoint that awards
 * everything to everybody, after `latency` milliseconds. The latency stands in the path, so that one process serves all cases:
 * `/batches/full/20`. Users are `user-000000042`, split over no countries: the segment's name is its size.
 */
const idPrefix = 'user-';
const digits = 9;

function userId(index: number): string {
  return `${idPrefix}${String(index).padStart(digits, '0')}`;
}

function describeSegment(url: URL, size: number, response: ServerResponse): void {
  answer(
    response,
    JSON.stringify({ id: String(size), country: url.searchParams.get('country'), estimate: size, snapshot: 's1' }),
  );
}

function pageOfUsers(url: URL, size: number, response: ServerResponse): void {
  const after = url.searchParams.get('after');
  const first = after === null ? 0 : Number(after.slice(idPrefix.length)) + 1;
  const count = Math.min(Number(url.searchParams.get('limit')), size - first);
  const users = Array.from({ length: count }, (_, i) => userId(first + i));
  const next = first + count < size ? (users.at(-1) ?? null) : null;
  answer(response, JSON.stringify({ users, next }));
}

function awardBatch(form: string, latencyMs: number, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('latin1');
    const users = body.slice(body.indexOf('"users":[') + 9, body.lastIndexOf(']'));
    const ids = users.slice(1, -1).split('","');
    const text =
      form === 'full'
        ? `{"results":[{"id":"${ids.join('","status":"succeeded"},{"id":"')}","status":"succeeded"}]}`
        : `{"succeeded":${ids.length},"failed":[]}`;
    if (latencyMs === 0) answer(response, text);
    else setTimeout(() => answer(response, text), latencyMs);
  });
}

function answer(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path.startsWith('/batches/')) {
    const [, , form = 'full', latency = '0'] = path.split('/');
    awardBatch(form, Number(latency), request, response);
    return;
  }
  const url = new URL(path, 'http://stub');
  const size = Number(url.pathname.split('/')[3]);
  if (url.pathname.endsWith('/users')) pageOfUsers(url, size, response);
  else describeSegment(url, size, response);
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
