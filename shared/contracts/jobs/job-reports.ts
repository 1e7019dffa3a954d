import { z } from 'zod';
import { textShape } from '../stored-texts.ts';

export const reportHeaders = {
  /** URL that the report is posted to; only its path if this installation knows no public address of its own. */
  url: 'muster-report',
  token: 'muster-report-token',
  /** Seconds until the report is due, unless the answer gives fewer. */
  within: 'muster-report-within',
} as const;

/** JSON body that a 202 may have. */
export const acceptedAnswer = z.object({ reportWithinSeconds: z.number().positive() });

const detail = textShape(2000).optional().describe('Text for people, stored as the answer of the call');

export const jobReport = z
  .discriminatedUnion('outcome', [
    z.strictObject({ outcome: z.literal('done'), detail }),
    z.strictObject({
      outcome: z.literal('failed'),
      reason: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, 'has to be 1 to 100 letters, digits and . _ : -')
        .describe('Code of the failure; quarantined jobs are grouped by it'),
      final: z.boolean().default(false).describe('true: the job is dead at once, as after one of finalCodes'),
      retryAfterSeconds: z.int().min(0).max(3600).optional().describe('Minimum seconds until the next call'),
      detail,
    }),
  ])
  .meta({ id: 'JobReport', examples: [{ outcome: 'done' }] });

export type JobReport = z.output<typeof jobReport>;

export const jobReported = z
  .object({
    id: z.string(),
    result: z
      .enum(['called', 'failed', 'unchanged'])
      .describe(
        'called: the job has ended as called; failed: it is retried or dead; unchanged: the outcome was known before',
      ),
  })
  .meta({ id: 'JobReported' });

/** Report of a job whose call was accepted, as it is stored; empty while the report is outstanding. */
const keptReport = z.object({
  reason: z.string().optional(),
  final: z.boolean().default(false),
  retryAfterMs: z.number().nullable().default(null),
  detail: z.string().nullable().default(null),
});

export type KeptReport = z.output<typeof keptReport>;

export const awaitedReport = '{}';

export function writeFailedReport(report: Extract<JobReport, { outcome: 'failed' }>): string {
  const { reason, final, retryAfterSeconds, detail: text = null } = report;
  const retryAfterMs = retryAfterSeconds === undefined ? null : retryAfterSeconds * 1000;
  return JSON.stringify({ reason, final, retryAfterMs, detail: text } satisfies KeptReport);
}

/** Reads a stored report. Another version may have written the report: an unreadable report counts as outstanding. */
export function readKeptReport(text: string): KeptReport {
  const read = keptReport.safeParse(parsed(text));
  return read.success ? read.data : keptReport.parse({});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
