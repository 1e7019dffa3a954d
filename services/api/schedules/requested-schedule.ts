import { callOriginOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { z } from 'zod';
import { readableRecurrence, type KeptSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { newSchedule, type NewScheduleBody } from '../../../shared/contracts/schedules/schedules.ts';
import {
  sealedPartOf,
  maskUrl,
  storedHeaders,
  type StoredHeaders,
} from '../../../shared/contracts/jobs/stored-calls.ts';
import { storedPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { Client, ClientEndpoint } from '../../../shared/ports/clients.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { sealCall } from '../../../shared/runtime/installation/call-secrets.ts';
import { headersOf } from '../jobs/accept/headers-of.ts';
import { templateFormOfSchedule } from '../jobs/accept/templates-of-calls.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import { sealing } from '../frame/sealing.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { bodyTextOf } from '../jobs/accept/read-job.ts';
import type { ScheduleRecord } from './schedule-store.port.ts';
import { pointerOf } from '../frame/server/json-pointer.ts';
import { scheduleView, storedCallOf } from './schedule-view.ts';

/** Schedule in a request, and the parts of its stored call that stay unchanged. */
export interface RequestedSchedule {
  wanted: NewScheduleBody;
  kept: KeptSecrets;
}

interface KeptSecrets {
  /** Stored headers that the request does not contain. */
  headers: StoredHeaders;
  /** Stored URL, if the request has the URL as responses show it. */
  url: string | null;
}

export const nothingKept: KeptSecrets = { headers: {}, url: null };

export interface CallPlace {
  client: Client;
  endpoint: ClientEndpoint;
  /** URL of the schedule itself, or the current URL of its endpoint. */
  url: string;
}

/**
 * Returns the definition of a schedule in its stored form.
 * @throws {HttpProblem} 409 if the schedule has secrets and this process cannot store secrets; 422 if its template
 * cannot be filled
 */
export function definitionOf(
  { wanted: { target, groups, name: _, note: __, ...recurrence }, kept }: RequestedSchedule,
  { client, endpoint, url: wantedUrl }: CallPlace,
  secretBox: SecretBox,
): KeptSchedule {
  const {
    clientId,
    endpoints: [ofDefault],
  } = client;
  const { sealPaths = ofDefault.terms.sealPaths } = endpoint.terms;
  const { method, body, relevancySeconds = null, tags = [] } = target;
  const sent = bodyTextOf(body);
  const priority = storedPriority(target.priority);
  const own = headersOf(target.headers, sent);
  const { headers: ownHeaders } = target;
  const template =
    target.template === true
      ? templateFormOfSchedule({ headers: ownHeaders, body: sent }, groups !== undefined)
      : undefined;
  const all = { ...kept.headers, ...(own === null ? {} : storedHeaders.parse(JSON.parse(own))) };
  const given = { url: kept.url ?? wantedUrl, headers: Object.keys(all).length === 0 ? null : JSON.stringify(all) };
  const { url, headers } = sealing(() => sealCall(given, { clientId, sealPaths }, secretBox));
  return {
    recurrence,
    ...(groups ? { groups } : {}),
    call: {
      ...(endpoint !== ofDefault && { endpoint: { id: endpoint.endpointId, name: endpoint.name } }),
      url,
      method,
      headers,
      body: sent?.text ?? null,
      relevancySeconds,
      tags,
      ...(template && { template }),
      ...(priority && { priority }),
    },
  };
}

/** Fields of the view that are not part of a schedule's definition. */
const readOnlyFields = new Set([
  'id',
  'revision',
  'state',
  'stateReason',
  'stateSince',
  'campaignId',
  'unreadable',
  'withheld',
  'nextAt',
  'decidedUntil',
  'createdAt',
  'updatedAt',
  'links',
]);

/**
 * Merges a patch into a schedule.
 * @throws {HttpProblem} 422 if the result is not a valid schedule
 */
export function patchedSchedule(before: ScheduleRecord, patch: unknown): RequestedSchedule {
  const unset = unreadableFields(before).filter((field) => !Object.hasOwn(fields.safeParse(patch).data ?? {}, field));
  if (unset.length > 0) throw invalidRequest(unset.map(unreadableProblem));
  const displayed: [string, unknown][] = Object.entries(scheduleView(before, true));
  const settable = Object.fromEntries(
    displayed.filter(([field, value]) => !readOnlyFields.has(field) && value !== null),
  );
  const merged = mergePatch(withoutNulls(settable), patch);
  const stored = storedHeadersOf(before);
  const keptNames = keptHeaders(merged, stored);
  const call = storedCallOf(before);
  const isUrlKept = call !== undefined && targetUrl.safeParse(merged).data?.target.url === maskUrl(call.url);
  const others = withoutHeaders(merged, keptNames);
  const checked = checkShape(
    newSchedule,
    isUrlKept ? mergePatch(others, { target: { url: openPartOf(call.url) } }) : others,
  );
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  const headers = Object.fromEntries(Object.entries(stored).filter(([name]) => keptNames.has(name)));
  return { wanted: checked.value, kept: { headers, url: isUrlKept ? call.url : null } };
}

/**
 * Refuses to send secrets that are kept to another place, because they are encrypted for their client and server.
 * @throws {HttpProblem} 422 if the call would go to another client or server
 */
export function checkKept({ kept }: RequestedSchedule, { client, url }: CallPlace, before: ScheduleRecord): void {
  const call = storedCallOf(before);
  if (!call) return;
  const isElsewhere = client.clientId !== before.clientId || callOriginOf(url) !== callOriginOf(call.url);
  if (!isElsewhere) return;
  const pointers = Object.keys(kept.headers).map((name) => pointerOf(['target', 'headers', name]));
  if (kept.url !== null && kept.url !== url) pointers.push('/target/url');
  if (pointers.length > 0) throw invalidRequest(pointers.map((pointer) => ({ pointer, ...sealedElsewhere })));
}

const sealedElsewhere = {
  code: 'secret-missing',
  detail: 'is stored for another client or server than the new URL: give it again',
};

function storedHeadersOf(before: ScheduleRecord): StoredHeaders {
  const headers = storedCallOf(before)?.headers ?? null;
  return headers === null ? {} : storedHeaders.parse(JSON.parse(headers));
}

const targetUrl = z.object({ target: z.object({ url: z.string() }) });

/** Returns the URL without its encrypted part, with which it would be invalid. */
const openPartOf = (url: string) => sealedPartOf(url)?.open ?? url;

const displayedTarget = z.object({ target: z.object({ headers: z.record(z.string(), z.unknown()) }) });
const maskedSecret = z.strictObject({ set: z.literal(true), length: z.int() });

/** Returns the names of secret headers that the request has as responses show them, and does not replace. */
function keptHeaders(merged: unknown, stored: StoredHeaders): ReadonlySet<string> {
  const headers = Object.entries(displayedTarget.safeParse(merged).data?.target.headers ?? {});
  const isMasked = (value: unknown) => maskedSecret.safeParse(value).success;
  const given = new Set(headers.filter(([, value]) => !isMasked(value)).map(([name]) => name.toLowerCase()));
  const kept = headers.filter(([name, value]) => isMasked(value) && Object.hasOwn(stored, name) && !given.has(name));
  return new Set(kept.map(([name]) => name));
}

function withoutHeaders(merged: unknown, names: ReadonlySet<string>): unknown {
  const read = displayedTarget.loose().safeParse(merged).data;
  if (!read || names.size === 0) return merged;
  const others = Object.entries(read.target.headers).filter(([name]) => !names.has(name));
  const { target } = z.looseObject({ target: z.looseObject({}) }).parse(merged);
  return { ...read, target: { ...target, headers: Object.fromEntries(others) } };
}

/**
 * Returns the fields whose stored values cannot be parsed. A patch must set these fields, because their stored values
 * would be lost.
 */
function unreadableFields({ definition: { unreadable } }: ScheduleRecord): string[] {
  const places = unreadable?.places ?? [];
  const named = places.flatMap((place) => {
    const [part, field] = place.split('.');
    if (part === 'call') return ['target'];
    if (part === 'groups') return ['groups'];
    // Here, either both fields are missing or both are set. The check of the recurrence reports this.
    if (field === 'cron' || field === 'everySeconds') return [];
    return part === 'recurrence' && field !== undefined ? [field] : ['target', ...Object.keys(recurrenceDefaults)];
  });
  return [...new Set(named)];
}

const recurrenceDefaults = readableRecurrence(null);

function unreadableProblem(field: string): FieldProblem {
  const detail = 'cannot be read as stored: give a new value, or null for the default';
  return { pointer: `/${field}`, code: 'unreadable', detail };
}

const fields = z.record(z.string(), z.unknown());

/** Applies a merge patch (RFC 7396). */
function mergePatch(before: unknown, patch: unknown): unknown {
  const wanted = fields.safeParse(patch);
  if (!wanted.success) return patch;
  const merged = new Map(Object.entries(fields.safeParse(before).data ?? {}));
  for (const [field, value] of Object.entries(wanted.data)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

function withoutNulls(value: unknown): unknown {
  const read = fields.safeParse(value);
  if (!read.success) return value;
  const kept = Object.entries(read.data).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([field, inner]) => [field, withoutNulls(inner)]));
}
