import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsQuestion {
  /** Lower-case name without a final dot. */
  name: string;
  type: 'A' | 'AAAA';
}

export interface DnsAnswer {
  addresses?: readonly string[];
  ttlSeconds?: number;
  /** Error code instead of addresses. */
  code?: 'NXDOMAIN' | 'SERVFAIL';
  afterMs?: number;
}

/** A name server on the loopback interface. Null means no answer. */
export interface DnsServer {
  /** Address and port. */
  readonly address: string;
  /** Received questions, in order. */
  readonly questions: readonly DnsQuestion[];
  close(): void;
}

const types = new Map<number, DnsQuestion['type']>([
  [1, 'A'],
  [28, 'AAAA'],
]);
const codes = { NXDOMAIN: 3, SERVFAIL: 2 };
const headerBytes = 12;

export async function startDnsServer(answerOf: (question: DnsQuestion) => DnsAnswer | null): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const questions: DnsQuestion[] = [];
  socket.on('message', (message, { port, address }) => {
    const requested = questionOf(message);
    if (!requested) return;
    questions.push(requested.question);
    const answer = answerOf(requested.question);
    if (!answer) return;
    const reply = replyTo(message.subarray(0, requested.end), requested.question, answer);
    // The test may have ended before.
    const send = () => socket.send(reply, port, address, () => undefined);
    if (answer.afterMs === undefined) send();
    else setTimeout(send, answer.afterMs).unref();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let isOpen = true;
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => {
      if (isOpen) socket.close();
      isOpen = false;
    },
  };
}

/** Returns the first question of a message (RFC 1035, section 4.1.2), and where it ends. */
function questionOf(message: Buffer): { question: DnsQuestion; end: number } | null {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = types.get(message.readUInt16BE(at + 1));
  return type ? { question: { name: labels.join('.').toLowerCase(), type }, end: at + 5 } : null;
}

function replyTo(request: Buffer, { type }: DnsQuestion, { addresses = [], ttlSeconds = 60, code }: DnsAnswer): Buffer {
  const records = addresses.map((address) => {
    const bytes = type === 'A' ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
    const record = Buffer.alloc(12);
    // The name of the question, then its type, and the class IN.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(ttlSeconds, 6);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  const reply = Buffer.concat([request, ...records]);
  reply.writeUInt16BE(0x8180 | (code ? codes[code] : 0), 2);
  reply.writeUInt16BE(1, 4);
  reply.writeUInt16BE(records.length, 6);
  reply.writeUInt32BE(0, 8);
  return reply;
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const behind = groups(tail ?? '');
  const all = [...groups(head), ...Array<number>(8 - groups(head).length - behind.length).fill(0), ...behind];
  const bytes = Buffer.alloc(16);
  all.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}
