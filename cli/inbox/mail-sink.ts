import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { z } from 'zod';

export interface ArrivedMail {
  /** Sender of the envelope; empty for reports of mail servers. */
  from: string;
  /** Recipients of the envelope. */
  to: string[];
  /** Headers, an empty line and the body, as received. */
  message: Buffer;
}

export interface MailSink {
  /** URL of the mail server: `smtp://…`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a mail server on 127.0.0.1 that accepts every mail, without TLS and login.
 *
 * @param port 0 selects a free port
 * @param keep stores the mail; if it rejects, the server refuses the mail with a temporary error
 * @param options options of the SMTP server that replace the defaults
 */
export async function startMailSink(
  port: number,
  keep: (mail: ArrivedMail) => Promise<void>,
  options: SMTPServerOptions = {},
): Promise<MailSink> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
      const from = mailFrom === false ? '' : mailFrom.address;
      const to = rcptTo.map(({ address }) => address);
      buffer(stream)
        .then((message) => keep({ from, to, message }))
        .then(() => done(), done);
    },
    ...options,
  });
  // A client that disconnects in the middle of a mail is not an error.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const address = z.object({ port: z.number() }).parse(server.server.address());
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
