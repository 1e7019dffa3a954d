import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

/**
 * An option of a command. `among` lists the permitted values, or is empty for any. The option is optional if its type
 * includes `undefined`.
 */
export interface OptionShape<Value> {
  flags: string;
  description: string | undefined;
  among: readonly Value[];
  parse?: (text: string, earlier: unknown) => unknown;
  usual?: unknown;
  mandatory?: boolean;
}

/** Options by their field names in the API or the command. */
export type Options = Readonly<Record<string, OptionShape<unknown>>>;

type Value<Shape> = Shape extends OptionShape<infer Of> ? Of : never;
type MayBeAbsent<Choice> = {
  [Name in keyof Choice]: undefined extends Value<Choice[Name]> ? Name : never;
}[keyof Choice];

export type ValuesOf<Choice> = { [Name in Exclude<keyof Choice, MayBeAbsent<Choice>>]: Value<Choice[Name]> } & {
  [Name in MayBeAbsent<Choice>]?: Exclude<Value<Choice[Name]>, undefined>;
};

export function text(flags: string, description?: string): OptionShape<string | undefined> {
  return { flags, description, among: [] };
}

export function needed(flags: string, description: string): OptionShape<string> {
  return { flags, description, among: [], mandatory: true };
}

export function oneOf<const Word extends string>(
  flags: string,
  description: string,
  among: readonly Word[],
): OptionShape<Word | undefined> {
  return { flags, description, among };
}

export function neededOneOf<const Word extends string>(
  flags: string,
  description: string,
  among: readonly Word[],
): OptionShape<Word> {
  return { flags, description, among, mandatory: true };
}

export function usually<Word extends string>(
  flags: string,
  description: string,
  { among = [], usual }: { among?: readonly Word[]; usual: NoInfer<Word> },
): OptionShape<Word> {
  return { flags, description, among, usual };
}

/** Returns an option for a whole number in a range, bounds included. */
export function within(
  flags: string,
  description: string,
  range: { least: number; most: number; usual: number },
): OptionShape<number>;
export function within(
  flags: string,
  description: string,
  range: { least: number; most: number },
): OptionShape<number | undefined>;
export function within(
  flags: string,
  description: string,
  { least, most, usual }: { least: number; most: number; usual?: number },
): OptionShape<number | undefined> {
  const parse = (value: string) => {
    const read = Number(value);
    if (/^\d+$/.test(value) && read >= least && read <= most) return read;
    throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`);
  };
  return { flags, description, among: [], parse, usual };
}

export function whole(flags: string, description: string): OptionShape<number | undefined>;
export function whole(flags: string, description: string, usual: number): OptionShape<number>;
export function whole(flags: string, description: string, usual?: number): OptionShape<number | undefined> {
  return { flags, description, among: [], parse: wholeNumber, usual };
}

export function neededWhole(flags: string, description: string): OptionShape<number> {
  return { flags, description, among: [], parse: wholeNumber, mandatory: true };
}

/** Returns a number option; the API validates the value. */
export function number(flags: string, description: string): OptionShape<number | undefined> {
  return { flags, description, among: [], parse: Number };
}

export function several(flags: string, description: string): OptionShape<string[] | undefined> {
  return { flags, description, among: [], parse: collect };
}

export function severalWhole(flags: string, description: string): OptionShape<number[] | undefined> {
  return { flags, description, among: [], parse: (given, earlier) => collect(wholeNumber(given), earlier) };
}

export function flag(flags: string, description: string): OptionShape<true | undefined> {
  return { flags, description, among: [] };
}

export function pages(usual: number, most?: number) {
  const description = most === undefined ? 'number of items' : `number of items, up to ${most}`;
  return {
    limit: whole('--limit <n>', description, usual),
    cursor: text('--cursor <cursor>', 'cursor of the next page, as an earlier list printed it'),
  };
}

/** Returns the option `--limit` with ten times the limit, at most 1000. Used for lists without pages. */
export function widerLimit({ limit }: { limit: number }): string {
  return `--limit ${Math.min(limit * 10, 1000)}`;
}

/** Converts an option to one of commander. Its value is stored under the field name. */
export function optionOf(
  key: string,
  { flags, description, among, parse, usual, mandatory }: OptionShape<unknown>,
): Option {
  const option = new KeyedOption(flags, description, key);
  if (among.length > 0) option.choices(among.map(String));
  if (parse) option.argParser(parse);
  if (usual !== undefined) option.default(usual);
  return option.makeOptionMandatory(mandatory ?? false);
}

class KeyedOption extends Option {
  readonly #key: string;

  constructor(flags: string, description: string | undefined, key: string) {
    super(flags, description);
    this.#key = key;
  }

  override attributeName(): string {
    return this.#key;
  }
}

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It has to be a whole number from 1.');
  return Number(value);
}

function collect(value: unknown, earlier: unknown): unknown[] {
  return [...z.array(z.unknown()).catch([]).parse(earlier), value];
}
