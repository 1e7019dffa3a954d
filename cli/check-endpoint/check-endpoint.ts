import { randomUUID, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ContractClass } from '../../shared/domain/step/consequences.ts';
import { optionsUrlOf } from '../../shared/domain/endpoint/option-sources.ts';
import { webhookKeyOf, webhookSecretForm } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { createHostNames } from '../../shared/http-client/host-names.ts';
import { createSegmentation } from '../../shared/http-client/segmentation-client.ts';
import { createEgressGuard } from '../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { authorizationOf } from '../../shared/runtime/configuration/engine-config-file.ts';
import { readTextFile } from '../../shared/runtime/configuration/secrets.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { UsageError } from '../frame/usage-error.ts';
import { answerChecks, timeCheck } from './answer-checks.ts';
import type { EndpointCheck, Findings } from './endpoint-check.ts';
import { createEndpointPlayer, type EndpointPlayer, type EndpointTerms } from './endpoint-player.ts';
import { optionsChecks } from './options-checks.ts';
import { previewChecks } from './preview-checks.ts';
import { renderVerdict } from './render-verdict.ts';
import { repeatChecks } from './repeat-checks.ts';
import { judgeSegmentation } from './segmentation-checks.ts';
import { signatureChecks } from './signature-checks.ts';
import { statusChecks } from './status-checks.ts';
import type { CheckResult, Verdict } from './verdict.ts';

export interface CheckEndpointOptions {
  class?: ContractClass;
  segmentation?: true;
  segment?: string;
  check?: true;
  statusUrl?: string;
  options?: string[];
  previewUrl?: string;
  authorizationEnv?: string;
  signingSecretFile?: string;
  answerForm?: 'full' | 'compact';
  params: string;
  actionType: string;
  country: string;
  batchSize: number;
  timeoutMs: number;
  appliesLateSeconds: number;
}

/**
 * Checks an endpoint against the guarantees of its class. Makes real calls with generated users, which have the
 * endpoint's real effects.
 */
export async function checkEndpoint(
  url: string,
  options: CheckEndpointOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const verdict = options.segmentation
    ? await checkSegmentation(url, options, context.environment)
    : await judgeEndpoint(termsOf(url, options, context.environment), (ms) => sleep(ms));
  const paint = createPaint(context.terminal.colours.out);
  writeData(context, verdict, () => renderVerdict(verdict, paint));
  return verdict.passed ? exitCodes.ok : exitCodes.endpointBroken;
}

