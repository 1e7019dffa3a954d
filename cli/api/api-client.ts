import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { settlement, type SettlementShape } from '../../shared/contracts/runs/settlements.ts';
import { userExplanation, type UserExplanation } from '../../shared/contracts/runs/explanations.ts';
import { retryAnswer, type RetryAnswer } from '../../shared/contracts/runs/retries.ts';
import { uploadedAudience, type UploadedAudience } from '../../shared/contracts/campaigns/audiences.ts';
import { campaignBudgets, type CampaignBudgets } from '../../shared/contracts/campaigns/budgets.ts';
import type { Budget } from '../../shared/contracts/campaigns/campaigns.ts';
import { runComparison, type RunComparison } from '../../shared/contracts/runs/comparisons.ts';
import { campaignEstimate, type CampaignEstimate } from '../../shared/contracts/campaigns/estimates.ts';
import {
  cancelPreview,
  controlledRun,
  runProgress,
  runRates,
  runReport,
  type CancelPreviewShape,
  type ControlledRunShape,
  type RunProgress,
  type RunRates,
  type RunReport,
} from '../../shared/contracts/runs/runs.ts';
import {
  deadLetterContent,
  deadLetterShape,
  settledLetters,
  type DeadLetterShape,
} from '../../shared/contracts/messages/dead-letters.ts';
import {
  quarantinedStep,
  quarantinedStepDetail,
  type QuarantinedStepDetail,
  type QuarantinedStepShape,
} from '../../shared/contracts/messages/quarantined-steps.ts';
import type { ControlVerb } from '../../shared/domain/run/run-control.ts';
import {
  ApiRefusal,
  ApiUnavailable,
  audiencePage,
  auditPage,
  campaign,
  campaignPage,
  campaignPreview,
  deadLetterGroups,
  deadLetterPage,
  eventPage,
  failurePage,
  quarantinePage,
  receiptPage,
  rejectPage,
  runIds,
  runPage,
  type Answer,
  type Campaign,
  type CampaignPreview,
} from './api-answers.ts';
import { createAsk } from './ask.ts';
import { createExchange, type ExchangeDeps } from './exchange.ts';

export { ApiRefusal } from './api-answers.ts';

export interface FailureFilter {
  step?: number | undefined;
  country?: string | undefined;
  reason?: string | undefined;
  outcome?: 'failed' | 'unknown' | undefined;
}

export interface ReceiptFilter {
  step?: number | undefined;
  country?: string | undefined;
  status?: string | undefined;
}

/** All failures, or receipts, as a text: `raw` leaves what a spreadsheet takes for formulas as it is, `excel` begins with a byte order mark. */
export type FailureForm = { type: 'ndjson' } | { type: 'csv'; raw: boolean; excel: boolean };

export interface CampaignQuery {
  limit: number;
  cursor?: string | undefined;
  /** Part of the name. */
  q?: string | undefined;
  state?: string | undefined;
  sort?: string | undefined;
}

export interface AuditQuery {
  subject?: string;
  keyId?: string;
  method?: string;
  route?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}

