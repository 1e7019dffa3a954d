import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface HeardMail {
  from: string;
  to: string[];
  /** As it came: headers, an empty line, the text. */
  text: string;
}

export interface MailServer {
  readonly url: string;
  readonly heard: HeardMail[];
  close(): Promise<void>;
}

/** A mail server of this machine. @param refusalOf what it says of an address instead of taking it: `550 no such user` */
export async function startMailServer(
  refusalOf: (address: string) => string | undefined = () => undefined,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const heard: HeardMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, callback) => {
      const refusal = refusalOf(address);
      callback(refusal === undefined ? null : refusedBy(refusal));
    },
    onData: (stream, { envelope }, callback) => {
      void buffer(stream).then((message) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        heard.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: message.toString() });
        callback();
      });
    },
    ...options,
  });
  // A client that goes away in the middle is no fault of it.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    heard,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function refusedBy(refusal: string): Error {
  const [code = '', ...words] = refusal.split(' ');
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) });
}
