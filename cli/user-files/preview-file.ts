import type {
  PreviewUserFileData,
  PreviewUserFileErrors,
  PreviewUserFileResponses,
  UserFilePreview,
} from '../../sdk/generated/types.gen.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { answer } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { fileLabel, separatorName } from './file-reading.ts';
import { count } from '../show/numbers.ts';
import { renderFacts } from '../show/tables.ts';
import { fileRequest } from './upload-file.ts';

type PreviewQuery = NonNullable<PreviewUserFileData['query']>;

interface PreviewCall {
  file: string;
  query: { [Name in keyof PreviewQuery]: PreviewQuery[Name] | undefined };
  gzip?: true | undefined;
  type?: 'text/csv' | 'application/x-ndjson';
  context: CommandContext;
}

/** Shows how an upload would parse a file. The exit code reports to scripts whether the upload would be refused. */
export async function previewFile({ file, query, gzip, type, context }: PreviewCall): Promise<ExitCode> {
  return answer(
    {
      ask: async ({ client }) =>
        client.post<PreviewUserFileResponses, PreviewUserFileErrors, true>({
          url: '/v1/user-files/preview',
          query,
          ...(await fileRequest(file, { gzip, input: context.input, ...(type && { type }) })),
        }),
      refused: 'no preview',
      labelOf: fileLabel,
      render: (preview: UserFilePreview, view) => renderPreview(file, preview, view),
      code: ({ refusal }) => (refusal === null ? exitCodes.ok : exitCodes.refused),
    },
    { args: [], options: {}, context },
  );
}

function renderPreview(file: string, preview: UserFilePreview, view: View): string {
  const { format, reading, columns, rows, users, firstUsers, countries, rejected, rejects, refusal, outcomes } =
    preview;
  const byCountry = countries.map((each) => `${each.country} ${count(each.users)}`);
  const others = preview.usersElsewhere === 0 ? [] : [`others ${count(preview.usersElsewhere)}`];
  const isRead = refusal === null || rows > 0;
  const { encoding, separator, warnings } = reading ?? { encoding: null, separator: null, warnings: [] };
  const facts = [
    format === 'gzip' ? 'gzip' : 'not packed',
    ...(encoding === null ? [] : [encoding.toUpperCase()]),
    ...(separator === null ? [] : [`separator: ${separatorName(separator)}`]),
  ];
  return renderFacts(
    { name: file === '-' ? 'standard input' : file, facts },
    [
      ['columns', columns.map(({ name, use }) => `${name}: ${use}`)],
      ['users', isRead ? [count(users), ...byCountry, ...others].join('  ') : null],
      ['rows', isRead ? `${count(rows)}, of them ${count(rejected)} that are no user` : null],
      ['outcomes', outcomes.map((each) => `step ${each.step} ${each.outcome}: ${count(each.users)}`)],
      ['first users', firstUsers.map(({ userId, country }) => (country === null ? userId : `${userId}  ${country}`))],
      ['first rejected', rejects.map(({ line, value, detail }) => `line ${line}: ${detail} (${value})`)],
      ['warnings', warnings.map(({ detail }) => detail)],
      ['would be refused', refusal?.detail],
    ],
    view,
  );
}
