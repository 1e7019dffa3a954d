import type { ApiCall } from '../frame/command-table.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { UsageError } from '../frame/usage-error.ts';
import { count } from '../show/numbers.ts';
import type { View } from '../show/paint.ts';

/** Options that filter a list or its groups; each kind supports some of them. */
export interface Filters {
  topic?: string;
  reason?: string;
  run?: string;
  action?: string;
  country?: string;
  client?: string;
  state?: 'kept' | 'replaying' | 'replayed' | 'discarded';
}

/** Options that select the items to decide on, and options of the decision itself. */
export interface Selection {
  topic?: string;
  reason?: string;
  client?: string;
  all?: true;
  perSecond?: number;
  withExpired?: true;
}

export interface Paging {
  limit: number;
  cursor?: string;
}

type Api = ApiCall<unknown, unknown>['client'];

export interface Question<Data> {
  ask: (call: { client: Api }) => Promise<{ data: Data }>;
  render: (data: Data, view: View) => string;
}

export type Answering = <Data>(question: Question<Data>) => Promise<ExitCode>;

export interface Decided {
  items: number;
  expired: number;
}

export interface ItemKind {
  one: string;
  many: string;
  /** Prefix of the ids of this kind, such as `dlt_`. */
  prefix: string;
  filters: readonly (keyof Filters)[];
  /** Options of bulk decisions, by verb; empty if the kind has none. */
  selections: Readonly<Record<Verb, readonly (keyof Selection)[]>>;
  list: (filters: Filters & Paging, answering: Answering) => Promise<ExitCode>;
  groups: (filters: Filters, answering: Answering) => Promise<ExitCode>;
  show: (id: string, answering: Answering) => Promise<ExitCode>;
  decide: (verb: Verb, id: string, terms: Selection, client: Api) => Promise<{ data: { id: string; state: string } }>;
  decideAll?: (verb: Verb, selection: Selection, client: Api) => Promise<{ data: Decided }>;
}

export type Verb = 'replay' | 'discard';

/** @throws {UsageError} if an option does not apply to the kind */
export function requireOptions(
  { many }: Pick<ItemKind, 'many'>,
  given: Readonly<Record<string, unknown>>,
  taken: readonly string[],
): void {
  const other = Object.keys(given).find((name) => given[name] !== undefined && !taken.includes(name));
  if (other === undefined) return;
  const flag = other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag} is not an option for ${many}`);
}

/** Formats `1 job replayed`, `1,200 jobs discarded`. */
export function decidedInWords({ items }: Decided, { one, many }: Pick<ItemKind, 'one' | 'many'>, verb: Verb): string {
  return `${count(items)} ${items === 1 ? one : many} ${verb === 'replay' ? 'replayed' : 'discarded'}\n`;
}
