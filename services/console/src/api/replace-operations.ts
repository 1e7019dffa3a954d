/** API operations by method and path, with the place in the console that does the same. */
const places: readonly (readonly [route: RegExp, place: string])[] = [
  [/GET \/v1\/approvals\?runId=[^\s,;]+/g, 'Approvals has it'],
  [/POST \/v1\/campaigns\/[^\s/]+\/submit with these budgets/g, '“Ask for its approval”'],
  [/POST \/v1\/campaigns\/[^\s/]+\/submit\b/g, '“Submit for approval…” on its page'],
  [/\(POST \/v1\/campaigns\/[^\s/]+\/unarchive\)/g, '(“Take out of the archive…” on its page)'],
  [/POST \/v1\/clients\/[^\s/]+\/endpoints\/default\/keys\b/g, '“Key” on its page'],
  [/POST \/v1\/clients\/[^\s/]+\/endpoints(?![\w/])/g, '“Endpoint” on its page'],
  [/POST \/v1\/clients(?![\w/])/g, '“New client” under Clients'],
  [/which can be cancelled: POST \/v1\/jobs\/changes\b/g, 'which can be cancelled under Jobs'],
  [/GET \/v1\/quotas shows/g, 'Settings shows'],
  [/GET \/v1\/session returns it/g, 'reload this page'],
  [/set "again" to true to reach them again/g, 'tick the box to reach them again'],
  // The console cannot change a schedule.
  [/PATCH \/v1\/schedules\/([^\s/]+) gives/g, '`muster schedules set $1` gives'],
  [/POST \/v1\/schedules\/[^\s/]+\/disable\b/g, '“Disable…” under Schedules'],
];

/** Replaces API operations in messages of the API by the console's buttons. */
export function replaceOperations(text: string): string {
  return places.reduce((rewritten, [route, place]) => rewritten.replace(route, place), text);
}
