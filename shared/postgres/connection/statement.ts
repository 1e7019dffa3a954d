import type { QueryConfig } from 'pg';

/** A named statement whose parameters have names too: its text and its values cannot disagree about their order. */
export interface Statement<Params extends object> {
  readonly text: string;
  /** What `pg` runs: planned once per connection where the statement has a name. */
  with(params: Params): QueryConfig;
}

/**
 * @param name known to the connection, so it has to differ from all others
 * @param write the text; `$('feeds')` stands for the parameter of that name, wherever and however often it is needed
 */
export function statementOf<Params extends object>(
  name: string,
  write: ($: (param: keyof Params & string) => string) => string,
): Statement<Params> {
  const { text, valuesOf } = numbered(write);
  return { text, with: (params) => ({ name, text, values: valuesOf(params) }) };
}

/** The same without a name: planned each time, where the best plan depends on which of the filters are given. */
export function unnamedStatementOf<Params extends object>(
  write: ($: (param: keyof Params & string) => string) => string,
): Statement<Params> {
  const { text, valuesOf } = numbered(write);
  return { text, with: (params) => ({ text, values: valuesOf(params) }) };
}

function numbered<Params extends object>(write: ($: (param: keyof Params & string) => string) => string) {
  const places: (keyof Params & string)[] = [];
  const text = write((param) => {
    if (!places.includes(param)) places.push(param);
    return `$${places.indexOf(param) + 1}`;
  });
  return { text, valuesOf: (params: Params) => places.map((param) => params[param]) };
}
