import PostalMime from 'postal-mime';
import { isOfMailbox, withoutBrackets, type MailEvent } from './mail-event.ts';

/** Limits for parsing a report: nesting depth of parts, and bytes of headers. */
const limits = { maxNestingDepth: 10, maxHeadersSize: 200_000 };

/**
 * Reads a delivery status notification (RFC 3464) or a complaint (RFC 5965), in the form in which a mail server
 * delivers it. Returns undefined for other mails, for reports of a delay, and for reports without the headers of the
 * original mail. Mails that cannot be parsed return undefined too, because an error would make the mail server deliver
 * them repeatedly.
 */
export async function readReport(message: Buffer): Promise<MailEvent | undefined> {
  return await eventIn(message).catch(() => undefined);
}

async function eventIn(message: Buffer): Promise<MailEvent | undefined> {
  const { attachments } = await PostalMime.parse(message, {
    ...limits,
    forceRfc822Attachments: true,
    attachmentEncoding: 'utf8',
  });
  const partOf = (...types: string[]) => {
    const part = attachments.find(({ mimeType }) => types.includes(mimeType));
    return typeof part?.content === 'string' ? part.content : undefined;
  };
  const returned = partOf('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers');
  if (returned === undefined) return undefined;
  const { messageId } = await PostalMime.parse(returned, { ...limits, maxRfc822NestingDepth: 0 });
  if (messageId === undefined) return undefined;
  const about = { messageId: withoutBrackets(messageId), at: undefined };
  if (partOf('message/feedback-report') !== undefined) return { ...about, kind: 'complaint', code: undefined };
  const status = partOf('message/delivery-status', 'message/global-delivery-status');
  return status === undefined ? undefined : eventOf(status, about);
}

function eventOf(fields: string, about: Pick<MailEvent, 'messageId' | 'at'>): MailEvent | undefined {
  const code = fieldIn(fields, 'Status')?.match(/^[245]\.\d{1,3}\.\d{1,3}/)?.[0];
  switch (fieldIn(fields, 'Action')?.toLowerCase()) {
    case 'delivered':
      return { ...about, kind: 'delivered', code: undefined };
    case 'failed':
      return { ...about, kind: isOfMailbox(code ?? '') ? 'hard-bounce' : 'soft-bounce', code };
    default:
      // A delayed mail may still be delivered. A relayed mail was passed to servers that send no reports.
      return undefined;
  }
}

/** Returns the value of a field. A mail has one recipient, so each field for recipients occurs once. */
function fieldIn(fields: string, name: string): string | undefined {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(fields)?.[1]?.trim();
}
