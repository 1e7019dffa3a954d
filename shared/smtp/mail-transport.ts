import { createTransport, type SMTPPoolOptions } from 'nodemailer';
import { placeOf } from '../runtime/egress/address-guard.ts';
import type { GuardedSockets, Place } from '../runtime/egress/guarded-sockets.ts';

export interface MailTransportOptions extends Pick<SMTPPoolOptions, 'maxMessages' | 'dkim'> {
  /** URL of the mail server: `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  url: string;
  maxConnections: number;
  /** Limit in milliseconds for a connection, for the server's greeting, and for a pause between data. */
  timeoutMs: number;
}

/** Returns host and port of the server. The default port is the one for mail submission (RFC 8314). */
export function mailPlaceOf(url: string): Place {
  const address = new URL(url);
  return placeOf(address, address.protocol === 'smtps:' ? 465 : 587);
}

/** Creates a pool of SMTP connections. Addresses of the server are judged at each connection. */
export function createMailTransport(options: MailTransportOptions, sockets: GuardedSockets) {
  const { url, timeoutMs } = options;
  return createTransport({
    ...options,
    pool: true,
    // The library does not retry, because the caller decides about further attempts.
    maxRequeues: 0,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    getSocket: openSocketOf(url, timeoutMs, sockets),
    // TLS is required if the URL has credentials, so that a password is never sent without TLS.
    ...(new URL(url).username !== '' && { requireTLS: true }),
    // Mail content must not be loaded from files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Returns the function that opens connections through the egress guard. The library itself would connect without the
 * guard.
 */
function openSocketOf(
  url: string,
  timeoutMs: number,
  sockets: GuardedSockets,
): NonNullable<SMTPPoolOptions['getSocket']> {
  const place = mailPlaceOf(url);
  return (_options, done) => {
    const socket = sockets.open(place);
    const end = () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`));
    const timer = setTimeout(end, timeoutMs);
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      socket.off('error', settle);
      if (error) done(error);
      else done(null, { connection: socket });
    };
    socket.once('error', settle).once('connect', () => settle(null));
  };
}
