import { z } from 'zod';
import { eventTypes } from './notifications.ts';

const time = z.iso.datetime({ precision: 3 });

/** Numbers of users of a run that has ended. */
const figures = z.object({
  audience: z.int(),
  succeeded: z.int().describe('Users who succeeded in every step'),
  failed: z.int(),
});

export const digestLine = z.object({
  campaign: z.object({ id: z.string(), name: z.string() }),
  run: z.object({ id: z.string(), scheduledFor: time }),
  figures,
});

export type DigestLine = z.output<typeof digestLine>;

/** Message of an event, as the kind `webhook` posts it. The other kinds send it in their own forms. */
export const notificationMessage = z
  .object({
    type: z.enum([...eventTypes, 'campaign.digest', 'notification.test']),
    timestamp: time.describe('Time of the event'),
    data: z.object({
      text: z.string().describe('The event in a sentence, for people'),
      link: z.string().describe('Page of the console; without its host if API_PUBLIC_URL is not set'),
      cause: z.string().nullable(),
      campaign: z
        .object({
          id: z.string(),
          name: z.string(),
          owner: z.string().nullable(),
          tags: z.array(z.string()),
          countries: z.array(z.string()),
        })
        .nullable(),
      run: z.object({ id: z.string(), state: z.string(), scheduledFor: time, startedAt: time.nullable() }).nullable(),
      figures: figures.nullable().describe('Present for ended runs; in a digest: the sum of all its runs'),
      approval: z
        .object({ id: z.string(), requiredApprovers: z.int(), reasons: z.array(z.string()) })
        .nullable()
        .describe('Present for approval.waiting'),
      digest: z
        .object({ runs: z.int().describe('Number of runs in the digest'), first: z.array(digestLine) })
        .nullable()
        .describe('Present for campaign.digest: runs completed since the last digest'),
      budget: z
        .object({
          country: z.string(),
          units: z.int().nullable().describe('Null: the budget is monetary'),
          left: z.int().nullable(),
          money: z.object({ currency: z.string(), amount: z.string(), left: z.string() }).nullable(),
        })
        .nullable()
        .describe('Present for budget.low'),
      key: z
        .object({ id: z.string(), name: z.string(), owner: z.string().nullable(), expiresAt: time })
        .nullable()
        .describe('Present for key.ending'),
    }),
  })
  .meta({ id: 'NotificationMessage' });

export type NotificationMessage = z.output<typeof notificationMessage>;

/** Body of a job that sends an e-mail. The dispatcher adds sender, recipient and Message-ID. */
export const emailBody = z.object({
  subject: z.string(),
  text: z.string(),
  /** Id that groups the e-mails of one run, or of one campaign. */
  thread: z.string().nullable(),
  type: z.string(),
});

export type EmailBody = z.output<typeof emailBody>;
