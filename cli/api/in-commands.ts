/** API routes and the commands that call them, with the names of path parameters in braces. */
const commands: readonly (readonly [route: string, command: string])[] = [
  ['GET /v1/approvals?runId={id}', 'approvals list'],
  ['POST /v1/campaigns/{id}/submit', 'approvals submit {id}'],
  ['POST /v1/campaigns/{id}/unarchive', 'campaign unarchive {id}'],
  ['POST /v1/clients', 'clients create <name>'],
  ['POST /v1/clients/{id}/endpoints', 'endpoints create <client>/<endpoint>'],
  ['POST /v1/clients/{id}/endpoints/{endpoint}/keys', 'endpoints add-key {id}/{endpoint}'],
  ['POST /v1/jobs/changes', 'jobs cancel-all <client>'],
  ['GET /v1/quotas', 'quotas'],
  ['PATCH /v1/schedules/{id}', 'schedules set {id} field=value'],
  ['POST /v1/schedules/{id}/disable', 'schedules disable {id}'],
];

const patterns = commands.map(([route, command]) => {
  const withParameters = escaped(route).replaceAll(/\{(\w+)\}/g, String.raw`(?<$1>[^\s/?,;:()]+)`);
  // The lookahead matches whole paths only: POST /v1/clients is a prefix of POST /v1/clients/{id}/endpoints.
  return { pattern: new RegExp(String.raw`${withParameters}(?![\w/{?-])`, 'g'), command };
});

/** Replaces routes in the API's messages with the commands that call them. */
export function inCommands(text: string): string {
  return patterns.reduce(
    (sentence, { pattern, command }) =>
      sentence.replace(pattern, `\`muster ${command.replaceAll(/\{(\w+)\}/g, '$$<$1>')}\``),
    text,
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[.?]/g, String.raw`\$&`);
}
