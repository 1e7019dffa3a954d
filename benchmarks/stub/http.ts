import { createServer, type Server, type Socket } from 'node:net';

export interface Request {
  path: string;
  body: string;
}

export interface Answer {
  status: number;
  text: string;
  latencyMs: number;
  /** Called when the answer has been written to the socket. */
  onSent?: () => void;
}

const endOfHead = '\r\n\r\n';

/**
 * Creates a server for the part of HTTP that the engine's clients use: sequential requests on a connection, and bodies
 * with a content length. The server shares the cores with the measured processes, so it does little. If `serve` returns
 * null, the request is never answered.
 */
export function createStubServer(serve: (request: Request) => Answer | null): Server {
  return createServer({ noDelay: true }, (socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      for (let parsed = parseRequest(received); parsed; parsed = parseRequest(received)) {
        received = received.subarray(parsed.end);
        const answer = serve(parsed.request);
        if (answer === null) continue;
        if (answer.latencyMs === 0) send(socket, answer);
        else setTimeout(send, answer.latencyMs, socket, answer);
      }
    });
  });
}

/**
 * Parses the first request in the received bytes. Returns the request and the offset of the next one; undefined if the
 * request is incomplete.
 */
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

function send(socket: Socket, { status, text, onSent }: Answer): void {
  if (!socket.writable) return;
  const head = `HTTP/1.1 ${status} Stub\r\ncontent-type: application/json\r\ncontent-length: ${text.length}${endOfHead}`;
  // The length in characters is the length in bytes, because all ids are ASCII.
  socket.write(head + text, 'latin1');
  onSent?.();
}
