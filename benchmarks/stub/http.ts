import { createServer, type Server, type Socket } from 'node:net';

export interface Request {
  path: string;
  body: string;
}

export interface Answer {
  status: number;
  text: string;
  latencyMs: number;
  /** Called when the answer is on its way. */
  onSent?: () => void;
}

const endOfHead = '\r\n\r\n';

/**
 * As little HTTP as the engine's clients speak: one request after the other on a connection, bodies with a length. It
 * shares the cores with what is measured. `serve` answers with null when the caller shall wait in vain.
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
 * The request at the front of what has been received, and where the next one begins; undefined while it is not whole.
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
  // All ids are ASCII: a character is a byte.
  socket.write(head + text, 'latin1');
  onSent?.();
}
