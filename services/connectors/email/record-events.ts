import type { Clock } from '../../../shared/ports/clock.ts';
import type { MailReferences } from './mail-references.ts';
import type { MailReport } from './reports.port.ts';
import type { MailEvent } from './bounces/mail-event.ts';

export interface EventTerms {
  references: MailReferences;
  /** Suppression list of the action. */
  list: string;
  clock: Pick<Clock, 'now'>;
}

const suppressing: Partial<Record<MailEvent['kind'], string>> = {
  'hard-bounce': 'hard bounce',
  complaint: 'complaint',
  unsubscribe: 'unsubscribed',
};

/**
 * Returns the reports for an event; undefined if the connectors did not create its Message-ID. Only recipients of a
 * mail and the servers on its way know the signed Message-ID. So a forged report cannot suppress other users.
 */
export function reportsOf(event: MailEvent, { references, list, clock }: EventTerms): MailReport[] | undefined {
  const [local = ''] = event.messageId.split('@');
  const reference = references.read('message', local);
  if (!reference) return undefined;
  const { kind, code, at = clock.now() } = event;
  const reports: MailReport[] = [];
  if (kind !== 'unsubscribe') {
    const isDelivered = kind === 'delivered' || kind === 'complaint';
    const cause = kind === 'complaint' ? kind : isDelivered ? undefined : (code ?? kind);
    reports.push({
      kind: 'receipt',
      receipt: {
        ...reference,
        status: isDelivered ? 'delivered' : 'undelivered',
        ...(cause !== undefined && { code: cause }),
        at: at.toISOString(),
      },
    });
  }
  const note = suppressing[kind];
  if (note !== undefined) reports.push({ kind: 'suppression', list, user: reference.user, note });
  return reports;
}
