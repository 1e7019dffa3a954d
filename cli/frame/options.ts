import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

/**
 * An option of a command. `among` lists the permitted values, or is empty for any. The option is optional if its type
 * includes `undefined`.
 */
export interface OptionShape<Value> {
  flags: string;
  said: string | undefined;
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

export function text(flags: string, said?: string): OptionShape<string | undefined> {
  return { flags, said, among: [] };
}

export function needed(flags: string, said: string): OptionShape<string> {
  return { flags, said, among: [], mandatory: true };
}

export function oneOf<const Word extends string>(
  flags: string,
  said: string,
  among: readonly Word[],
): OptionShape<Word | undefined> {
  return { flags, said, among };
}

export function neededOneOf<const Word extends string>(
  flags: string,
  said: string,
  among: readonly Word[],
): OptionShape<Word> {
  return { flags, said, among, mandatory: true };
}

export function usually<Word extends string>(
  flags: string,
  said: string,
  { among = [], usual }: { among?: readonly Word[]; usual: NoInfer<Word> },
): OptionShape<Word> {
  return { flags, said, among, usual };
}

/** Returns an option for a whole number in a range, bounds included. */
export function within(
  flags: string,
  said: string,
  { least, most, usual }: { least: number; most: number; usual: number },
): OptionShape<number> {
  const parse = (value: string) => {
    const read = Number(value);
    if (/^\d+$/.test(value) && read >= least && read <= most) return read;
    throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`);
  };
  return { flags, said, among: [], parse, usual };
}

export function whole(flags: string, said: string): OptionShape<number | undefined>;
export function whole(flags: string, said: string, usual: number): OptionShape<number>;
export function whole(flags: string, said: string, usual?: number): OptionShape<number | undefined> {
  return { flags, said, among: [], parse: wholeNumber, usual };
}

export function neededWhole(flags: string, said: string): OptionShape<number> {
  return { flags, said, among: [], parse: wholeNumber, mandatory: true };
}

/** Returns a number option; the API validates the value. */
export function number(flags: string, said: string): OptionShape<number | undefined> {
  return { flags, said, among: [], parse: Number };
}

export function several(flags: string, said: string): OptionShape<string[] | undefined> {
  return { flags, said, among: [], parse: collect };
}

export function severalWhole(flags: string, said: string): OptionShape<number[] | undefined> {
  return { flags, said, among: [], parse: (given, earlier) => collect(wholeNumber(given), earlier) };
}

export function flag(flags: string, said: string): OptionShape<true | undefined> {
  return { flags, said, among: [] };
}

export function pages(usual: number, most?: number) {
  const said = most === undefined ? 'how many' : `how many, up to ${most}`;
  return {
    limit: whole('--limit <n>', said, usual),
    cursor: text('--cursor <cursor>', 'go on behind an earlier list'),
  };
}

/** Returns the option that lists more items of a list without pages. */
export function widerLimit({ limit }: { limit: number }): string {
  return `--limit ${Math.min(limit * 10, 1000)}`;
}

/** Converts an option for commander, whose value gets the field name as key. */
export function optionOf(key: string, { flags, said, among, parse, usual, mandatory }: OptionShape<unknown>): Option {
  const option = new KeyedOption(flags, said, key);
  if (among.length > 0) option.choices(among.map(String));
  if (parse) option.argParser(parse);
  if (usual !== undefined) option.default(usual);
  return option.makeOptionMandatory(mandatory ?? false);
}

class KeyedOption extends Option {
  readonly #key: string;

  constructor(flags: string, said: string | undefined, key: string) {
    super(flags, said);
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
