import { z } from 'zod';
import { connectorsFile } from '../../services/connectors/connectors-file.contract.ts';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { fieldsOf, joined, jsonSchemaOf, rightOf, sentence, usualOf } from './words.ts';
import { variablesBySection, type Variable } from './variables.ts';

export function configurationPage(): string {
  const sections = variablesBySection().map(
    ({ title, variables }) => `## ${title}\n\n${variables.map(variableLine).join('\n')}`,
  );
  const fields = fieldLines(jsonSchemaOf(engineConfig), '');
  return `# Configuration: every variable and field

In brackets: who reads the variable (\`all\` are api, scheduler, trigger, worker and dispatcher), and
what is without it. The connectors read \`DATABASE_URL\`, \`MUSTER_EGRESS_ALLOW\` and the variables of
every process too. A * marks secrets: they are never printed, and each may be in a file that
\`<variable>_FILE\` names. An empty value counts as not set. What hangs together with what is in
[configuration](../configuration.md), what the sandbox reads in [sandbox](../sandbox.md#configuration).

${sections.join('\n\n')}

## The engine’s file

JSON, at the path in \`MUSTER_CONFIG\`; [an example](../configuration.md#the-engines-file). Fields of an
action type are the same in the API and in \`muster action-types create\`.

${fields.join('\n')}

## The connectors’ file

JSON, at the path in \`CONNECTORS_CONFIG\`; [an example](../connectors.md#the-file).

${fieldLines(jsonSchemaOf(connectorsFile), '').join('\n')}
`;
}

function variableLine({ name, readers, isSecret, usual, description }: Variable): string {
  return `- \`${name}\`${isSecret ? ' *' : ''} (${readers.join(', ')}; ${usual}): ${description}`;
}

const mapOf = z.looseObject({ additionalProperties: z.looseObject({ properties: z.record(z.string(), z.unknown()) }) });
const fieldsIn = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

function fieldLines(schema: unknown, before: string): string[] {
  return fieldsOf(schema).flatMap((field) => {
    const { schema: described, whole } = field;
    const name = `${before}${field.name}`;
    const inside = fieldsIn.safeParse(whole);
    const named = mapOf.safeParse(whole);
    const usual = inside.success || named.success ? '' : ` (${usualOf(field)})`;
    if (described.description === undefined) throw new Error(`${name} of a file is not described`);
    const line = `- \`${name}\`${usual}: ${joined(sentence(described.description), rightOf(described))}`;
    if (named.success) return [line, ...fieldLines(named.data.additionalProperties, `${name}.<name>.`)];
    return inside.success ? [line, ...fieldLines(whole, `${name}.`)] : [line];
  });
}
