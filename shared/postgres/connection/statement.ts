import type { QueryConfig } from 'pg';

/** A named statement with named parameters: text and values cannot disagree about their order. */
export interface Statement<Params extends object> {
  readonly text: string;
  /** Returns the query for `pg`; a named statement is planned once for each connection. */
  with(params: Params): QueryConfig;
}

/**
 * @param name unique among all statements, because connections keep plans by name
 * @param write builds the text; `$('feeds')` inserts the placeholder of that parameter, any number of times
 */
export function statementOf<Params extends object>(
  name: string,
  write: ($: (param: keyof Params & string) => string) => string,
): Statement<Params> {
  const { text, valuesOf } = numbered(write);
  return { text, with: (params) => ({ name, text, values: valuesOf(params) }) };
}

/** Creates an unnamed statement, planned each time because the best plan depends on the given filters. */
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
