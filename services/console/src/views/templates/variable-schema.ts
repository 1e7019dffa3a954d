import type { Template } from '#client/types.gen.ts';

type Variables = Template['variables'];

/** Returns a JSON Schema of an object with a value for each variable, for a form. */
export function createVariableSchema(variables: Variables): object {
  const entries = Object.entries(variables);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, variable]) => [name, propertyOf(variable)])),
    required: entries.filter(([, variable]) => variable.default === undefined).map(([name]) => name),
  };
}

function propertyOf({ type, ...rest }: Variables[string]): object {
  if (type === 'date-time') return { type: 'string', format: 'date-time', ...rest };
  return { type: type === 'segment' ? 'string' : type, ...rest };
}

/** Lists variables, required ones first: `reward, units = 2`. */
export function formatVariables(variables: Variables): string {
  const entries = Object.entries(variables);
  const needed = entries.flatMap(([name, { default: defaultText }]) => (defaultText === undefined ? [name] : []));
  const others = entries.flatMap(([name, { default: defaultText }]) =>
    defaultText === undefined
      ? []
      : [`${name} = ${typeof defaultText === 'string' ? defaultText : JSON.stringify(defaultText)}`],
  );
  return [...needed, ...others].join(', ');
}
