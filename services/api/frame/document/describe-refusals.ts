import { refusalsKey, type Refusals } from '../../../../shared/contracts/stated-rules.ts';
import { fieldsOf, reachedFrom } from './prune-components.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Refusals with status 422 that depend on the state or on several fields, by code. Refusals of a single field are
     * part of the shapes.
     */
    refusals?: Refusals;
  }
}

/** Refusals of the parser of JSON bodies, which all routes share. */
const bodyRefusals: Refusals = {
  'inexact-number': 'a number in the body has more digits than a double can store',
  'reserved-name': 'the body has a field `__proto__`',
  'too-deep': 'the body is nested deeper than 64 levels',
  'too-long-name': 'a field of the body has a name of more than 1,000 characters',
  'too-many-fields': 'an object of the body has more than 10,000 fields',
  'too-many-values': 'the body has more than 65,536 values, and more than one per ten bytes',
};

/** Refusals of the check of texts, which runs for each path, query and body before the handler of the route. */
const textRefusals: Refusals = {
  'unstorable-text': 'a text holds U+0000 or half of a surrogate pair',
};

/**
 * Lists the refusals with status 422 of each operation, which come from its route, parameters and body, and removes
 * them from the schemas.
 */
export function describeRefusals(document: unknown): void {
  const schemas = fieldsOf(fieldsOf(fieldsOf(document)['components'])['schemas']);
  const operations = Object.values(fieldsOf(fieldsOf(document)['paths'])).flatMap((path) =>
    Object.values(fieldsOf(path)).map(fieldsOf),
  );
  for (const operation of operations) {
    const { parameters, requestBody, [refusalsKey]: own } = operation;
    const carried = [...reachedFrom([parameters, requestBody], schemas)].map((value) => fieldsOf(value)[refusalsKey]);
    const isJson = 'application/json' in fieldsOf(fieldsOf(requestBody)['content']);
    const ofBody = isJson ? bodyRefusals : undefined;
    const all = [...carried, ofBody, textRefusals, own].flatMap((rules) => Object.entries(fieldsOf(rules)));
    const rules = Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
    const lines = Object.entries(rules).map(([code, condition]) => `- \`${code}\`: ${String(condition)}`);
    const list = `Further conditions for 422 that the schemas do not express, by error code:\n${lines.join('\n')}`;
    const { description } = operation;
    operation['description'] = typeof description === 'string' ? `${description}\n\n${list}` : list;
    operation[refusalsKey] = rules;
  }
  for (const operation of operations)
    strip([operation['parameters'], operation['requestBody'], operation['responses']]);
  strip(schemas);
}

function strip(value: unknown): void {
  const fields = fieldsOf(value);
  Reflect.deleteProperty(fields, refusalsKey);
  Object.values(fields).forEach(strip);
}
