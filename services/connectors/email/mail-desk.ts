import type { BatchCall } from '../../../shared/contracts/endpoints/batch-actions.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MailEvent } from './bounces/mail-event.ts';
import { reportsOf } from './record-events.ts';
import { composeMails, type Composed, type ComposeDeps } from './compose-mails.ts';
import type { MailActionSettings } from './mail-settings.ts';
import type { ReportQueue } from './reports.port.ts';
import type { UnsubscribeTexts } from './unsubscribe-page.ts';

export interface MailDeskDeps extends ComposeDeps {
  reports: Pick<ReportQueue, 'add'>;
  clock: Pick<Clock, 'now'>;
}

export interface PreviewTerms {
  user: string;
  country: string;
  params: BatchCall['action']['params'];
}

/** The functions of an e-mail action other than sending: previews, links in mails, and reports of mail servers. */
export interface MailDesk {
  /** Renders the mail of one user, with an unsubscribe link that has no effect. @throws {SourceError} */
  preview(terms: PreviewTerms): Promise<Composed>;
  /** Returns the texts of the page that a link opens; undefined if the link does not belong to this action. */
  textsFor(token: string): UnsubscribeTexts | undefined;
  /** Stores that the link's user unsubscribes. Resolves with false if the link does not belong to this action. */
  unsubscribe(token: string): Promise<boolean>;
  /** Stores receipts and suppressions for the events. `unknown` counts events that refer to no mail of this action. */
  record(events: readonly MailEvent[]): Promise<{ accepted: number; unknown: number }>;
}

export function createMailDesk(settings: MailActionSettings, deps: MailDeskDeps): MailDesk {
  const { references, reports, clock } = deps;
  const { suppressionList: list } = settings;

  return {
    preview: async ({ user, country, params }) => {
      const call = {
        campaign: 'preview',
        run: 'preview',
        step: 1,
        country,
        batch: 1,
        action: { type: settings.id, params },
        users: [user],
      };
      const unsigned = { ...references, sign: () => 'preview' };
      const composed = await composeMails(settings, call, { ...deps, references: unsigned });
      return composed.get(user) ?? { ok: false, code: 'no-such-user', message: 'there is no such user' };
    },
    textsFor: (token) => (references.read('unsubscribe', token) ? settings.unsubscribe?.texts : undefined),
    unsubscribe: async (token) => {
      const reference = references.read('unsubscribe', token);
      if (!reference) return false;
      await reports.add([{ kind: 'suppression', list, user: reference.user, note: 'unsubscribed' }]);
      return true;
    },
    record: async (events) => {
      const found = events.flatMap((event) => {
        const own = reportsOf(event, { references, list, clock });
        return own ? [own] : [];
      });
      await reports.add(found.flat());
      return { accepted: found.length, unknown: events.length - found.length };
    },
  };
}
