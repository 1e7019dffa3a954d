/** API routes and the commands that call them; `{id}` is the id in the path. */
const commands: readonly (readonly [route: string, command: string])[] = [
  ['GET /v1/approvals?runId={id}', 'approvals list'],
  ['POST /v1/campaigns/{id}/submit', 'approvals submit {id}'],
  ['POST /v1/campaigns/{id}/unarchive', 'campaign unarchive {id}'],
  ['POST /v1/clients', 'clients create <name>'],
  ['POST /v1/clients/{id}/endpoints', 'clients add-endpoint <client> <endpoint>'],
  ['POST /v1/clients/{id}/keys', 'clients add-key {id}'],
  ['POST /v1/jobs/changes', 'jobs cancel-all <client>'],
  ['GET /v1/quotas', 'quotas'],
  ['PATCH /v1/schedules/{id}', 'schedules set {id} field=value'],
  ['POST /v1/schedules/{id}/disable', 'schedules disable {id}'],
];

const patterns = commands.map(([route, command]) => {
  const [before = '', after = ''] = route.split('{id}').map(escaped);
  const ofId = route.includes('{id}') ? String.raw`([^\s/?,;:()]+)` : '';
  // The lookahead matches whole paths only: POST /v1/clients is a prefix of POST /v1/clients/{id}/keys.
  return { pattern: new RegExp(String.raw`${before}${ofId}${after}(?![\w/{?-])`, 'g'), command };
});

/** Replaces routes in the API's messages with the commands that call them. */
export function inCommands(text: string): string {
  return patterns.reduce((sentence, { pattern, command }) => {
    return sentence.replace(pattern, (_, id: unknown) => `\`muster ${command.replace('{id}', String(id))}\``);
  }, text);
}

function escaped(text: string): string {
  return text.replaceAll(/[.?]/g, String.raw`\$&`);
}
