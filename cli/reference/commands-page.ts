import { Readable } from 'node:stream';
import type { Argument, Command, Option } from 'commander';
import { exitCodes, exitMeanings } from '../frame/exit-codes.ts';
import { addCommands, loadAllCommands } from '../frame/found-commands.ts';
import { createSession } from '../frame/session.ts';
import { createTerminal } from '../frame/terminal.ts';
import { createProgram } from '../program.ts';
import { code, joined, sentence } from './words.ts';

export async function commandsPage(): Promise<string> {
  const program = createProgram();
  const session = createSession({
    terminal: createTerminal({}),
    environment: {},
    input: Readable.from([]),
    onInterrupt: () => new AbortController().signal,
  });
  addCommands(program, await loadAllCommands(), session);
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup().replace(/:$/, ''));
  return `# The command line: every command

\`muster <command>\`; in a checkout \`npm run -s muster -- <command>\`. \`--json\` before a command prints
data as JSON, and \`--help\` after it prints the text of this page. [The command line](../cli.md)
describes arguments, output and confirmations.

${exitLines()}

${[...groups].map(([heading, commands]) => groupOf(heading, commands)).join('\n\n')}
`;
}

function groupOf(heading: string, commands: readonly Command[]): string {
  const sections = commands.map((command) => `### ${command.name()}\n\n${sectionOf(command)}`);
  return `## ${heading}\n\n${sections.join('\n\n')}`;
}

function exitLines(): string {
  const codes = new Map<string, number>(Object.entries(exitCodes));
  const lines = Object.entries(exitMeanings).map(([name, means]) => `- **${codes.get(name) ?? ''}**: ${means}`);
  return `## Exit codes\n\n${lines.join('\n')}`;
}

function sectionOf(command: Command): string {
  const below = command.commands;
  if (below.length === 0) return linesOf(command, '').join('\n');
  return `${begun(sentence(command.description()))}\n\n${below.flatMap((each) => linesOf(each, `${command.name()} `)).join('\n')}`;
}

function begun(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function linesOf(command: Command, parents: string): string[] {
  const name = `${parents}${command.name()}`;
  const args = command.registeredArguments.map(argumentText);
  const typed = [name, ...args].join(' ');
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const among = choices.length === 0 ? '' : `One of ${choices.map(code).join(', ')}.`;
  return [
    `- \`${typed}\`: ${joined(sentence(command.description()), among)}`,
    ...command.options.map((option) => `  - ${optionText(option)}`),
    ...command.commands.flatMap((each) => linesOf(each, `${name} `)),
  ];
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionText({ flags, description, argChoices = [], defaultValue, mandatory }: Option): string {
  const among = argChoices.length === 0 ? '' : `One of ${argChoices.map(code).join(', ')}.`;
  const usual: unknown = defaultValue;
  const bounds = [...(mandatory ? ['needed'] : []), ...(usual === undefined ? [] : [code(usual)])];
  const head = `\`${flags}\`${bounds.length === 0 ? '' : ` (${bounds.join('; ')})`}`;
  const explanation = joined(sentence(description), among);
  return explanation === '' ? head : `${head}: ${explanation}`;
}
