import { createServer, type Socket } from 'node:net';

/**
 * The other side of a benchmark, as cheap as it can be, because it shares the cores with what is measured: a segmentation service over
 * generated users and a batch endpoint that awards everything to everybody, after `latency` milliseconds. The latency stands in the path, so
 * that one process serves all cases: `/batches/full/20`. Users are `user-000000042`, split over no countries: the segment's name is its size.
 * It understands just the HTTP that undici speaks: one request after the other on a connection, bodies with a length.
 */
const idPrefix = 'user-';
const digits = 9;
const endOfHead = '\r\n\r\n';
const beforeUsers = '"users":["';

interface Request {
  path: string;
  body: string;
}

function userId(index: number): string {
  return `${idPrefix}${String(index).padStart(digits, '0')}`;
}

function describeSegment(url: URL, size: number): string {
  return JSON.stringify({ id: String(size), country: url.searchParams.get('country'), estimate: size, snapshot: 's1' });
}

/** Made once: what a page costs its owner is not what is measured. */
const pages = new Map<string, string>();

function pageOfUsers(url: URL, size: number): string {
  const after = url.searchParams.get('after');
  const first = after === null ? 0 : Number(after.slice(idPrefix.length)) + 1;
  const count = Math.min(Number(url.searchParams.get('limit')), size - first);
  const isLast = first + count >= size;
  const key = `${first}+${count} ${isLast}`;
  let page = pages.get(key);
  if (page === undefined) {
    const users = Array.from({ length: count }, (_, i) => userId(first + i));
    page = JSON.stringify({ users, next: isLast ? null : (users.at(-1) ?? null) });
    pages.set(key, page);
  }
  return page;
}

function awardBatch(form: string, body: string): string {
  const ids = body.slice(body.indexOf(beforeUsers) + beforeUsers.length, body.lastIndexOf('"]'));
  return form === 'full'
    ? `{"results":[{"id":"${ids.replace(/","/g, '","status":"succeeded"},{"id":"')}","status":"succeeded"}]}`
    : `{"succeeded":${ids.split('","').length},"failed":[]}`;
}

/** The answer and how long it takes, in milliseconds. */
function serve({ path, body }: Request): [text: string, latencyMs: number] {
  if (path.startsWith('/batches/')) {
    const [, , form = 'full', latency = '0'] = path.split('/');
    return [awardBatch(form, body), Number(latency)];
  }
  const url = new URL(path, 'http://stub');
  const size = Number(url.pathname.split('/')[3]);
  return [url.pathname.endsWith('/users') ? pageOfUsers(url, size) : describeSegment(url, size), 0];
}

/** The request at the front of what has been received, and where the next one begins; undefined while it is not whole. */
function parseRequest(received: Buffer): { request: Request; end: number } | undefined {
  const headEnd = received.indexOf(endOfHead);
  if (headEnd < 0) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  const bodyStart = headEnd + endOfHead.length;
  const end = bodyStart + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < end) return undefined;
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'));
  return { request: { path, body: received.toString('latin1', bodyStart, end) }, end };
}

function answer(socket: Socket, text: string): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}${endOfHead}`;
  // All ids are ASCII: a character is a byte.
  if (socket.writable) socket.write(head + text, 'latin1');
}

const server = createServer({ noDelay: true }, (socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (let parsed = parseRequest(received); parsed; parsed = parseRequest(received)) {
      received = received.subarray(parsed.end);
      const [text, latencyMs] = serve(parsed.request);
      if (latencyMs === 0) answer(socket, text);
      else setTimeout(answer, latencyMs, socket, text);
    }
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
