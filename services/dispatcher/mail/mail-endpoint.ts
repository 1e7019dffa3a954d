import { webhookHeaders } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import { emailBody, type EmailBody } from '../../../shared/contracts/notifications/messages.ts';
import { mailDomainOf } from '../../../shared/contracts/notifications/notification-urls.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { addressIn, type MailSettings } from '../../../shared/runtime/configuration/mail-settings.ts';
import type { GuardedSockets } from '../../../shared/runtime/egress/guarded-sockets.ts';
import { createMailTransport } from '../../../shared/smtp/mail-transport.ts';
import {
  keptAnswerBytes,
  type Callback,
  type CallbackAnswer,
  type CallbackEndpoint,
} from '../ports/callback-endpoint.ts';

/** Upper bound on the connections to the mail server, over all notifications. */
const maxConnections = 5;
/**
 * Time in milliseconds without data after which a connection is closed, between two messages or while the server's
 * reply is awaited.
 */
const quietMs = 30_000;

export interface MailEndpointDeps {
  settings: MailSettings;
  sockets: GuardedSockets;
  clock: Clock;
}

/**
 * Creates an endpoint that sends e-mails of notifications by SMTP. The reply of the server becomes the status of the
 * answer: 250 if it has accepted the message, 4xx and 5xx if not. A repeated message has the same Message-ID.
 */
export function createMailEndpoint({
  settings,
  sockets,
  clock,
}: MailEndpointDeps): CallbackEndpoint & { close(): void } {
  const { url, from, domains } = settings;
  const transport = createMailTransport({ url, maxConnections, timeoutMs: quietMs }, sockets);
  const domain = mailDomainOf(addressIn(from));

  async function call({ path: to, headers, body, timeoutMs, limits, notAfterMs }: Callback): Promise<CallbackAnswer> {
    if (clock.monotonicMs() > notAfterMs) return { kind: 'unanswered', cause: 'came too late to be sent' };
    // The domain was allowed when the notification was created, but the configuration may have changed.
    if (!domains.includes(mailDomainOf(to))) {
      return { kind: 'forbidden', cause: 'SMTP_DOMAINS does not name the domain of its address' };
    }
    const mail = body && emailIn(body);
    if (!mail) return { kind: 'forbidden', cause: 'only notifications are sent by e-mail' };
    const id = headers[headers.indexOf(webhookHeaders.id) + 1] ?? '';
    try {
      const { response } = await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject: mail.subject,
        text: mail.text,
        messageId: `<${id}@${domain}>`,
        ...(mail.thread !== null && { references: `<${mail.thread}@${domain}>` }),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Muster-Event': mail.type },
        signal: AbortSignal.timeout(timeoutMs ?? limits.timeoutMs),
      });
      return { kind: 'answered', status: taken, retryAfterMs: null, body: kept(response) };
    } catch (error) {
      return answerOf(error);
    }
  }

  return { call, close: () => transport.close() };
}

/** Parses the body as an e-mail. Returns undefined if that fails, because another version may use another format. */
function emailIn(body: Buffer): EmailBody | undefined {
  try {
    return emailBody.safeParse(JSON.parse(body.toString())).data;
  } catch {
    return undefined;
  }
}

const taken = 250;

function kept(text: string): Buffer {
  return Buffer.from(text).subarray(0, keptAnswerBytes);
}

function answerOf(error: unknown): CallbackAnswer {
  if (!(error instanceof Error)) return { kind: 'unanswered', cause: 'the mail server could not be asked' };
  const { responseCode, response = '', code } = error as Error & SmtpError;
  if (responseCode !== undefined) {
    return { kind: 'answered', status: responseCode, retryAfterMs: null, body: kept(response) };
  }
  if (code === 'MUSTER_FORBIDDEN_ADDRESS') {
    return { kind: 'unsent', cause: 'MUSTER_EGRESS_ALLOW does not allow the address of the mail server' };
  }
  return { kind: 'unanswered', cause: causes[code ?? ''] ?? 'the mail server did not take it in time' };
}

interface SmtpError {
  responseCode?: number;
  response?: string;
  code?: string;
}

const noServer = 'no address of the mail server was found';
const noConnection = 'no connection to the mail server';

/** Texts for errors of the connection, by error code. Users see them, so they contain no addresses. */
const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: noServer,
  EAI_AGAIN: noServer,
  ECONNREFUSED: noConnection,
  ECONNRESET: noConnection,
  EHOSTUNREACH: noConnection,
  ENETUNREACH: noConnection,
  ETIMEDOUT: noConnection,
  ECONNECTION: noConnection,
  ESOCKET: noConnection,
  ETLS: 'the mail server offers no TLS that is believed',
  EAUTH: 'the mail server refuses user and password',
};
