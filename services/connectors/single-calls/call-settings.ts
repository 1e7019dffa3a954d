import type { SegmentQuery } from '../databases/source.port.ts';
import type { AnswerRule, ApiCall } from '../presets/api-call.contract.ts';
import type { Json } from './call-template.ts';

/** An action that sends requests to an API, ready for use. */
export interface CallActionSettings {
  form: 'call';
  id: string;
  method: string;
  /** Scheme, host and port of the API. */
  origin: string;
  /** Path and query, which may contain variables. */
  target: string;
  /** Pairs of header names and values. The values may contain variables. */
  headers: readonly (readonly [string, string])[];
  content: { kind: 'json'; body: Json } | { kind: 'form'; fields: Readonly<Record<string, string>> } | undefined;
  usersPerCall: number;
  recognizesRepeats: boolean;
  perUser: ApiCall['perUser'];
  answers: readonly AnswerRule[];
  concurrency: number;
  perSecond: number | undefined;
  pauseMs: number;
  timeoutMs: number;
  /** Look-up of user attributes; undefined if users have none. */
  lookup: { database: string; query: SegmentQuery } | undefined;
  missingCode: string;
  /** Milliseconds in which requests of one batch may be begun. */
  workMs: number;
  keepSeconds: number;
}
