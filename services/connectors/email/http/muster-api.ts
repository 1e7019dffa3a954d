import { receiptsAnswer } from '../../../../shared/contracts/endpoints/receipts.ts';
import { createGuardedOrigin, type Egress } from '../../../../shared/http-client/guarded-origin.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import type { MusterApi, MusterApiSettings, ReportGroup } from '../reports.port.ts';

const timeoutMs = 10_000;
const maxAnswerBytes = 1024 * 1024;

export function createMusterApi(
  { url, apiKey }: MusterApiSettings,
  { egress, logger }: { egress: Egress; logger: Logger },
): MusterApi {
  const origin = createGuardedOrigin({
    origin: url.origin,
    egress,
    caller: 'muster',
    connections: 2,
    timeoutMs,
    maxAnswerBytes,
  });
  const base = `${url.pathname.replace(/\/$/, '')}/v1`;

  return {
    send: async (group) => {
      const { path, body } = requestOf(group);
      const outcome = await origin.send({
        method: 'POST',
        path: `${base}${path}`,
        headers: [
          'authorization',
          `Bearer ${apiKey}`,
          'content-type',
          'application/json',
          'accept-encoding',
          'identity',
        ],
        body: Buffer.from(JSON.stringify(body)),
      });
      if (outcome.kind !== 'answered') return outcome.cause;
      if (outcome.status >= 300) return `${outcome.status}: ${outcome.body.toString().slice(0, 500)}`;
      if (group.kind === 'receipt') logProblems(outcome.body);
      return undefined;
    },
    close: () => origin.close(),
  };

  /** Logs receipts that Muster refuses permanently, for example for a deleted run. The connectors drop them. */
  function logProblems(body: Buffer): void {
    const { accepted, problems } = receiptsAnswer.parse(JSON.parse(body.toString()));
    const codes = [...new Set(problems.map(({ code }) => code))];
    if (problems.length > 0) logger.warn({ accepted, dropped: problems.length, codes }, 'receipts were not accepted');
  }
}

function requestOf(group: ReportGroup): { path: string; body: object } {
  if (group.kind === 'receipt') return { path: '/receipts', body: { receipts: group.receipts } };
  const { list, note, users } = group;
  return { path: '/suppressions', body: { actionType: list, note, users } };
}
