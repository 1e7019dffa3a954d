import { z } from 'zod';
import { actionTypeConfig, type ActionTypeConfig } from '../../shared/contracts/engine-config.ts';
import type { FieldProblem } from './contracts/problems.ts';
import { checkShape, type Checked } from './http/check-shape.ts';
import { quoted } from './http/http-problem.ts';

/** What a body says of an action type, beside its name. */
export interface WantedActionType {
  config: ActionTypeConfig;
  enabled: boolean | undefined;
}

/** What only the server says: it may come back in a replacement. */
const shownOnly = ['name', 'revision', 'origin', 'countries', 'createdAt', 'updatedAt', 'links'];

const fields = z.record(z.string(), z.unknown());

/**
 * Everything that keeps fields from being an action type, at once.
 * @param before as it is registered, where it is: its `authorizationEnv` may stay
 */
export function checkActionType(body: unknown, before: ActionTypeConfig | null): Checked<WantedActionType> {
  const read = checkShape(fields, body);
  if (!read.ok) return read;
  const { enabled, ...rest } = read.value;
  const wanted = checkShape(z.boolean().optional(), enabled);
  const config = checkShape(actionTypeConfig, rest);
  const problems = [
    ...(wanted.ok ? [] : wanted.problems.map((problem) => ({ ...problem, pointer: '/enabled' }))),
    ...(config.ok ? checkEnvironmentName(config.value, before) : config.problems),
  ];
  if (wanted.ok && config.ok && problems.length === 0) {
    return { ok: true, value: { config: config.value, enabled: wanted.value } };
  }
  return { ok: false, problems, more: config.ok ? 0 : config.more };
}

/** A replacement without what only the server says. */
export function replacementOf(body: unknown): unknown {
  const read = fields.safeParse(body);
  if (!read.success) return body;
  return Object.fromEntries(Object.entries(read.data).filter(([field]) => !shownOnly.includes(field)));
}

/** A merge patch (RFC 7396) of one level: null takes a field back to what it is unless somebody says otherwise. */
export function patched(before: ActionTypeConfig, patch: unknown): unknown {
  const read = fields.safeParse(patch);
  if (!read.success) return patch;
  const merged: [string, unknown][] = Object.entries({ ...before, ...read.data });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** Whoever may use the API could otherwise send any variable of the workers to an address of their own. */
function checkEnvironmentName(config: ActionTypeConfig, before: ActionTypeConfig | null): FieldProblem[] {
  const { authorizationEnv } = config;
  if (authorizationEnv === undefined) return [];
  const pointer = '/authorizationEnv';
  if (authorizationEnv !== before?.authorizationEnv) {
    const detail = `names a variable of the workers: only the engine’s file can, not ${quoted(authorizationEnv)}`;
    return [{ pointer, code: 'only-in-file', detail }];
  }
  if (new URL(config.url).origin === new URL(before.url).origin) return [];
  const detail = `${quoted(authorizationEnv)} is for ${new URL(before.url).origin}: set it to null to call another origin`;
  return [{ pointer, code: 'other-origin', detail }];
}
