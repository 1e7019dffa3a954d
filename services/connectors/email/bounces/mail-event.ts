/**
 * Kinds of events that a mail server or provider reports after it has accepted a mail.
 * - `hard-bounce`: the mailbox does not exist, or no longer accepts mails.
 * - `soft-bounce`: this mail was not delivered, but another one may be.
 * - `complaint`: the recipient reported the mail as spam.
 */
export const mailEventKinds = ['delivered', 'hard-bounce', 'soft-bounce', 'complaint', 'unsubscribe'] as const;

export interface MailEvent {
  kind: (typeof mailEventKinds)[number];
  /** Message-ID without angle brackets. */
  messageId: string;
  /** Status code (RFC 3463) such as `5.1.1`; undefined if the event has none. */
  code: string | undefined;
  /** Time of the event; undefined means now. */
  at: Date | undefined;
}

/**
 * Returns true for a status (RFC 3463) that concerns the mailbox: bad address (5.1.x), or disabled (5.2.1). Returns
 * false for a full mailbox and for a server's policy (5.2.2, 5.7.x), because another mail may be delivered.
 */
export function isOfMailbox(status: string): boolean {
  return /^5\.(1\.\d{1,3}|2\.1)$/.test(status);
}

/** Returns the status in the answer of a mail server, such as `5.1.1` in `550 5.1.1 no such user`. */
export function statusIn(response: string): string | undefined {
  return /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(response)?.[0];
}

/** Returns the id within `<id>`; a text without brackets stays unchanged. */
export function withoutBrackets(messageId: string): string {
  return messageId.trim().replace(/^<(.*)>$/, '$1');
}
