import type { BatchCall } from '../../../shared/contracts/endpoints/batch-actions.ts';

/** Parameters that the statements of an action may name, as `:users`. */
export const parameters = ['users', 'params', 'key', 'campaign', 'run', 'step', 'country'] as const;

export type Parameter = (typeof parameters)[number];

/**
 * Matches a literal, a quoted name, a comment, or a parameter name after a colon. Only parameters are replaced. `::` is
 * a cast, not a parameter.
 */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|(?<![:\w]):([a-z_]+)/gi;

/** Returns the statement with each parameter replaced by the result of `write`. Unknown names stay unchanged. */
export function replaceParameters(statement: string, write: (parameter: Parameter) => string): string {
  return statement.replaceAll(token, (text, name: string | undefined) => {
    const parameter = parameters.find((each) => each === name);
    return parameter === undefined ? text : write(parameter);
  });
}

export function unknownParameters(statement: string): string[] {
  const names = [...statement.matchAll(token)].flatMap(([, name]) => name ?? []);
  return names.filter((name) => !parameters.some((known) => known === name));
}

/** Returns the value of a parameter other than the users. */
export function valueOf(parameter: Exclude<Parameter, 'users'>, key: string, call: BatchCall): string | number {
  switch (parameter) {
    case 'params':
      return JSON.stringify(call.action.params);
    case 'key':
      return key;
    case 'campaign':
    case 'run':
    case 'step':
    case 'country':
      return call[parameter];
  }
}
