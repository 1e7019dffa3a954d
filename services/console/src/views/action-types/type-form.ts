import type { ActionType, ActionTypeDefinitionInput, ChangeActionTypeData } from '#client/types.gen.ts';
import { isSchema } from '../../parts/forms/schema-fields.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import type { ContractClass } from './class-words.ts';

export type TypePatch = ChangeActionTypeData['body'];

/** An action type as it is typed. An empty text means the default. */
export interface TypeForm {
  name: string;
  title: string;
  description: string;
  url: string;
  class: ContractClass;
  check: boolean;
  statusUrl: string;
  appliesLateSeconds: string;
  receipts: boolean;
  understandsTest: boolean;
  unavailableMeansNotApplied: boolean;
  answerForm: ActionType['answerForm'];
  batchSize: string;
  timeoutMs: string;
  concurrency: string;
  minConcurrency: string;
  price: string;
  callsPerSecond: string;
  usersPerSecond: string;
  maxAttempts: string;
  firstDelayMs: string;
  maxDelayMs: string;
  refusedPercentLimit: string;
  keyLifeDays: string;
  paramsSchema: string;
}

export const numberFields = [
  { name: 'timeoutMs', pointer: '/timeoutMs', label: 'Time-out', unit: 'ms', hint: 'Empty: 10,000' },
  { name: 'batchSize', pointer: '/batchSize', label: 'Batch, at most', unit: 'users', hint: 'Empty: 100' },
  { name: 'concurrency', pointer: '/concurrency', label: 'At once', unit: 'calls', hint: 'Of one worker; empty: 100' },
] as const;

export const moreNumberFields = [
  { name: 'minConcurrency', pointer: '/minConcurrency', label: 'At once, at least', unit: 'calls', hint: 'Empty: 1' },
  {
    name: 'callsPerSecond',
    pointer: '/ratePerSecond/calls',
    label: 'All workers',
    unit: 'calls/s',
    hint: 'Empty: no limit',
  },
  {
    name: 'usersPerSecond',
    pointer: '/ratePerSecond/users',
    label: 'All workers',
    unit: 'users/s',
    hint: 'Empty: no limit',
  },
  { name: 'maxAttempts', pointer: '/maxAttempts', label: 'Attempts', unit: '', hint: 'Of a user; empty: 8' },
  { name: 'firstDelayMs', pointer: '/retry/firstDelayMs', label: 'First retry after', unit: 'ms', hint: 'Empty: 500' },
  {
    name: 'maxDelayMs',
    pointer: '/retry/maxDelayMs',
    label: 'Retries at most',
    unit: 'ms',
    hint: 'Apart; empty: 300,000',
  },
  {
    name: 'refusedPercentLimit',
    pointer: '/refusedPercentLimit',
    label: 'Held above',
    unit: '%',
    hint: 'Of users refused for good; empty: 5',
  },
  {
    name: 'keyLifeDays',
    pointer: '/keyLifeSeconds',
    label: 'Keys are kept',
    unit: 'days',
    hint: 'By the endpoint; empty: 30',
  },
] as const;

const daySeconds = 86_400;

export function formOf(type: ActionType | null): TypeForm {
  const text = (value: number | string | undefined) => (value === undefined ? '' : String(value));
  return {
    name: type?.name ?? '',
    title: type?.title ?? '',
    description: type?.description ?? '',
    url: type?.url ?? '',
    class: type?.class ?? 'B',
    check: type?.check ?? false,
    statusUrl: type?.statusUrl ?? '',
    appliesLateSeconds: text(type?.appliesLateSeconds),
    receipts: type?.receipts ?? false,
    understandsTest: type?.understandsTest ?? false,
    unavailableMeansNotApplied: type?.unavailableMeansNotApplied ?? false,
    answerForm: type?.answerForm ?? 'full',
    batchSize: text(type?.batchSize),
    timeoutMs: text(type?.timeoutMs),
    concurrency: text(type?.concurrency),
    minConcurrency: text(type?.minConcurrency),
    price: type?.price ?? '',
    callsPerSecond: text(type?.ratePerSecond?.calls),
    usersPerSecond: text(type?.ratePerSecond?.users),
    maxAttempts: text(type?.maxAttempts),
    firstDelayMs: text(type?.retry.firstDelayMs),
    maxDelayMs: text(type?.retry.maxDelayMs),
    refusedPercentLimit: text(type?.refusedPercentLimit),
    keyLifeDays: text(type === null ? undefined : type.keyLifeSeconds / daySeconds),
    paramsSchema: type?.paramsSchema ? JSON.stringify(type.paramsSchema, null, 2) : '',
  };
}

