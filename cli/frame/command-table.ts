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

/** Argument of a command: `<job>` is required, `[job]` is optional, `<job...>` is repeatable. */
type Arg = string | { name: string; description: string; among: readonly string[] };

type ValueOf<Shape extends Arg> = Shape extends { among: readonly (infer Word)[] }
  ? Word
  : Shape extends `${string}...${string}`
    ? string[]
    : Shape extends `[${string}`
      ? string | undefined
      : string;

type ArgValues<Args extends readonly Arg[]> = { -readonly [Place in keyof Args]: ValueOf<Args[Place]> };

export interface Call<Args, Values> {
  args: Args;
  options: Values;
  context: CommandContext;
}

export interface ApiCall<Args, Values> extends Call<Args, Values> {
  client: Client;
}

interface Named<Args extends readonly Arg[], Choice extends Options> {
  name: string;
  args?: Args;
  /** Error for excess arguments; commander's own message would repeat the usage. */
  excessArgsError?: string;
  /** Description in `--help`. */
  description: string;
  options?: Choice;
  commands?: readonly CommandRow[];
}

/** One API call and the display of its answer; `--json` prints the unchanged answer. */
interface RequestRow<Args, Values, Data> {
  ask: (call: ApiCall<Args, Values>) => Promise<{ data: Data }>;
  /** Outcome of a refusal, such as `not created`. */
  refused?: string;
  /**
   * Returns the displayed name of the field that a JSON pointer in a refusal names. By default, `/retry/attempts` is
   * displayed as `retry.attempts`.
   */
  labelOf?: (pointer: string, call: Call<Args, Values>) => string;
  /** Returns the answer as text. Undefined for a command whose answer has no body. */
  render?: (data: Data, view: View, call: ApiCall<Args, Values>) => string;
  /** Returns notes for people. They are omitted with `--json` if the command has a `render`. */
  hint?: (data: Data, call: ApiCall<Args, Values>) => string | readonly string[];
  /** Returns the option that lists more items; by default the cursor of the next page. */
  more?: (options: Values) => string;
  /** Returns the exit code for a successful answer that may report a problem; by default `ok`. */
  code?: (data: Data) => ExitCode;
}

/** A command of more than one API call. */
interface Doing<Args extends readonly Arg[], Choice extends Options> extends Named<Args, Choice> {
  run: (call: Call<ArgValues<Args>, ValuesOf<Choice>>) => Promise<ExitCode>;
}

export interface CommandRow {
  name: string;
  addTo: (parent: Command, session: Session) => void;
}

export function command<const Args extends readonly Arg[] = [], Choice extends Options = Options, Data = unknown>(
  row: Named<Args, Choice> & RequestRow<ArgValues<Args>, ValuesOf<Choice>, Data>,
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
          if (row.excessArgsError !== undefined && added.args.length > args.length)
            throw new UsageError(row.excessArgsError);
          return row.run({ args, options, context });
        });
      });
    },
  };
}

export function group(name: string, description: string, commands: readonly CommandRow[]): CommandRow {
  return { name, addTo: (parent, session) => void add(parent, session, { name, description, commands }) };
}

function add(
  parent: Command,
  session: Session,
  { name, args, excessArgsError, description, options = {}, commands }: Named<readonly Arg[], Options>,
): Command {
  const added = parent.command(name).description(description);
  if (excessArgsError !== undefined) added.allowExcessArguments();
  for (const arg of args ?? []) added.addArgument(argumentOf(arg));
  for (const [key, option] of Object.entries(options)) added.addOption(optionOf(key, option));
  for (const each of commands ?? []) each.addTo(added, session);
  return added;
}

function argumentOf(arg: Arg): Argument {
  return typeof arg === 'string' ? new Argument(arg) : new Argument(arg.name, arg.description).choices(arg.among);
}

function isJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: true }>().json ?? false;
}

/** Returns the API client of a command. Requests wait while the API answers 503, and note the wait. */
export async function apiOf({ environment, terminal }: CommandContext, signal?: AbortSignal): Promise<Client> {
  // Loaded lazily, as commands that prepare an installation do not need the client.
  const { apiFrom } = await import('../api/api-client.ts');
  const { systemClock } = await import('../../shared/runtime/system-clock.ts');
  const onWait = (what: string) => terminal.note(`${oneLine(what)}\n`);
  const patience: Patience = { clock: systemClock, onWait, ...(signal && { signal }) };
  return apiFrom(environment, patience);
}

export function viewOf({ terminal }: CommandContext): View {
  return { paint: createPaint(terminal.colours.out), width: terminal.outColumns };
}

/** Makes the API call, and shows the answer with its notes. */
export async function answer<Args, Values extends object, Data>(
  row: RequestRow<Args, Values, Data>,
  typed: Call<Args, Values>,
): Promise<ExitCode> {
  const { context, options } = typed;
  const call = { ...typed, client: await apiOf(context) };
  const labelOf = (pointer: string) => row.labelOf?.(pointer, typed) ?? fieldLabel(pointer);
  const { data } = await worded({ outcome: row.refused, labelOf }, () => row.ask(call));
  const { render: renderData } = row;
  if (renderData) writeData(context, data, () => renderData(data, viewOf(context), call));
  if (!context.json || !renderData) noteLines(row.hint?.(data, call) ?? [], context);
  noteNext(data, context, row.more?.(options));
  return row.code?.(data) ?? exitCodes.ok;
}

export function noteLines(lines: string | readonly string[], { terminal }: CommandContext): void {
  for (const line of [lines].flat()) terminal.note(`${oneLine(line)}\n`);
}

/** Executes `work`. If the API refuses a request, adds the wording to the error. */
export async function worded<Result>(wording: ApiRefusal['wording'], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, wording) : error;
  }
}

/** Formats `/retry/attempts` as `retry.attempts`. */
export function fieldLabel(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('/', '.');
}
