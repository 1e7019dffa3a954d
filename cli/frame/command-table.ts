import { Argument, type Command } from 'commander';
import { z } from 'zod';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { ApiRefusal } from '../api/failures.ts';
import type { Patience } from '../api/patient-fetch.ts';
import { createPaint, type View } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import { noteNext, writeData, type CommandContext } from './command-context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { optionOf, type Options, type ValuesOf } from './options.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** What stands behind a command: `<job>` is a text, `[job]` may be absent, `<job...>` are several. */
type Arg = string | { name: string; said: string; among: readonly string[] };

type ValueOf<Shape extends Arg> = Shape extends { among: readonly (infer Word)[] }
  ? Word
  : Shape extends `${string}...${string}`
    ? string[]
    : Shape extends `[${string}`
      ? string | undefined
      : string;

type ArgValues<Args extends readonly Arg[]> = { -readonly [Place in keyof Args]: ValueOf<Args[Place]> };

/** What a command was called with. */
export interface Call<Args, Values> {
  args: Args;
  options: Values;
  context: CommandContext;
}

/** The same, with the API that the environment names. */
export interface ApiCall<Args, Values> extends Call<Args, Values> {
  client: Client;
}

interface Named<Args extends readonly Arg[], Choice extends Options> {
  name: string;
  args?: Args;
  /** Said where more is given; commander's own message would repeat it. */
  tooMuch?: string;
  /** For `--help`. */
  said: string;
  options?: Choice;
  /** Commands below it. */
  commands?: readonly CommandRow[];
}

/** One call of the API, and what is shown of its answer; with `--json`, the answer as it came. */
interface Asked<Args, Values, Data> {
  ask: (call: ApiCall<Args, Values>) => Promise<{ data: Data }>;
  /** What has not happened where the API refuses, such as `not created`. */
  refused?: string;
  /**
   * What a person calls what a JSON pointer of a refusal names; `retry.attempts` for `/retry/attempts` unless given.
   */
  labelOf?: (pointer: string, call: Call<Args, Values>) => string;
  /** The data, line by line. An answer without a body has none. */
  shown?: (data: Data, view: View, call: ApiCall<Args, Values>) => string;
  /** Said beside the data, to people alone. */
  noted?: (data: Data, call: ApiCall<Args, Values>) => string | readonly string[];
  /** How to see more of a list, where not by the cursor of its next page. */
  more?: (options: Values) => string;
  /** A good answer may be bad news. */
  code?: (data: Data) => ExitCode;
}

/** What is more than one call. */
interface Doing<Args extends readonly Arg[], Choice extends Options> extends Named<Args, Choice> {
  run: (call: Call<ArgValues<Args>, ValuesOf<Choice>>) => Promise<ExitCode>;
}

/** A row of the table of commands: what is typed, and what it does. */
export interface CommandRow {
  name: string;
  addTo: (parent: Command, session: Session) => void;
}

export function command<const Args extends readonly Arg[] = [], Choice extends Options = Options, Data = unknown>(
  row: Named<Args, Choice> & Asked<ArgValues<Args>, ValuesOf<Choice>, Data>,
): CommandRow {
  return byHand({ ...row, run: (call) => answer(row, call) });
}

export function byHand<const Args extends readonly Arg[] = [], Choice extends Options = Options>(
  row: Doing<Args, Choice>,
): CommandRow {
  return {
    name: row.name,
    addTo: (parent, session) => {
      const added = add(parent, session, row);
      added.action(() => {
        const args = z.custom<ArgValues<Args>>().parse(added.processedArgs);
        const options = added.opts<ValuesOf<Choice>>();
        return session.run(isJson(parent), (context) => {
          if (row.tooMuch !== undefined && added.args.length > args.length) throw new UsageError(row.tooMuch);
          return row.run({ args, options, context });
        });
      });
    },
  };
}

/** A noun that does nothing by itself. */
export function group(name: string, said: string, commands: readonly CommandRow[]): CommandRow {
  return { name, addTo: (parent, session) => void add(parent, session, { name, said, commands }) };
}

function add(
  parent: Command,
  session: Session,
  { name, args, tooMuch, said, options = {}, commands }: Named<readonly Arg[], Options>,
): Command {
  const added = parent.command(name).description(said);
  if (tooMuch !== undefined) added.allowExcessArguments();
  for (const arg of args ?? []) added.addArgument(argumentOf(arg));
  for (const [key, option] of Object.entries(options)) added.addOption(optionOf(key, option));
  for (const each of commands ?? []) each.addTo(added, session);
  return added;
}

function argumentOf(arg: Arg): Argument {
  return typeof arg === 'string' ? new Argument(arg) : new Argument(arg.name, arg.said).choices(arg.among);
}

function isJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: true }>().json ?? false;
}

/** The API of a command; it waits while the API says 503, and says that it does. */
export async function apiOf({ environment, terminal }: CommandContext, signal?: AbortSignal): Promise<Client> {
  // Loaded when it is needed: what prepares an installation does without.
  const { apiFrom } = await import('../api/api-client.ts');
  const { systemClock } = await import('../../shared/runtime/system-clock.ts');
  const onWait = (what: string) => terminal.note(`${oneLine(what)}\n`);
  const patience: Patience = { clock: systemClock, onWait, ...(signal && { signal }) };
  return apiFrom(environment, patience);
}

export function viewOf({ terminal }: CommandContext): View {
  return { paint: createPaint(terminal.colours.out), width: terminal.outColumns };
}

/** Asks, shows the answer, and says what is beside it. */
export async function answer<Args, Values extends object, Data>(
  row: Asked<Args, Values, Data>,
  typed: Call<Args, Values>,
): Promise<ExitCode> {
  const { context, options } = typed;
  const call = { ...typed, client: await apiOf(context) };
  const labelOf = (pointer: string) => row.labelOf?.(pointer, typed) ?? fieldLabel(pointer);
  const { data } = await worded({ outcome: row.refused, labelOf }, () => row.ask(call));
  const { shown } = row;
  if (shown) writeData(context, data, () => shown(data, viewOf(context), call));
  if (!context.json || !shown) noteLines(row.noted?.(data, call) ?? [], context);
  noteNext(data, context, row.more?.(options));
  return row.code?.(data) ?? exitCodes.ok;
}

export function noteLines(lines: string | readonly string[], { terminal }: CommandContext): void {
  for (const line of [lines].flat()) terminal.note(`${oneLine(line)}\n`);
}

/** Says of a refusal what has not happened, and names what is wrong as a person does. */
export async function worded<Result>(wording: ApiRefusal['wording'], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, wording) : error;
  }
}

/** `retry.attempts` for `/retry/attempts`. */
export function fieldLabel(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('/', '.');
}
