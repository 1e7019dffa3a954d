import { z } from 'zod';
import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { webhookKeyOf, webhookSecretForm } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import { secretNames, type SecretName } from '../../../shared/ports/registry.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import type { CheckResult } from '../frame/server/check-shape.ts';
import { quoted } from '../frame/http-problem.ts';
import { pointerOf } from '../frame/server/json-pointer.ts';

/** Secrets to set; null removes a secret. Secrets without an entry are unchanged. */
export type WantedSecrets = Partial<Record<SecretName, string | null>>;

/** Pattern of an HTTP header's value: visible ASCII, and blanks except at the beginning and the end. */
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]{0,8190}[\x21-\x7e])?$/;

/**
 * Secret as shown in responses: only the time of its last change. A request that replaces the action type may contain
 * this form, so that a response can be sent back.
 */
const maskedSecret = z.strictObject({ changedAt: z.string() });
const fields = z.record(z.string(), z.unknown());

/** Returns the reason why a value is not a valid secret of this name. The reason never quotes the value. */
export function secretFault(name: SecretName, value: unknown): Omit<FieldProblem, 'pointer'> | undefined {
  const right =
    name === 'authorization' ? 'the whole Authorization header: 1 to 8192 visible ASCII characters' : webhookSecretForm;
  if (value === undefined) return { code: 'missing', detail: `is missing: has to be ${right}` };
  if (typeof value !== 'string') return { code: 'wrong-type', detail: `has to be a string: ${right}` };
  const isRight = name === 'authorization' ? headerValue.test(value) : webhookKeyOf(value) !== undefined;
  return isRight ? undefined : { code: 'invalid-secret', detail: `has to be ${right}` };
}

export function checkWantedSecrets(value: unknown): CheckResult<WantedSecrets> {
  if (value === undefined) return { ok: true, value: {} };
  const read = fields.safeParse(value);
  if (!read.success) {
    const detail = `has to be an object with ${secretNames.join(' and ')}`;
    return { ok: false, problems: [{ pointer: '/secrets', code: 'wrong-type', detail }], more: 0 };
  }
  const wanted: WantedSecrets = {};
  const problems: FieldProblem[] = [];
  for (const [field, given] of Object.entries(read.data)) {
    const pointer = pointerOf(['secrets', field]);
    const name = secretNames.find((known) => known === field);
    if (!name) {
      const detail = `${quoted(field)} is not accepted here; known are ${secretNames.join(', ')}`;
      problems.push({ pointer, code: 'unknown-field', detail });
    } else if (given === null || typeof given === 'string') {
      const fault = given === null ? undefined : secretFault(name, given);
      if (fault) problems.push({ pointer, ...fault });
      wanted[name] = given;
    } else if (!maskedSecret.safeParse(given).success) {
      problems.push({ pointer, code: 'wrong-type', detail: 'has to be the secret as a string, or null to remove it' });
    }
  }
  return problems.length === 0 ? { ok: true, value: wanted } : { ok: false, problems, more: 0 };
}

const body = z.strictObject({ value: z.unknown().optional() });

/**
 * Refuses a receipts secret if the action type has no receipts, because the secret would have no effect.
 * @param pointer JSON pointer of the secret
 */
export function checkReceiptsSupported(
  { receipts }: Pick<ActionTypeConfig, 'receipts'>,
  pointer: string,
): FieldProblem[] {
  if (receipts) return [];
  const detail = 'is for action types that take receipts: set "receipts" to true as well, not false';
  return [{ pointer, code: 'not-asynchronous', detail }];
}

/** Checks the body that sets one secret: `{"value": "…"}`. */
export function checkSecretBody(name: SecretName, given: unknown): CheckResult<string> {
  const read = body.safeParse(given);
  const value = read.data?.value;
  const fault = read.success
    ? secretFault(name, value)
    : { code: 'wrong-type', detail: 'has to be an object with the one field value' };
  if (!fault && typeof value === 'string') return { ok: true, value };
  const problem = fault ?? { code: 'wrong-type', detail: 'has to be a string' };
  return { ok: false, problems: [{ pointer: read.success ? '/value' : '', ...problem }], more: 0 };
}