export interface ApiClient {
  createCampaign(definition: unknown): Promise<Answer<Campaign>>;
  changeCampaign(id: string, definition: unknown): Promise<Answer<Campaign>>;
  previewCampaign(definition: unknown): Promise<Answer<CampaignPreview>>;
  /** Newest first. */
  listCampaigns(query: CampaignQuery): Promise<Answer<z.infer<typeof campaignPage>>>;
  showCampaign(id: string): Promise<Answer<Campaign>>;
  startCampaign(id: string): Promise<Answer<Campaign>>;
  estimateCampaign(id: string): Promise<Answer<CampaignEstimate>>;
  budgets(campaignId: string): Promise<Answer<CampaignBudgets>>;
  changeBudgets(campaignId: string, budgets: readonly Budget[]): Promise<Answer<CampaignBudgets>>;
  /** @param content CSV, packed with gzip where it says so */
  uploadAudience(
    list: { name: string; country?: string | undefined },
    content: ReadableStream,
    isPacked: boolean,
  ): Promise<Answer<UploadedAudience>>;
  /** Newest first. */
  listAudiences(limit: number, cursor: string | undefined): Promise<Answer<z.infer<typeof audiencePage>>>;
  showAudience(id: string): Promise<Answer<UploadedAudience>>;
  audienceRejects(id: string, limit: number): Promise<Answer<z.infer<typeof rejectPage>>>;
  deleteAudience(id: string): Promise<void>;
  unscheduleCampaign(id: string): Promise<Answer<Campaign>>;
  controlRun(runId: string, verb: ControlVerb, reason: string | undefined): Promise<Answer<ControlledRunShape>>;
  cancelPreview(runId: string): Promise<Answer<CancelPreviewShape>>;
  changeRun(runId: string, changes: unknown): Promise<Answer<ControlledRunShape>>;
  /** Oldest first. */
  runEvents(runId: string, limit: number): Promise<Answer<z.infer<typeof eventPage>>>;
  deadLetterGroups(filter: object): Promise<Answer<z.infer<typeof deadLetterGroups>>>;
  /** Newest first. */
  deadLetters(query: object): Promise<Answer<z.infer<typeof deadLetterPage>>>;
  deadLetter(id: string): Promise<Answer<z.infer<typeof deadLetterContent>>>;
  settleDeadLetter(id: string, verb: 'replay' | 'discard'): Promise<Answer<DeadLetterShape>>;
  settleDeadLetters(selection: object, verb: 'replay' | 'discard'): Promise<Answer<z.infer<typeof settledLetters>>>;
  /** Newest first. */
  quarantinedSteps(query: object): Promise<Answer<z.infer<typeof quarantinePage>>>;
  quarantinedStep(id: string): Promise<Answer<QuarantinedStepDetail>>;
  decideQuarantinedStep(id: string, verb: 'replay' | 'discard'): Promise<Answer<QuarantinedStepShape>>;
  /** A wish in the words of the API, or a file. */
  settleRun(runId: string, wanted: object | SettlementFile): Promise<Answer<SettlementShape>>;
  /** Newest first. */
  settlements(runId: string): Promise<Answer<z.infer<typeof settlementPage>>>;
  /** Newest first. */
  changes(query: AuditQuery): Promise<Answer<z.infer<typeof auditPage>>>;
  /** Newest first. */
  listRuns(campaignId: string, limit: number): Promise<Answer<z.infer<typeof runPage>>>;
  /** The newest run of a campaign. */
  latestRun(campaignId: string): Promise<string | undefined>;
  progress(runId: string): Promise<Answer<RunProgress>>;
  /** How fast it has gone, from its start on. */
  rates(runId: string): Promise<Answer<RunRates>>;
  report(runId: string): Promise<Answer<RunReport>>;
  /** Beside the run before it, or that one. */
  comparison(runId: string, beside: string | undefined): Promise<Answer<RunComparison>>;
  failures(runId: string, filter: FailureFilter, limit: number): Promise<Answer<z.infer<typeof failurePage>>>;
  /** With `preview`, only counts. */
  retryFailed(runId: string, wish: object): Promise<Answer<RetryAnswer>>;
  explain(runId: string, userId: string): Promise<Answer<UserExplanation>>;
  receipts(runId: string, filter: ReceiptFilter, limit: number): Promise<Answer<z.infer<typeof receiptPage>>>;
  /** Fails on the way when the answer is cut. */
  allReceipts(runId: string, filter: ReceiptFilter, form: FailureForm): Promise<AsyncIterable<string>>;
  /** Fails on the way when the answer is cut. */
  allFailures(runId: string, filter: FailureFilter, form: FailureForm): Promise<AsyncIterable<string>>;
}

/** Read as it is sent. */
export interface SettlementFile {
  content: ReadableStream<Uint8Array>;
  type: string;
}

const settlementPage = z.object({ items: z.array(settlement), next: z.string().nullable() });

export type ApiClientDeps = ExchangeDeps;

const notSettled = { replay: 'not replayed', discard: 'not discarded' } as const;

