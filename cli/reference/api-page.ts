import { z } from 'zod';
import { describedApi } from '../../services/api/api-document.ts';
import { code, sentence } from './words.ts';

const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()).min(1),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  'x-required-role': z.string().optional(),
});

const document = z.looseObject({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

type Operation = z.infer<typeof operation>;

export async function apiPage(): Promise<string> {
  const described = await describedApi();
  const { tags, paths } = document.parse(described.document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ path, method, each })),
  );
  const declared = new Set(tags.map(({ name }) => name));
  const undeclared = operations.find(({ each }) => !declared.has(each.tags[0] ?? ''));
  if (undeclared) throw new Error(`${undeclared.each.operationId} is in no section: nothing describes its tag`);
  const sections = tags.map(({ name, description }) => {
    const lines = operations
      .filter(({ each }) => each.tags[0] === name)
      .map(({ path, method, each }) => operationLine(method.toUpperCase(), path, each, described.sentences));
    return `## ${name}\n\n${sentence(description)}\n\n${lines.join('\n')}`;
  });
  return `# The API: every operation

Each line has, in brackets, the name of the operation in the [client](../../sdk/README.md), and the
minimum role of the key; no role if the operation needs no key. Then it has the query parameters, and in
italics the text of the audit log. Bodies, answers and their fields are in \`/docs\` of a running API,
and in \`/openapi.json\` for programs. [The HTTP interface](../api.md) has the rules for all operations.

${sections.join('\n\n')}
`;
}

function operationLine(
  method: string,
  path: string,
  { operationId, summary, parameters, ...others }: Operation,
  sentences: ReadonlyMap<string, string>,
): string {
  const role = others['x-required-role'];
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => code(name));
  const queryText = query.length === 0 ? '' : ` Query: ${query.join(', ')}.`;
  const words = sentences.get(`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  const audited = words === undefined ? '' : ` _${words}_.`;
  const named = `\`${operationId}\`${role === undefined ? '' : `; ${role}`}`;
  return `- \`${method} ${path}\` (${named}): ${sentence(summary)}${queryText}${audited}`;
}