export function wrongIn(form: TypeForm): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  for (const { name, pointer } of [...numberFields, ...moreNumberFields]) {
    if (typedNumber(form[name]) === undefined) wrong.set(pointer, 'has to be a number');
  }
  if (typedNumber(form.appliesLateSeconds) === undefined) wrong.set('/appliesLateSeconds', 'has to be a number');
  if (schemaIn(form.paramsSchema) === undefined) wrong.set('/paramsSchema', 'has to be a JSON object');
  return wrong;
}

/** Returns every field, with null for the default. */
function patchOf(form: TypeForm): TypePatch {
  const number = (text: string) => typedNumber(text) ?? null;
  const text = (typed: string) => (typed.trim() === '' ? null : typed.trim());
  const isC = form.class === 'C';
  const days = number(form.keyLifeDays);
  return {
    title: text(form.title),
    description: text(form.description),
    url: text(form.url),
    class: form.class,
    check: form.check,
    statusUrl: isC ? text(form.statusUrl) : null,
    appliesLateSeconds: isC ? number(form.appliesLateSeconds) : null,
    receipts: form.receipts,
    understandsTest: form.understandsTest,
    unavailableMeansNotApplied: form.unavailableMeansNotApplied,
    answerForm: form.answerForm,
    batchSize: number(form.batchSize),
    timeoutMs: number(form.timeoutMs),
    concurrency: number(form.concurrency),
    minConcurrency: number(form.minConcurrency),
    price: text(form.price),
    ratePerSecond: rateOf(number(form.callsPerSecond), number(form.usersPerSecond)),
    maxAttempts: number(form.maxAttempts),
    retry: retryOf(number(form.firstDelayMs), number(form.maxDelayMs)),
    refusedPercentLimit: number(form.refusedPercentLimit),
    keyLifeSeconds: days === null ? null : Math.round(days * daySeconds),
    paramsSchema: schemaIn(form.paramsSchema) ?? null,
  };
}

export function changesOf(form: TypeForm, first: TypeForm): TypePatch {
  const before = new Map<string, unknown>(Object.entries(patchOf(first)));
  return Object.fromEntries(
    Object.entries(patchOf(form)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name))),
  );
}

/** Returns the definition of a new type, without the fields that have their default. */
export function definitionOf(form: TypeForm): ActionTypeDefinitionInput {
  const { url, class: of, ...fields } = patchOf(form);
  const said: Partial<ActionTypeDefinitionInput> = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== false),
  );
  return { ...said, name: form.name.trim(), url: url ?? '', class: of ?? 'B' };
}

function rateOf(calls: number | null, users: number | null): NonNullable<TypePatch['ratePerSecond']> | null {
  if (calls === null && users === null) return null;
  return { ...(calls !== null && { calls }), ...(users !== null && { users }) };
}

function retryOf(firstDelayMs: number | null, maxDelayMs: number | null): NonNullable<TypePatch['retry']> | null {
  if (firstDelayMs === null && maxDelayMs === null) return null;
  return { ...(firstDelayMs !== null && { firstDelayMs }), ...(maxDelayMs !== null && { maxDelayMs }) };
}

/** Parses the schema. Null if the text is empty, undefined if it is not a schema. */
function schemaIn(typed: string): Record<string, unknown> | null | undefined {
  if (typed.trim() === '') return null;
  try {
    const parsed: unknown = JSON.parse(typed);
    return isSchema(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}