export function createApiClient(deps: ApiClientDeps): ApiClient {
  const exchange = createExchange(deps);
  const ask = createAsk(deps);

  const get = <Shape extends z.ZodType>(shape: Shape, path: string) => ask(shape, { method: 'GET', path });

  /** Sent again when the API was away, and carried out once. */
  async function post<Shape extends z.ZodType>(shape: Shape, path: string, body: unknown, outcome: string) {
    const request = { method: 'POST', path, body, idempotencyKey: `cli-${randomUUID()}` } as const;
    return await refusedAs(outcome, () => ask(shape, request));
  }

  async function refusedAs<Result>(outcome: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome }) : error;
    }
  }

  async function all(path: string, filter: object, form: FailureForm): Promise<AsyncIterable<string>> {
    const manner = form.type === 'csv' ? { raw: form.raw || undefined, for: form.excel ? 'excel' : undefined } : {};
    const accept = form.type === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const { body } = await exchange({ method: 'GET', path: `${path}${queryOf({ ...filter, ...manner })}`, accept });
    return textOf(body);
  }

  return {
    createCampaign: (definition) => post(campaign, '/v1/campaigns', definition, 'not created'),
    changeCampaign: async (id, definition) => {
      const path = `/v1/campaigns/${encodeURIComponent(id)}`;
      return await refusedAs('not changed', () => ask(campaign, { method: 'PATCH', path, body: definition }));
    },
    previewCampaign: (definition) => post(campaignPreview, '/v1/campaigns/preview', definition, 'not looked at'),
    listCampaigns: (query) => get(campaignPage, `/v1/campaigns${queryOf({ ...query })}`),
    showCampaign: (id) => get(campaign, `/v1/campaigns/${encodeURIComponent(id)}`),
    startCampaign: (id) => post(campaign, `/v1/campaigns/${encodeURIComponent(id)}/start`, {}, 'not started'),
    estimateCampaign: (id) =>
      post(campaignEstimate, `/v1/campaigns/${encodeURIComponent(id)}/estimate`, {}, 'not estimated'),
    budgets: (id) => get(campaignBudgets, `/v1/campaigns/${encodeURIComponent(id)}/budgets`),
    changeBudgets: async (id, budgets) => {
      const path = `/v1/campaigns/${encodeURIComponent(id)}/budgets`;
      return await refusedAs('not changed', () => ask(campaignBudgets, { method: 'PATCH', path, body: { budgets } }));
    },
    uploadAudience: async (list, content, isPacked) => {
      const file = { content, type: 'text/csv', ...(isPacked ? { encoding: 'gzip' } : {}) };
      const idempotencyKey = `cli-${randomUUID()}`;
      try {
        return await ask(uploadedAudience, {
          method: 'POST',
          path: `/v1/audiences${queryOf(list)}`,
          file,
          idempotencyKey,
        });
      } catch (error) {
        throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome: 'not uploaded' }) : error;
      }
    },
    listAudiences: (limit, cursor) => get(audiencePage, `/v1/audiences${queryOf({ limit, cursor })}`),
    showAudience: (id) => get(uploadedAudience, `/v1/audiences/${encodeURIComponent(id)}`),
    audienceRejects: (id, limit) =>
      get(rejectPage, `/v1/audiences/${encodeURIComponent(id)}/rejects${queryOf({ limit })}`),
    deleteAudience: async (id) => {
      await exchange({ method: 'DELETE', path: `/v1/audiences/${encodeURIComponent(id)}` });
    },
    unscheduleCampaign: (id) =>
      post(campaign, `/v1/campaigns/${encodeURIComponent(id)}/unschedule`, {}, 'not taken back'),
    controlRun: (runId, verb, reason) => {
      const body = reason === undefined ? {} : { reason };
      return post(controlledRun, `/v1/runs/${encodeURIComponent(runId)}/${verb}`, body, outcomes[verb]);
    },
    deadLetterGroups: (filter) => get(deadLetterGroups, `/v1/dead-letters/groups${queryOf({ ...filter })}`),
    deadLetters: (query) => get(deadLetterPage, `/v1/dead-letters${queryOf({ ...query })}`),
    deadLetter: (id) => get(deadLetterContent, `/v1/dead-letters/${encodeURIComponent(id)}`),
    settleDeadLetter: (id, verb) =>
      post(deadLetterShape, `/v1/dead-letters/${encodeURIComponent(id)}/${verb}`, {}, notSettled[verb]),
    settleDeadLetters: (selection, verb) =>
      post(settledLetters, `/v1/dead-letters/${verb}`, selection, notSettled[verb]),
    quarantinedSteps: (query) => get(quarantinePage, `/v1/quarantined-steps${queryOf({ ...query })}`),
    quarantinedStep: (id) => get(quarantinedStepDetail, `/v1/quarantined-steps/${encodeURIComponent(id)}`),
    decideQuarantinedStep: (id, verb) =>
      post(quarantinedStep, `/v1/quarantined-steps/${encodeURIComponent(id)}/${verb}`, {}, notSettled[verb]),
    cancelPreview: (runId) => get(cancelPreview, `/v1/runs/${encodeURIComponent(runId)}/cancel-preview`),
    changeRun: async (runId, changes) => {
      const request = { method: 'PATCH', path: `/v1/runs/${encodeURIComponent(runId)}`, body: changes } as const;
      return await refusedAs('not changed', () => ask(controlledRun, request));
    },
    runEvents: (runId, limit) => get(eventPage, `/v1/runs/${encodeURIComponent(runId)}/events${queryOf({ limit })}`),
    settleRun: async (runId, wanted) => {
      const path = `/v1/runs/${encodeURIComponent(runId)}/settle`;
      if (!('content' in wanted)) return await post(settlement, path, wanted, 'not settled');
      return await refusedAs('not settled', () => ask(settlement, { method: 'POST', path, file: wanted }));
    },
    settlements: (runId) => get(settlementPage, `/v1/runs/${encodeURIComponent(runId)}/settlements`),
    changes: (query) => get(auditPage, `/v1/audit${queryOf({ ...query })}`),
    listRuns: (campaignId, limit) => get(runPage, `/v1/runs${queryOf({ campaignId, limit })}`),
    latestRun: async (campaignId) => {
      const { value } = await get(runIds, `/v1/runs${queryOf({ campaignId, limit: 1 })}`);
      return value.items[0]?.runId;
    },
    progress: (runId) => get(runProgress, `/v1/runs/${encodeURIComponent(runId)}/progress`),
    rates: (runId) => get(runRates, `/v1/runs/${encodeURIComponent(runId)}/rates`),
    report: (runId) => get(runReport, `/v1/runs/${encodeURIComponent(runId)}/report`),
    comparison: (runId, beside) =>
      get(runComparison, `/v1/runs/${encodeURIComponent(runId)}/comparison${queryOf({ with: beside })}`),
    failures: (runId, filter, limit) =>
      get(failurePage, `/v1/runs/${encodeURIComponent(runId)}/failures${queryOf({ ...filter, limit })}`),
    retryFailed: (runId, wish) =>
      post(retryAnswer, `/v1/runs/${encodeURIComponent(runId)}/retry-failed`, wish, 'not started'),
    explain: (runId, userId) =>
      get(userExplanation, `/v1/runs/${encodeURIComponent(runId)}/users/${encodeURIComponent(userId)}`),
    receipts: (runId, filter, limit) =>
      get(receiptPage, `/v1/runs/${encodeURIComponent(runId)}/receipts${queryOf({ ...filter, limit })}`),
    allReceipts: (runId, filter, form) => all(`/v1/runs/${encodeURIComponent(runId)}/receipts`, filter, form),
    allFailures: (runId, filter, form) => all(`/v1/runs/${encodeURIComponent(runId)}/failures`, filter, form),
  };
}

const outcomes: Record<ControlVerb, string> = { pause: 'not paused', resume: 'not resumed', cancel: 'not cancelled' };

async function* textOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void> {
  if (!body) return;
  // The byte order mark is part of what was asked for.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw new ApiUnavailable('the answer was cut: what was written is not all there is', { cause: error });
  }
  yield decoder.decode();
}

function queryOf(parameters: Record<string, string | number | boolean | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}
