import type { ActionType } from '#client/types.gen.ts';
import { fieldsOf, leavesOf } from '../../parts/forms/schema-fields.ts';

/**
 * Returns the CLI command that tests an endpoint against its contract. Secrets are referenced by name, never included.
 */
export function formatCheckCommand(type: ActionType): string {
  const { url, check, statusUrl, previewUrl, appliesLateSeconds, answerForm, batchSize, timeoutMs, authorizationEnv } =
    type;
  const examples = type.paramsSchema?.['examples'];
  const known: unknown[] = Array.isArray(examples) ? examples : [];
  const [example] = known;
  const country = type.countries?.[0];
  const lists = new Set(
    leavesOf(fieldsOf(type.paramsSchema) ?? []).flatMap(({ listedAt }) => (listedAt === '' ? [] : listedAt)),
  );
  return [
    `muster check-endpoint ${quoteArgument(url)} --class ${type.class} --action-type ${type.name}`,
    ...(check ? ['--check'] : []),
    ...(country === undefined ? [] : [`--country ${country}`]),
    ...(example === undefined ? [] : [`--params ${quoteArgument(JSON.stringify(example))}`]),
    ...(statusUrl === undefined ? [] : [`--status-url ${quoteArgument(statusUrl)}`]),
    ...[...lists].map((list) => `--options ${quoteArgument(list)}`),
    ...(previewUrl === undefined ? [] : [`--preview-url ${quoteArgument(previewUrl)}`]),
    ...(appliesLateSeconds === undefined ? [] : [`--applies-late-seconds ${appliesLateSeconds}`]),
    ...(answerForm === 'full' ? [] : [`--answer-form ${answerForm}`]),
    `--batch-size ${batchSize} --timeout-ms ${timeoutMs}`,
    ...(authorizationEnv === undefined ? [] : [`--authorization-env ${authorizationEnv}`]),
  ].join(' ');
}

function quoteArgument(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
