import type { Readable } from 'node:stream';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import { createMailTransport } from '../../../../shared/smtp/mail-transport.ts';

export interface SmtpSettings {
  /** URL of the mail server: `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  url: string;
  maxConnections: number;
  /** Limit in milliseconds for one mail, including the wait for a connection. */
  timeoutMs: number;
  dkim: { domainName: string; keySelector: string; privateKey: string } | undefined;
}

/** A mail to one recipient. */
export interface OutgoingMail {
  subject: string;
  html: string | undefined;
  text: string | undefined;
  /** Address of the sender, optionally with a display name. */
  from: string;
  replyTo: string | undefined;
  /** Address of one mailbox, without a display name. */
  to: string;
  /** Message-ID without angle brackets. */
  messageId: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Outcome of one mail.
 * - `accepted`: the server has accepted the mail.
 * - `deferred`: the server refuses the mail temporarily (4xx).
 * - `refused`: the server refuses the mail permanently (5xx).
 * - `not-sent`: no part of the mail was transferred, because there is no connection or the server refuses login or
 *   sender.
 * - `lost`: the connection ended during the transfer, or before the server's answer.
 */
export type SendOutcome =
  | { kind: 'accepted' }
  | { kind: 'deferred' | 'refused'; status: number; response: string }
  | { kind: 'not-sent' | 'lost'; cause: string };

export interface MailSender {
  /** Sends a mail over one of the pool's connections. Never rejects, and never sends a mail twice. */
  send(mail: OutgoingMail): Promise<SendOutcome>;
  close(): void;
}

/**
 * Headers that DKIM signs. Unsubscribing with one click requires a signature over the list headers (RFC 8058, section
 * 4).
 */
const signedHeaders =
  'from:reply-to:subject:date:message-id:to:mime-version:content-type:content-transfer-encoding:list-unsubscribe:list-unsubscribe-post';

export function createMailSender(
  { url, maxConnections, timeoutMs, dkim }: SmtpSettings,
  sockets: GuardedSockets,
): MailSender {
  const transport = createMailTransport(
    {
      url,
      maxConnections,
      timeoutMs,
      maxMessages: Infinity,
      ...(dkim && { dkim: { ...dkim, headerFieldNames: signedHeaders } }),
    },
    sockets,
  );
  /**
   * Streams of the mails that are being sent, by Message-ID. A stream is read only after the server has answered DATA,
   * so it shows if the transfer has begun.
   */
  const streams = new Map<string, Readable>();
  transport.use('stream', ({ message, data }, done) => {
    const id = data.messageId;
    if (id !== undefined) {
      const create = message.createReadStream.bind(message);
      message.createReadStream = (options) => {
        const stream = create(options);
        streams.set(id, stream);
        return stream;
      };
    }
    done();
  });

  return {
    send: async ({ to, messageId: id, replyTo, headers, ...mail }) => {
      const messageId = `<${id}>`;
      try {
        await transport.sendMail({
          ...mail,
          to: { name: '', address: to },
          ...(replyTo !== undefined && { replyTo }),
          messageId,
          headers: { ...headers },
          signal: AbortSignal.timeout(timeoutMs),
        });
        return { kind: 'accepted' };
      } catch (error) {
        return outcomeOf(error, streams.get(messageId));
      } finally {
        streams.delete(messageId);
      }
    },
    close: () => transport.close(),
  };
}

interface SmtpError {
  code?: string;
  command?: string;
  responseCode?: number | false;
  response?: string;
}

/** Returns the outcome for an error. @param stream stream of the mail; undefined if no connection was open for it */
function outcomeOf(error: unknown, stream: Readable | undefined): SendOutcome {
  const cause = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Error) || !stream) return { kind: 'not-sent', cause };
  const { code, command, responseCode, response = '' }: Error & SmtpError = error;
  const isTransferred = stream.readableDidRead;
  if (typeof responseCode === 'number') {
    // A refusal of the sender does not concern the individual recipient.
    if (command === 'MAIL FROM') return { kind: 'not-sent', cause };
    return { kind: responseCode < 500 ? 'deferred' : 'refused', status: responseCode, response };
  }
  if (isTransferred) return { kind: 'lost', cause };
  // The server does not support this address, for example because it lacks SMTPUTF8.
  if (code === 'EENVELOPE') return { kind: 'refused', status: 553, response: cause };
  return { kind: 'not-sent', cause };
}
