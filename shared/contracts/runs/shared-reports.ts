import { z } from 'zod';
import { runReport } from './runs.ts';

const time = z.iso.datetime({ precision: 3 });

export const newReportLink = z
  .strictObject({
    expiresInSeconds: z
      .int()
      .min(60)
      .max(90 * 86_400)
      .default(7 * 86_400)
      .describe('Time after which the link no longer works'),
  })
  .default({ expiresInSeconds: 7 * 86_400 })
  .meta({ id: 'NewReportLink', examples: [{ expiresInSeconds: 86_400 }] });

export const reportLink = z
  .object({
    id: z.string(),
    createdAt: time,
    expiresAt: time.describe('Not later than the end of the key that created it'),
    createdBy: z.string().describe('key_…'),
    state: z
      .enum(['open', 'expired', 'revoked', 'key-ended'])
      .describe('key-ended: the key that created it was revoked, or its role or scope no longer allows the link'),
  })
  .meta({ id: 'ReportLink' });

export type ReportLink = z.output<typeof reportLink>;

export const createdReportLink = reportLink
  .extend({ link: z.string().describe('Shown only in this answer; without its host if API_PUBLIC_URL is not set') })
  .meta({ id: 'MadeReportLink' });

const reported = runReport.shape;

export const sharedReport = z
  .object({
    campaignName: reported.campaignName,
    kind: reported.kind,
    state: reported.state,
    scheduledFor: reported.scheduledFor,
    startedAt: reported.startedAt,
    endedAt: reported.endedAt,
    asOf: reported.asOf,
    audience: reported.audience,
    steps: reported.steps,
    countries: reported.countries,
    balanced: reported.balanced,
    failures: z.array(
      z.object({
        step: z.int().min(1),
        country: z.string(),
        outcome: z.string(),
        reason: z.string(),
        users: z.int().min(0),
      }),
    ),
    linkExpiresAt: time,
  })
  .meta({ id: 'SharedReport' });

export type SharedReport = z.output<typeof sharedReport>;
