import { z } from 'zod';
import { actionTypeConfig, type ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { titleFromName } from '../../../shared/domain/endpoint/action-title.ts';
import { optionSourcesOf } from '../../../shared/domain/endpoint/option-sources.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import type { EgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { originsOf } from '../../../shared/runtime/installation/action-type-secrets.ts';
import { compileParamsSchema } from './check-params.ts';
import { checkReceiptsSupported, checkWantedSecrets, type WantedSecrets } from './check-secrets.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { checkShape, type CheckResult } from '../frame/server/check-shape.ts';
import { forbiddenAddress, quoted } from '../frame/http-problem.ts';

export interface WantedActionType {
  config: ActionTypeConfig;
  enabled: boolean | undefined;
  secrets: WantedSecrets;
}

/** Read-only fields. A replacement may contain them, because clients send back responses as they received them. */
const readOnlyFields = ['name', 'revision', 'origin', 'countries', 'refusals', 'createdAt', 'updatedAt', 'links'];

const fields = z.record(z.string(), z.unknown());

/** Fields that contain an address to be called. */
const calledFields = ['url', 'statusUrl', 'previewUrl'] as const;
type CalledField = (typeof calledFields)[number];

/**
 * Checks the fields of an action type, and returns all problems together.
 * @param before the registered type, if any; its secrets are kept if it still calls the same origins
 */
export function checkActionType(
  body: unknown,
  before: RegisteredActionType | null,
  guard: Pick<EgressGuard, 'whyNot'>,
): CheckResult<WantedActionType> {
  const read = checkShape(fields, body);
  if (!read.ok) return read;
  const { enabled, secrets, ...rest } = read.value;
  const wanted = checkShape(z.boolean().optional(), enabled);
  const given = before ? checkWantedSecrets(secrets) : refuseSecrets(secrets);
  const config = checkShape(actionTypeConfig, rest);
  const problems = [
    ...(wanted.ok ? [] : wanted.problems.map((problem) => ({ ...problem, pointer: '/enabled' }))),
    ...(given.ok ? [] : given.problems),
    ...(config.ok ? checkEnvironmentName(config.value, before?.config) : config.problems),
    ...(config.ok ? checkAddresses(config.value, before?.config, guard) : []),
    ...(config.ok ? checkParamsSchema(config.value) : []),
    ...(config.ok ? checkKindUnchanged(config.value, before?.config) : []),
    ...(config.ok && given.ok && typeof given.value.receipts === 'string'
      ? checkReceiptsSupported(config.value, '/secrets/receipts')
      : []),
    ...(config.ok && given.ok && before ? checkKeptAuthorization(config.value, given.value, before) : []),
  ];
  if (wanted.ok && given.ok && config.ok && problems.length === 0) {
    return { ok: true, value: { config: config.value, enabled: wanted.value, secrets: given.value } };
  }
  return { ok: false, problems, more: config.ok ? 0 : config.more };
}

/** Refuses secrets in a POST, because a hash of its body is stored with its `Idempotency-Key`. */
function refuseSecrets(secrets: unknown): CheckResult<WantedSecrets> {
  if (secrets === undefined) return { ok: true, value: {} };
  const detail =
    'are not accepted here: register the action type, then set them by PUT at /secrets/authorization, /secrets/signing and /secrets/receipts';
  return { ok: false, problems: [{ pointer: '/secrets', code: 'unknown-field', detail }], more: 0 };
}

/** Returns a replacement without its read-only fields, and without a title that was derived from the name. */
export function replacementOf(body: unknown, name: string): unknown {
  const read = fields.safeParse(body);
  if (!read.success) return body;
  const isOwn = ([field, value]: [string, unknown]) =>
    !readOnlyFields.includes(field) && !(field === 'title' && value === titleFromName(name));
  return Object.fromEntries(Object.entries(read.data).filter(isOwn));
}

/** Applies a merge patch (RFC 7396) to the top level: a field of null is reset to its default. */
export function applyPatch(before: ActionTypeConfig, patch: unknown): unknown {
  const read = fields.safeParse(patch);
  if (!read.success) return patch;
  const merged: [string, unknown][] = Object.entries({ ...before, ...read.data });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** Refuses to make a step a check, or a check a step, because campaigns use the type as one of the two. */
function checkKindUnchanged({ check }: ActionTypeConfig, before: ActionTypeConfig | undefined): FieldProblem[] {
  if (before === undefined || before.check === check) return [];
  const is = before.check ? 'is a check' : 'is a step of campaigns';
  return [
    {
      pointer: '/check',
      code: 'only-when-registered',
      detail: `${is}, which cannot change: register another action type`,
    },
  ];
}

/**
 * Returns the problem of a schema that the JSON Schema validator cannot compile. The shape of the body checks Muster's
 * own rules.
 */
function checkParamsSchema({ paramsSchema }: ActionTypeConfig): FieldProblem[] {
  if (!paramsSchema) return [];
  try {
    compileParamsSchema(paramsSchema);
    return [];
  } catch (error) {
    const detail = `cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    return [{ pointer: '/paramsSchema', code: 'unusable-schema', detail }];
  }
}

/** Checks only addresses that change, so that a type with a blocked address can still be changed and disabled. */
function checkAddresses(
  config: ActionTypeConfig,
  before: ActionTypeConfig | undefined,
  guard: Pick<EgressGuard, 'whyNot'>,
): FieldProblem[] {
  const callProblems = calledFields.flatMap((field) => {
    const url = config[field];
    const cause = url === undefined || url === before?.[field] ? null : guard.whyNot(new URL(url));
    return cause === null ? [] : [forbiddenAddress(`/${field}`, url, cause)];
  });
  const optionsBefore = new Set(
    before ? optionSourcesOf(before.paramsSchema, before.url).map(({ url }) => url.href) : [],
  );
  const optionProblems = optionSourcesOf(config.paramsSchema, config.url).flatMap(({ keyword, url }) => {
    // The origin of the endpoint itself was checked above.
    if (optionsBefore.has(url.href) || url.origin === new URL(config.url).origin) return [];
    const cause = guard.whyNot(url);
    return cause === null ? [] : [forbiddenAddress(`/paramsSchema${keyword}`, url.href, cause)];
  });
  return [...callProblems, ...optionProblems];
}

/**
 * Allows the name of an environment variable only if it comes from the configuration file of the engine. Otherwise,
 * callers of the API could make workers send any of their variables to any address.
 */
function checkEnvironmentName(config: ActionTypeConfig, before: ActionTypeConfig | undefined): FieldProblem[] {
  const { authorizationEnv } = config;
  if (authorizationEnv === undefined) return [];
  const pointer = '/authorizationEnv';
  if (before?.authorizationEnv !== authorizationEnv) {
    const detail = `names a variable of the workers, which only the engine’s file can name, not ${quoted(authorizationEnv)}`;
    return [{ pointer, code: 'only-in-file', detail }];
  }
  const allowed = originsOf(before);
  if (originsOf(config).every((origin) => allowed.includes(origin))) return [];
  const detail = `${quoted(authorizationEnv)} is for ${allowed.join(' and ')}: set it to null to call another origin`;
  return [{ pointer, code: 'other-origin', detail }];
}

/**
 * Requires that the authorization is sent again if the origins change, because a stored secret may be sent only to the
 * origins for which it was registered.
 */
function checkKeptAuthorization(
  config: ActionTypeConfig,
  wanted: WantedSecrets,
  before: RegisteredActionType,
): FieldProblem[] {
  if (!before.secrets.authorization || wanted.authorization !== undefined) return [];
  const [kept, called] = [originsOf(before.config), originsOf(config)];
  if (kept.join() === called.join()) return [];
  const isOther = (field: CalledField) => originOf(config[field]) !== originOf(before.config[field]);
  const field = calledFields.find(isOther) ?? 'paramsSchema';
  const detail = `the stored authorization is for ${kept.join(' and ')}: send it again with this change as secrets.authorization, or null to remove it`;
  return [{ pointer: `/${field}`, code: 'other-origin', detail }];
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}
