import { faultRules } from './faults/fault-rules.ts';
import type { FaultSwitches } from './faults/fault-switches.ts';
import type { HttpAnswer } from './wire/http-answer.ts';

/** Answers `/control`: `GET` returns rules and hits, `POST` replaces the rules. An empty object removes all faults. */
export function answerControl(faults: FaultSwitches, method: string | undefined, body: Buffer): HttpAnswer {
  if (method === 'GET') return { status: 200, body: JSON.stringify(faults.status()) };
  if (method !== 'POST') return problem(405, 'wrong-method', 'GET or POST');
  const parsed = faultRules.safeParse(parseJson(body));
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
    return problem(400, 'bad-rules', issues.join('; '));
  }
  faults.replace(parsed.data);
  return { status: 200, body: JSON.stringify(faults.status()) };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function problem(status: number, code: string, message: string): HttpAnswer {
  return { status, body: JSON.stringify({ code, message }) };
}
