import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { startMailSink, type ArrivedMail, type MailSink } from '../../cli/inbox/mail-sink.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Message as received: headers, an empty line, the text. */
  text: string;
}

export interface MailServer extends MailSink {
  readonly received: ReceivedMail[];
}

/**
 * Starts a mail server on this machine. @param refusalOf returns the refusal of an address, such as `550 no such user`;
 * undefined if it is accepted
 */
export async function startMailServer(
  refusalOf: (address: string) => string | undefined = () => undefined,
  options: SMTPServerOptions = {},
  port = 0,
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const keep = ({ message, ...envelope }: ArrivedMail) => {
    received.push({ ...envelope, text: message.toString() });
    return Promise.resolve();
  };
  const sink = await startMailSink(port, keep, {
    onRcptTo: ({ address }, _session, callback) => {
      const refusal = refusalOf(address);
      callback(refusal === undefined ? null : refusedBy(refusal));
    },
    ...options,
  });
  return { ...sink, received };
}

function refusedBy(refusal: string): Error {
  const [code = '', ...words] = refusal.split(' ');
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) });
}

/**
 * Returns the answer to a line of a session. Undefined ends the connection, and an empty answer is not sent.
 * `recipient` is the last recipient of the session.
 */
export type AnswerLine = (line: string, recipient: string) => string | undefined;

/** Starts a mail server whose answers to each line come from the test. */
export async function startScriptedMailServer(answer: AnswerLine): Promise<{ url: string; close(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('220 test\r\n');
    let rest = '';
    let recipient = '';
    let isData = false;
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (isData && line !== '.') continue;
        isData = line === 'DATA';
        recipient = /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? recipient;
        const answered = answer(line, recipient);
        if (answered === undefined) socket.destroy();
        else if (answered !== '') socket.write(`${answered}\r\n`);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Returns the answer of a server that accepts everything. */
export function takingAnswer(line: string): string {
  return line === 'DATA' ? '354 go on' : '250 ok';
}

/** Returns the mail to the address. @throws if the server has received none */
export function mailTo({ received }: MailServer, address: string): ReceivedMail {
  const mail = received.find(({ to }) => to.includes(address));
  if (!mail) throw new Error(`no mail to ${address}`);
  return mail;
}

/** Returns the value of a header, unfolded. */
export function headerOf({ text }: ReceivedMail, name: string): string | undefined {
  const [head = ''] = text.split('\r\n\r\n', 1);
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head.replaceAll(/\r\n[ \t]/g, ' '))?.[1];
}
