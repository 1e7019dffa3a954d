import { z } from 'zod';
import { mailDomainOf } from '../../contracts/notifications/notification-urls.ts';
import { ConfigurationError } from './configuration-error.ts';
import { readEnvironment } from './environment.ts';

export interface MailSettings {
  /** Address of the mail server: `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  url: string;
  /** Address of the sender, optionally with a display name. */
  from: string;
  /** Allowed recipient domains, in lower case. */
  domains: readonly string[];
}

const domain = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/;
const sender = /^(?:[^<>\r\n]*<)?(?<address>[^<>\s@]+@[^<>\s@]+)>?$/;

export const mailEnvironment = z.object({
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'has to be a URL such as smtps://user:password@smtp.example.com:465' })
    .optional()
    .describe(
      'Mail server for [notifications by e-mail](../notifications.md#by-e-mail); a password is only sent over TLS',
    ),
  SMTP_FROM: z
    .string()
    .regex(sender, 'has to be an address such as muster@example.com or Muster <muster@example.com>')
    .optional()
    .describe('Sender of the mails'),
  SMTP_DOMAINS: z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim().toLowerCase()))
    .refine((domains) => domains.every((each) => domain.test(each)), 'has to be domains, separated by commas')
    .optional()
    .meta({ description: 'Domains to which mails may be sent', usual: 'that of `SMTP_FROM`' }),
});

/**
 * Returns undefined if e-mail is not configured. Without `SMTP_DOMAINS`, only the sender's domain is allowed.
 * @throws {ConfigurationError}
 */
export function readMailSettings(environment: NodeJS.ProcessEnv): MailSettings | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, SMTP_DOMAINS: domains } = readEnvironment(mailEnvironment, environment);
  if (url === undefined && from === undefined && domains === undefined) return undefined;
  if (url === undefined || from === undefined) {
    throw new ConfigurationError('SMTP_URL and SMTP_FROM are set together: the server, and who sends');
  }
  return { url, from, domains: domains ?? [mailDomainOf(addressIn(from))] };
}

/** Returns the address in `Muster <muster@example.com>`. */
export function addressIn(from: string): string {
  return sender.exec(from)?.groups?.['address'] ?? from;
}
