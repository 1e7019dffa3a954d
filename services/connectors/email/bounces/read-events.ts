import { z } from 'zod';
import { mailEventKinds, withoutBrackets, type MailEvent } from './mail-event.ts';

export const maxEvents = 1000;

/** Events in the connectors' own form. */
const plainEvents = z.object({
  events: z
    .array(
      z.object({
        messageId: z.string().max(1000),
        event: z.enum(mailEventKinds),
        code: z.string().max(64).optional(),
        at: z.iso.datetime({ offset: true }).optional(),
      }),
    )
    .max(maxEvents),
});

/** Events of SendGrid: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
const sendGridEvents = z
  .array(
    z.object({
      event: z.string(),
      'smtp-id': z.string().max(1000).optional(),
      timestamp: z.number().min(0).max(1e11).optional(),
      /** Kind of a bounce: `bounce`, or `blocked` by the policy of a server. */
      type: z.string().optional(),
      status: z.string().max(64).optional(),
    }),
  )
  .max(maxEvents);

const sendGridKinds: Readonly<Record<string, MailEvent['kind']>> = {
  delivered: 'delivered',
  bounce: 'hard-bounce',
  dropped: 'soft-bounce',
  spamreport: 'complaint',
  unsubscribe: 'unsubscribe',
  group_unsubscribe: 'unsubscribe',
};

/**
 * Reads events of a provider: `{ "events": […] }`, or the list that SendGrid sends. Events of other kinds in SendGrid's
 * list are left out.
 * @throws {z.ZodError}
 */
export function readEvents(body: unknown): MailEvent[] {
  if (Array.isArray(body)) return sendGridEvents.parse(body).flatMap(sendGridEvent);
  return plainEvents.parse(body).events.map(({ event, messageId, code, at }) => ({
    kind: event,
    messageId: withoutBrackets(messageId),
    code,
    at: at === undefined ? undefined : new Date(at),
  }));
}

function sendGridEvent(given: z.infer<typeof sendGridEvents>[number]): MailEvent[] {
  const { event, 'smtp-id': messageId, timestamp, type, status: code } = given;
  const kind = event === 'bounce' && type === 'blocked' ? 'soft-bounce' : sendGridKinds[event];
  if (kind === undefined || messageId === undefined) return [];
  const at = timestamp === undefined ? undefined : new Date(timestamp * 1000);
  return [{ kind, messageId: withoutBrackets(messageId), code, at }];
}
