import { z } from 'zod';
import { connectorsFile } from '../../services/connectors/connectors-file.contract.ts';
import { engineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { fieldsOf, joined, jsonSchemaOf, permittedValuesText, sentence, defaultText } from './words.ts';
import { variablesBySection, type Variable } from './variables.ts';

export function configurationPage(): string {
  const sections = variablesBySection().map(
    ({ title, variables }) => `## ${title}\n\n${variables.map(variableLine).join('\n')}`,
  );
  const fields = fieldLines(jsonSchemaOf(engineConfig), '');
  return `# Configuration: every variable and field

Each line has, in brackets, the services that read the variable (\`all\` are api, scheduler, trigger,
worker and dispatcher), and the default. The connectors also read \`DATABASE_URL\`, \`MUSTER_EGRESS_ALLOW\`
and the variables of every process. A * marks secrets: they are never printed, and \`<variable>_FILE\` may
name a file with the value. An empty value counts as not set. [Configuration](../configuration.md) describes
how variables depend on each other, and [sandbox](../sandbox.md#configuration) the variables of the sandbox.

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

const properties = z.looseObject({ properties: z.record(z.string(), z.unknown()) });
/** JSON schema of an object with arbitrary property names. Its values have one form, or one of several (`anyOf`). */
const mapOf = z.looseObject({
  additionalProperties: z.union([
    z.looseObject({ anyOf: z.array(properties) }),
    properties.transform((form) => ({ anyOf: [form] })),
  ]),
});
const fieldsIn = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

function fieldLines(schema: unknown, before: string): string[] {
  return fieldsOf(schema).flatMap((field) => {
    const { schema: described, whole } = field;
    const name = `${before}${field.name}`;
    const inside = fieldsIn.safeParse(whole);
    const named = mapOf.safeParse(whole);
    const usual = inside.success || named.success ? '' : ` (${defaultText(field)})`;
    if (described.description === undefined) throw new Error(`${name} of a file is not described`);
    const line = `- \`${name}\`${usual}: ${joined(sentence(described.description), permittedValuesText(described))}`;
    if (named.success) {
      const forms = named.data.additionalProperties.anyOf;
      return [line, ...forms.flatMap((form) => fieldLines(form, `${name}.<name>.`))];
    }
    return inside.success ? [line, ...fieldLines(whole, `${name}.`)] : [line];
  });
}
