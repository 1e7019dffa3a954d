import { z } from 'zod';
import { deadLetterGroup, deadLetterShape } from '../../shared/contracts/messages/dead-letters.ts';
import { uploadedAudience, rejectedRow } from '../../shared/contracts/campaigns/audiences.ts';
import { auditRecord } from '../../shared/contracts/access/audit.ts';
import { audienceEntry } from '../../shared/contracts/campaigns/campaigns.ts';
import { campaignEstimate, warning } from '../../shared/contracts/campaigns/estimates.ts';
import { quarantinedStep } from '../../shared/contracts/messages/quarantined-steps.ts';
import { userReceipt } from '../../shared/contracts/endpoints/receipts.ts';
import { runEvent, runSummary, userFailureShape } from '../../shared/contracts/runs/runs.ts';

/** What the commands show of a campaign; the rest of the answer, which may grow, is passed on as it came. */
export const campaign = z.object({
  id: z.string(),
  name: z.string(),
  revision: z.int(),
  state: z.string(),
  countries: z.array(z.string()),
  audience: z
    .object({
      include: z.array(audienceEntry),
      exclude: z.array(audienceEntry).default([]),
      holdOutPercent: z.number().default(0),
    })
    .default({ include: [], exclude: [], holdOutPercent: 0 }),
  chain: z
    .array(z.object({ action: z.string(), params: z.unknown(), unitsPerUser: z.number().optional() }))
    .default([]),
  budgets: z.array(z.object({ country: z.string(), units: z.number() })).default([]),
  schedule: z
    .object({
      type: z.string(),
      time: z.string().optional(),
      zone: z.string().optional(),
      cron: z.string().optional(),
      everySeconds: z.number().optional(),
    })
    .optional(),
  deadlineSeconds: z.number().optional(),
  priority: z.string().optional(),
  paceUsersPerSecond: z.number().optional(),
  pauseAtFailedPercent: z.number().optional(),
  createdAt: z.string().optional(),
  startsAt: z.string().nullable().default(null),
  nextRunAt: z.string().nullable(),
  scheduleId: z.string().nullable().default(null),
  warnings: z.array(warning).default([]),
  links: z.object({ latestRun: z.string().nullable().default(null) }).default({ latestRun: null }),
});

export type Campaign = z.infer<typeof campaign>;

/** What would become of a definition. */
export const campaignPreview = campaignEstimate.omit({ campaignId: true, asOf: true }).extend({
  problems: z.array(z.object({ pointer: z.string(), detail: z.string() })),
  takesSeconds: z.object({ atLeast: z.number(), atMost: z.number().nullable() }).nullable(),
});

export type CampaignPreview = z.infer<typeof campaignPreview>;

export const campaignPage = z.object({ items: z.array(campaign), next: z.string().nullable() });
export const runPage = z.object({ items: z.array(runSummary), next: z.string().nullable() });
export const audiencePage = z.object({ items: z.array(uploadedAudience), next: z.string().nullable() });
export const rejectPage = z.object({ items: z.array(rejectedRow), next: z.string().nullable() });
export const runIds = z.object({ items: z.array(z.object({ runId: z.string() })) });
export const eventPage = z.object({ items: z.array(runEvent), next: z.string().nullable() });
const lastPage = { next: z.string().nullable() };
export const deadLetterPage = z.object({ items: z.array(deadLetterShape), ...lastPage });
export const deadLetterGroups = z.object({ items: z.array(deadLetterGroup), ...lastPage });
export const auditPage = z.object({ items: z.array(auditRecord), next: z.string().nullable() });
export const failurePage = z.object({ items: z.array(userFailureShape), next: z.string().nullable() });

export const quarantinePage = z.object({ items: z.array(quarantinedStep), ...lastPage });
export const receiptPage = z.object({ items: z.array(userReceipt), next: z.string().nullable() });

/** As the API describes what it refuses (RFC 9457). */
export const problem = z.object({
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string().optional(), detail: z.string().optional() }))
    .default([]),
  requestId: z.string().optional(),
});

export type Problem = z.infer<typeof problem>;

/** How a refusal is shown to people, who typed a command and not a body. */
export interface RefusalWording {
  /** Such as `not created`. */
  outcome?: string | undefined;
  /** Where a pointer into the body came from. */
  labelOf?: ((pointer: string) => string) | undefined;
}

/** The API answered and said no. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly problem: Problem;
  readonly wording: RefusalWording;

  constructor(refused: Problem, wording: RefusalWording = {}) {
    super(refused.detail ?? refused.title);
    this.problem = refused;
    this.wording = wording;
  }
}

/** The API did not answer, or not as the API would: asking again may help. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable';
}

/** What was read, with the answer as it came, for `--json`. */
export interface Answer<Value> {
  value: Value;
  raw: unknown;
}
