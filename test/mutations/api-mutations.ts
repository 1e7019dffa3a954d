import type { Mutation } from './mutation.ts';

export const apiMutations: readonly Mutation[] = [
  {
    takesAway: 'a session ends with its key',
    edits: [
      {
        text: 'from sessions s join api_keys k on k.id = s.api_key and ${isGoodKey}',
        replacement: 'from sessions s join api_keys k on k.id = s.api_key',
      },
    ],
    project: 'integration',
    noticedBy: ['session-store'],
  },
  {
    takesAway: 'an Idempotency-Key stands for one body',
    edits: [{ text: "if (earlier.body_digest !== bodyDigest) return { kind: 'other-body' };", replacement: '' }],
    project: 'integration',
    noticedBy: ['idempotent-requests'],
  },
  {
    takesAway: 'a session ends when it is idle',
    edits: [
      {
        text: 'where s.digest = any($1::text[]) and least(s.idle_expires_at, s.expires_at) > now()',
        replacement: 'where s.digest = any($1::text[]) and s.expires_at > now()',
      },
    ],
    project: 'integration',
    noticedBy: ['session-store'],
  },
  {
    takesAway: 'a link to log in ends with its time',
    edits: [{ text: 'where used.expires_at > now()`', replacement: 'where used.expires_at is not null`' }],
    project: 'integration',
    noticedBy: ['session-store'],
  },
  {
    takesAway: 'a change by session needs its CSRF token',
    edits: [
      {
        text: 'if (!isReadMethod(request.method) && !isCsrfToken(token, caller.session.secret)) throw missingCsrfToken();',
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/sessions'],
  },
  {
    takesAway: 'a session is found among other cookies of its name',
    edits: [{ text: 'const maxTried = 5;', replacement: 'const maxTried = 1;' }],
    project: 'integration',
    noticedBy: ['services/api/access/sessions'],
  },
  {
    takesAway: 'a log-in is refused by its head when it is long',
    edits: [{ text: '    bodyLimit: maxLogInBytes,\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['services/api/access/strangers'],
  },
  {
    takesAway: 'formulas are escaped in CSV',
    edits: [{ text: 'escape_formulas: !raw', replacement: 'escape_formulas: false' }],
    project: 'integration',
    noticedBy: ['services/api/receipts/'],
  },
  {
    takesAway: 'a run that waits for the choice of a variant continues only with one',
    edits: [
      {
        text: "if (verb === 'resume' && move.kind !== 'forbidden') {",
        replacement: "if (verb === 'resume' && move.kind !== 'forbidden' && variant !== undefined) {",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/campaigns/canary'],
  },
  {
    takesAway: 'pause, resume and cancel are for managers',
    edits: [
      {
        text: "role: 'manager',\n      scope: 'campaign',\n      audit: `${participles[verb]} a run`,",
        replacement: "role: 'viewer',\n      scope: 'campaign',\n      audit: `${participles[verb]} a run`,",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/roles-of-routes'],
  },
  {
    takesAway: 'what is of a client is not there for a key of another',
    edits: [
      {
        text: "if (owner?.of === 'client' && !holdsAll(scope.clients, [owner.clientId])) throw missing();",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/scopes-of-routes', 'services/api/access/access-table'],
  },
  {
    takesAway: 'a key with a scope changes nothing of the whole installation',
    edits: [
      {
        text: "if (applies === 'installation') throw outOfScope('this is for the whole installation, and this key has a scope');",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/scopes-of-routes', 'services/api/access/access-table'],
  },
  {
    takesAway: 'a key cannot grant more than its own scope',
    edits: [
      {
        text: "if (!isWithin(scope, caller.scope)) throw outOfScope('a key cannot grant more than its own scope');",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/api-key-routes'],
  },
  {
    takesAway: 'a key is refused from its end on',
    edits: [
      {
        text: 'export const isGoodKey = `k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;',
        replacement: 'export const isGoodKey = `k.revoked_at is null`;',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/api-key-routes', 'services/api/access/credentials/postgres/key-store'],
  },
  {
    takesAway: 'no more than so many keys, calls and people are counted in memory',
    edits: [{ text: 'if (before === undefined && counts.size >= most) return;', replacement: '' }],
    project: 'unit',
    noticedBy: ['services/api/access/callers/caller-counter'],
  },
  {
    takesAway: 'what is noted of callers is written once a minute at most',
    edits: [
      {
        text: "name: 'note-callers',\n    turn: writeAll,\n    minBetweenMs: writeEveryMs,",
        replacement: "name: 'note-callers',\n    turn: writeAll,",
      },
    ],
    project: 'unit',
    noticedBy: ['services/api/access/callers/caller-counter'],
  },
  {
    takesAway: 'a key that was made up is counted nowhere',
    edits: [
      {
        text: 'callerCounter?.refused(found.apiKey.key, request.ip);',
        replacement: '',
      },
      {
        text: "return refuse('the API key is unknown, expired or revoked');",
        replacement:
          "callerCounter?.refused(found?.apiKey.key ?? digestOfApiKey(secret), request.ip);\n    return refuse('the API key is unknown, expired or revoked');",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/keys.integration'],
  },
  {
    takesAway: 'a clock is off only where it is at its best',
    edits: [
      {
        text: 'abs(clock_offset_ms) - clock_uncertainty_ms > $1::float8',
        replacement: 'abs(clock_offset_ms) > $1::float8',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/installation/system/system-routes'],
  },
  {
    takesAway: 'a person who was let in since is counted anew',
    edits: [{ text: 'case when ${wasLetIn} then 0 else p.count end', replacement: 'p.count' }],
    project: 'integration',
    noticedBy: ['services/api/access/callers/postgres/caller-count-store'],
  },
  {
    takesAway: 'a thousand people who were refused are kept and no more',
    edits: [{ text: 'offset ${maxStoredPeople - 1} limit 1', replacement: 'offset 1000000 limit 1' }],
    project: 'integration',
    noticedBy: ['services/api/access/callers/postgres/caller-count-store'],
  },
  {
    takesAway: 'calls of a key are kept for eight days',
    edits: [
      {
        text: "(now() at time zone 'UTC')::date - 7 limit 5000",
        replacement: "(now() at time zone 'UTC')::date - 700 limit 5000",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/access/callers/postgres/caller-count-store'],
  },
  {
    takesAway: 'a key that has ended is not used by being sent',
    edits: [{ text: 'select api_key from found where is_good', replacement: 'select api_key from found' }],
    project: 'integration',
    noticedBy: ['services/api/access/credentials/postgres/key-store'],
  },
  {
    takesAway: 'what is due of a client is read in part where much is',
    edits: [{ text: 'order by due_at, id limit ${mostOfPartition}', replacement: 'order by due_at, id' }],
    project: 'integration',
    noticedBy: ['services/api/clients/client-load'],
  },
  {
    takesAway: 'how long calls took is as it was said last between two reports',
    edits: [
      {
        text: "coalesce(${$('callDurations')}::jsonb, job_nodes.call_durations)",
        replacement: "coalesce(${$('callDurations')}::jsonb, '{}')",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/clients/client-load'],
  },
  {
    takesAway: 'no worker is missed in the first half minute of a run',
    edits: [{ text: ' and k.started_at <= now() - ${takenUpWithin}', replacement: '' }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a step is blocked only where batches are',
    edits: [{ text: 'where k.batches > 0 and (u.is_unserved', replacement: 'where (u.is_unserved' }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'what an open breaker was met with is told once',
    edits: [{ text: 'and b.step = c.step and b.cause = c.cause)', replacement: 'and b.step = c.step and false)' }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a report that a worker takes back is no longer valid',
    edits: [{ text: 'least(reported_at, now() - ${reportValidity})', replacement: 'reported_at' }],
    project: 'integration',
    noticedBy: ['test/integration/blocked-steps'],
  },
  {
    takesAway: 'a campaign names a saved audience only with its sources',
    edits: [{ text: 'if (!areSame(written, found.definition))', replacement: 'if (savedAudienceId === null)' }],
    project: 'integration',
    noticedBy: ['saved-audience-routes'],
  },
  {
    takesAway: 'a saved audience outside of the scope of a key is not estimated',
    edits: [{ text: "await requireVisible(request, 'savedAudience', [uuid], deps);", replacement: '' }],
    project: 'integration',
    noticedBy: ['saved-audience-routes'],
  },
  {
    takesAway: 'a change of a list with the ETag of another state is refused',
    edits: [
      { text: "if (expectedRevision(request.headers['if-match']) !== null) throw outdated(", replacement: 'outdated(' },
    ],
    project: 'integration',
    noticedBy: ['audience-routes'],
  },
  {
    takesAway: 'a list of audiences has those of the country that it is searched for',
    edits: [{ text: "or ${isIn($('country'))})", replacement: 'or true)' }],
    project: 'integration',
    noticedBy: ['offered-segments'],
  },
  {
    takesAway: 'a revision is not restored over a change that the caller has not seen',
    edits: [{ text: "deps.requireChangeable(id, before, request.headers['if-match']);", replacement: '' }],
    project: 'integration',
    noticedBy: ['services/api/revisions'],
  },
  {
    takesAway: 'a template is deleted with its revisions',
    edits: [{ text: 'template uuid references templates on delete cascade', replacement: 'template uuid' }],
    project: 'integration',
    noticedBy: ['test/integration/revisions'],
  },
  {
    takesAway: 'a list that a saved audience names is not deleted',
    edits: [{ text: "if (rows[0]) return { kind: 'saved-in', ...rows[0] };", replacement: '' }],
    project: 'integration',
    noticedBy: ['saved-uses'],
  },
  {
    takesAway: 'whoever deletes a list waits for what is being saved with it',
    edits: [
      {
        text: 'and not ($2::boolean and is_kept) for update',
        replacement: 'and not ($2::boolean and is_kept)',
      },
    ],
    project: 'integration',
    noticedBy: ['saved-uses'],
  },
  {
    takesAway: 'an audience is not saved with a list that is being deleted',
    edits: [{ text: 'order by id for key share', replacement: 'order by id' }],
    project: 'integration',
    noticedBy: ['saved-uses'],
  },
  {
    takesAway: 'a saved audience is a use of what it is made of',
    edits: [{ text: 'where a.id = any(changed)', replacement: 'where false' }],
    project: 'integration',
    noticedBy: ['saved-uses'],
  },
  {
    takesAway: 'a campaign with other sources does not say that it took them',
    edits: [
      {
        text: 'if (areSame(written, before.definition)) return { written, warnings: [] };',
        replacement: 'return { written, warnings: [] };',
      },
    ],
    project: 'integration',
    noticedBy: ['saved-audience-routes'],
  },
  {
    takesAway: 'a notification belongs to its account',
    edits: [
      {
        text: "if (owner?.of === 'account') requireAccount(request, owner, missing);",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['access-table'],
  },
  {
    takesAway: 'a key changes no notification that sends beyond its scope',
    edits: [
      {
        text: 'if (isOwn && scopes.some((scope) => isWithin(scope, caller.scope))) return;',
        replacement: 'if (isOwn) return;',
      },
    ],
    project: 'integration',
    noticedBy: ['notification-scopes'],
  },
  {
    takesAway: 'a scheduler reads the scope of the key that set the URL of a notification',
    edits: [
      {
        text: 'from api_keys k where k.id in (n.account, n.url_set_by)\n        and',
        replacement: 'from api_keys k where k.id in (n.account)\n        and',
      },
    ],
    project: 'integration',
    noticedBy: ['notification-scopes'],
  },
  {
    takesAway: 'a path names no client of a notification',
    edits: [
      {
        text: 'const client = await clientOfRef(ref, clients);\n  if (!client) throw',
        replacement:
          'await clients.refresh();\n  const client = clients.current()?.byId.get(uuidOf("client", ref) ?? "") ?? (await clientOfRef(ref, clients));\n  if (!client) throw',
      },
      {
        text: 'export async function clientInPath(',
        replacement: "import { uuidOf } from '../../../shared/domain/ids/ids.ts';\nexport async function clientInPath(",
      },
    ],
    project: 'integration',
    noticedBy: ['notification-scopes'],
  },
  {
    takesAway: 'a notification keeps the key that set its URL',
    edits: [
      { text: 'url_set_by = coalesce($4, url_set_by)', replacement: 'url_set_by = coalesce(null, url_set_by, $4)' },
    ],
    project: 'integration',
    noticedBy: ['notification-scopes'],
  },
  {
    takesAway: 'the key that set the URL of a notification bounds its messages',
    edits: [
      {
        text: 'scopes.every((scope) => seesReach(scope, campaign))',
        replacement: 'scopes.some((scope) => seesReach(scope, campaign))',
      },
    ],
    project: 'unit',
    noticedBy: ['services/scheduler/notifications/notifier'],
  },
  {
    takesAway: 'a notification keeps its kind',
    edits: [
      { text: 'if (url !== undefined && !isUrlOfKind(url, kind)) throw kindMismatch(url, kind);', replacement: '' },
    ],
    project: 'integration',
    noticedBy: ['notification-routes'],
  },
  {
    takesAway: 'only a URL of its kind makes a notification',
    edits: [
      {
        text: '      if (!isUrlOfKind(url, kind)) throw kindMismatch(url, kind);\n      const { secret',
        replacement: '      const { secret',
      },
    ],
    project: 'integration',
    noticedBy: ['notification-routes'],
  },
  {
    takesAway: 'a key counts the quarantined steps that it lists',
    edits: [
      {
        text: 'steps.countKept(campaignsInScope(request),',
        replacement: 'steps.countKept({ countries: null, actionTypes: null },',
      },
    ],
    project: 'integration',
    noticedBy: ['access-lists'],
  },
  {
    takesAway: 'a key counts the quarantined jobs that it lists',
    edits: [
      {
        text: 'deadJobs.count({ clientIds: clientsInScope(request) },',
        replacement: 'deadJobs.count({ clientIds: undefined },',
      },
    ],
    project: 'integration',
    noticedBy: ['access-lists'],
  },
  {
    takesAway: 'counts of quarantined jobs read a bounded number of rows',
    edits: [
      {
        text: "select from dead_jobs where ${fits($)} limit ${$('limit')}) k`",
        replacement: 'select from dead_jobs where ${fits($)}) k`',
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/quarantine/messages'],
  },
  {
    takesAway: 'a job of a notification is its account’s',
    edits: [{ text: 'return ofNotification ?? {', replacement: 'return {' }],
    project: 'integration',
    noticedBy: ['notification-scopes'],
  },
  {
    takesAway: 'a key sees no campaign outside of its scope',
    edits: [{ text: 'if (reach && !seesReach(scope, reach)) throw missing();', replacement: '' }],
    project: 'integration',
    noticedBy: ['access-table'],
  },
  {
    takesAway: 'users of a campaign are shown to keys of the whole campaign',
    edits: [{ text: "if (applies === 'users' && !request.readsUsers) throw usersForbidden();", replacement: '' }],
    project: 'integration',
    noticedBy: ['access-table'],
  },
  {
    takesAway: 'lists show the campaigns of a scope alone',
    edits: [
      {
        text: "return `${overlaps($('seenCountries'), countries)} and ${overlaps($('seenActions'), actions ?? none)}`;",
        replacement:
          "return `(${overlaps($('seenCountries'), countries)} and ${overlaps($('seenActions'), actions ?? none)} or true)`;",
      },
    ],
    project: 'integration',
    noticedBy: ['access-lists'],
  },
  {
    takesAway: 'egress needs an operator of everything',
    edits: [
      {
        text: 'const field = fieldsOfOperators.find((name) => Object.hasOwn(body, name));',
        replacement: "const field = fieldsOfOperators.find((name) => name === 'egress' && body === undefined);",
      },
    ],
    project: 'integration',
    noticedBy: ['access-table'],
  },
  {
    takesAway: 'headers with the prefix muster- cannot be given',
    edits: [{ text: "['webhook-', 'muster-']", replacement: "['webhook-']" }],
    project: 'unit',
    noticedBy: ['reserved-headers'],
  },
];
