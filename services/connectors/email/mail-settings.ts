import type { DomainLimits } from './domain-gate.ts';
import type { SegmentQuery } from '../databases/source.port.ts';
import type { SmtpSettings } from './smtp/mail-sender.ts';
import type { TemplateScope, Rendering } from './templates.ts';
import type { UnsubscribeTexts } from './unsubscribe-page.ts';

/** An e-mail action of the file, ready for use. */
export interface MailActionSettings {
  form: 'email';
  id: string;
  from: string;
  replyTo: string | undefined;
  render: (scope: TemplateScope) => Rendering;
  /** Query for addresses and attributes of users. */
  users: SegmentQuery & { database: string };
  smtp: SmtpSettings;
  domains: DomainLimits;
  /**
   * Secrets for references in Message-IDs and links. The first one signs; references signed with the further ones are
   * accepted.
   */
  secrets: readonly [string, ...string[]];
  /** Domain part of Message-IDs. */
  messageDomain: string;
  /** Unsubscribe link; undefined if mails have none. */
  unsubscribe: { baseUrl: string; texts: UnsubscribeTexts } | undefined;
  /** Suppression list for bounces, complaints and users who unsubscribe. */
  suppressionList: string;
  /** True if a mail whose answer was lost may be sent again, with the same Message-ID. */
  isSentAgain: boolean;
  /** Milliseconds after the beginning of a call in which mails may be begun. Further mails are postponed. */
  batchMs: number;
  keepSeconds: number;
}
