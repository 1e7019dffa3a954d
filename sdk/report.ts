export interface ReportInvitation {
  url: string;
  token: string;
  withinSeconds: number;
}

/** Outcome of an accepted call. Use the same `reason` for failures of the same kind. */
export type Report =
  | { outcome: 'done'; detail?: string }
  | { outcome: 'failed'; reason: string; final?: boolean; retryAfterSeconds?: number; detail?: string };

export interface ReportOptions {
  fetch?: typeof fetch;
  /** Maximum repeats of a report that was refused temporarily, or whose answer was lost. */
  retries?: number;
}

/** A report that Muster did not accept: the job has ended otherwise, or Muster has called it again since. */
export class RefusedReport extends Error {
  override readonly name = 'RefusedReport';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the report data of a call; undefined if no report is expected, so that 202 is a success like any 2xx. Store
 * the data with the work, and answer 202, optionally with `{"reportWithinSeconds":600}`.
 * @param musterUrl base URL of Muster; required if the call contains only a path
 */
export function invitationIn(headers: Headers, musterUrl?: string): ReportInvitation | undefined {
  const [path, token, within] = ['', '-token', '-within'].map((name) => headerOf(headers, `muster-report${name}`));
  if (!path || !token || !within) return undefined;
  const url = musterUrl !== undefined && path.startsWith('/') ? musterUrl.replace(/\/+$/, '') + path : path;
  return { url, token, withinSeconds: Number(within) };
}

/**
 * Reports the outcome of an accepted call to Muster. Safe to repeat.
 * @throws {RefusedReport} with the reason why the report does not count
 */
export async function report(
  { url, token }: Pick<ReportInvitation, 'url' | 'token'>,
  content: Report,
  { fetch: send = fetch, retries = 10 }: ReportOptions = {},
): Promise<'called' | 'failed' | 'unchanged'> {
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(content),
  };
  for (let left = retries; ; left--) {
    const answer = await send(url, init).catch((error: unknown) => {
      if (left === 0) throw error;
      return undefined;
    });
    if (answer?.ok) return resultIn(await answer.json());
    if (answer) {
      const { code, detail } = problemIn(await answer.json().catch(() => undefined));
      // `report-too-early` is temporary: Muster may not have stored the end of the call yet.
      const isForNow = code === 'report-too-early' || answer.status === 429 || answer.status >= 500;
      if (left === 0 || !isForNow) throw new RefusedReport(answer.status, code, detail);
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs(answer)));
  }
}

const usualWaitMs = 500;
const longestWaitMs = 30_000;

function waitMs(answer: Response | undefined): number {
  const seconds = Number(answer?.headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(seconds) ? usualWaitMs : Math.min(longestWaitMs, seconds * 1000);
}

function resultIn(answer: unknown): 'called' | 'failed' | 'unchanged' {
  const { result } = fieldsOf(answer);
  return result === 'called' || result === 'failed' ? result : 'unchanged';
}

function problemIn(answer: unknown): { code: string; detail: string } {
  const { code, detail } = fieldsOf(answer);
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
  return { code: text(code, 'unknown'), detail: text(detail, 'the report was not taken') };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function headerOf(headers: Headers, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}
