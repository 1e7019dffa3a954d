import type { ActionType, ActionTypeDefinitionInput, ChangeActionTypeData } from '#client/types.gen.ts';
import { isSchema } from '../../parts/forms/schema-fields.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import type { ContractClass } from './contract-class.ts';

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
  previewUrl: string;
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
  { name: 'concurrency', pointer: '/concurrency', label: 'Concurrency', unit: 'calls', hint: 'Per worker. Empty: 100' },
] as const;

export const moreNumberFields = [
  { name: 'minConcurrency', pointer: '/minConcurrency', label: 'Minimum concurrency', unit: 'calls', hint: 'Empty: 1' },
  {
    name: 'callsPerSecond',
    pointer: '/ratePerSecond/calls',
    label: 'Call rate',
    unit: 'calls/s',
    hint: 'Over all workers. Empty: no limit',
  },
  {
    name: 'usersPerSecond',
    pointer: '/ratePerSecond/users',
    label: 'User rate',
    unit: 'users/s',
    hint: 'Over all workers. Empty: no limit',
  },
  { name: 'maxAttempts', pointer: '/maxAttempts', label: 'Attempts', unit: '', hint: 'Per user. Empty: 8' },
  { name: 'firstDelayMs', pointer: '/retry/firstDelayMs', label: 'First retry after', unit: 'ms', hint: 'Empty: 500' },
  {
    name: 'maxDelayMs',
    pointer: '/retry/maxDelayMs',
    label: 'Longest delay',
    unit: 'ms',
    hint: 'Between retries. Empty: 300,000',
  },
  {
    name: 'refusedPercentLimit',
    pointer: '/refusedPercentLimit',
    label: 'Held above',
    unit: '%',
    hint: 'Share of users refused for good. Empty: 5',
  },
  {
    name: 'keyLifeDays',
    pointer: '/keyLifeSeconds',
    label: 'Keys stored for',
    unit: 'days',
    hint: 'By the endpoint. Empty: 30',
  },
] as const;

const daySeconds = 86_400;

export function createTypeForm(type: ActionType | null): TypeForm {
  const text = (value: number | string | undefined) => (value === undefined ? '' : String(value));
  return {
    name: type?.name ?? '',
    title: type?.title ?? '',
    description: type?.description ?? '',
    url: type?.url ?? '',
    class: type?.class ?? 'B',
    check: type?.check ?? false,
    statusUrl: type?.statusUrl ?? '',
    previewUrl: type?.previewUrl ?? '',
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

export function findFormErrors(form: TypeForm): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  for (const { name, pointer } of [...numberFields, ...moreNumberFields]) {
    if (typedNumber(form[name]) === undefined) wrong.set(pointer, 'has to be a number');
  }
  if (typedNumber(form.appliesLateSeconds) === undefined) wrong.set('/appliesLateSeconds', 'has to be a number');
  if (schemaIn(form.paramsSchema) === undefined) wrong.set('/paramsSchema', 'has to be a JSON object');
  return wrong;
}

/** Returns every field, with null for the default. */
function createPatch(form: TypeForm): TypePatch {
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
    previewUrl: form.check ? null : text(form.previewUrl),
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

export function findChanges(form: TypeForm, first: TypeForm): TypePatch {
  const before = new Map<string, unknown>(Object.entries(createPatch(first)));
  return Object.fromEntries(
    Object.entries(createPatch(form)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
    ),
  );
}

/** Returns the definition of a new type, without the fields that have their default. */
export function createDefinition(form: TypeForm): ActionTypeDefinitionInput {
  const { url, class: contractClass, ...fields } = createPatch(form);
  const definition: Partial<ActionTypeDefinitionInput> = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== false),
  );
  return { ...definition, name: form.name.trim(), url: url ?? '', class: contractClass ?? 'B' };
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
