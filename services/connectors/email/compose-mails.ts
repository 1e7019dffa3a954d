import type { BatchCall } from '../../../shared/contracts/endpoints/batch-actions.ts';
import { SourceError, type Attributes, type Source } from '../databases/source.port.ts';
import { domainOf } from './addresses.ts';
import type { MailReferences } from './mail-references.ts';
import type { MailActionSettings } from './mail-settings.ts';
import type { OutgoingMail } from './smtp/mail-sender.ts';

/** A mail that is ready to be sent, or the reason why its user receives none. */
export type Composed = { ok: true; mail: OutgoingMail; domain: string } | { ok: false; code: string; message: string };

export interface ComposeDeps {
  source: Source;
  references: MailReferences;
}

/**
 * Reads addresses and attributes, and renders the mail of each user of the call.
 * @throws {SourceError} if the look-up fails
 */
export async function composeMails(
  settings: MailActionSettings,
  call: BatchCall,
  { source, references }: ComposeDeps,
): Promise<Map<string, Composed>> {
  const rows = await source.attributes(settings.users, call.users);
  return new Map(call.users.map((user) => [user, compose(settings, call, user, rows.get(user), references)]));
}

function compose(
  settings: MailActionSettings,
  { campaign, run, step, country, action: { params } }: BatchCall,
  user: string,
  row: Attributes | undefined,
  references: MailReferences,
): Composed {
  if (!row) return refuse('no-such-user', 'the look-up returns no row for the user');
  if (!Object.hasOwn(row, 'email')) throw new SourceError('refused', 'the query has to return the column email');
  const { email } = row;
  if (email === null || email === '') return refuse('no-address', 'the user has no address');
  const to = typeof email === 'string' ? email : '';
  const domain = domainOf(to);
  if (domain === undefined) return refuse('invalid-address', 'the address is not the address of one mailbox');
  const reference = { run, step, country, user };
  const link = settings.unsubscribe && unsubscribeLink(settings, references.sign('unsubscribe', reference));
  const scope = { user: { ...row, id: user }, params, campaign, run, country, ...(link && { unsubscribe_url: link }) };
  const rendering = settings.render(scope);
  if (!rendering.ok) return rendering;
  return {
    ok: true,
    domain,
    mail: {
      ...rendering.mail,
      from: settings.from,
      replyTo: settings.replyTo,
      to,
      messageId: `${references.sign('message', reference)}@${settings.messageDomain}`,
      // Unsubscribing with one click (RFC 8058): the mail program posts the second header's value to the address in the
      // first header.
      headers: link ? { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {},
    },
  };
}

function refuse(code: string, message: string): Composed {
  return { ok: false, code, message };
}

function unsubscribeLink({ id, unsubscribe }: MailActionSettings, token: string): string {
  return `${unsubscribe?.baseUrl ?? ''}/v1/actions/${id}/unsubscribe/${token}`;
}
