import type { ChangeClientEndpointData, ClientEndpoint, NewClientEndpointInput } from '#client/types.gen.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';

type EndpointPatch = ChangeClientEndpointData['body'];
type Strategy = NonNullable<ClientEndpoint['retry']>['strategy'];

/**
 * An endpoint as the user types it. An empty text means the setting of the endpoint `default`. For `default` itself, an
 * empty text means the API's default.
 */
export interface EndpointForm {
  name: string;
  url: string;
  publishRatePerSecond: string;
  concurrency: string;
  timeoutMs: string;
  strategy: Strategy | '';
  attempts: string;
  /** Delay between two calls, or before the first retry. */
  delayMs: string;
  maxDelayMs: string;
  /** Codes separated by commas or blanks. */
  finalCodes: string;
  onGone: NonNullable<ClientEndpoint['onGone']> | '';
}

export const endpointNumbers = [
  { name: 'publishRatePerSecond', pointer: '/publishRatePerSecond', label: 'Calls/s', unit: '' },
  { name: 'concurrency', pointer: '/concurrency', label: 'Calls at once', unit: '' },
  { name: 'timeoutMs', pointer: '/timeoutMs', label: 'Time-out', unit: 'ms' },
] as const;

const retryNumbers = [
  { name: 'attempts', pointer: '/retry/attempts', label: 'Attempts', unit: '' },
  { name: 'delayMs', pointer: '/retry/delayMs', label: 'Delay', unit: 'ms' },
] as const;
const exponentialNumbers = [
  { name: 'attempts', pointer: '/retry/attempts', label: 'Attempts', unit: '' },
  { name: 'delayMs', pointer: '/retry/firstDelayMs', label: 'First delay', unit: 'ms' },
  { name: 'maxDelayMs', pointer: '/retry/maxDelayMs', label: 'Longest delay', unit: 'ms' },
] as const;

export const strategyNumbers = { '': [], none: [], fixed: retryNumbers, exponential: exponentialNumbers } as const;

export function createEndpointForm(endpoint: ClientEndpoint | null): EndpointForm {
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  const retry = endpoint?.retry;
  return {
    name: endpoint?.name ?? '',
    url: endpoint?.url ?? '',
    publishRatePerSecond: text(endpoint?.publishRatePerSecond),
    concurrency: text(endpoint?.concurrency),
    timeoutMs: text(endpoint?.timeoutMs),
    strategy: retry?.strategy ?? '',
    attempts: text(retry === undefined || retry.strategy === 'none' ? undefined : retry.attempts),
    delayMs: text(delayOf(retry)),
    maxDelayMs: text(retry?.strategy === 'exponential' ? retry.maxDelayMs : undefined),
    finalCodes: endpoint?.finalCodes?.join(', ') ?? '',
    onGone: endpoint?.onGone ?? '',
  };
}

function delayOf(retry: ClientEndpoint['retry']): number | undefined {
  if (retry?.strategy === 'fixed') return retry.delayMs;
  return retry?.strategy === 'exponential' ? retry.firstDelayMs : undefined;
}

export function findFormErrors(form: EndpointForm): ReadonlyMap<string, string> {
  const visibleFields = [...endpointNumbers, ...strategyNumbers[form.strategy]];
  const wrong = visibleFields.filter(({ name }) => typedNumber(form[name]) === undefined);
  const codes = codesIn(form.finalCodes);
  return new Map([
    ...wrong.map(({ pointer }): [string, string] => [pointer, 'has to be a number']),
    ...(codes?.some((code) => Number.isNaN(code))
      ? [['/finalCodes', 'has to be codes such as 404, 410'] as const]
      : []),
  ]);
}

/** Returns every field, with null for empty fields. */
function createPatch(form: EndpointForm): EndpointPatch {
  const number = (text: string) => typedNumber(text) ?? null;
  return {
    url: form.url.trim() === '' ? null : form.url.trim(),
    publishRatePerSecond: number(form.publishRatePerSecond),
    concurrency: number(form.concurrency),
    timeoutMs: number(form.timeoutMs),
    retry: retryOf(form),
    finalCodes: codesIn(form.finalCodes),
    onGone: form.onGone === '' ? null : form.onGone,
  };
}

function retryOf({ strategy, ...typed }: EndpointForm): NonNullable<EndpointPatch['retry']> | null {
  const [attempts, delayMs, maxDelayMs] = [typed.attempts, typed.delayMs, typed.maxDelayMs].map(typedNumber);
  const tried = typeof attempts === 'number' && { attempts };
  switch (strategy) {
    case '':
      return null;
    case 'none':
      return { strategy };
    case 'fixed':
      return { strategy, ...tried, ...(typeof delayMs === 'number' && { delayMs }) };
    case 'exponential':
      return {
        strategy,
        ...tried,
        ...(typeof delayMs === 'number' && { firstDelayMs: delayMs }),
        ...(typeof maxDelayMs === 'number' && { maxDelayMs }),
      };
  }
}

function codesIn(text: string): number[] | null {
  const codes = text.split(/[\s,]+/).filter((code) => code !== '');
  return codes.length === 0 ? null : codes.map(Number);
}

export function findChanges(form: EndpointForm, first: EndpointForm): EndpointPatch {
  const before = new Map<string, unknown>(Object.entries(createPatch(first)));
  return Object.fromEntries(
    Object.entries(createPatch(form)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
    ),
  );
}

export function createEndpoint(form: EndpointForm): NewClientEndpointInput {
  const { url: _, ...fields } = createPatch(form);
  const definition: Partial<NewClientEndpointInput> = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  );
  return { ...definition, name: form.name.trim(), url: form.url.trim() };
}
