import type { z } from 'zod';
import { readSecret } from '../../../shared/runtime/configuration/secrets.ts';
import type { EntryTerms } from '../actions/entry-terms.ts';
import { unknownParameters } from '../databases/placeholders.ts';
import { presets } from '../presets/presets.ts';
import { requireDatabase } from '../databases/require-database.ts';
import type { ApiCall } from '../presets/api-call.contract.ts';
import type { callAction } from './call-action.contract.ts';
import type { CallActionSettings } from './call-settings.ts';
import type { Json } from './call-template.ts';
import { checkNames, withSettings } from './template-names.ts';

type Entry = z.infer<typeof callAction>;

/** Returns the settings of an action; undefined if the entry has problems. */
export function readCallAction(entry: Entry, terms: EntryTerms): CallActionSettings | undefined {
  const { field, problems } = terms;
  const call: ApiCall = { ...(entry.preset && presets[entry.preset].call), ...entry.call };
  const { usersPerCall = 1, body, form, idempotencyHeader } = call;
  const place = `${field}.call`;
  const fill = (text: string, of: string) =>
    withSettings(text, entry.settings, { field: `${field}.settings`, of, problems });
  const target = readUrl(call.url === undefined ? undefined : fill(call.url, `${place}.url`), `${place}.url`, terms);
  const headers = Object.entries(call.headers ?? {}).map(
    ([name, value]) => [name, fill(value, `${place}.headers.${name}`)] as const,
  );
  if (body !== undefined && form !== undefined) problems.add(`${place}.form has to be left out if there is a body`);
  if (idempotencyHeader !== undefined && usersPerCall > 1)
    problems.add(
      `${place}.idempotencyHeader has to be left out if usersPerCall is more than 1, not ${JSON.stringify(idempotencyHeader)}`,
    );
  const content = contentOf(body, form, (text) => fill(text, body === undefined ? `${place}.form` : `${place}.body`));
  const own = [...headers, ...(idempotencyHeader === undefined ? [] : [[idempotencyHeader, '{{key}}'] as const])];
  const parts = {
    url: target?.target ?? '',
    ...Object.fromEntries(own.map(([name, value]) => [`headers.${name}`, value])),
  };
  checkNames({
    parts,
    content,
    isPerUser: usersPerCall === 1,
    hasAttributes: entry.users !== undefined,
    place,
    problems,
  });
  const secrets = secretsOf(call.headersEnv ?? {}, `${place}.headersEnv`, terms);
  const lookup = lookupOf(entry.users, terms);
  if (!target) return undefined;
  return {
    form: 'call',
    id: terms.id,
    method: call.method ?? 'POST',
    ...target,
    headers: [...usualHeaders(content, own), ...own, ...secrets],
    content,
    usersPerCall,
    recognizesRepeats: call.recognizesRepeats ?? false,
    perUser: call.perUser,
    answers: call.answers ?? [],
    concurrency: call.concurrency ?? 8,
    perSecond: call.perSecond,
    pauseMs: (call.pauseSeconds ?? 1) * 1000,
    timeoutMs: (call.timeoutSeconds ?? 4) * 1000,
    lookup,
    missingCode: entry.missingCode,
    workMs: entry.workSeconds * 1000,
    keepSeconds: entry.keepDays * 86_400,
  };
}

function readUrl(url: string | undefined, field: string, { guard, problems }: EntryTerms) {
  const found = /^(https?:\/\/[^/?#{}\s]+)(\/[^#\s]*)?$/.exec(url ?? '');
  const origin = found?.[1] ?? '';
  if (!found || !URL.canParse(origin)) {
    const form = 'has to be a URL such as https://api.example/v1/messages';
    problems.add(
      url === undefined ? `${field} is not set: it ${form}` : `${field} ${form}, not ${JSON.stringify(url)}`,
    );
    return undefined;
  }
  const cause = guard.whyNot(new URL(origin));
  if (cause !== null) problems.add(`${field} names ${origin}, which may not be called: ${cause}`);
  return { origin: new URL(origin).origin, target: found[2] ?? '/' };
}

function contentOf(
  body: Json | undefined,
  form: ApiCall['form'],
  fill: (text: string) => string,
): CallActionSettings['content'] {
  if (body !== undefined) return { kind: 'json', body: mapTexts(body, fill) };
  if (form === undefined) return undefined;
  return { kind: 'form', fields: Object.fromEntries(Object.entries(form).map(([name, value]) => [name, fill(value)])) };
}

function mapTexts(body: Json, map: (text: string) => string): Json {
  if (typeof body === 'string') return map(body);
  if (Array.isArray(body)) return body.map((each) => mapTexts(each, map));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, mapTexts(value, map)]));
}

function usualHeaders(content: CallActionSettings['content'], own: readonly (readonly [string, string])[]) {
  const type = content?.kind === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const usual = [
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
    ...(content ? [['content-type', type]] : []),
  ] as const;
  const given = new Set(own.map(([name]) => name.toLowerCase()));
  return usual.flatMap(([name = '', value = '']) => (given.has(name) ? [] : [[name, value] as const]));
}

/** Reads the values of headers from environment variables. Problem messages never quote a value. */
function secretsOf(headers: Readonly<Record<string, string>>, field: string, { environment, problems }: EntryTerms) {
  return Object.entries(headers).flatMap(([name, variable]) => {
    const value = problems.of(() => readSecret(variable, environment))?.value;
    // Braces in a secret are escaped, because they do not begin a variable.
    if (value !== undefined) return [[name, value.replaceAll('{{', '{{{{')] as const];
    problems.add(`${field}.${name} names ${variable}, which is not set`);
    return [];
  });
}

function lookupOf(users: Entry['users'], { field, databases, problems }: EntryTerms): CallActionSettings['lookup'] {
  if (!users) return undefined;
  const { database, query, timeoutSeconds } = users;
  requireDatabase(databases, { field: `${field}.users.database`, database, problems });
  if (!/(?<![:\w]):users\b/.test(query)) problems.add(`${field}.users.query has to select the users in :users`);
  for (const unknown of unknownParameters(query))
    problems.add(`${field}.users.query has to name only :users, not ":${unknown}"`);
  return { database, query: { text: query.replace(/[;\s]+$/, ''), timeoutMs: timeoutSeconds * 1000 } };
}