async function checkSegmentation(
  url: string,
  { class: contractClass, segment, country, authorizationEnv, timeoutMs }: CheckEndpointOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Verdict> {
  requireUrl(url);
  if (contractClass !== undefined)
    throw new UsageError('--class is for batch endpoints, --segmentation for the other service');
  const config = engineConfig.parse({ segmentation: { url, authorizationEnv, timeoutMs }, actionTypes: {} });
  const names = createHostNames({ clock: systemClock });
  const egress = { guard: createEgressGuard([readInstallationEgress({})]), names };
  const connections = { pages: 1, descriptions: 1 };
  const service = createSegmentation({ config, environment, egress, connections });
  try {
    return await judgeSegmentation({ url, country, segment }, service);
  } finally {
    await service.close();
    names.close();
  }
}

/** @param wait resolves after this many milliseconds */
export async function judgeEndpoint(terms: EndpointTerms, wait: (ms: number) => Promise<void>): Promise<Verdict> {
  const player = createEndpointPlayer(terms, wait);
  try {
    return await judge(player);
  } finally {
    await player.close();
  }
}

const allChecks: readonly EndpointCheck[] = [
  ...answerChecks,
  ...repeatChecks,
  ...statusChecks,
  ...signatureChecks,
  ...optionsChecks,
  ...previewChecks,
  timeCheck,
];

/** Runs checks sequentially. Stops if the endpoint fails the first, plain call. */
async function judge(player: EndpointPlayer): Promise<Verdict> {
  const { url, contractClass } = player.terms;
  const checks: CheckResult[] = [];
  for (const { name, title, play } of allChecks.filter((check) => isPlayed(check, player.terms))) {
    const { problems, notes = [] }: Findings = await play(player);
    checks.push({ name, title, passed: problems.length === 0, problems, notes });
    if (checks.length === 1 && problems.length > 0) break;
  }
  const passed = checks.every((check) => check.passed);
  const notes = [];
  if (checks.length === 1)
    notes.push('the other checks were not played: they need an endpoint that answers a plain call');
  else if (!player.hasSucceeded()) {
    notes.push(
      'no user was ever served: with parameters or a system that knows such users, repeats would be checked better',
    );
  }
  return { url, class: contractClass, passed, checks, notes };
}

function isPlayed(played: EndpointCheck, terms: EndpointTerms): boolean {
  // A check endpoint computes each answer anew, so the checks of repeated calls do not apply.
  if (terms.isCheck && repeatChecks.includes(played)) return false;
  return played.classes.includes(terms.contractClass) && (played.isFor?.(terms) ?? true);
}

function requireUrl(url: string, option = ''): void {
  if (!httpUrl.safeParse(url).success)
    throw new UsageError(`${option}${JSON.stringify(url)} is no http:// or https:// URL`);
}

const httpUrl = z.url({ protocol: /^https?$/ });

/** @throws {UsageError} for an invalid combination of options */
function termsOf(url: string, options: CheckEndpointOptions, environment: NodeJS.ProcessEnv): EndpointTerms {
  const { statusUrl, previewUrl, authorizationEnv, class: contractClass } = options;
  requireUrl(url);
  if (contractClass === undefined)
    throw new UsageError('say what it promises by --class, or that it is for --segmentation');
  if (options.segment !== undefined) throw new UsageError('--segment is for --segmentation');
  if (options.check && options.class !== 'A') throw new UsageError('a check is of class A');
  if (options.class === 'C' && statusUrl === undefined) throw new UsageError('class C needs --status-url');
  if (options.class !== 'C' && statusUrl !== undefined) throw new UsageError('--status-url is for class C');
  if (statusUrl !== undefined) requireUrl(statusUrl, '--status-url ');
  if (previewUrl !== undefined) requireUrl(previewUrl, '--preview-url ');
  return {
    url,
    contractClass,
    isCheck: options.check ?? false,
    statusUrl,
    options: optionUrlsOf(options.options ?? [], url),
    previewUrl,
    authorization: authorizationOf({ authorizationEnv }, environment),
    signingKey: signingKeyIn(options.signingSecretFile),
    answerForm: options.answerForm,
    params: paramsOf(options.params),
    actionType: options.actionType,
    country: options.country,
    batchSize: options.batchSize,
    timeoutMs: options.timeoutMs,
    appliesLateMs: options.appliesLateSeconds * 1000,
    checkId: randomUUID().slice(0, 8),
  };
}

/** Resolves URLs in a schema relative to the endpoint. */
function optionUrlsOf(named: readonly string[], endpoint: string): string[] {
  return named.map((reference) => {
    const url = optionsUrlOf(reference, endpoint);
    if (url !== null) return url.href;
    throw new UsageError(
      `--options ${JSON.stringify(reference)} is no http:// or https:// URL, and no path relative to the endpoint’s`,
    );
  });
}

function signingKeyIn(file: string | undefined): KeyObject | undefined {
  if (file === undefined) return undefined;
  const key = webhookKeyOf(readTextFile('--signing-secret-file', file).trim());
  if (!key) throw new UsageError(`--signing-secret-file ${file}: has to hold ${webhookSecretForm}`);
  return key;
}

function paramsOf(text: string): Record<string, unknown> {
  try {
    const parsed = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // The error below covers invalid JSON, and all values that are not objects.
  }
  throw new UsageError(`--params has to be a JSON object, such as '{"rewardId":"ride-5"}', not ${text}`);
}
